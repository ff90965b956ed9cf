#include "node/feature_rules.hpp"

#include <numeric>

namespace dpdtree {

std::vector<u32> all_groups(const FeatureGroups& groups) {
  std::vector<u32> open(groups.size());
  std::iota(open.begin(), open.end(), 0u);
  return open;
}

std::vector<u32> groups_with(const FeatureGroups& groups, std::span<const u32> open,
                             u32 feature) {
  std::vector<u32> left;
  for (const u32 g : open)
    if (std::ranges::count(groups[g], feature) > 0) left.push_back(g);
  return left;
}

FeatureMask features_of(const FeatureGroups& groups, std::span<const u32> open,
                        std::size_t n_features) {
  FeatureMask mask(n_features, u8{0});
  for (const u32 g : open)
    for (const u32 feature : groups[g]) mask[feature] = 1;
  return mask;
}

}  // namespace dpdtree
