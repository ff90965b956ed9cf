#include "search/extract.hpp"

#include <algorithm>
#include <utility>

#include "search/node_record.hpp"
#include "tree/tree_builder.hpp"

namespace dpdtree {
namespace {

class Extractor {
 public:
  Extractor(const Problem& problem, const Cost& cost, const Plan& plan,
            std::span<const Row> rows, ConstraintsPtr constraints)
      : p_(problem),
        cost_(cost),
        plan_(plan),
        constraints_(std::move(constraints)),
        all_rows_(rows),
        rows_(rows.size()),
        builder_(TreeKind::single, static_cast<i64>(p_.columns.size()),
                 class_counts(p_.targets)) {}

  Extracted run() {
    struct Open {
      const PlanNode* plan;  // null: a leaf
      std::size_t begin;     // of its rows, once they are divided
      NodeView view;
      std::vector<double> stats;  // of the view
    };
    const std::size_t width = p_.targets.stats_width();
    std::vector<Open> stack;
    std::vector<double> stats(width);
    NodeView root = make_node(p_, all_rows_, stats.data());
    root.constraints = constraints_;
    stack.push_back({plan_.get(), 0, root, std::move(stats)});
    while (!stack.empty()) {  // pops in preorder; greedy trees are too deep to recurse
      const Open open = std::move(stack.back());
      stack.pop_back();
      add_node(open.plan, open.view);
      if (open.plan == nullptr) continue;
      Split split = open.plan->split;
      std::vector<double> left(width), right(width);
      const Children children =
          split_node(p_, open.view, split, rows_.data() + open.begin, spare_,
                     left.data(), right.data());
      const std::size_t middle = open.begin + children.left.rows.size();
      stack.push_back(
          {open.plan->right.get(), middle, children.right, std::move(right)});
      stack.push_back(
          {open.plan->left.get(), open.begin, children.left, std::move(left)});
    }
    return finish();
  }

 private:
  static std::vector<i64> class_counts(const Targets& t) {
    std::vector<i64> counts(t.n_outputs, 1);
    for (u32 j = 0; t.classification() && j < t.n_outputs; ++j)
      counts[j] = t.first_class[j + 1] - t.first_class[j];
    return counts;
  }

  void add_node(const PlanNode* plan, const NodeView& view) {
    const std::vector<double> value = node_value(p_, cost_, view);
    const NodeRecord record{value, view.n(), view.weight * p_.targets.weight_scale,
                            node_impurity(cost_, view)};
    if (plan == nullptr) {
      builder_.add_leaf(record);
      loss_ += cost_.leaf_loss(view);
      return;
    }
    add_split(plan->split, view, record);
    add_price(plan->split, view);
  }

  void add_split(const Split& split, const NodeView& view, const NodeRecord& record) {
    const bool missing_left = split.missing == Missing::left;
    if (split.categories)
      builder_.add_category_split(split.feature,
                                  left_categories(p_, split, view.rows, all_rows_),
                                  missing_left, record);
    else
      builder_.add_split(split.feature, readable_threshold(p_, split, view.rows),
                         missing_left, record);
  }

  void add_price(const Split& split, const NodeView& view) {
    path_length_ += view.weight;
    feature_prices_ += Cost::feature_price(view, split);
    if (!cost_.is_mdl()) return;
    const Column& column = p_.columns[split.feature];
    prices_ += cost_.price(view.weight, log_choices(column, view.rows, split, seen_));
  }

  Extracted finish() {
    out_.tree = builder_.finish();
    const double total = cost_.total_weight;
    out_.loss = loss_ / total * cost_.loss_unit;
    out_.feature_cost = feature_prices_ / total * cost_.loss_unit;
    const auto leaves = static_cast<double>(out_.tree.n_leaves());
    if (cost_.is_mdl()) {
      out_.complexity = prices_ / total * cost_.loss_unit;
      out_.objective = out_.loss + out_.complexity + out_.feature_cost;
      out_.scaled_objective = (loss_ + prices_ + feature_prices_) / total;
      return std::move(out_);
    }
    out_.complexity =
        cost_.complexity == Complexity::path_length ? path_length_ / total : leaves;
    out_.objective = out_.loss + cost_.alpha * out_.complexity + out_.feature_cost;
    out_.scaled_objective =
        (loss_ + feature_prices_ + cost_.penalty(total) * out_.complexity) / total;
    return std::move(out_);
  }

  const Problem& p_;
  const Cost& cost_;
  const Plan& plan_;
  ConstraintsPtr constraints_;
  std::span<const Row> all_rows_;
  RowBuffer rows_;  // those below the root, each node a segment
  RowBuffer spare_;
  TreeBuilder builder_;
  Extracted out_;
  double loss_ = 0;
  double path_length_ = 0;
  double prices_ = 0;
  double feature_prices_ = 0;
  std::vector<u8> seen_;
};

}  // namespace

Extracted extract(const Problem& problem, const Cost& cost, const Plan& plan,
                  std::span<const Row> rows, ConstraintsPtr constraints) {
  const Problem unhashed{problem.columns, problem.targets, nullptr, problem.pool};
  return Extractor(unhashed, cost, plan, rows, std::move(constraints)).run();
}

}  // namespace dpdtree
