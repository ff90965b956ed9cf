#include "prove/row_groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace dpdtree {
namespace {

constexpr std::size_t kMostGroups = 256;
constexpr double kMostCounts = 1 << 28;  // of all rows together

// The weight of each class, if all its rows have the same; else nothing. Classes
// without rows get that of another one.
std::vector<double> weights_of_classes(const ExactData& data) {
  constexpr double kUnknown = -1;
  std::vector<double> weight(data.n_classes, kUnknown);
  for (u32 i = 0; i < data.label.size(); ++i) {
    double& known = weight[data.label[i]];
    if (known == kUnknown) known = data.weight_of(i);
    if (known != data.weight_of(i)) return {};
  }
  std::replace(weight.begin(), weight.end(), kUnknown, weight[data.label[0]]);
  return weight;
}

}  // namespace

std::optional<RowGroups> group_rows(const ExactData& data) {
  RowGroups out;
  out.unit = weights_of_classes(data);
  const bool by_class = !out.unit.empty();
  if (!by_class && data.whole_unit <= 0) return std::nullopt;
  if (!by_class) out.unit.assign(data.n_classes, data.whole_unit);
  out.weighted = !data.weight.empty();
  const auto key = [&](u32 i) {
    const double times = by_class ? 1 : data.weight_of(i) / data.whole_unit;
    return std::pair<u32, double>{data.label[i], std::round(times)};
  };
  std::map<std::pair<u32, double>, u16> index;
  double total = 0;
  for (u32 i = 0; i < data.label.size(); ++i) {
    total += key(i).second;
    index[key(i)];
    if (index.size() > kMostGroups || total > kMostCounts) return std::nullopt;
  }
  for (auto& [group, at] : index) {
    at = static_cast<u16>(out.groups.size());
    out.groups.push_back({group.first, static_cast<i32>(group.second)});
  }
  for (u32 i = 0; i < data.label.size(); ++i) out.group_of.push_back(index[key(i)]);
  return out;
}

}  // namespace dpdtree
