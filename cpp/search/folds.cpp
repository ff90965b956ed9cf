#include "search/folds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "plan/tree_partition.hpp"

namespace dpdtree {
namespace {

constexpr double kMostCopies = 1e9;  // of one row; larger weights are shares

constexpr u32 kAbsent = ~0u;

// The rank of each code among those that occur (0 in `rank`), in the order of values or
// of the caller's numbers of categories.
void rank_codes(const Column& column, std::vector<u32>& rank) {
  std::vector<u32> order(column.n_values);
  std::iota(order.begin(), order.end(), 0u);
  if (column.categorical)
    std::sort(order.begin(), order.end(),
              [&](u32 a, u32 b) { return column.category[a] < column.category[b]; });
  u32 next = 0;
  for (const u32 c : order)
    if (rank[c] != kAbsent) rank[c] = next++;
  if (column.n_missing > 0) rank[column.missing_code()] = kAbsent;
}

// Of those that rows of weight have. So it does not depend on rows without weight, on
// copies of rows or on the order of rows, nor on the scale of a feature.
std::vector<u32> dense_ranks(const Column& column, std::span<const Row> rows) {
  std::vector<u32> rank(column.n_codes(), kAbsent);
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : rows) rank[code[r]] = 0;
  });
  rank_codes(column, rank);
  return rank;
}

// Of the values of each row.
std::vector<u64> hash_rows(const Search& s, std::size_t n_rows) {
  std::vector<u64> hash(n_rows, 0);
  for (const Column& column : s.problem.columns) {
    const std::vector<u32> rank = dense_ranks(column, s.set.rows);
    visit_codes(column.code, [&](const auto* code) {
      for (const Row r : s.set.rows) hash[r] = mix64(hash[r] ^ rank[code[r]]);
    });
  }
  return hash;
}

struct Card {
  u64 group;  // the class, or 0
  u64 hash;
  Row row;
};

std::vector<Card> sorted_cards(const Search& s, const TrainingData& data) {
  const Targets& t = s.set.targets;
  const std::size_t width = t.n_outputs;
  const std::vector<u64> hash = hash_rows(s, data.x.rows);
  std::vector<Card> cards;
  cards.reserve(s.set.rows.size());
  for (const Row r : s.set.rows) {
    cards.push_back({class_group(t, r), hash[r], r});
  }
  std::sort(cards.begin(), cards.end(), [&](const Card& a, const Card& b) {
    if (a.group != b.group) return a.group < b.group;
    if (a.hash != b.hash) return a.hash < b.hash;
    for (u32 j = 0; !t.classification() && j < width; ++j) {
      const double ya = data.y[a.row * width + j], yb = data.y[b.row * width + j];
      if (ya != yb) return ya < yb;
    }
    return a.row < b.row;
  });
  return cards;
}

// Do weights count copies, and some row more than one?
bool has_copies(const Search& s, const double* weights) {
  if (weights == nullptr) return false;
  bool several = false;
  for (const Row r : s.set.rows) {
    const double w = weights[r];
    if (w != std::floor(w) || w > kMostCopies) return false;
    several = several || w > 1;
  }
  return several;
}

// Numbers among begin … end-1 that leave this remainder.
u64 count_of(u64 begin, u64 end, u64 remainder, u64 n) {
  const auto below = [&](u64 limit) {
    return limit / n + (limit % n > remainder ? 1 : 0);
  };
  return below(end) - below(begin);
}

// `rows` ascend, and so do those of each fold.
std::vector<Fold> deal_rows(const std::vector<Card>& cards, std::span<const Row> rows,
                            u32 n_folds) {
  std::vector<u32> fold_of(std::size_t{rows.back()} + 1);
  for (std::size_t i = 0; i < cards.size(); ++i)
    fold_of[cards[i].row] = static_cast<u32>(i % n_folds);
  std::vector<Fold> folds(n_folds);
  for (u32 f = 0; f < n_folds; ++f) {
    RowBuffer &train = folds[f].train, &test = folds[f].test;
    train.resize(rows.size());
    test.resize(rows.size());
    std::size_t n_train = 0, n_test = 0;
    for (const Row r : rows) {  // without a branch
      const bool held = fold_of[r] == f;
      train[n_train] = test[n_test] = r;
      n_train += !held;
      n_test += held;
    }
    train.resize(n_train);
    test.resize(n_test);
  }
  return folds;
}

// Rows were dealt to as many folds as there are rows, at most.
std::vector<Fold> folds_elsewhere(u32 n_rows, u32 n_folds) {
  if (n_rows < 2) return {};
  std::vector<Fold> folds(std::min(n_rows, n_folds));
  for (u32 f = 0; f < folds.size(); ++f) {
    folds[f].training_part = training_part(f);
    folds[f].test_part = test_part(f);
  }
  return folds;
}

std::vector<Fold> deal_copies(const std::vector<Card>& cards, const TrainingData& data,
                              u32 n_folds) {
  std::vector<Fold> folds(n_folds);
  for (u32 f = 0; f < n_folds; ++f) {
    folds[f].train_weight.assign(data.x.rows, 0);
    folds[f].test_weight.assign(data.x.rows, 0);
    u64 begin = 0;
    for (const Card& card : cards) {
      const auto copies = static_cast<u64>(data.weights[card.row]);
      const u64 held = count_of(begin, begin + copies, f, n_folds);
      begin += copies;
      folds[f].test_weight[card.row] = static_cast<double>(held);
      folds[f].train_weight[card.row] = static_cast<double>(copies - held);
      if (held > 0) folds[f].test.push_back(card.row);
      if (copies > held) folds[f].train.push_back(card.row);
    }
    std::sort(folds[f].train.begin(), folds[f].train.end());
    std::sort(folds[f].test.begin(), folds[f].test.end());
  }
  return folds;
}

}  // namespace

std::vector<std::vector<u32>> ranks_for_folds(const std::vector<Column>& columns,
                                              const CellTable& cells) {
  std::vector<std::vector<u32>> ranks;
  for (u32 f = 0; f < columns.size(); ++f) {
    std::vector<u32> rank(columns[f].n_codes(), kAbsent);
    for (u32 c = 0; c < rank.size(); ++c)
      if (cells.n(f, c) > 0) rank[c] = 0;
    rank_codes(columns[f], rank);
    ranks.push_back(std::move(rank));
  }
  return ranks;
}

std::vector<Fold> make_folds(const Search& s, const TrainingData& data, u32 n_folds) {
  if (s.parts->elsewhere != nullptr) return folds_elsewhere(s.root.n(), n_folds);
  const bool copies = has_copies(s, data.weights);
  double n = static_cast<double>(s.set.rows.size());
  if (copies) {
    n = 0;
    for (const Row r : s.set.rows) n += data.weights[r];
  }
  if (n < 2) return {};
  if (n < n_folds) n_folds = static_cast<u32>(n);
  const std::vector<Card> cards = sorted_cards(s, data);
  return copies ? deal_copies(cards, data, n_folds)
                : deal_rows(cards, s.set.rows, n_folds);
}

}  // namespace dpdtree
