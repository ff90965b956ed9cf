#include "search/extract.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

#include "search/node_record.hpp"
#include "tree/tree_builder.hpp"

namespace dpdtree {
namespace {

// Rows in memory: they are moved, each node's being a segment.
class LocalNodes {
 public:
  LocalNodes(const Problem& problem, std::span<const Row> rows)
      : p_(problem), all_rows_(rows), rows_(rows.size()) {}

  NodeView root(double* stats) const { return make_node(p_, all_rows_, stats); }
  Children divide(const NodeView& view, Split& split, double* left, double* right) {
    const Row* first = view.rows.data();
    const std::ptrdiff_t begin = first == all_rows_.data() ? 0 : first - rows_.data();
    return split_node(p_, view, split, rows_.data() + begin, spare_, left, right);
  }
  double threshold(const NodeView& view, const Split& split) const {
    return readable_threshold(p_, split, view.rows);
  }
  std::vector<i64> left_categories(const NodeView& view, const Split& split) const {
    return dpdtree::left_categories(p_, split, view.rows, all_rows_);
  }
  double log_choices(const NodeView& view, const Split& split) {
    return dpdtree::log_choices(p_.columns[split.feature], view.rows, split, seen_);
  }

 private:
  const Problem& p_;
  std::span<const Row> all_rows_;
  RowBuffer rows_;  // those below the root
  RowBuffer spare_;
  std::vector<u8> seen_;
};

class RemoteNodes {
 public:
  RemoteNodes(const Search& search, const Plan& plan)
      : s_(search), rows_(*search.parts->elsewhere) {
    KnownNodes& known = rows_.known();
    if (!known.complete()) return;
    want(known, plan, nullptr);  // all that is lacking in one round
    if (!known.complete()) known.fetch();
  }

  NodeView root(double* stats) const { return rows_.root(nullptr, stats); }
  Children divide(const NodeView& view, Split& split, double* left, double* right) {
    const std::size_t width = view.stats.size();
    std::vector<double> stats(2 * width);
    Children c = rows_.divide(s_.context(), view, split,
                              {nullptr, stats.data(), paths_.emplace_back().data()});
    std::copy_n(stats.data(), width, left);
    std::copy_n(stats.data() + width, width, right);
    c.left.stats = {left, width};
    c.right.stats = {right, width};
    return c;
  }
  double threshold(const NodeView& view, const Split& split) const {
    if (split.given) return split.threshold;
    const auto [last, next] = rows_.next_to_cut(view, split);
    return threshold_next_to_cut(s_.problem.columns[split.feature], split, last, next);
  }
  std::vector<i64> left_categories(const NodeView& view, Split split) const {
    rows_.place_unseen(view, s_.parts->root, split);
    return categories_of(s_.problem.columns[split.feature], split);
  }
  double log_choices(const NodeView& view, const Split& split) {
    return rows_.log_choices(s_.context(), view, split);
  }

 private:
  static void want(KnownNodes& known, const Plan& plan, const NodePath* path) {
    if (plan == nullptr) return;
    known.find(path);
    const NodePath left{path, plan->split, false}, right{path, plan->split, true};
    want(known, plan->left, &left);
    want(known, plan->right, &right);
  }

  const Search& s_;
  const RemoteRows& rows_;
  std::deque<std::array<NodePath, 2>> paths_;  // stable addresses
};

template <class Nodes>
class Extractor {
 public:
  Extractor(const Problem& problem, const Cost& cost, const Plan& plan, Nodes nodes,
            ConstraintsPtr constraints)
      : p_(problem),
        cost_(cost),
        plan_(plan),
        constraints_(std::move(constraints)),
        nodes_(std::move(nodes)),
        builder_(TreeKind::single, static_cast<i64>(p_.columns.size()),
                 class_counts(p_.targets)) {}

  Extracted run() {
    struct Open {
      const PlanNode* plan;  // null: a leaf
      NodeView view;
      std::vector<double> stats;  // of the view
    };
    const std::size_t width = p_.targets.stats_width();
    std::vector<Open> stack;
    std::vector<double> stats(width);
    NodeView root = nodes_.root(stats.data());
    root.constraints = constraints_;
    stack.push_back({plan_.get(), root, std::move(stats)});
    while (!stack.empty()) {  // pops in preorder; greedy trees are too deep to recurse
      const Open open = std::move(stack.back());
      stack.pop_back();
      add_node(open.plan, open.view);
      if (open.plan == nullptr) continue;
      Split split = open.plan->split;
      std::vector<double> left(width), right(width);
      const Children children =
          nodes_.divide(open.view, split, left.data(), right.data());
      stack.push_back({open.plan->right.get(), children.right, std::move(right)});
      stack.push_back({open.plan->left.get(), children.left, std::move(left)});
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
      builder_.add_category_split(split.feature, nodes_.left_categories(view, split),
                                  missing_left, record);
    else
      builder_.add_split(split.feature, nodes_.threshold(view, split), missing_left,
                         record);
  }

  void add_price(const Split& split, const NodeView& view) {
    path_length_ += view.weight;
    feature_prices_ += Cost::feature_price(view, split);
    if (cost_.is_mdl())
      prices_ += cost_.price(view.weight, nodes_.log_choices(view, split));
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
  Nodes nodes_;
  TreeBuilder builder_;
  Extracted out_;
  double loss_ = 0;
  double path_length_ = 0;
  double prices_ = 0;
  double feature_prices_ = 0;
};

}  // namespace

Extracted extract(const Problem& problem, const Cost& cost, const Plan& plan,
                  std::span<const Row> rows, ConstraintsPtr constraints) {
  const Problem unhashed{problem.columns, problem.targets, nullptr, problem.pool};
  return Extractor(unhashed, cost, plan, LocalNodes(unhashed, rows),
                   std::move(constraints))
      .run();
}

Extracted extract(const Search& s, const Cost& cost, const Plan& plan) {
  if (s.parts->elsewhere == nullptr)
    return extract(s.problem, cost, plan, s.set.rows, s.root.constraints);
  return Extractor(s.problem, cost, plan, RemoteNodes(s, plan), s.root.constraints)
      .run();
}

}  // namespace dpdtree
