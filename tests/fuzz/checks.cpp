#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "oracle.hpp"

namespace dpdtree::fuzz {
namespace {

// A tree looked at with the rows in hand.
struct Measured {
  double loss = 0;  // sums, as the oracle has them
  double price = 0;
  double passed = 0;  // weight, over all splits
  i64 leaves = 0;
  std::string fault;  // the first limit that is not kept, or the first wrong value
};

class Surveyor {
 public:
  Surveyor(const Problem& problem, const Tree& tree, double nat)
      : problem_(problem), tree_(tree), nat_(nat) {}

  Measured run() {
    visit(0, counted_rows(problem_), 0);
    const i64 most = problem_.params.max_leaf_nodes;
    if (most > 0 && out_.leaves > most) blame("max_leaf_nodes is not kept");
    return out_;
  }

 private:
  void blame(const std::string& fault) {
    if (out_.fault.empty()) out_.fault = fault;
  }

  void visit(std::size_t node, const Rows& rows, i64 depth) {
    if (static_cast<std::size_t>(tree_.n_node_samples[node]) != rows.size())
      blame("n_node_samples is not the number of rows");
    check_value(node, rows);
    if (tree_.is_leaf(node)) {
      out_.loss += leaf_cost(problem_, rows);
      ++out_.leaves;
      return;
    }
    const auto feature = static_cast<std::size_t>(tree_.feature[node]);
    out_.price += split_price(problem_, rows, feature, nat_);
    out_.passed += weight_of(problem_, rows);
    if (depth >= problem_.params.max_depth) blame("max_depth is not kept");
    if (!may_split(problem_, rows)) blame("min_samples_split is not kept");
    Rows parts[2];
    for (const std::size_t i : rows) {
      const double v = problem_.value(i, feature);
      const bool left = std::isnan(v) ? tree_.missing_go_to_left[node] != 0
                                      : v <= tree_.threshold[node];
      parts[left ? 0 : 1].push_back(i);
    }
    for (const Rows& part : parts)
      if (!is_allowed(problem_, part)) blame("a limit of the leaves is not kept");
    visit(static_cast<std::size_t>(tree_.children_left[node]), parts[0], depth + 1);
    visit(static_cast<std::size_t>(tree_.children_right[node]), parts[1], depth + 1);
  }

  // The mean, or the shares of the classes up to a common factor.
  void check_value(std::size_t node, const Rows& rows) {
    const double w = weight_of(problem_, rows);
    std::vector<double> expected = problem_.regression()
                                       ? std::vector<double>(1, 0)
                                       : class_weights(problem_, rows);
    if (problem_.regression())
      for (const std::size_t i : rows)
        expected[0] += problem_.weight(i) * problem_.y[i];
    const double* value = tree_.value.data() + node * expected.size();
    const double sum = problem_.regression()
                           ? 1
                           : std::accumulate(value, value + expected.size(), 0.0);
    for (std::size_t k = 0; k < expected.size(); ++k)
      if (!(std::abs(value[k] / sum - expected[k] / w) <= 1e-9))
        blame("the value of a node is wrong");
  }

  const Problem& problem_;
  const Tree& tree_;
  double nat_;
  Measured out_;
};

// Whole weights are counts; of others the mean is that of one row.
double row_weight(const Problem& problem) {
  const Rows rows = counted_rows(problem);
  const bool whole = std::all_of(rows.begin(), rows.end(), [&](std::size_t i) {
    return problem.weight(i) == std::floor(problem.weight(i));
  });
  return whole ? 1 : problem.total_weight() / static_cast<double>(rows.size());
}

// What one wrong answer costs more than the best, for rows and answers at random.
double mean_mistake(const Problem& problem) {
  const std::size_t k = problem.n_classes;
  const std::vector<double> classes = class_weights(problem, counted_rows(problem));
  double sum = 0;
  for (std::size_t is = 0; is < k; ++is) {
    const double* row = problem.params.cost_matrix.data() + is * k;
    const double least = *std::min_element(row, row + k);
    for (std::size_t said = 0; said < k; ++said)
      sum += classes[is] * (row[said] - least);
  }
  return k > 1 ? sum / problem.total_weight() / static_cast<double>(k - 1) : 0;
}

// Twice the noise about the greedy tree, one degree of freedom less per leaf.
double twice_the_noise(const Problem& problem) {
  Problem plain = problem;
  plain.params.mdl = false;
  plain.params.strategy = "greedy";
  const FitResult greedy = fit_tree(plain.data(), plain.params, {});
  const Measured tree = Surveyor(plain, greedy.tree, 0).run();
  const double row = row_weight(problem), w = problem.total_weight();
  const double n = w / row, leaves = static_cast<double>(tree.leaves);
  return n > leaves ? 2 * row * tree.loss / w * (n / (n - leaves)) : 0;
}

double price_of_a_nat(const Problem& problem) {
  const std::string& loss = problem.params.loss;
  if (!problem.params.mdl) return 0;
  if (loss == "squared_error") return twice_the_noise(problem);
  const double row = row_weight(problem);
  if (loss == "log_loss") return row;
  return row / 2 * (loss == "cost_matrix" ? mean_mistake(problem) : 1);
}

class Inspector {
 public:
  explicit Inspector(const Problem& problem)
      : problem_(problem), nat_(price_of_a_nat(problem)) {
    out_.best = best_objective(problem, nat_);
    double scale = 1;
    for (const double y : problem.y) scale = std::max(scale, y * y);
    for (const double c : problem.params.cost_matrix) scale = std::max(scale, c);
    slack_ = 1e-11 * scale;
  }

  Verdict run() {
    const double greedy = fit("greedy").objective;
    const double paper = fit("paper").objective;
    const double balanced = fit("balanced").objective;
    if (paper > greedy + slack_) report("is worse than greedy", "paper");
    if (balanced > greedy + slack_) report("is worse than greedy", "balanced");
    if (balanced > paper + slack_) report("is worse than paper", "balanced");
    expect_best(fit("paper", [](auto& p) { p.generator = "exhaustive"; }), false);
    if (!problem_.params.mdl) check_path(balanced);
    if (is_provable()) {
      expect_best(fit("optimal"), true);
      expect_best(fit("optimal", [](auto& p) { p.time_limit = 600; }), true);
      expect_best(fit("optimal", [](auto& p) { p.use_pair_search = false; }), true);
    }
    return out_;
  }

 private:
  bool is_provable() const {
    const TreeParams& p = problem_.params;
    return !p.mdl && (p.loss == "zero_one" || p.loss == "cost_matrix" ||
                      p.loss == "squared_error");
  }

  void report(const std::string& what, const std::string& strategy) {
    last_ = problem_.params;
    last_.strategy = strategy;
    report(what);
  }
  void report(const std::string& what) { out_.findings.push_back({what, last_}); }

  template <class Change>
  FitResult fit(const std::string& strategy, const Change& change) {
    last_ = problem_.params;
    last_.strategy = strategy;
    change(last_);
    ++out_.fits;
    const FitResult result = fit_tree(problem_.data(), last_, {});
    check_statements(result);
    return result;
  }
  FitResult fit(const std::string& strategy) {
    return fit(strategy, [](TreeParams&) {});
  }

  bool near(double a, double b) const { return std::abs(a - b) <= slack_; }

  // Loss and complexity of a tree, as reported.
  void check_tree(const Tree& tree, double loss, double complexity) {
    const Measured seen = Surveyor(problem_, tree, nat_).run();
    if (!seen.fault.empty()) report(seen.fault);
    const double total = problem_.total_weight();
    const TreeParams& p = problem_.params;
    const double size = p.mdl ? seen.price / total
                        : p.complexity == "path_length"
                            ? seen.passed / total
                            : static_cast<double>(seen.leaves);
    if (!near(loss, seen.loss / total)) report("the loss is not that of the tree");
    if (!(loss >= 0)) report("the loss is negative");
    if (!near(complexity, size)) report("the complexity is not that of the tree");
  }

  double objective_of(double loss, double complexity) const {
    return loss + (problem_.params.mdl ? 1 : problem_.params.alpha) * complexity;
  }

  void check_statements(const FitResult& r) {
    check_tree(r.tree, r.loss, r.complexity);
    if (!near(r.objective, objective_of(r.loss, r.complexity)))
      report("the objective is not loss and complexity");
    if (r.objective < out_.best - slack_) report("the objective is below the best");
    if (r.lower_bound > out_.best + slack_) report("the lower bound is above the best");
    if (r.lower_bound > r.objective) report("the lower bound is above the objective");
    if (r.is_optimal && !near(r.objective, out_.best)) report("is_optimal is false");
  }

  void expect_best(const FitResult& r, bool proven) {
    if (!near(r.objective, out_.best)) report("is not the best");
    if (proven && !r.is_optimal) report("the best is not proven");
  }

  // Every tree of the path keeps the limits; the best of them is the balanced one.
  void check_path(double balanced) {
    last_ = problem_.params;
    last_.strategy = "balanced";
    if (last_.max_leaf_nodes > 0) return;
    ++out_.fits;
    const PathResult path = fit_path(problem_.data(), last_, FrontKind::alpha, {});
    if (path.points.empty()) return report("the path is empty");
    double least = INFINITY;
    for (const PathPoint& point : path.points) {
      check_tree(point.tree, point.loss, point.complexity);
      least = std::min(least, objective_of(point.loss, point.complexity));
    }
    if (!near(least, balanced)) report("the best of the path is not that of the fit");
  }

  const Problem& problem_;
  double nat_;
  double slack_ = 0;
  TreeParams last_;
  Verdict out_;
};

}  // namespace

Verdict check(const Problem& problem) { return Inspector(problem).run(); }

}  // namespace dpdtree::fuzz
