#include "boosting/expansion.hpp"

namespace dpdtree::boosting {
namespace {

void drop(Workbench& bench, Child& child) {
  bench.store().give_back(child.histogram);
  child.histogram = nullptr;
}

void build_both(Workbench& bench, Child& a, Child& b, bool look_a, bool look_b) {
  NodeSearch searches[2];
  int n = 0;
  for (auto [child, look] : {std::pair{&a, look_a}, std::pair{&b, look_b}}) {
    if (!look) continue;
    child->histogram = bench.store().take();
    searches[n++] = {&child->context, child->histogram, child->rows, nullptr, true, {}};
  }
  if (n == 2) bench.search(searches[0], searches[1]);
  if (n == 1) bench.search(searches[0]);
  n = 0;
  if (look_a) a.best = searches[n++].found;
  if (look_b) b.best = searches[n++].found;
}

// The smaller child's histogram from its rows, the other one by subtraction.
void build_smaller(Workbench& bench, Child& small, Child& large, Bin* parent,
                   bool look_small, bool keep) {
  small.histogram = bench.store().take();
  large.histogram = keep ? bench.store().take() : parent;
  NodeSearch first{&small.context, small.histogram, small.rows,
                   nullptr,        look_small,      {}};
  NodeSearch second{&large.context, large.histogram, {}, parent, true, {}};
  bench.search(first, second);
  small.best = first.found;
  large.best = second.found;
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

}  // namespace

Expansion expand(Workbench& bench, const NodeContext& node, const RowSet& rows,
                 Bin* histogram, const FoundSplit& split, const RowSet& out,
                 ExpandOptions options) {
  const SplitFinder& finder = bench.finder();
  const std::size_t n_left = bench.divide(rows, split.rule, out);
  Expansion e = divided_rows(finder, node, split, out, n_left);
  const bool look_left = options.look && finder.worth_a_look(e.left.context);
  const bool look_right = options.look && finder.worth_a_look(e.right.context);
  const bool left_smaller = n_left * 2 <= rows.size;
  Child& small = left_smaller ? e.left : e.right;
  Child& large = left_smaller ? e.right : e.left;
  bool taken_over = false;
  if (histogram == nullptr) {
    build_both(bench, e.left, e.right, look_left, look_right);
  } else if (look_left || look_right) {
    build_smaller(bench, small, large, histogram, left_smaller ? look_left : look_right,
                  options.keep_histogram);
    taken_over = !options.keep_histogram;
  }
  if (!taken_over && !options.keep_histogram) bench.store().give_back(histogram);
  drop_useless(bench, e);
  return e;
}

Expansion expand_divided(Workbench& bench, const NodeContext& node,
                         const FoundSplit& split, const RowSet& divided,
                         std::size_t n_left) {
  const SplitFinder& finder = bench.finder();
  Expansion e = divided_rows(finder, node, split, divided, n_left);
  build_both(bench, e.left, e.right, finder.worth_a_look(e.left.context),
             finder.worth_a_look(e.right.context));
  drop_useless(bench, e);
  return e;
}

void discard(Workbench& bench, Expansion& expansion) {
  drop(bench, expansion.left);
  drop(bench, expansion.right);
}

}  // namespace dpdtree::boosting
