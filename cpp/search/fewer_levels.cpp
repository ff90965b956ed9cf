#include "search/fewer_levels.hpp"

#include "search/extract.hpp"

namespace dpdtree {
namespace {

constexpr u32 kFewRows = 300;  // a search of them takes a millisecond
// Of the objective. Searches with and without the last level differ by less in what
// else they find: by 1 % of the objective as a rule.
constexpr double kMuch = 0.05;
constexpr std::size_t kChoicesBytes = 32u << 20;

Plan without_levels_below(const Plan& plan, u32 levels) {
  if (plan == nullptr || levels == 0) return nullptr;
  return join(plan->split, without_levels_below(plan->left, levels - 1),
              without_levels_below(plan->right, levels - 1));
}

u64 splits_at(const Plan& plan, u32 depth) {
  if (plan == nullptr) return 0;
  if (depth == 0) return 1;
  return splits_at(plan->left, depth - 1) + splits_at(plan->right, depth - 1);
}

}  // namespace

bool has_shallower(const Search& s) {
  return !s.deepens && s.depth == 0 && s.max_depth() > 1 && !s.stop.stopped();
}

Search sharing_choices(const Search& s) {
  Search out = s;
  if (out.chosen == nullptr) out.chosen = std::make_shared<ChosenSplits>(kChoicesBytes);
  return out;
}

bool last_level_gains(const Search& s, const Cost& objective, const Solution& found) {
  const u32 levels = s.max_depth() - 1;
  const double own = found.value.objective;
  if (own <= objective.least(s.root, levels)) return true;
  if (s.root.n() <= kFewRows) return false;
  // Where splits have a price, trees grow thin before they end.
  if (objective.is_mdl() && levels > 0 &&
      splits_at(found.plan, levels) < splits_at(found.plan, levels - 1))
    return false;
  const Plan cut = without_levels_below(found.plan, levels);
  const double rest = extract(s, objective, cut).scaled_objective * s.root.weight;
  return rest - own > kMuch * own;
}

}  // namespace dpdtree
