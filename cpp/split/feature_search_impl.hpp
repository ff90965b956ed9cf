// The best split of one feature at a node: its rows by ascending code (or its
// categories in every order worth a look), all boundaries, the best of them.
// Included once per accumulator.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "split/accumulator_traits.hpp"
#include "split/bin_search.hpp"
#include "split/block_scan.hpp"
#include "split/category_order.hpp"
#include "split/code_histogram.hpp"
#include "split/constrained_scan.hpp"
#include "split/error_bound.hpp"
#include "split/feasible.hpp"
#include "split/feature_search.hpp"
#include "split/found_split.hpp"
#include "split/gini_counts.hpp"
#include "split/key_blocks.hpp"
#include "split/pinball_accumulator.hpp"
#include "split/row_sort.hpp"
#include "split/scan.hpp"
#include "split/set_price.hpp"
#include "split/thresholds.hpp"

namespace dpdtree {

template <class A>
class FeatureSearchBy final : public FeatureSearch {
 public:
  explicit FeatureSearchBy(const SearchInput& in)
      : FeatureSearch(A::kLeastScore, breaks_ties<A>()),
        columns_(in.columns),
        keys_(in.keys),
        targets_(in.targets),
        params_(in.params) {}

  void rank_targets(const NodeView& node, RankedTargets& ranks) const override {
    if constexpr (looks_at_rows<A>()) ranks.fill(targets_, node.rows);
  }

  FeatureBest search(u32 f, const NodeView& node, double floor,
                     const SplitRequest& request, SplitScratch& s) const override {
    const Column& column = columns_[f];
    if (column.n_codes() < 2) {
      FeatureBest constant;
      constant.constant = true;
      constant.split.feature = f;
      return constant;
    }
    const std::size_t n = node.n();
    const bool keys_at_hand = column.order.by_position() && keys_[f].in_use;
    if (n >= kSortDirectly && request.visit_all == nullptr && !ranked_by_net(node)) {
      BlockBest found{floor};
      if (found_in_bins(f, node, request, s, found))
        return best_of(f, columns_[f], found);
      if constexpr (scans_in_blocks<A>())
        if (keys_at_hand && column.n_missing == 0)
          return search_in_blocks(f, node, floor, request, s);
    }
    s.boundaries.reserve(std::min<std::size_t>(n, column.n_codes()) + 1,
                         parts_written<A>());
    if (column.categorical) return search_categories(f, node, floor, request, s);
    if constexpr (!looks_at_rows<A>()) {
      if (params_.criterion == Criterion::fixed_sides || s.given != nullptr ||
          (suits_cells(column, targets_, n) && !keys_at_hand)) {
        fill_cells(f, column, targets_, node, s, params_.pool);
        return search_source(f, node, floor, request, s,
                             CellSource{s.present, s.cells});
      }
    }
    const bool by_bits = column.has_order && n >= kSortDirectly;
    if constexpr (!looks_at_rows<A>()) {
      if (keys_[f].in_use) {
        const u32 bits = keys_[f].class_bits;
        const auto keys = by_bits ? s.orderer.collect(column, node.rows, keys_[f])
                                  : sort_keys(column, targets_, node.rows, bits, s);
        return search_keys(f, node, floor, request, s, KeySource{keys, bits});
      }
    }
    const auto rows = by_bits ? s.orderer.collect(column, node.rows, keys_[f])
                              : sort_rows(column, node.rows, s);
    return visit_codes(column.code, [&]<class Code>(const Code* code) {
      return search_source(f, node, floor, request, s, RowSource<Code>{rows, code});
    });
  }

  std::optional<NodeBins> bins_of(const NodeView& node, std::span<const u32> features,
                                  const SplitRequest& request, ThreadPool* pool,
                                  const std::function<bool()>& stopped) const override {
    return count_in_bins<A>(params_, targets_, node, features, request, pool, stopped);
  }

  double decrease(const NodeView& node, double score) const override {
    if constexpr (requires { A::decrease(0.0); })
      return A::decrease(score);
    else
      return A(targets_, node.stats).decrease(score);
  }

 private:
  // Below this many rows, sorting is faster than setting bits.
  static constexpr std::size_t kSortDirectly = 24;

  A accumulator(const NodeView& node, const SplitScratch& s) const {
    if constexpr (looks_at_rows<A>())
      return A(targets_, node.stats, pinball_of(params_.criterion, targets_), *s.ranks);
    else if constexpr (std::is_constructible_v<A, const Targets&,
                                               std::span<const double>, Criterion>)
      return A(targets_, node.stats, params_.criterion);
    else
      return A(targets_, node.stats);
  }

  FeatureBest search_categories(u32 f, const NodeView& node, double floor,
                                const SplitRequest& request, SplitScratch& s) const {
    const Column& column = columns_[f];
    fill_category_cells(f, node, s);
    FeatureBest best;
    best.split.feature = f;
    best.constant = s.present.size() < 2;
    if (best.constant) return best;
    std::span<const u32> cells = s.present;
    const bool missing = s.categories.code(cells.back()) == column.missing_code();
    if (missing) cells = cells.first(cells.size() - 1);  // they are in no order

    const CellSums sums(s.cells, targets_);
    const auto source = category_source(s);
    SplitRequest own = request;
    own.error_bound = false;
    const SetPrice price(params_, targets_, node, s.present.size());
    if (price.charges() && !ranked_by_net(node)) s.categories.price = &price;
    const OrderNeeds needs{params_.criterion == Criterion::zero_one ||
                               params_.criterion == Criterion::cost_matrix,
                           s.categories.price != nullptr};
    for (const OrderKeys& keys : category_orders(sums, targets_, cells, needs)) {
      sort_cells(cells, keys, s.categories.sorted);
      if (missing) s.categories.sorted.push_back(s.present.back());
      backup(best, search_source(f, node, floor, own, s, source));
      if (s.categories.price == nullptr) raise(floor, best);
    }
    if (looks_at_rows<A>() || !one_order_is_exact(targets_))
      search_alone(source, cells.size(), node, floor, own, s, best);
    if (best.found) {
      best.log_choices = log_choices_of(best.split, column, s.categories, s.present);
      best.charge = price.of(best.log_choices);
      best.is_decrease = s.categories.price != nullptr;
    }
    s.categories.price = nullptr;
    if (request.error_bound && targets_.classification())
      best.most_correct = most_correct_of_cells(sums, targets_, node.stats, s.present);
    return best;
  }

  void fill_category_cells(u32 f, const NodeView& node, SplitScratch& s) const {
    const Column& column = columns_[f];
    s.categories.code_of_cell.clear();
    const std::size_t n_cells = std::size_t{column.n_codes()} * cell_width(targets_);
    if (s.given != nullptr || (!looks_at_rows<A>() && n_cells <= 32 * node.rows.size()))
      fill_cells(f, column, targets_, node, s);
    else
      fill_cells_of_sorted(column, targets_, sort_rows(column, node.rows, s), s.cells,
                           s.present, s.categories.code_of_cell);
  }

  // `sort_rows` left the rows by cell in small_keys.
  auto category_source(SplitScratch& s) const {
    if constexpr (looks_at_rows<A>()) {
      s.category_ends.resize(s.present.size());
      std::partial_sum(
          s.cells.count.begin(),
          s.cells.count.begin() + static_cast<std::ptrdiff_t>(s.present.size()),
          s.category_ends.begin());
      return CategoryRowSource{s.categories, s.small_keys, s.category_ends};
    } else {
      return CategorySource{s.categories, s.cells};
    }
  }

  static void backup(FeatureBest& best, const FeatureBest& one) {
    if (!one.found ||
        (best.found &&
         (one.score < best.score || (one.score == best.score && one.tie <= best.tie))))
      return;
    best = one;
  }

  // Each category against all others; missing values stay with these.
  template <class Source>
  void search_alone(const Source& source, std::size_t end, const NodeView& node,
                    double floor, const SplitRequest& request, SplitScratch& s,
                    FeatureBest& best) const {
    s.categories.alone = true;
    const bool missing = end < source.size();
    A acc = accumulator(node, s);
    s.boundaries.size = end;
    for (std::size_t j = 0; j < end; ++j) {
      acc.start(nullptr, 0);
      source.add(acc, j);
      acc.emit(s.boundaries, j);
      finish(acc, j, j + 1, s);
      const auto [lo, hi] =
          feasible(s.boundaries, j, j + 1, writes_weights<A>(), node, params_.limits);
      consider(acc, node, lo, hi, missing ? Missing::right : Missing::heavier, floor,
               request, s, best);
    }
    s.categories.alone = false;
  }

  // As to search keys, where codes are positions and nothing is missing.
  FeatureBest search_in_blocks(u32 f, const NodeView& node, double floor,
                               const SplitRequest& request, SplitScratch& s) const {
    BlockBest found{floor};
    A acc = accumulator(node, s);
    acc.start(nullptr, 0);
    s.orderer.visit_words(columns_[f], node.rows, [&](auto words) {
      compare_blocks(acc, columns_[f].order, words, node, params_.limits,
                     request.error_bound, s.boundaries, found);
    });
    return best_of(f, columns_[f], found);
  }

  static bool in_bins(u32 f, const NodeView& node, const SplitScratch& s) {
    return s.bins != nullptr && gains_by_bins<A>(s.bins->codes(), f, node);
  }

  // False if all rows are to be looked at.
  bool found_in_bins(u32 f, const NodeView& node, const SplitRequest& request,
                     SplitScratch& s, BlockBest& found) const {
    if constexpr (counts_in_bins<A>()) {
      if (!in_bins(f, node, s)) return false;
      A acc = accumulator(node, s);
      const bool by_bins =
          search_bins(*s.bins, f, columns_[f], targets_, acc, node, params_.limits,
                      request.error_bound, s.boundaries, found);
      s.n_by_bins += by_bins;
      return by_bins;
    }
    return false;
  }

  FeatureBest search_keys(u32 f, const NodeView& node, double floor,
                          const SplitRequest& request, SplitScratch& s,
                          const KeySource& source) const {
    if constexpr (counts_in_key_blocks<A>()) {
      if (!in_bins(f, node, s) && columns_[f].n_missing == 0 &&
          may_skip_keys(params_, node, request, source) &&
          source.code(0) != source.code(source.size() - 1)) {
        A acc = accumulator(node, s);
        BlockBest found{floor};
        if (search_key_blocks(source, acc, node, params_.limits, request.error_bound, s,
                              found))
          return best_of(f, columns_[f], found);
      }
    }
    return search_source(f, node, floor, request, s, source);
  }

  template <class Source>
  FeatureBest search_source(u32 f, const NodeView& node, double floor,
                            const SplitRequest& request, SplitScratch& s,
                            const Source& source) const {
    const Column& column = columns_[f];
    FeatureBest best;
    best.split.feature = f;
    best.constant = source.code(0) == source.code(source.size() - 1);
    if (best.constant) return best;

    std::size_t end = source.size();  // of the non-missing items; missing come last
    if (column.n_missing > 0)
      while (end > 0 && source.code(end - 1) == column.missing_code()) --end;
    const bool missing = end < source.size();

    A acc = accumulator(node, s);
    if constexpr (requires { acc.counts_errors; })
      acc.counts_errors = request.error_bound;
    acc.start(nullptr, 0);
    write_boundaries(acc, source, end, s.boundaries);
    finish(acc, 0, s.boundaries.size, s);
    // The last boundary has all non-missing values on its left.
    const std::size_t n_cuts = s.boundaries.size - (missing ? 0 : 1);
    best.log_choices = log_thresholds(static_cast<u32>(n_cuts) + 1);
    const auto [lo, hi] =
        feasible(s.boundaries, 0, n_cuts, writes_weights<A>(), node, params_.limits);
    consider(acc, node, lo, hi, missing ? Missing::right : Missing::heavier, floor,
             request, s, best);
    if (request.error_bound)
      bound_errors(acc, source, node, n_cuts, end, false, s, best);
    if (!missing) return best;

    start_with_missing(acc, source, end, node, s);
    write_boundaries(acc, source, end, s.boundaries);
    finish(acc, 0, s.boundaries.size, s);
    if (s.categories.price == nullptr) raise(floor, best);
    const std::size_t inner = s.boundaries.size - 1;
    const auto [first, last] =
        feasible(s.boundaries, 0, inner, writes_weights<A>(), node, params_.limits);
    consider(acc, node, first, last, Missing::left, floor, request, s, best);
    if (request.error_bound) bound_errors(acc, source, node, inner, end, true, s, best);
    return best;
  }

  static void finish(A& acc, std::size_t lo, std::size_t hi, SplitScratch& s) {
    if constexpr (looks_at_rows<A>()) acc.finish(s.boundaries, lo, hi);
  }

  // The items from `end` on are missing: they go first.
  template <class Source>
  void start_with_missing(A& acc, const Source& source, std::size_t end,
                          const NodeView& node, SplitScratch& s) const {
    if constexpr (looks_at_rows<A>()) {
      acc.start(nullptr, 0);
      for (std::size_t i = end; i < source.size(); ++i) source.add(acc, i);
    } else {
      s.missing_stats.assign(targets_.stats_width(), 0.0);
      for (std::size_t i = end; i < source.size(); ++i)
        source.add_to(s.missing_stats.data(), i, targets_);
      const auto present = static_cast<u32>(s.boundaries.n[s.boundaries.size - 1]);
      acc.start(s.missing_stats.data(), node.n() - present);
    }
  }

  void consider(const A& acc, const NodeView& node, std::size_t lo, std::size_t hi,
                Missing missing, double floor, const SplitRequest& request,
                const SplitScratch& s, FeatureBest& best) const {
    const LeftSums& b = s.boundaries;
    if (request.visit_all != nullptr) {
      for (std::size_t j = lo; j < hi; ++j) {
        const BestBoundary one = acc.best(b, j, j + 1, A::kLeastScore);
        (*request.visit_all)(
            split_at(best.split.feature, columns_[best.split.feature], s, j, missing),
            acc.decrease(one.score));
      }
    }
    const BestBoundary at =
        best_boundary(acc, node, lo, hi, missing, floor, s, best.split.feature);
    if (at.boundary == BestBoundary::kNone) return;
    if (best.found &&
        (at.score < best.score || (at.score == best.score && at.tie <= best.tie)))
      return;
    best.found = true;
    best.score = at.score;
    best.tie = at.tie;
    best.split = split_at(best.split.feature, columns_[best.split.feature], s,
                          at.boundary, missing);
  }

  BestBoundary best_boundary(const A& acc, const NodeView& node, std::size_t lo,
                             std::size_t hi, Missing missing, double floor,
                             const SplitScratch& s, u32 feature) const {
    const LeftSums& b = s.boundaries;
    if (ranked_by_net(node))
      return NetScan{node, params_.criterion, feature}.best(acc, b, lo, hi);
    if (s.categories.price == nullptr) return acc.best(b, lo, hi, floor);
    const u32 missing_left = missing == Missing::left ? 1 : 0;
    return s.categories.price->best(acc, b, lo, hi, [&](std::size_t j) {
      return missing_left + (s.categories.alone ? 1 : static_cast<u32>(j) + 1);
    });
  }

  // Missing values, the items from `end` on, are on the left or on the right of all
  // boundaries. Categories have a bound of their own.
  template <class Source>
  void bound_errors(const A& acc, const Source& source, const NodeView& node,
                    std::size_t n_boundaries, std::size_t end, bool missing_left,
                    SplitScratch& s, FeatureBest& best) const {
    if constexpr (!looks_at_rows<A>() && !std::is_same_v<Source, CategorySource>) {
      if (!targets_.classification()) return;
      const BoundaryRange range = feasible(s.boundaries, 0, n_boundaries,
                                           writes_weights<A>(), node, params_.limits);
      const ErrorBound bound{targets_, node.stats, end, n_boundaries,
                             missing_left ? s.missing_stats.data() : nullptr};
      best.most_correct = std::max(
          best.most_correct, bound.most_correct(acc, source, range, s.boundaries));
    }
  }

  const std::vector<Column>& columns_;
  const std::vector<ScanKeys>& keys_;
  const Targets& targets_;
  const FinderParams& params_;
};

template <class A>
FeatureSearchPtr make_search(const SearchInput& input) {
  return std::make_unique<FeatureSearchBy<A>>(input);
}

}  // namespace dpdtree
