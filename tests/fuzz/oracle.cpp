#include "oracle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace dpdtree::fuzz {
namespace {

constexpr std::size_t kMostLeaves = 8;  // of three levels
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The least cost with exactly so many leaves; [0] is not used.
using ByLeaves = std::array<double, kMostLeaves + 1>;

double mean_of(const Problem& problem, const Rows& rows) {
  double sum = 0;
  for (const std::size_t i : rows) sum += problem.weight(i) * problem.y[i];
  return sum / weight_of(problem, rows);
}

double squared_error(const Problem& problem, const Rows& rows) {
  const double mean = mean_of(problem, rows);
  double sum = 0;
  for (const std::size_t i : rows)
    sum += problem.weight(i) * (problem.y[i] - mean) * (problem.y[i] - mean);
  return sum;
}

// Of the cheapest answer for all the rows.
double cheapest_answer(const Problem& problem, const std::vector<double>& classes) {
  double least = kInfinity;
  for (std::size_t said = 0; said < classes.size(); ++said) {
    double sum = 0;
    for (std::size_t is = 0; is < classes.size(); ++is)
      sum += classes[is] * problem.params.cost_matrix[is * classes.size() + said];
    least = std::min(least, sum);
  }
  return least;
}

std::set<double> distinct_values(const Problem& problem, const Rows& rows,
                                 std::size_t feature, bool& missing) {
  std::set<double> out;
  for (const std::size_t i : rows) {
    const double v = problem.value(i, feature);
    if (std::isnan(v))
      missing = true;
    else
      out.insert(v);
  }
  return out;
}

class Oracle {
 public:
  Oracle(const Problem& problem, double nat) : problem_(problem), nat_(nat) {}

  ByLeaves best(const Rows& rows, i64 levels) const {
    ByLeaves out;
    out.fill(kInfinity);
    out[1] = leaf_cost(problem_, rows);
    if (levels == 0 || !may_split(problem_, rows)) return out;
    for (std::size_t feature = 0; feature < problem_.p; ++feature)
      try_feature(rows, levels, feature, out);
    return out;
  }

 private:
  // Every value but the last as a threshold, the missing ones on either side; then the
  // missing ones against all others.
  void try_feature(const Rows& rows, i64 levels, std::size_t feature,
                   ByLeaves& out) const {
    bool missing = false;
    const std::set<double> values = distinct_values(problem_, rows, feature, missing);
    for (const double v : values) {
      const bool last = v == *values.rbegin();
      if (!last || missing) try_split(rows, levels, feature, v, false, out);
      if (!last && missing) try_split(rows, levels, feature, v, true, out);
    }
  }

  void try_split(const Rows& rows, i64 levels, std::size_t feature, double threshold,
                 bool missing_left, ByLeaves& out) const {
    Rows left, right;
    for (const std::size_t i : rows) {
      const double v = problem_.value(i, feature);
      const bool goes_left = std::isnan(v) ? missing_left : v <= threshold;
      (goes_left ? left : right).push_back(i);
    }
    if (!is_allowed(problem_, left) || !is_allowed(problem_, right)) return;
    const double price = split_price(problem_, rows, feature, nat_);
    const ByLeaves a = best(left, levels - 1), b = best(right, levels - 1);
    for (std::size_t i = 1; i < kMostLeaves; ++i)
      for (std::size_t j = 1; i + j <= kMostLeaves; ++j)
        out[i + j] = std::min(out[i + j], price + a[i] + b[j]);
  }

  const Problem& problem_;
  double nat_;
};

}  // namespace

Rows counted_rows(const Problem& problem) {
  Rows out;
  for (std::size_t i = 0; i < problem.n; ++i)
    if (problem.weight(i) > 0) out.push_back(i);
  return out;
}

double weight_of(const Problem& problem, const Rows& rows) {
  double sum = 0;
  for (const std::size_t i : rows) sum += problem.weight(i);
  return sum;
}

std::vector<double> class_weights(const Problem& problem, const Rows& rows) {
  std::vector<double> out(problem.n_classes, 0);
  for (const std::size_t i : rows)
    out[static_cast<std::size_t>(problem.label[i])] += problem.weight(i);
  return out;
}

double leaf_cost(const Problem& problem, const Rows& rows) {
  const std::string& loss = problem.params.loss;
  if (loss == "squared_error") return squared_error(problem, rows);
  const std::vector<double> classes = class_weights(problem, rows);
  if (loss == "cost_matrix") return cheapest_answer(problem, classes);
  const double all = std::accumulate(classes.begin(), classes.end(), 0.0);
  if (loss == "zero_one")
    return all - *std::max_element(classes.begin(), classes.end());
  double sum = 0;
  for (const double c : classes) {
    if (c <= 0) continue;
    sum += loss == "gini" ? c * ((all - c) / all) : -c * std::log(c / all);
  }
  return sum;
}

bool may_split(const Problem& problem, const Rows& rows) {
  return rows.size() >= problem.params.min_samples_split;
}

bool is_allowed(const Problem& problem, const Rows& part) {
  return part.size() >= problem.params.min_samples_leaf &&
         weight_of(problem, part) >= problem.params.min_weight_leaf;
}

double split_price(const Problem& problem, const Rows& rows, std::size_t feature,
                   double nat) {
  const TreeParams& params = problem.params;
  if (params.mdl) {
    bool missing = false;
    const auto values = distinct_values(problem, rows, feature, missing);
    const auto cuts = static_cast<double>(values.size() + (missing ? 1 : 0)) - 1;
    return nat * (std::log(static_cast<double>(problem.p)) + std::log(cuts));
  }
  const bool by_rows = params.complexity == "path_length";
  return params.alpha * (by_rows ? weight_of(problem, rows) : problem.total_weight());
}

double best_objective(const Problem& problem, double nat) {
  const TreeParams& params = problem.params;
  const ByLeaves by_leaves =
      Oracle(problem, nat).best(counted_rows(problem), params.max_depth);
  const auto limit = params.max_leaf_nodes < 0
                         ? kMostLeaves
                         : static_cast<std::size_t>(params.max_leaf_nodes);
  double least = kInfinity;
  for (std::size_t k = 1; k <= std::min(limit, kMostLeaves); ++k)
    least = std::min(least, by_leaves[k]);
  // A tree of one leaf has the complexity 1, not 0.
  const bool one_leaf = !params.mdl && params.complexity == "n_leaves";
  return least / problem.total_weight() + (one_leaf ? params.alpha : 0);
}

}  // namespace dpdtree::fuzz
