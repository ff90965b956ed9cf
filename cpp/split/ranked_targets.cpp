#include "split/ranked_targets.hpp"

#include <algorithm>

namespace dpdtree {

void RankedTargets::fill(const Targets& t, std::span<const Row> rows) {
  outputs_.resize(t.n_outputs);
  for (u32 j = 0; j < t.n_outputs; ++j) {
    RankedOutput& out = outputs_[j];
    sorted_.clear();
    for (const Row r : rows)
      sorted_.emplace_back(t.y[std::size_t{r} * t.n_outputs + j], r);
    std::sort(sorted_.begin(), sorted_.end());
    const double middle = sorted_[sorted_.size() / 2].first;
    out.targets.clear();
    const std::size_t n_all = t.y.size() / t.n_outputs;
    if (out.rank.size() < n_all) out.rank.resize(n_all);
    double last = 0;
    for (const auto& [y, r] : sorted_) {
      if (out.targets.empty() || y != last) out.targets.push_back({y - middle});
      last = y;
      out.targets.back().w += t.weight_of(r);
      ++out.targets.back().n;
      out.rank[r] = static_cast<u32>(out.targets.size() - 1);
    }
  }
}

}  // namespace dpdtree
