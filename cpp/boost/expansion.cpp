#include "boost/expansion.hpp"

namespace dpdtree::boosting {
namespace {

struct Searched {
  bool left;
  bool right;
};

void drop(NodeEvaluator& evaluator, Child& child) {
  evaluator.store().give_back(child.histogram);
  child.histogram = nullptr;
}

NodeSearch search_of(Child& child, const Bin* from, bool find) {
  return {&child.context, child.histogram, from == nullptr ? child.rows : RowSet{},
          from, find ? &child.best : nullptr};
}

// Both histograms from the rows.
FamilySearch search_both(NodeEvaluator& evaluator, Expansion& e, Searched searched) {
  FamilySearch family;
  for (auto [child, wanted] :
       {std::pair{&e.left, searched.left}, std::pair{&e.right, searched.right}}) {
    if (!wanted) continue;
    child->histogram = evaluator.store().take();
    family.add(search_of(*child, nullptr, true));
  }
  return family;
}

// The smaller child's histogram from its rows, the other one by subtraction. Unless the
// parent's is to be kept, the larger child takes it over.
FamilySearch search_smaller(NodeEvaluator& evaluator, Expansion& e, Searched searched,
                            const ExpandJob& job) {
  FamilySearch family;
  if (!searched.left && !searched.right) return family;
  const bool left_smaller = e.left.rows.size <= e.right.rows.size;
  Child& small = left_smaller ? e.left : e.right;
  Child& large = left_smaller ? e.right : e.left;
  small.histogram = evaluator.store().take();
  large.histogram =
      job.options.keep_histogram ? evaluator.store().take() : job.histogram;
  family.add(search_of(small, nullptr, left_smaller ? searched.left : searched.right));
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
    const i64 size = child.context.total.count;
    child.rows = {nullptr, nullptr, static_cast<std::size_t>(size)};
  }
}

void drop_useless(NodeEvaluator& evaluator, Expansion& e) {
  if (!e.left.best.valid) drop(evaluator, e.left);
  if (!e.right.best.valid) drop(evaluator, e.right);
}

Searched may_be_split(const SplitFinder& finder, const Expansion& e) {
  return {finder.may_be_split(e.left.context), finder.may_be_split(e.right.context)};
}

// Divides the rows; `e` must stay where it is until the children are searched.
FamilySearch divide(NodeEvaluator& evaluator, const ExpandJob& job, Expansion& e) {
  const SplitFinder& finder = evaluator.finder();
  if (evaluator.elsewhere()) {
    divided_elsewhere(finder, *job.node, job.split, e);
  } else {
    const std::size_t n_left = evaluator.divide(job.rows, job.split.rule, job.out);
    divided_rows(finder, *job.node, job.split, job.out, n_left, e);
  }
  const Searched searched =
      job.options.search_children ? may_be_split(finder, e) : Searched{false, false};
  return job.histogram == nullptr ? search_both(evaluator, e, searched)
                                  : search_smaller(evaluator, e, searched, job);
}

void search_children(NodeEvaluator& evaluator, const ExpandJob& job,
                     const FamilySearch& family, Expansion& e) {
  if (family.n > 0) evaluator.search(family);
  // Nobody has taken it over.
  if (family.n == 0 && !job.options.keep_histogram)
    evaluator.store().give_back(job.histogram);
  drop_useless(evaluator, e);
}

// Below this many rows, another thread costs more than it helps.
constexpr std::size_t kRowsForThreads = 512;

}  // namespace

Expansion expand(NodeEvaluator& evaluator, const ExpandJob& job) {
  Expansion e;
  const FamilySearch family = divide(evaluator, job, e);
  if (family.n > 0) evaluator.fetch({&family, 1});
  search_children(evaluator, job, family, e);
  return e;
}

namespace {

// All histograms come in one go.
std::vector<Expansion> expand_elsewhere(NodeEvaluator& evaluator,
                                        std::span<const ExpandJob> jobs) {
  std::vector<Expansion> found(jobs.size());
  std::vector<FamilySearch> families;
  for (std::size_t i = 0; i < jobs.size(); ++i)
    families.push_back(divide(evaluator, jobs[i], found[i]));
  evaluator.fetch(families);
  for (std::size_t i = 0; i < jobs.size(); ++i)
    search_children(evaluator, jobs[i], families[i], found[i]);
  return found;
}

}  // namespace

std::vector<Expansion> expand(NodeEvaluator& evaluator,
                              std::span<const ExpandJob> jobs) {
  if (evaluator.elsewhere()) return expand_elsewhere(evaluator, jobs);
  std::vector<Expansion> found(jobs.size());
  std::size_t n_rows = 0;
  for (const ExpandJob& job : jobs) n_rows += job.rows.size;
  const auto one = [&](std::size_t i, unsigned) {
    found[i] = expand(evaluator, jobs[i]);
  };
  if (n_rows < kRowsForThreads)
    for (std::size_t i = 0; i < jobs.size(); ++i) one(i, 0);
  else
    evaluator.pool().parallel_for(jobs.size(), one);
  return found;
}

Expansion expand_divided(NodeEvaluator& evaluator, const NodeContext& node,
                         const FoundSplit& split, const RowSet& divided,
                         std::size_t n_left) {
  Expansion e;
  divided_rows(evaluator.finder(), node, split, divided, n_left, e);
  const FamilySearch family =
      search_both(evaluator, e, may_be_split(evaluator.finder(), e));
  if (family.n > 0) evaluator.search(family);
  drop_useless(evaluator, e);
  return e;
}

void discard(NodeEvaluator& evaluator, Expansion& expansion) {
  for (Child* child : {&expansion.left, &expansion.right}) {
    drop(evaluator, *child);
    if (child->ahead) discard(evaluator, *child->ahead);
  }
}

}  // namespace dpdtree::boosting
