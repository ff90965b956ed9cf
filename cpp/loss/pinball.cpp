#include "loss/pinball.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/tolerance.hpp"

namespace dpdtree {
namespace {

struct Weighted {
  double y, w;
};

std::vector<Weighted> collect(const Targets& t, std::span<const Row> rows, u32 output) {
  std::vector<Weighted> all;
  all.reserve(rows.size());
  for (const Row r : rows)
    all.push_back({t.y[std::size_t{r} * t.n_outputs + output], t.weight_of(r)});
  return all;
}

constexpr auto by_y = [](const Weighted& a, const Weighted& b) { return a.y < b.y; };

// The ends of the interval of numbers that cost least.
struct Interval {
  double low, high;
};

// Rows that all count 1: a selection instead of a sort.
Interval select(std::vector<Weighted>& all, double level) {
  const auto n = static_cast<double>(all.size());
  const double share = level * n, whole = std::round(share);
  // A share of all weight this close to the level is exactly the level.
  const bool tied = std::abs(share - whole) <= kRounding * n;
  const double wanted = tied ? whole : std::ceil(share);  // 1 is the smallest
  const double rank = std::clamp(wanted, 1.0, n);
  const auto low = all.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(all.begin(), low, all.end(), by_y);
  if (!tied || low + 1 == all.end()) return {low->y, low->y};
  return {low->y, std::min_element(low + 1, all.end(), by_y)->y};
}

Interval walk(std::vector<Weighted>& all, double level) {
  std::sort(all.begin(), all.end(), by_y);
  double total = 0;
  for (const Weighted& one : all) total += one.w;
  const double wanted = level * total, slack = kRounding * total;
  double below = 0;
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    below += all[i].w;
    if (below > wanted + slack) return {all[i].y, all[i].y};
    if (below >= wanted - slack) return {all[i].y, all[i + 1].y};
  }
  return {all.back().y, all.back().y};
}

Interval least(const Targets& t, std::vector<Weighted>& all, double level) {
  return t.weighted() ? walk(all, level) : select(all, level);
}

}  // namespace

double Pinball::impurity_sum(const Targets& targets, std::span<const Row> rows) const {
  if (rows.empty()) return 0;
  double sum = 0;
  for (u32 output = 0; output < targets.n_outputs; ++output) {
    std::vector<Weighted> all = collect(targets, rows, output);
    const double prediction = least(targets, all, level).low;
    for (const Weighted& one : all) sum += one.w * of(one.y, prediction);
  }
  return sum;
}

double Pinball::quantile(const Targets& targets, std::span<const Row> rows,
                         u32 output) const {
  std::vector<Weighted> all = collect(targets, rows, output);
  const Interval i = least(targets, all, level);
  return i.low + (i.high - i.low) / 2;
}

}  // namespace dpdtree
