#include "solve/exact/ranked_rows.hpp"

#include <algorithm>
#include <numeric>

namespace dpdtree {

ExactData make_exact_data(const std::vector<Column>& columns, const Targets& targets,
                          std::span<const Row> rows) {
  ExactData data;
  for (u32 f = 0; f < columns.size(); ++f) {
    if (columns[f].n_codes() < 2 || columns[f].categorical) continue;
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

namespace {

// A counting sort: ranks are small numbers. Stable.
std::vector<u32> order_by(const std::vector<u32>& rank, u32 n_ranks) {
  std::vector<u32> next(n_ranks + 1, 0);
  for (const u32 r : rank) ++next[r + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<u32> order(rank.size());
  for (u32 i = 0; i < rank.size(); ++i) order[next[rank[i]]++] = i;
  // Now next[r] is where the group of rank r ends.
  for (u32 r = 0; r < n_ranks; ++r)
    if (next[r] > (r > 0 ? next[r - 1] : 0)) order[next[r] - 1] |= kGroupEnd;
  return order;
}

}  // namespace

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
    out.order.push_back(order_by(rank, column.n_codes() + 1));
    const auto ends = [](u32 entry) { return (entry & kGroupEnd) != 0; };
    const auto& order = out.order.back();
    out.n_groups.push_back(
        static_cast<u32>(std::count_if(order.begin(), order.end(), ends)));
  }
  return out;
}

void filter_rows(const ExactData& data, const RankedRows& all,
                 const std::vector<u8>& side, u8 wanted, RankedRows& out) {
  out.order.resize(all.order.size());
  out.n_groups.assign(all.order.size(), 0);
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
      if (n > group) {
        kept[n - 1] |= kGroupEnd;
        ++out.n_groups[f];
      }
      group = n;
    }
    kept.resize(n);
    out.n = n;
  }
  if (!out.order.empty())
    for (const u32 entry : out.order[0]) out.weight += data.weight_of(entry & kRowMask);
}

}  // namespace dpdtree
