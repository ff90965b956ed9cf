#include <algorithm>

#include "base/tolerance.hpp"
#include "search/candidates/generator.hpp"

namespace dpdtree {
namespace {

struct Scored {
  Split split;
  double decrease;
};

// Larger decrease first; the visit order (feature, then threshold) settles ties.
bool before(const Scored& a, const Scored& b) { return a.decrease > b.decrease; }

class TopBGenerator final : public Generator {
 public:
  explicit TopBGenerator(bool per_feature) : per_feature_(per_feature) {}

  std::vector<Split> candidates(SearchContext& context, const NodeView& state,
                                FeatureList& features, u32 n,
                                const FoundSplit* greedy) const override {
    const FoundSplit best =
        greedy != nullptr ? *greedy : context.find(state, features, false);
    if (!best.found) return {};
    std::vector<Split> splits{best.split};
    if (n == 1) return splits;
    for (const Scored& s : top(context, state, features, n)) {
      if (splits.size() == n) break;
      const bool known =
          std::any_of(splits.begin(), splits.end(), [&](const Split& other) {
            return per_feature_ ? other.feature == s.split.feature
                                : other.same_rows(s.split);
          });
      if (!known) splits.push_back(s.split);
    }
    return splits;
  }

 private:
  std::vector<Scored> top(SearchContext& context, const NodeView& state,
                          FeatureList& features, u32 n) const {
    std::vector<Scored> kept;
    const SplitVisitor visit = [&](const Split& split, double decrease) {
      if (!reaches(decrease, context.limits.min_decrease)) return;
      if (per_feature_ && !kept.empty() && kept.back().split.feature == split.feature) {
        if (decrease > kept.back().decrease) kept.back() = {split, decrease};
        return;
      }
      kept.push_back({split, decrease});
      if (!per_feature_ && kept.size() > 4096 + 2 * std::size_t{n}) shrink(kept, n);
    };
    SplitRequest request;
    request.visit_all = &visit;
    context.data.best_split(context, state, features, SearchTarget::criterion, request);
    shrink(kept, n);
    return kept;
  }

  // Keeps the n best; stable, so that ties go to the one visited first.
  static void shrink(std::vector<Scored>& kept, u32 n) {
    std::stable_sort(kept.begin(), kept.end(), before);
    if (kept.size() > n) kept.resize(n);
  }

  bool per_feature_;
};

}  // namespace

std::unique_ptr<Generator> make_top_b_generator(bool per_feature) {
  return std::make_unique<TopBGenerator>(per_feature);
}

}  // namespace dpdtree
