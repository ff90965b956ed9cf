#include "search/polish.hpp"

#include <algorithm>
#include <utility>

#include "prove/optimal.hpp"
#include "search/feature_screening.hpp"
#include "search/refine.hpp"
#include "search/value/scalar.hpp"

namespace dpdtree {
namespace {

constexpr std::size_t kStartsOfClasses = 2, kStartsOfNumbers = 3;
constexpr std::size_t kPolishFeatures = 64;  // the time grows with their square

std::vector<Solution> best_few(std::vector<Solution> starts, std::size_t most) {
  std::stable_sort(starts.begin(), starts.end(), [](const auto& a, const auto& b) {
    return a.value.objective < b.value.objective;
  });
  if (starts.size() > most) starts.resize(most);
  return starts;
}

// The exact search knows errors and numbers only.
bool may_polish(const Search& s, const Cost& objective) {
  const bool too_many =
      s.set.targets.order_free && s.parts->root.n() > s.params.most_exact_rows;
  return s.max_depth() >= 2 && objective.bounds_errors() && !objective.is_mdl() &&
         !s.stop.stopped() && s.params.categorical.empty() && !too_many;
}

Solution exact_bottoms(const Search& s, const Cost& objective, const Solution& start,
                       u32 last_levels) {
  const FeatureList features =
      few_cuts(s.problem.columns, *s.features)
          ? s.features
          : screened_features(s.context(), s.root, s.features, start.plan,
                              s.max_depth() - 2, kPolishFeatures);
  OptimalParams p{objective, ScalarValue(objective, s.root).order(), s.max_depth()};
  p.use_pair_search = s.params.use_pair_search;
  p.last_levels = last_levels;
  return polish_bottoms(s.context(), p, s.root, features, start);
}

}  // namespace

Solution refined(const Search& s, const Cost& objective, const Solution& start,
                 Growth growth) {
  if (s.parts->elsewhere != nullptr && !s.parts->elsewhere->known().complete())
    throw Unanswered();  // it would start from a tree that is none
  const Targets& t = s.set.targets;
  Targets side_targets;
  side_targets.y.resize(std::max(t.label.size(), t.y.size()) / t.n_outputs);
  FinderParams fp;
  fp.criterion = Criterion::fixed_sides;
  fp.limits.min_samples_leaf = s.limits.min_samples_leaf;
  fp.threshold_price = objective.threshold_price();
  const auto finder =
      make_split_finder(s.problem.columns, s.set.keys, side_targets, fp);
  RefineParams rp;
  rp.cost = objective;
  rp.max_depth = s.max_depth();
  rp.order = ScalarValue(objective, s.root).order();
  rp.may_grow = growth == Growth::free;
  return refine(s.context(), {*finder, side_targets}, rp, s.root, s.features, start,
                s.parts->elsewhere);
}

Polished polished(const Search& s, const Cost& objective, Solution start, int rounds,
                  u32 last_levels) {
  Polished out{std::move(start), true};
  const ValueOrder order = ScalarValue(objective, s.root).order();
  for (int round = 0; round < rounds && may_polish(s, objective); ++round) {
    const Solution found = exact_bottoms(s, objective, out.solution, last_levels);
    const bool better = order.compare(found.value, out.solution.value) < 0;
    out.pays = better || round > 0;
    if (!better) break;
    out.solution = refined(s, objective, found, Growth::free);
    // Nothing above the last levels has moved: they are as good as they can be.
    if (order.compare(out.solution.value, found.value) >= 0) break;
  }
  return out;
}

Solution best_refined(const Search& s, const Cost& objective,
                      std::vector<Solution> starts, Growth growth) {
  const ValueOrder order = ScalarValue(objective, s.root).order();
  const std::vector<Solution> few =
      best_few(std::move(starts),
               s.set.targets.classification() ? kStartsOfClasses : kStartsOfNumbers);
  Solution best = few.front();
  for (const Solution& start : few) {
    const auto i = static_cast<u64>(&start - few.data());
    s.stop.stage.begin("refining", few.size(), i);
    const Solution found =
        s.stop.stopped() ? start : refined(s, objective, start, growth);
    if (order.compare(found.value, best.value) < 0) best = found;
  }
  return best;
}

}  // namespace dpdtree
