#include "boost/expansion.hpp"

namespace dpdtree::boosting {
namespace {

struct Looks {
  bool left;
  bool right;
};

void drop(NodeEvaluator& bench, Child& child) {
  bench.store().give_back(child.histogram);
  child.histogram = nullptr;
}

NodeSearch search_of(Child& child, const Bin* from, bool find) {
  return {&child.context, child.histogram, from == nullptr ? child.rows : RowSet{},
          from, find ? &child.best : nullptr};
}

// Both histograms from the rows.
FamilySearch search_both(NodeEvaluator& bench, Expansion& e, Looks looks) {
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
FamilySearch search_smaller(NodeEvaluator& bench, Expansion& e, Looks looks,
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

void divided_rows(const SplitFinder& finder, const NodeContext& node,
                  const FoundSplit& split, const RowSet& divided, std::size_t n_left,
                  Expansion& e) {
  e.split = split;
  e.left.rows = divided.part(0, n_left);
  e.right.rows = divided.part(n_left, divided.size);
  e.left.context = finder.child(node, split, true);
  e.right.context = finder.child(node, split, false);
}

// The same where the rows are elsewhere: the children get paths.
void divided_elsewhere(const SplitFinder& finder, const NodeContext& node,
                       const FoundSplit& split, Expansion& e) {
  e.split = split;
  for (const bool left : {true, false}) {
    Child& child = left ? e.left : e.right;
    child.context = finder.child(node, split, left);
    child.context.path =
        std::make_shared<const PathLink>(PathLink{node.path, split.rule, left});
    const i64 size = finder.count_of(child.context.total);
    child.rows = {nullptr, nullptr, static_cast<std::size_t>(size)};
  }
}

void drop_useless(NodeEvaluator& bench, Expansion& e) {
  if (!e.left.best.valid) drop(bench, e.left);
  if (!e.right.best.valid) drop(bench, e.right);
}

Looks worth_a_look(const SplitFinder& finder, const Expansion& e) {
  return {finder.worth_a_look(e.left.context), finder.worth_a_look(e.right.context)};
}

// Divides the rows; `e` must stay where it is until the children are looked at.
FamilySearch divide(NodeEvaluator& bench, const ExpandJob& job, Expansion& e) {
  const SplitFinder& finder = bench.finder();
  if (bench.elsewhere()) {
    divided_elsewhere(finder, *job.node, job.split, e);
  } else {
    const std::size_t n_left = bench.divide(job.rows, job.split.rule, job.out);
    divided_rows(finder, *job.node, job.split, job.out, n_left, e);
  }
  const Looks looks = job.options.look ? worth_a_look(finder, e) : Looks{false, false};
  return job.histogram == nullptr ? search_both(bench, e, looks)
                                  : search_smaller(bench, e, looks, job);
}

void look(NodeEvaluator& bench, const ExpandJob& job, const FamilySearch& family,
          Expansion& e) {
  if (family.n > 0) bench.search(family);
  // Nobody has taken it over.
  if (family.n == 0 && !job.options.keep_histogram)
    bench.store().give_back(job.histogram);
  drop_useless(bench, e);
}

// Below this many rows, another thread costs more than it helps.
constexpr std::size_t kRowsForThreads = 512;

}  // namespace

Expansion expand(NodeEvaluator& bench, const ExpandJob& job) {
  Expansion e;
  const FamilySearch family = divide(bench, job, e);
  if (family.n > 0) bench.fetch({&family, 1});
  look(bench, job, family, e);
  return e;
}

namespace {

// All histograms come in one go.
std::vector<Expansion> expand_elsewhere(NodeEvaluator& bench,
                                        std::span<const ExpandJob> jobs) {
  std::vector<Expansion> found(jobs.size());
  std::vector<FamilySearch> families;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    families.push_back(divide(bench, jobs[i], found[i]));
  bench.fetch(families);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    look(bench, jobs[i], families[i], found[i]);
  return found;
}

}  // namespace

std::vector<Expansion> expand(NodeEvaluator& bench, std::span<const ExpandJob> jobs) {
  if (bench.elsewhere()) return expand_elsewhere(bench, jobs);
  std::vector<Expansion> found(jobs.size());
  std::size_t n_rows = 0;
  for (const ExpandJob& job : jobs) n_rows += job.rows.size;
  const auto one = [&](std::size_t i, unsigned) { found[i] = expand(bench, jobs[i]); };
  if (n_rows < kRowsForThreads)
    for (std::size_t i = 0; i < jobs.size(); ++i) one(i, 0);
  else
    bench.pool().parallel_for(jobs.size(), one);
  return found;
}

Expansion expand_divided(NodeEvaluator& bench, const NodeContext& node,
                         const FoundSplit& split, const RowSet& divided,
                         std::size_t n_left) {
  Expansion e;
  divided_rows(bench.finder(), node, split, divided, n_left, e);
  const FamilySearch family = search_both(bench, e, worth_a_look(bench.finder(), e));
  if (family.n > 0) bench.search(family);
  drop_useless(bench, e);
  return e;
}

void discard(NodeEvaluator& bench, Expansion& expansion) {
  for (Child* child : {&expansion.left, &expansion.right}) {
    drop(bench, *child);
    if (child->ahead) discard(bench, *child->ahead);
  }
}

}  // namespace dpdtree::boosting
