#include "boosting/expansion.hpp"

namespace dpdtree::boosting {
namespace {

// Below this many rows, waking other threads costs more than they help.
constexpr std::size_t kRowsForThreads = 4096;

struct Looks {
  bool left;
  bool right;
};

void drop(Workbench& bench, Child& child) {
  bench.store().give_back(child.histogram);
  child.histogram = nullptr;
}

NodeSearch search_of(Child& child, const Bin* from, bool find) {
  return {&child.context, child.histogram, from == nullptr ? child.rows : RowSet{},
          from, find ? &child.best : nullptr};
}

// Both histograms from the rows.
FamilySearch search_both(Workbench& bench, Expansion& e, Looks looks) {
  FamilySearch family;
  for (auto [child, look] :
       {std::pair{&e.left, looks.left}, std::pair{&e.right, looks.right}}) {
    if (!look) continue;
    child->histogram = bench.store().take();
    family.add(search_of(*child, nullptr, true));
  }
  return family;
}

// The smaller child's histogram from its rows, the other one by subtraction. Unless the
// parent's is to be kept, the larger child takes it over.
FamilySearch search_smaller(Workbench& bench, Expansion& e, Looks looks,
                            const ExpandJob& job) {
  FamilySearch family;
  if (!looks.left && !looks.right) return family;
  const bool left_smaller = e.left.rows.size <= e.right.rows.size;
  Child& small = left_smaller ? e.left : e.right;
  Child& large = left_smaller ? e.right : e.left;
  small.histogram = bench.store().take();
  large.histogram = job.options.keep_histogram ? bench.store().take() : job.histogram;
  family.add(search_of(small, nullptr, left_smaller ? looks.left : looks.right));
  family.add(search_of(large, job.histogram, true));
  return family;
}

Expansion divided_rows(const SplitFinder& finder, const NodeContext& node,
                       const FoundSplit& split, const RowSet& divided,
                       std::size_t n_left) {
  Expansion e;
  e.split = split;
  e.left.rows = divided.part(0, n_left);
  e.right.rows = divided.part(n_left, divided.size);
  e.left.context = finder.child(node, split, true);
  e.right.context = finder.child(node, split, false);
  return e;
}

void drop_useless(Workbench& bench, Expansion& e) {
  if (!e.left.best.valid) drop(bench, e.left);
  if (!e.right.best.valid) drop(bench, e.right);
}

Looks worth_a_look(const SplitFinder& finder, const Expansion& e) {
  return {finder.worth_a_look(e.left.context), finder.worth_a_look(e.right.context)};
}

// Rows of large nodes are divided by all threads together, those of small ones by a
// thread each; returns how many are left.
std::vector<std::size_t> divide_all(Workbench& bench, std::span<const ExpandJob> jobs) {
  std::vector<std::size_t> n_left(jobs.size());
  const auto divide = [&](std::size_t i, unsigned) {
    n_left[i] = bench.divide(jobs[i].rows, jobs[i].split.rule, jobs[i].out);
  };
  bool each = jobs.size() > 1;
  for (const ExpandJob& job : jobs)
    each &=
        job.rows.size >= kRowsForThreads && !bench.divides_in_parallel(job.rows.size);
  if (each) {
    bench.pool().parallel_for(jobs.size(), divide);
  } else {
    for (std::size_t i = 0; i < jobs.size(); ++i) divide(i, 0);
  }
  return n_left;
}

}  // namespace

std::vector<Expansion> expand(Workbench& bench, std::span<const ExpandJob> jobs) {
  const SplitFinder& finder = bench.finder();
  const std::vector<std::size_t> n_left = divide_all(bench, jobs);
  std::vector<Expansion> found;
  std::vector<FamilySearch> families;
  found.reserve(jobs.size());  // searches point into it
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ExpandJob& job = jobs[i];
    found.push_back(divided_rows(finder, *job.node, job.split, job.out, n_left[i]));
    Expansion& e = found.back();
    const Looks looks =
        job.options.look ? worth_a_look(finder, e) : Looks{false, false};
    const FamilySearch family = job.histogram == nullptr
                                    ? search_both(bench, e, looks)
                                    : search_smaller(bench, e, looks, job);
    if (family.n > 0) families.push_back(family);
    // Nobody has taken it over.
    if (family.n == 0 && !job.options.keep_histogram)
      bench.store().give_back(job.histogram);
  }
  if (!families.empty()) bench.search(families);
  for (Expansion& e : found) drop_useless(bench, e);
  return found;
}

Expansion expand(Workbench& bench, const ExpandJob& job) {
  return std::move(expand(bench, std::span(&job, 1)).front());
}

Expansion expand_divided(Workbench& bench, const NodeContext& node,
                         const FoundSplit& split, const RowSet& divided,
                         std::size_t n_left) {
  Expansion e = divided_rows(bench.finder(), node, split, divided, n_left);
  const FamilySearch family = search_both(bench, e, worth_a_look(bench.finder(), e));
  if (family.n > 0) bench.search({&family, 1});
  drop_useless(bench, e);
  return e;
}

void discard(Workbench& bench, Expansion& expansion) {
  drop(bench, expansion.left);
  drop(bench, expansion.right);
}

}  // namespace dpdtree::boosting
