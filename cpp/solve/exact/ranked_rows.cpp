#include "solve/exact/ranked_rows.hpp"

#include <algorithm>
#include <numeric>

namespace dpdtree {

ExactData make_exact_data(const std::vector<Column>& columns, const Targets& targets,
                          std::span<const Row> rows) {
  ExactData data;
  for (u32 f = 0; f < columns.size(); ++f) {
    if (columns[f].n_codes() < 2) continue;
    data.orderings.push_back({f, false});
    if (columns[f].n_missing > 0) data.orderings.push_back({f, true});
  }
  data.n_classes = targets.n_classes;
  for (const Row r : rows) {
    if (targets.classification())
      data.label.push_back(targets.label[r]);
    else
      data.y.push_back(targets.y[r]);
    if (targets.weighted()) data.weight.push_back(targets.weight[r]);
  }
  return data;
}

RankedRows rank_rows(const std::vector<Column>& columns, const ExactData& data,
                     std::span<const Row> rows) {
  RankedRows out;
  out.n = static_cast<u32>(rows.size());
  for (u32 i = 0; i < out.n; ++i) out.weight += data.weight_of(i);
  for (const Ordering& ordering : data.orderings) {
    const Column& column = columns[ordering.feature];
    std::vector<u32> rank(rows.size());
    visit_codes(column.code, [&](const auto* code) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const u32 c = code[rows[i]];
        const bool first = ordering.missing_first && c == column.missing_code();
        rank[i] = first ? 0 : c + 1;
      }
    });
    std::vector<u32> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](u32 a, u32 b) { return rank[a] < rank[b]; });
    for (std::size_t i = 0; i < order.size(); ++i)
      if (i + 1 == order.size() || rank[order[i]] != rank[order[i + 1] & kRowMask])
        order[i] |= kGroupEnd;
    out.order.push_back(std::move(order));
  }
  return out;
}

void filter_rows(const ExactData& data, const RankedRows& all,
                 const std::vector<u8>& side, u8 wanted, RankedRows& out) {
  out.order.resize(all.order.size());
  out.weight = 0;
  for (std::size_t f = 0; f < all.order.size(); ++f) {
    std::vector<u32>& kept = out.order[f];
    kept.resize(all.n + 1);
    u32 n = 0, group = 0;  // group: where the current group of equal ranks starts
    for (const u32 entry : all.order[f]) {
      const u32 i = entry & kRowMask;
      kept[n] = i;
      n += side[i] == wanted;
      if ((entry & kGroupEnd) == 0) continue;
      if (n > group) kept[n - 1] |= kGroupEnd;
      group = n;
    }
    kept.resize(n);
    out.n = n;
  }
  if (!out.order.empty())
    for (const u32 entry : out.order[0]) out.weight += data.weight_of(entry & kRowMask);
}

}  // namespace dpdtree
