#include "search/held_out.hpp"

#include <algorithm>
#include <cmath>

#include "loss/registry.hpp"
#include "search/description_price.hpp"
#include "search/node_record.hpp"
#include "tree/shrinkage.hpp"

namespace dpdtree {
namespace {

constexpr double kLeastShare = 1e-15;  // of a class that the training rows lack

class HeldOut {
 public:
  // What splits cost at least is what they cost at the smallest of the price scales.
  HeldOut(const Search& s, const Targets& truth, const Fold& fold, double least_scale)
      : s_(s),
        truth_(truth),
        fold_(fold),
        t_(s.set.targets),
        stats_(t_.stats_width()),
        root_path_{nullptr, {}, false, fold.training_part},
        root_(root_of(s)),
        grower_(grow(s, least_scale)),
        row_(row_weight(s)) {
    if (lacks_answers()) return;
    const Cost& c = s.objective;
    if (c.is_mdl()) price_per_nat_ = price_per_nat(s, c.loss, grower_);
    for (const GreedyNode& node : grower_.nodes()) add_node(node);
    elsewhere() ? ask_for_test_rows() : send_test_rows();
  }

  // Of rows that are elsewhere: nothing to be added yet.
  bool lacks_answers() const {
    return elsewhere() && !s_.parts->elsewhere->known().complete();
  }

  void add(const TuningGrid& grid, std::span<double> sums) {
    for (std::size_t i = 0; i < grid.price_scales.size(); ++i) {
      prune(grid.price_scales[i]);
      for (std::size_t j = 0; j < grid.shrinkages.size(); ++j)
        sums[i * grid.shrinkages.size() + j] += loss(grid.shrinkages[j]);
    }
  }

 private:
  NodeView root_of(const Search& s) {
    NodeView root = elsewhere() ? s.parts->elsewhere->root(&root_path_, stats_.data())
                                : make_node(s.problem, fold_.train, stats_.data());
    root.constraints = s.root.constraints;
    if (s.set.bin_counts != nullptr && !t_.classification()) count_test_rows();
    return root;
  }

  GreedyGrower grow(const Search& s, double least_scale) const {
    const Cost& c = s.objective;
    if (!s.params.use_pruning || least_scale == 0 ||
        (c.is_mdl() && asks_for_noise(c.loss)))
      return grow_greedy_from(s, root_);
    Cost least = c;
    if (c.is_mdl()) least.price_per_nat = least_scale * price_per_nat(s, c.loss);
    least.alpha *= least_scale;
    const PricedPrunings prunings(least);
    return grow_greedy_from(s, root_, nullptr, &prunings);
  }

  // What these few leave of all rows is what the root of this fold has in bins.
  void count_test_rows() const {
    const auto counts = std::make_shared<BinCounts>(*s_.set.coarse, *s_.features, t_);
    if (count_rows(
            *s_.set.coarse, t_, fold_.test, nullptr, [this] { return s_.stop.poll(); },
            *counts))
      s_.set.bin_counts->keep(s_.problem.hash(fold_.test), counts);
  }

  bool elsewhere() const { return fold_.training_part > 0; }

  const std::vector<GreedyNode>& nodes() const { return grower_.nodes(); }
  bool is_leaf(std::size_t node) const { return nodes()[node].left < 0; }
  std::size_t left_of(std::size_t node) const {
    return static_cast<std::size_t>(nodes()[node].left);
  }

  void add_node(const GreedyNode& node) {
    const Cost& c = s_.objective;
    values_.push_back(node_prediction(t_, c.loss, node.view));
    as_leaf_.push_back(c.leaf_loss(node.view));
    double own = 0, fixed = 0;
    if (node.left >= 0) {
      fixed = Cost::feature_price(node.view, node.best.split);
      own = c.penalty(node.view.weight);
      if (c.is_mdl())
        own = price_per_nat_ *
              (c.log_features +
               s_.source().log_choices(s_.context(), node.view, node.best.split));
    }
    price_.push_back(own);
    fixed_price_.push_back(fixed);
  }

  // The split of a node as the tree would have it, for rows it has not seen.
  Split placed_split(std::size_t i) const {
    Split split = nodes()[i].best.split;
    if (split.categories) s_.source().place_unseen(nodes()[i].view, root_, split);
    return split;
  }

  // What the test rows have in each node, as the tree would send them.
  void ask_for_test_rows() {
    test_sums_.resize(nodes().size());
    test_paths_.resize(nodes().size());
    test_paths_[0].part = fold_.test_part;
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      const NodeFacts* found = s_.parts->elsewhere->known().find_sums(&test_paths_[i]);
      if (found != nullptr) test_sums_[i] = found->stats;
      if (is_leaf(i)) continue;
      const Split split = placed_split(i);
      test_paths_[left_of(i)] = {&test_paths_[i], split, false};
      test_paths_[left_of(i) + 1] = {&test_paths_[i], split, true};
    }
  }

  // The same of rows in memory.
  void send_test_rows() {
    test_.resize(nodes().size());
    test_[0] = fold_.test;
    RowBuffer spare;
    for (std::size_t i = 0; i < nodes().size(); ++i) {
      test_sums_.push_back(sums_of(test_[i]));
      if (is_leaf(i)) continue;
      const Split split = placed_split(i);
      const Column& column = s_.problem.columns[split.feature];
      RowBuffer out(test_[i].size());
      const u32 n = partition_rows(column, split.left_codes(column), test_[i],
                                   out.data(), spare, nullptr);
      test_[left_of(i)].assign(out.begin(), out.begin() + n);
      test_[left_of(i) + 1].assign(out.begin() + n, out.end());
    }
  }

  // Classes by their weights; numbers, where sums do not depend on the order of rows.
  std::vector<double> sums_of(std::span<const Row> rows) const {
    std::vector<double> sums(t_.stats_width(), 0.0);
    if (!t_.classification()) {
      if (has_sums()) t_.accumulate(rows, sums.data());
      return sums;
    }
    for (const Row r : rows)
      for (u32 j = 0; j < t_.n_outputs; ++j)
        sums[t_.label[std::size_t{r} * t_.n_outputs + j]] += weight_of(r);
    return sums;
  }

  // Do sums tell what a leaf's numbers cost?
  bool has_sums() const {
    return t_.order_free && fold_.test_weight.empty() &&
           s_.objective.loss == Criterion::squared_error;
  }

  // Which splits stay if they cost so many times their price. Children come after
  // their parents.
  void prune(double scale) {
    std::vector<double> below = as_leaf_;
    splits_.assign(nodes().size(), 0);
    const double slack = kRounding * as_leaf_[0];
    for (std::size_t i = nodes().size(); i-- > 0;) {
      if (is_leaf(i) || std::isinf(scale)) continue;
      const double split = scale * price_[i] + fixed_price_[i] + below[left_of(i)] +
                           below[left_of(i) + 1];
      if (split >= as_leaf_[i] - slack) continue;
      below[i] = split;
      splits_[i] = 1;
    }
  }

  double loss(double strength) {
    shrunk_ = values_;
    double sum = 0;
    std::vector<u32> open{0};
    while (!open.empty()) {
      const u32 node = open.back();
      open.pop_back();
      if (splits_[node] == 0) {
        sum += t_.classification() ? class_loss(node) : number_loss(node);
        continue;
      }
      const double share = shrunk_share(strength, nodes()[node].view.weight / row_);
      for (std::size_t child = left_of(node); child < left_of(node) + 2; ++child) {
        for (std::size_t k = 0; k < values_[node].size(); ++k)
          shrunk_[child][k] =
              shrunk_[node][k] + share * (values_[child][k] - values_[node][k]);
        open.push_back(static_cast<u32>(child));
      }
    }
    return sum;
  }

  double weight_of(Row r) const {
    return fold_.test_weight.empty() ? t_.weight_of(r) : fold_.test_weight[r];
  }

  double class_loss(std::size_t node) const {
    const std::vector<double>& counts = test_sums_[node];
    double sum = 0;
    for (std::size_t k = 0; k < counts.size(); ++k)
      if (counts[k] > 0)
        sum -= counts[k] * std::log(std::max(shrunk_[node][k], kLeastShare));
    return sum;
  }

  // Rows without weight are hidden from a search, so it may have other units.
  double in_units_of_truth(double prediction, u32 output) const {
    const double moved = t_.center[output] - truth_.center[output];
    return prediction * (t_.y_scale / truth_.y_scale) + moved / truth_.y_scale;
  }

  // Σw(y - said)² of all outputs.
  double squares_of_sums(std::size_t node) const {
    const std::vector<double>& sums = test_sums_[node];
    double sum = sums[1 + t_.n_outputs];
    for (u32 j = 0; j < t_.n_outputs; ++j) {
      const double said = shrunk_[node][j];
      sum += said * (said * sums[0] - 2 * sums[1 + j]);
    }
    return sum;
  }

  double number_loss(std::size_t node) const {
    if (has_sums()) return squares_of_sums(node);
    const auto cost = loss_info(s_.objective.loss).row_cost;
    double sum = 0;
    for (u32 j = 0; j < t_.n_outputs; ++j) {
      const double said = in_units_of_truth(shrunk_[node][j], j);
      for (const Row r : test_[node])
        sum += weight_of(r) *
               cost(truth_, truth_.y[std::size_t{r} * t_.n_outputs + j], said);
    }
    return sum;
  }

  const Search& s_;
  const Targets& truth_;
  const Fold& fold_;
  const Targets& t_;
  std::vector<double> stats_;  // of the root
  NodePath root_path_;
  NodeView root_;
  GreedyGrower grower_;
  double row_;  // the weight of one
  double price_per_nat_ = 0;
  // By node:
  std::vector<std::vector<double>> values_;
  std::vector<std::vector<double>> shrunk_;
  std::vector<double> as_leaf_;
  std::vector<double> price_;
  std::vector<double> fixed_price_;
  std::vector<RowBuffer> test_;
  std::vector<NodePath> test_paths_;
  std::vector<std::vector<double>> test_sums_;
  std::vector<u8> splits_;
};

}  // namespace

void add_held_out_losses(const Search& s, const Targets& truth, const Fold& fold,
                         const TuningGrid& grid, std::span<double> sums) {
  const double least_scale =
      *std::min_element(grid.price_scales.begin(), grid.price_scales.end());
  HeldOut held_out(s, truth, fold, least_scale);
  if (!held_out.lacks_answers()) held_out.add(grid, sums);
}

}  // namespace dpdtree
