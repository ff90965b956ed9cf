#include "node/unseen_categories.hpp"

#include <algorithm>
#include <utility>

namespace dpdtree {
namespace {

// Class shares, or mean targets; less those of a reference.
std::vector<double> profile(const Targets& t, const double* stats,
                            const std::vector<double>& reference) {
  const double weight = t.total_weight({stats, t.stats_width()});
  std::vector<double> out;
  for (std::size_t k = 0; k < t.n_coordinates(); ++k)
    out.push_back(stats[t.first_coordinate() + k] / weight);
  for (std::size_t i = 0; i < reference.size(); ++i) out[i] -= reference[i];
  return out;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0;
  for (std::size_t i = 0; i < a.size(); ++i) d += (a[i] - b[i]) * (a[i] - b[i]);
  return d;
}

}  // namespace

SeenCategories::SeenCategories(const Column& column, const Targets& t)
    : left(t.stats_width(), 0.0),
      right(left),
      present(column.n_values + 1, 0),
      sums(column.n_codes() * t.stats_width(), 0.0),
      all(left) {
  present[column.missing_code()] = 1;
}

bool SeenCategories::all_present() const {
  return std::find(present.begin(), present.end(), 0) == present.end();
}

void place_absent(const Problem& problem, std::span<const Row> node,
                  std::span<const Row> others, Split& split) {
  const Column& column = problem.columns[split.feature];
  if (!column.categorical) return;
  const Targets& t = problem.targets;
  SeenCategories seen(column, t);
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : node) seen.present[code[r]] = 1;
  });
  if (seen.all_present()) return;
  visit_codes(column.code, [&](const auto* code) {
    visit_side(split.left_codes(column), [&](auto is_left) {
      for (const Row r : node)
        t.add_row(r, is_left(code[r]) ? seen.left.data() : seen.right.data());
    });
    for (const Row r : others) {
      t.add_row(r, seen.sums.data() + code[r] * t.stats_width());
      t.add_row(r, seen.all.data());
    }
  });
  place_absent(column, t, seen, split);
}

void place_absent(const Column& column, const Targets& t, const SeenCategories& seen,
                  Split& split) {
  const std::size_t width = t.stats_width();
  std::vector<double> both(width);
  for (std::size_t i = 0; i < width; ++i) both[i] = seen.left[i] + seen.right[i];
  const auto here = profile(t, both.data(), {}),
             everywhere = profile(t, seen.all.data(), {});
  const auto on_left = profile(t, seen.left.data(), here);
  const auto on_right = profile(t, seen.right.data(), here);
  const bool left_is_heavier = t.total_weight(seen.left) > t.total_weight(seen.right);

  auto set = std::make_shared<CategorySet>(*split.categories);
  for (u32 c = 0; c < column.n_values; ++c) {
    if (seen.present[c]) continue;
    const double* own = seen.sums.data() + c * width;
    bool goes_left = left_is_heavier;
    if (t.total_weight({own, width}) > 0) {
      const auto effect = profile(t, own, everywhere);
      const double to_left = distance(effect, on_left);
      const double to_right = distance(effect, on_right);
      if (to_left != to_right) goes_left = to_left < to_right;
    }
    set->assign(c, goes_left);
  }
  split.categories = std::move(set);
}

}  // namespace dpdtree
