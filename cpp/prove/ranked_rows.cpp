#include "prove/ranked_rows.hpp"

#include <algorithm>
#include <numeric>

namespace dpdtree {

ExactData make_exact_data(const std::vector<Column>& columns, const Targets& targets,
                          std::span<const Row> rows, const std::vector<u32>& features) {
  ExactData data;
  for (const u32 f : features) {
    if (columns[f].n_codes() < 2 || columns[f].categorical) continue;
    data.orderings.push_back({f, false});
    if (columns[f].n_missing > 0) data.orderings.push_back({f, true});
  }
  data.n_classes = targets.n_classes;
  data.exact_weights = targets.exact_weights;
  if (targets.weighted()) data.whole_unit = targets.whole_weights ? 1 : 0;
  for (const Row r : rows) {
    if (targets.classification())
      data.label.push_back(targets.label[r]);
    else
      data.y.push_back(targets.y[r]);
    if (targets.weighted()) data.weight.push_back(targets.weight[r]);
  }
  for (const Ordering& ordering : data.orderings) {
    const Column& column = columns[ordering.feature];
    std::vector<u32> rank(rows.size());
    visit_codes(column.code, [&](const auto* code) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        rank[i] = rank_of(ordering, column, code[rows[i]]);
    });
    data.n_ranks.push_back(column.n_codes() + 1);
    data.rank.push_back(std::move(rank));
  }
  return data;
}

namespace {

// A counting sort: ranks are small numbers. Stable; `rows` come in the wanted order of
// equal ranks.
std::vector<u32> order_by(const std::vector<u32>& rank, u32 n_ranks,
                          const std::vector<u32>& rows) {
  std::vector<u32> next(n_ranks + 1, 0);
  for (const u32 r : rank) ++next[r + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<u32> order(rank.size());
  for (const u32 i : rows) order[next[rank[i]]++] = i;
  // Now next[r] is where the group of rank r ends.
  for (u32 r = 0; r < n_ranks; ++r)
    if (next[r] > (r > 0 ? next[r - 1] : 0)) order[next[r] - 1] |= kGroupEnd;
  return order;
}

std::vector<u32> rows_by_class(const ExactData& data, std::size_t n) {
  std::vector<u32> rows(n);
  std::iota(rows.begin(), rows.end(), 0u);
  if (data.n_classes == 0) return rows;
  const std::vector<u32> label(data.label.begin(), data.label.end());
  rows = order_by(label, data.n_classes, rows);
  for (u32& i : rows) i &= kRowMask;
  return rows;
}

// Rows of equal rank are sorted by class: the first and the last tell if it is alone.
void find_runs(const ExactData& data, const std::vector<u32>& order,
               std::vector<Run>& runs) {
  constexpr u32 kMixed = ~0u;
  runs.clear();
  u32 before = kMixed;  // the class of the groups before this one, if they have one
  u32 begin = 0;        // of the group
  for (u32 i = 0; i < order.size(); ++i) {
    if ((order[i] & kGroupEnd) == 0) continue;
    const u16 last = data.label[order[i] & kRowMask];
    if (data.label[order[begin] & kRowMask] == last) {
      if (before == last)
        runs.back().end = i + 1;
      else
        runs.push_back({i + 1, last, true});
      before = last;
    } else {
      for (u32 j = begin; j < i; ++j) {
        const u16 label = data.label[order[j] & kRowMask];
        if (label != data.label[order[j + 1] & kRowMask])
          runs.push_back({j + 1, label, false});
      }
      runs.push_back({i + 1, last, true});
      before = kMixed;
    }
    begin = i + 1;
  }
}

void find_runs(const ExactData& data, RankedRows& rows) {
  if (data.n_classes < 3) return;
  rows.runs.resize(rows.order.size());
  for (std::size_t f = 0; f < rows.order.size(); ++f)
    find_runs(data, rows.order[f], rows.runs[f]);
}

}  // namespace

RankedRows rank_rows(const ExactData& data) {
  RankedRows out;
  out.n = static_cast<u32>(std::max(data.label.size(), data.y.size()));
  for (u32 i = 0; i < out.n; ++i) out.weight += data.weight_of(i);
  const std::vector<u32> by_class = rows_by_class(data, out.n);
  for (std::size_t o = 0; o < data.orderings.size(); ++o) {
    out.order.push_back(order_by(data.rank[o], data.n_ranks[o], by_class));
    const auto ends = [](u32 entry) { return (entry & kGroupEnd) != 0; };
    const auto& order = out.order.back();
    out.n_groups.push_back(
        static_cast<u32>(std::count_if(order.begin(), order.end(), ends)));
  }
  find_runs(data, out);
  return out;
}

namespace {

// The rows of one side in one ordering, as they come.
struct SideOrder {
  u32* kept;
  u32 n = 0, group = 0, n_groups = 0;  // group: where that of equal ranks starts

  void add(u32 row, bool wanted) {
    kept[n] = row;
    n += wanted;
  }
  void end_group() {
    if (n > group) {
      kept[n - 1] |= kGroupEnd;
      ++n_groups;
    }
    group = n;
  }
};

void make_room(const RankedRows& all, RankedRows& out) {
  out.order.resize(all.order.size());
  out.n_groups.assign(all.order.size(), 0);
}

void finish(const ExactData& data, RankedRows& out) {
  out.n = out.order.empty() ? 0 : static_cast<u32>(out.order[0].size());
  out.weight = out.n;
  if (!data.weight.empty()) {
    out.weight = 0;
    if (!out.order.empty())
      for (const u32 entry : out.order[0]) out.weight += data.weight[entry & kRowMask];
  }
  find_runs(data, out);
}

}  // namespace

void divide_rows(const ExactData& data, const RankedRows& all,
                 const std::vector<u8>& side, RankedRows* left, RankedRows* right) {
  RankedRows* const out[2] = {left, right};
  for (RankedRows* one : out)
    if (one != nullptr) make_room(all, *one);
  std::vector<u32> unwanted(left == nullptr || right == nullptr ? all.n + 1 : 0);
  for (std::size_t f = 0; f < all.order.size(); ++f) {
    SideOrder sides[2];
    for (const int s : {0, 1}) {
      if (out[s] != nullptr) out[s]->order[f].resize(all.n + 1);
      sides[s].kept = out[s] != nullptr ? out[s]->order[f].data() : unwanted.data();
    }
    for (const u32 entry : all.order[f]) {
      const u32 i = entry & kRowMask;
      sides[0].add(i, side[i] == 0);
      sides[1].add(i, side[i] != 0);
      if ((entry & kGroupEnd) == 0) continue;
      sides[0].end_group();
      sides[1].end_group();
    }
    for (const int s : {0, 1}) {
      if (out[s] == nullptr) continue;
      out[s]->order[f].resize(sides[s].n);
      out[s]->n_groups[f] = sides[s].n_groups;
    }
  }
  for (RankedRows* one : out)
    if (one != nullptr) finish(data, *one);
}

}  // namespace dpdtree
