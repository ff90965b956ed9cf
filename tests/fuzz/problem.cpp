#include "problem.hpp"

#include <cmath>
#include <initializer_list>
#include <limits>
#include <random>
#include <set>

#include "base/rng.hpp"

namespace dpdtree::fuzz {
namespace {

class Dice {
 public:
  Dice(u64 seed, u64 number) : engine_(mix64(mix64(seed) ^ number)) {}

  // Of [0, bound), [low, high]; the standard distributions differ between libraries.
  u64 below(u64 bound) { return engine_() % bound; }
  i64 between(i64 low, i64 high) {
    return low + static_cast<i64>(below(static_cast<u64>(high - low + 1)));
  }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double share) { return uniform() < share; }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::mt19937_64 engine_;
};

void draw_features(Dice& dice, Problem& out) {
  const double missing = dice.one_of({0.0, 0.0, 0.3});
  out.x.resize(out.n * out.p);
  for (std::size_t j = 0; j < out.p; ++j) {
    const auto levels = dice.one_of<u64>({1, 2, 2, 3, 4, 8, 100});
    const double scale = dice.one_of({0.25, 1.0, 0.1, -3.0, 1e300, 1e-310});
    for (std::size_t i = 0; i < out.n; ++i) {
      double& v = out.x[i * out.p + j];
      v = scale * static_cast<double>(dice.below(levels)) / 100;
      if (dice.chance(missing)) v = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

// Small whole numbers, to be told apart by some feature or by none.
std::vector<u64> draw_groups(Dice& dice, const Problem& problem, u64 groups) {
  std::vector<u64> out(problem.n);
  const u64 feature = dice.below(problem.p), other = dice.below(problem.p);
  const bool related = dice.chance(0.6);
  for (std::size_t i = 0; i < problem.n; ++i) {
    const double a = problem.value(i, feature), b = problem.value(i, other);
    const bool signal =
        (a > problem.value(0, feature)) != !(b <= problem.value(0, other));
    out[i] = related && dice.chance(0.85) ? (signal ? 1 : 0) : dice.below(groups);
  }
  return out;
}

void draw_targets(Dice& dice, Problem& out) {
  if (out.params.loss == "squared_error") {
    const bool exact = dice.chance(0.5);
    for (const u64 group : draw_groups(dice, out, 5)) {
      const double noise =
          exact ? static_cast<double>(dice.between(-4, 4)) / 8 : 0.3 * dice.normal();
      out.y.push_back(static_cast<double>(group) + noise);
    }
    return;
  }
  const auto groups = draw_groups(dice, out, static_cast<u64>(dice.between(1, 4)));
  const std::set<u64> classes(groups.begin(), groups.end());
  out.n_classes = static_cast<u32>(classes.size());
  for (const u64 group : groups)
    out.label.push_back(
        static_cast<i32>(std::distance(classes.begin(), classes.find(group))));
  if (out.params.loss != "cost_matrix") return;
  for (u32 i = 0; i < out.n_classes * out.n_classes; ++i)
    out.params.cost_matrix.push_back(static_cast<double>(dice.below(9)) / 4);
}

void draw_weights(Dice& dice, Problem& out) {
  enum Kind { none, whole, dyadic, real, far_apart };
  const Kind kind = dice.one_of({none, none, whole, dyadic, real, far_apart});
  if (kind == none) return;
  for (std::size_t i = 0; i < out.n; ++i) {
    double w = 0;
    if (kind == whole) w = static_cast<double>(dice.between(1, 4));
    if (kind == dyadic) w = static_cast<double>(dice.between(1, 128)) / 64;
    if (kind == dyadic && i > 0 && dice.chance(0.3)) w = 0;
    if (kind == real) w = 0.1 + dice.uniform();
    if (kind == far_apart) w = std::pow(10.0, 8 * dice.uniform() - 4);
    out.w.push_back(w);
  }
}

void draw_limits(Dice& dice, Problem& out) {
  TreeParams& params = out.params;
  const auto rows = static_cast<i64>(out.n);
  if (dice.chance(0.4)) params.min_samples_leaf = static_cast<u32>(dice.between(1, 4));
  if (dice.chance(0.4))
    params.min_samples_split = static_cast<u32>(dice.between(2, rows + 2));
  // What the estimators make of the two.
  params.min_samples_split =
      std::max(params.min_samples_split, 2 * params.min_samples_leaf);
  if (dice.chance(0.3)) out.least_fraction = dice.one_of({0.0625, 0.125, 0.25, 0.3});
  params.min_weight_leaf = out.least_fraction * out.total_weight();
  if (dice.chance(0.35)) params.max_leaf_nodes = dice.between(2, 7);
}

void draw_objective(Dice& dice, TreeParams& params) {
  params.loss = dice.one_of({"zero_one", "zero_one", "zero_one", "squared_error",
                             "squared_error", "gini", "log_loss", "cost_matrix"});
  params.criterion = params.loss == "squared_error" ? "squared_error"
                                                    : dice.one_of({"gini", "entropy"});
  params.complexity = dice.one_of({"path_length", "n_leaves"});
  params.alpha = dice.one_of({0.0, 0.0, 0.0, 0.001, 0.01, 0.05, 0.1, 0.3});
  params.mdl = dice.chance(0.15);
  if (params.mdl) params.alpha = 0;
}

std::string number(double v) {
  if (std::isnan(v)) return "nan";
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}

template <class T>
std::string list(const std::vector<T>& values) {
  std::string out;
  for (const T& v : values)
    out += (out.empty() ? "" : ", ") + number(static_cast<double>(v));
  return "[" + out + "]";
}

std::string table(const std::vector<double>& values, std::size_t columns) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); i += columns) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(i);
    const std::vector<double> row(begin, begin + static_cast<std::ptrdiff_t>(columns));
    out += (out.empty() ? "" : ", ") + list(row);
  }
  return "[" + out + "]";
}

}  // namespace

double Problem::total_weight() const {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += weight(i);
  return sum;
}

TrainingData Problem::data() const {
  TrainingData out;
  const auto bytes = static_cast<std::ptrdiff_t>(sizeof(double));
  out.x = {reinterpret_cast<const std::byte*>(x.data()), DType::f64, n, p,
           static_cast<std::ptrdiff_t>(p) * bytes,       bytes};
  if (regression()) {
    out.y = y;
  } else {
    out.labels = std::span<const i32>(label);
    out.n_classes = {n_classes};
  }
  if (!w.empty()) out.weights = w.data();
  return out;
}

Problem random_problem(u64 seed, u64 number) {
  Dice dice(seed, number);
  Problem out;
  draw_objective(dice, out.params);
  out.params.max_depth = dice.one_of({1, 2, 2, 2, 3, 3});
  const bool deep = out.params.max_depth == 3;
  out.n = static_cast<std::size_t>(dice.between(1, deep ? 9 : 12));
  out.p = static_cast<std::size_t>(dice.between(1, deep ? 2 : 3));
  for (i64 i = dice.between(1, 3); i > 0; --i)
    out.params.n_candidates.push_back(static_cast<u32>(dice.between(1, 5)));
  out.params.n_candidates.resize(static_cast<std::size_t>(out.params.max_depth),
                                 out.params.n_candidates.back());
  out.params.max_bins = dice.one_of<u32>({0, 0, 255});
  draw_features(dice, out);
  draw_targets(dice, out);
  draw_weights(dice, out);
  draw_limits(dice, out);
  return out;
}

std::string python_code(const Problem& problem, const TreeParams& params) {
  const std::string kind =
      problem.regression() ? "DPDTreeRegressor" : "DPDTreeClassifier";
  std::string out = "import numpy as np\nfrom numpy import nan\nfrom dpdtree import " +
                    kind + "\n\nX = np.array(" + table(problem.x, problem.p) + ")\n";
  out += "y = " + (problem.regression() ? list(problem.y) : list(problem.label)) + "\n";
  out += "w = " + (problem.w.empty() ? "None" : list(problem.w)) + "\n";
  out += "model = " + kind + "(strategy=\"" + params.strategy + "\", generator=\"" +
         params.generator + "\", loss=\"" + params.loss + "\", criterion=\"" +
         params.criterion + "\",\n    complexity=\"" + params.complexity +
         "\", alpha=" + (params.mdl ? "\"mdl\"" : number(params.alpha)) +
         ", max_depth=" + std::to_string(params.max_depth) +
         ", n_candidates=" + list(params.n_candidates) +
         ",\n    min_samples_split=" + std::to_string(params.min_samples_split) +
         ", min_samples_leaf=" + std::to_string(params.min_samples_leaf) +
         ", min_weight_fraction_leaf=" + number(problem.least_fraction) +
         ",\n    max_leaf_nodes=" +
         (params.max_leaf_nodes < 0 ? "None" : std::to_string(params.max_leaf_nodes)) +
         ", max_bins=" +
         (params.max_bins == 0 ? "None" : std::to_string(params.max_bins)) +
         ", time_limit=" + (params.time_limit < 0 ? "None" : number(params.time_limit));
  if (!params.cost_matrix.empty())
    out += ", cost_matrix=" + table(params.cost_matrix, problem.n_classes);
  if (!problem.regression()) out += ", leaf_smoothing=None";
  return out + ")\n" +
         (params.use_pair_search
              ? ""
              : "model._core_switches = {\"use_pair_search\": False}\n") +
         "model.fit(X, y, sample_weight=w)\nprint(model.objective_, "
         "model.lower_bound_, model.is_optimal_, model.get_n_leaves())\n";
}

}  // namespace dpdtree::fuzz
