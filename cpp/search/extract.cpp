#include "search/extract.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "loss/leaf.hpp"
#include "node/unseen_categories.hpp"

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
        rows_(rows.size()) {}

  Extracted run() {
    Tree& tree = out_.tree;
    tree.n_features = static_cast<i64>(p_.columns.size());
    for (u32 j = 0; j < p_.targets.n_outputs; ++j)
      tree.n_classes.push_back(p_.targets.classification() ? n_classes_of(j) : 1);
    struct Open {
      const PlanNode* plan;  // null: a leaf
      i64 parent;            // whose right child this is, or kNoChild
      std::size_t begin;     // of its rows, once they are divided
      NodeView view;
      std::vector<double> stats;  // of the view
    };
    const std::size_t width = p_.targets.stats_width();
    std::vector<Open> stack;
    std::vector<double> stats(width);
    NodeView root = make_node(p_, all_rows_, stats.data());
    root.constraints = constraints_;
    stack.push_back({plan_.get(), kNoChild, 0, root, std::move(stats)});
    while (!stack.empty()) {  // pops in preorder; greedy trees are too deep to recurse
      const Open open = std::move(stack.back());
      stack.pop_back();
      const i64 here = add_node(open.plan, open.view);
      if (open.parent != kNoChild)
        tree.children_right[static_cast<std::size_t>(open.parent)] = here;
      if (open.plan == nullptr) continue;
      Split split = open.plan->split;
      std::vector<double> left(width), right(width);
      const Children children =
          split_node(p_, open.view, split, rows_.data() + open.begin, spare_,
                     left.data(), right.data());
      const std::size_t middle = open.begin + children.left.rows.size();
      stack.push_back(
          {open.plan->right.get(), here, middle, children.right, std::move(right)});
      stack.push_back({open.plan->left.get(), kNoChild, open.begin, children.left,
                       std::move(left)});
    }
    return finish();
  }

 private:
  // Appends a node and returns its index; a right child is filled in when it comes.
  i64 add_node(const PlanNode* plan, const NodeView& view) {
    Tree& t = out_.tree;
    const auto index = static_cast<i64>(t.node_count());
    const bool leaf = plan == nullptr;
    const Split split = leaf ? Split{} : plan->split;
    t.children_left.push_back(leaf ? kNoChild : index + 1);
    t.children_right.push_back(kNoChild);
    t.feature.push_back(leaf ? kLeafFeature : i64{split.feature});
    t.threshold.push_back(leaf               ? kLeafThreshold
                          : split.categories ? std::nan("")
                                             : split.threshold);
    if (split.categories) add_categories(split, view);
    t.category_end.push_back(static_cast<i64>(t.category_left.size()));
    t.missing_go_to_left.push_back(split.missing == Missing::left);
    t.impurity.push_back(cost_.impurity(view) / view.weight * cost_.impurity_unit);
    t.n_node_samples.push_back(view.n());
    t.weighted_n_node_samples.push_back(view.weight * p_.targets.weight_scale);
    p_.targets.classification() ? add_shares(view) : add_predictions(view);
    leaf ? add_leaf(view) : add_split(split, view);
    return index;
  }

  void add_leaf(const NodeView& view) { loss_ += cost_.leaf_loss(view); }

  void add_split(const Split& split, const NodeView& view) {
    path_length_ += view.weight;
    feature_prices_ += Cost::feature_price(view, split);
    if (!cost_.is_mdl()) return;
    const Column& column = p_.columns[split.feature];
    prices_ += cost_.price(view.weight, log_choices(column, view.rows, split, seen_));
  }

  i64 n_classes_of(u32 output) const {
    return p_.targets.first_class[output + 1] - p_.targets.first_class[output];
  }

  // Class shares; outputs with fewer classes than others are filled up with zeros.
  void add_shares(const NodeView& view) {
    Tree& t = out_.tree;
    if (moved_by_bounds(view)) {
      const double mean = mean_within_bounds(view);
      t.value.insert(t.value.end(), {1 - mean, mean});
      return;
    }
    for (u32 j = 0; j < p_.targets.n_outputs; ++j) {
      const u32 first = p_.targets.first_class[j];
      for (i64 k = 0; k < t.max_n_classes(); ++k)
        t.value.push_back(k < n_classes_of(j)
                              ? view.stats[first + static_cast<u32>(k)] / view.weight
                              : 0);
    }
  }

  void add_predictions(const NodeView& view) {
    const Targets& targets = p_.targets;
    auto own = leaf_predictions(cost_.loss, targets, view.rows, view.stats);
    if (moved_by_bounds(view)) own[0] = mean_within_bounds(view);
    for (std::size_t j = 0; j < own.size(); ++j)
      out_.tree.value.push_back(targets.center[j] + targets.y_scale * own[j]);
  }

  // Bounds of monotone features: of one output, a mean or the share of a second class.
  static double mean_within_bounds(const NodeView& view) {
    return view.constraints->clamp(mean_of(view));
  }
  static bool moved_by_bounds(const NodeView& view) {
    return view.constraints && view.constraints->bounded() &&
           mean_within_bounds(view) != mean_of(view);
  }

  // The caller's numbers of the categories on the left, ascending.
  void add_categories(Split split, const NodeView& view) {
    place_absent(p_, view.rows, all_rows_, split);
    const Column& column = p_.columns[split.feature];
    auto& out = out_.tree.category_left;
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (u32 c = 0; c < column.n_values; ++c)
      if (split.categories->contains(c)) out.push_back(column.category[c]);
    std::sort(out.begin() + first, out.end());
  }

  Extracted finish() {
    if (out_.tree.category_left.empty()) out_.tree.category_end.clear();
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
