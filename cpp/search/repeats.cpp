#include "search/repeats.hpp"

#include <algorithm>
#include <numeric>

namespace dpdtree {
namespace {

bool same_targets(const Targets& t, Row a, Row b) {
  const auto same = [&](const auto& values) {
    const auto of = [&](Row r) {
      return values.begin() + std::ptrdiff_t{r} * t.n_outputs;
    };
    return std::equal(of(a), of(a) + t.n_outputs, of(b));
  };
  return t.classification() ? same(t.label) : same(t.y);
}

bool same_row(const std::vector<Column>& columns, const Targets& t, Row a, Row b) {
  return same_targets(t, a, b) &&
         std::all_of(columns.begin(), columns.end(), [&](const Column& column) {
           return visit_codes(column.code,
                              [&](const auto* code) { return code[a] == code[b]; });
         });
}

}  // namespace

void count_repeats(const std::vector<Column>& columns, std::span<const Row> rows,
                   Targets& targets) {
  if (!targets.whole_weights) return;
  u64 unit = 0, total = 0, runs = 0;
  for (std::size_t i = 0; i < rows.size();) {
    u64 run = 0;
    const Row first = rows[i];
    do {
      run += static_cast<u64>(targets.weight_of(rows[i]));
      ++i;
    } while (i < rows.size() && same_row(columns, targets, first, rows[i]));
    unit = std::gcd(unit, run);
    total += run;
    ++runs;
  }
  targets.repeat_unit = static_cast<double>(unit);
  targets.mean_repeats = static_cast<double>(total) / static_cast<double>(unit * runs);
}

}  // namespace dpdtree
