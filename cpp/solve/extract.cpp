#include "solve/extract.hpp"

#include <utility>

namespace dpdtree {
namespace {

class Extractor {
 public:
  Extractor(const Problem& problem, const Cost& cost, const Plan& plan,
            std::vector<Row> rows)
      : p_(problem), cost_(cost), plan_(plan), rows_(std::move(rows)) {}

  Extracted run() {
    Tree& tree = out_.tree;
    tree.n_features = static_cast<i64>(p_.columns.size());
    tree.n_values = p_.targets.classification() ? p_.targets.n_classes : 1;
    reserve(plan_.size());
    struct Open {
      u32 node;
      std::size_t begin, end;
    };
    std::vector<Open> stack{{0, 0, rows_.size()}};
    std::vector<double> stats(3 * p_.targets.stats_width());
    while (!stack.empty()) {  // pops in preorder, the order of the plan
      const Open open = stack.back();
      stack.pop_back();
      const std::size_t n = open.end - open.begin;
      const NodeView view = make_node(p_, {rows_.data() + open.begin, n}, stats.data());
      add_node(open.node, view);
      if (plan_[open.node].right == 0) continue;
      Split split = plan_[open.node].split;
      const std::size_t width = p_.targets.stats_width();
      const Children children =
          split_node(p_, view, split, rows_.data() + open.begin, spare_,
                     stats.data() + width, stats.data() + 2 * width);
      const std::size_t middle = open.begin + children.left.rows.size();
      stack.push_back({open.node + plan_[open.node].right, middle, open.end});
      stack.push_back({open.node + 1, open.begin, middle});
    }
    return finish();
  }

 private:
  void reserve(std::size_t n) {
    Tree& t = out_.tree;
    for (auto* v : {&t.children_left, &t.children_right, &t.feature, &t.n_node_samples})
      v->reserve(n);
    for (auto* v : {&t.threshold, &t.impurity, &t.weighted_n_node_samples})
      v->reserve(n);
    t.value.reserve(n * static_cast<std::size_t>(t.n_values));
  }

  void add_node(u32 index, const NodeView& view) {
    Tree& t = out_.tree;
    const PlanNode& node = plan_[index];
    const bool leaf = node.right == 0;
    t.children_left.push_back(leaf ? kNoChild : i64{index} + 1);
    t.children_right.push_back(leaf ? kNoChild : i64{index} + node.right);
    t.feature.push_back(leaf ? kLeafFeature : i64{node.split.feature});
    t.threshold.push_back(leaf ? kLeafThreshold : node.split.threshold);
    t.missing_go_to_left.push_back(!leaf && node.split.missing == Missing::left);
    t.impurity.push_back(mass(cost_.criterion, view.stats) / view.weight *
                         cost_.loss_unit);
    t.n_node_samples.push_back(view.n());
    t.weighted_n_node_samples.push_back(view.weight * p_.targets.weight_scale);
    if (p_.targets.classification())
      for (const double c : view.stats) t.value.push_back(c / view.weight);
    else
      t.value.push_back(p_.targets.center +
                        p_.targets.y_scale * (view.stats[1] / view.weight));
    if (leaf) {
      loss_ += mass(cost_.loss, view.stats);
      return;
    }
    path_length_ += view.weight;
    if (!cost_.described()) return;
    const Column& column = p_.columns[node.split.feature];
    prices_ += cost_.price(view.weight, count_thresholds(column, view.rows, seen_));
  }

  Extracted finish() {
    const double total = cost_.total_weight;
    out_.loss = loss_ / total * cost_.loss_unit;
    const auto leaves = static_cast<double>(out_.tree.n_leaves());
    if (cost_.described()) {
      out_.complexity = prices_ / total * cost_.loss_unit;
      out_.objective = out_.loss + out_.complexity;
      out_.scaled_objective = (loss_ + prices_) / total;
      return std::move(out_);
    }
    out_.complexity =
        cost_.complexity == Complexity::path_length ? path_length_ / total : leaves;
    out_.objective = out_.loss + cost_.alpha * out_.complexity;
    out_.scaled_objective = (loss_ + cost_.penalty(total) * out_.complexity) / total;
    return std::move(out_);
  }

  const Problem& p_;
  const Cost& cost_;
  const Plan& plan_;
  std::vector<Row> rows_;
  std::vector<Row> spare_;
  Extracted out_;
  double loss_ = 0;
  double path_length_ = 0;
  double prices_ = 0;
  std::vector<u8> seen_;
};

}  // namespace

Extracted extract(const Problem& problem, const Cost& cost, const Plan& plan,
                  std::vector<Row> rows) {
  const Problem unhashed{problem.columns, problem.targets, nullptr, problem.pool};
  return Extractor(unhashed, cost, plan, std::move(rows)).run();
}

}  // namespace dpdtree
