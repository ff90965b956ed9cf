#include "split/finder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rng.hpp"
#include "split/accumulators.hpp"
#include "split/category_order.hpp"
#include "split/cells.hpp"
#include "split/constrained_scan.hpp"
#include "split/loss_accumulators.hpp"
#include "split/mass_accumulator.hpp"
#include "split/pinball_accumulator.hpp"
#include "split/scan.hpp"

namespace dpdtree {
namespace {

// The best split of one feature.
struct FeatureBest {
  bool constant = false;
  bool found = false;
  double score = 0;
  double tie = 0;
  Split split;
  u32 n_thresholds = 1;
  double most_correct = 0;
};

// Those of the places [lo, hi) that leave enough rows and weight on both sides.
struct PlaceRange {
  std::size_t lo, hi;
};

PlaceRange feasible(const Boundaries& b, std::size_t lo, std::size_t hi,
                    bool has_weights, const NodeView& node, const SplitLimits& limits) {
  const auto n = static_cast<i64>(node.n());
  const i64 min_n = limits.min_samples_leaf;
  while (lo < hi && b.n[lo] < min_n) ++lo;
  while (hi > lo && n - b.n[hi - 1] < min_n) --hi;
  if (limits.min_weight_leaf <= 0) return {lo, hi};
  const auto weight = [&](std::size_t i) {
    return has_weights ? b.w[i] : static_cast<double>(b.n[i]);
  };
  while (lo < hi && weight(lo) < limits.min_weight_leaf) ++lo;
  while (hi > lo && node.weight - weight(hi - 1) < limits.min_weight_leaf) --hi;
  return {lo, hi};
}

// True for scores that often tie: then no feature may be skipped for a mere tie.
template <class A>
constexpr bool breaks_ties() {
  if constexpr (requires { A::kTies; }) return A::kTies;
  return false;
}

// True if the criterion looks at the targets of all rows, not only at their sums.
template <class A>
constexpr bool looks_at_rows() {
  if constexpr (requires { A::kNeedsRows; }) return A::kNeedsRows;
  return false;
}

template <class A>
constexpr bool writes_weights() {
  if constexpr (requires { A::kInteger; })
    return !A::kInteger;
  else
    return true;
}

template <class A>
class Finder final : public SplitFinder {
 public:
  Finder(const std::vector<Column>& columns, const std::vector<ScanKeys>& keys,
         const Targets& targets, const FinderParams& params)
      : columns_(columns), keys_(keys), targets_(targets), params_(params) {}

  FoundSplit find(const NodeView& node, FeatureList& features,
                  const SplitRequest& request, SplitScratch& scratch,
                  StopPoller& poller) const override {
    if (!may_split(node)) return {};
    rank_targets(node, scratch.own_ranks);
    scratch.ranks = &scratch.own_ranks;
    if (params_.max_features < columns_.size())
      return find_sampled(node, request, scratch, poller);
    if (!restricted(node)) return find_among(node, features, request, scratch, poller);
    FeatureList own = permitted(node, *features);
    return find_among(node, own, request, scratch, poller);
  }

  FoundSplit find_parallel(const NodeView& node, FeatureList& features,
                           const SplitRequest& request,
                           std::vector<SplitScratch>& scratch, StopToken& stop,
                           ThreadPool& pool) const override {
    if (!may_split(node)) return {};
    StopPoller poller(stop);
    if (params_.max_features < columns_.size() || request.visit_all != nullptr)
      return find(node, features, request, scratch[0], poller);
    if (!restricted(node))
      return find_among_parallel(node, features, request, scratch, stop, pool);
    FeatureList own = permitted(node, *features);
    return find_among_parallel(node, own, request, scratch, stop, pool);
  }

 private:
  static bool restricted(const NodeView& node) {
    return node.constraints && node.constraints->permitted;
  }

  static FeatureList permitted(const NodeView& node, const std::vector<u32>& features) {
    auto own = std::make_shared<std::vector<u32>>();
    for (const u32 f : features)
      if (node.constraints->permits(f)) own->push_back(f);
    return own;
  }

  FoundSplit find_among(const NodeView& node, FeatureList& features,
                        const SplitRequest& request, SplitScratch& scratch,
                        StopPoller& poller) const {
    std::vector<FeatureBest> results;
    results.reserve(features->size());
    double floor = A::kLeastScore;
    for (const u32 f : *features) {
      if (poller.add_work(node.n())) return {};
      results.push_back(search(f, node, floor, request, scratch));
      if (request.feature_scores == nullptr && !priced()) raise(floor, results.back());
    }
    if (request.feature_scores != nullptr) {
      request.feature_scores->clear();
      for (const FeatureBest& r : results)
        request.feature_scores->push_back(
            r.found ? r.score : -std::numeric_limits<double>::infinity());
    }
    return conclude(node, features, results, request);
  }

  FoundSplit find_among_parallel(const NodeView& node, FeatureList& features,
                                 const SplitRequest& request,
                                 std::vector<SplitScratch>& scratch, StopToken& stop,
                                 ThreadPool& pool) const {
    std::vector<FeatureBest> results(features->size());
    std::vector<double> floor(pool.size(), A::kLeastScore);
    RankedTargets ranks;  // a worker may be in the middle of another search
    rank_targets(node, ranks);
    const auto search_one = [&](std::size_t i, unsigned worker) {
      if (stop.poll()) return;
      scratch[worker].ranks = &ranks;
      results[i] =
          search((*features)[i], node, floor[worker], request, scratch[worker]);
      if (!priced()) raise(floor[worker], results[i]);
    };
    // Few features leave threads without work: then these share the rows instead.
    std::vector<std::size_t> whole;
    const bool few = features->size() < 4 * pool.size();
    for (std::size_t i = 0; i < features->size(); ++i) {
      const Column& column = columns_[(*features)[i]];
      if (few && fills_by_pieces(column, targets_, node.n()))
        search_one(i, worker_number());
      else
        whole.push_back(i);
    }
    pool.parallel_for(whole.size(), [&](std::size_t i, unsigned worker) {
      search_one(whole[i], worker);
    });
    if (stop.stopped()) return {};
    return conclude(node, features, results, request);
  }

  bool priced() const { return params_.threshold_price > 0; }

  // What features are compared by; `decrease` turns scores into decreases.
  template <class Decrease>
  double worth(const FeatureBest& best, const NodeView& node,
               const Decrease& decrease) const {
    if (!priced()) return best.score;
    const double own = ranked_by_net(node) ? best.score : decrease(best.score);
    return own -
           params_.threshold_price * std::log(static_cast<double>(best.n_thresholds));
  }

  void rank_targets(const NodeView& node, RankedTargets& ranks) const {
    if constexpr (looks_at_rows<A>()) ranks.fill(targets_, node.rows);
  }

  A accumulator(const NodeView& node, const SplitScratch& s) const {
    if constexpr (looks_at_rows<A>())
      return A(targets_, node.stats, pinball_of(params_.criterion, targets_), *s.ranks);
    else if constexpr (std::is_constructible_v<A, const Targets&,
                                               std::span<const double>, Measure>)
      return A(targets_, node.stats, params_.criterion);
    else
      return A(targets_, node.stats);
  }

  auto decreases_of(const NodeView& node) const {
    if constexpr (requires { A::decrease(0.0); })
      return [](double score) { return A::decrease(score); };
    else
      return
          [acc = A(targets_, node.stats)](double score) { return acc.decrease(score); };
  }

  static void raise(double& floor, const FeatureBest& best) {
    if (best.found && !breaks_ties<A>()) floor = std::max(floor, best.score);
  }

  bool may_split(const NodeView& node) const {
    const SplitLimits& limits = params_.limits;
    return node.n() >= limits.min_samples_split &&
           node.n() / 2 >= limits.min_samples_leaf &&
           node.weight >= 2 * limits.min_weight_leaf &&
           (params_.criterion == Measure::fixed_sides ||
            !targets_.pure(node.rows, node.stats));
  }

  // Draws features until max_features were tried and one gave a split, as
  // scikit-learn does; the draw depends on the rows of the node alone.
  FoundSplit find_sampled(const NodeView& node, const SplitRequest& request,
                          SplitScratch& scratch, StopPoller& poller) const {
    std::vector<u32> order(columns_.size());
    std::iota(order.begin(), order.end(), 0u);
    if (restricted(node)) order = *permitted(node, order);
    CounterRng rng(params_.seed, node.hash);
    std::vector<FeatureBest> results;
    u32 tried = 0;
    bool found = false;
    for (u32 i = 0; i < order.size() && (tried < params_.max_features || !found); ++i) {
      std::swap(order[i], order[i + rng.below(static_cast<u32>(order.size()) - i)]);
      if (poller.add_work(node.n())) return {};
      results.push_back(search(order[i], node, A::kLeastScore, request, scratch));
      tried += !results.back().constant;
      found |= results.back().found;
    }
    std::sort(results.begin(), results.end(), [](const auto& x, const auto& y) {
      return x.split.feature < y.split.feature;
    });
    FeatureList unused;
    return conclude(node, unused, results, request);
  }

  FoundSplit conclude(const NodeView& node, FeatureList& features,
                      const std::vector<FeatureBest>& results,
                      const SplitRequest& request) const {
    FoundSplit out;
    const auto decrease = decreases_of(node);
    double most_worth = -std::numeric_limits<double>::infinity();
    double score = 0;
    double tie = -std::numeric_limits<double>::infinity();
    double most_correct = 0;
    std::size_t n_constant = 0;
    for (const FeatureBest& r : results) {
      n_constant += r.constant;
      most_correct = std::max(most_correct, r.most_correct);
      if (!r.found) continue;
      const double own = worth(r, node, decrease);
      if (own < most_worth || (own == most_worth && r.tie <= tie)) continue;
      most_worth = own;
      score = r.score;
      tie = r.tie;
      out.split = r.split;
      out.found = true;
    }
    double price = 0;  // does not count as a decrease that the limit sees
    if (out.found && ranked_by_net(node)) {
      price = scan_of(node, out.split.feature).price();
      out.decrease = score;
    } else if (out.found) {
      out.decrease = decrease(score);
    }
    // The slack lets a decrease through that only rounding pushed below the limit.
    const double slack = 1e-12 * std::max(1.0, params_.limits.min_decrease);
    if (out.decrease + price + slack < params_.limits.min_decrease) out.found = false;
    if (request.error_bound) out.error_bound = node.weight - most_correct;
    if (features && n_constant > 0) drop_constant(features, results);
    return out;
  }

  NetScan scan_of(const NodeView& node, u32 feature) const {
    return {node, params_.criterion, feature};
  }

  static void drop_constant(FeatureList& features,
                            const std::vector<FeatureBest>& results) {
    auto left = std::make_shared<std::vector<u32>>();
    for (std::size_t i = 0; i < features->size(); ++i)
      if (!results[i].constant) left->push_back((*features)[i]);
    features = std::move(left);
  }

  FeatureBest search(u32 f, const NodeView& node, double floor,
                     const SplitRequest& request, SplitScratch& s) const {
    const Column& column = columns_[f];
    if (column.n_codes() < 2) {
      FeatureBest constant;
      constant.constant = true;
      constant.split.feature = f;
      return constant;
    }
    const std::size_t n = node.n();
    s.boundaries.reserve(std::min<std::size_t>(n, column.n_codes()) + 1,
                         !writes_weights<A>());
    if (column.categorical) return search_categories(f, node, floor, request, s);
    const std::size_t n_cells = std::size_t{column.n_codes()} * cell_width(targets_);
    const std::size_t most_cells = column.has_order ? 2 * n : 32 * n;
    const bool keys_at_hand = column.order.by_place() && keys_[f].in_use;
    if constexpr (!looks_at_rows<A>()) {
      if (params_.criterion == Measure::fixed_sides ||
          (n_cells <= most_cells && !keys_at_hand)) {
        fill_cells(column, targets_, node.rows, s.cells, s.present, params_.pool);
        return search_source(f, node, floor, request, s,
                             CellSource{s.present, s.cells});
      }
    }
    constexpr std::size_t kSortDirectly = 24;
    const bool by_bits = column.has_order && n >= kSortDirectly;
    if constexpr (!looks_at_rows<A>()) {
      if (keys_[f].in_use) {
        const u32 bits = keys_[f].class_bits;
        const auto keys = by_bits ? s.orderer.collect(column, node.rows)
                                  : sort_keys(column, node.rows, bits, s);
        return search_source(f, node, floor, request, s, KeySource{keys, bits});
      }
    }
    const auto rows = by_bits ? s.orderer.collect(column, node.rows)
                              : sort_rows(column, node.rows, s);
    return visit_codes(column.code, [&]<class Code>(const Code* code) {
      return search_source(f, node, floor, request, s, RowSource<Code>{rows, code});
    });
  }

  FeatureBest search_categories(u32 f, const NodeView& node, double floor,
                                const SplitRequest& request, SplitScratch& s) const {
    const Column& column = columns_[f];
    fill_category_cells(column, node, s);
    FeatureBest best;
    best.split.feature = f;
    best.constant = s.present.size() < 2;
    if (best.constant) return best;
    std::span<const u32> cells = s.present;
    const bool missing = s.categories.code(cells.back()) == column.missing_code();
    if (missing) cells = cells.first(cells.size() - 1);  // they have no place in orders

    const CellSums sums(s.cells, targets_);
    const auto source = category_source(s);
    SplitRequest own = request;
    own.error_bound = false;
    const bool for_errors = params_.criterion == Measure::zero_one ||
                            params_.criterion == Measure::cost_matrix;
    for (const OrderKeys& keys : category_orders(sums, targets_, cells, for_errors)) {
      sort_cells(cells, keys, s.categories.sorted);
      if (missing) s.categories.sorted.push_back(s.present.back());
      keep_better(best, search_source(f, node, floor, own, s, source));
      raise(floor, best);
    }
    if (looks_at_rows<A>() || !one_order_is_exact(targets_))
      search_alone(source, cells.size(), node, floor, own, s, best);
    best.n_thresholds = static_cast<u32>(s.present.size() - 1);
    if (request.error_bound && targets_.classification())
      best.most_correct = most_correct_of_cells(sums, targets_, node.stats, s.present);
    return best;
  }

  void fill_category_cells(const Column& column, const NodeView& node,
                           SplitScratch& s) const {
    s.categories.code_of_cell.clear();
    const std::size_t n_cells = std::size_t{column.n_codes()} * cell_width(targets_);
    if (!looks_at_rows<A>() && n_cells <= 32 * node.rows.size())
      fill_cells(column, targets_, node.rows, s.cells, s.present);
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

  static void keep_better(FeatureBest& best, const FeatureBest& one) {
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

  std::span<const u32> sort_keys(const Column& column, std::span<const Row> rows,
                                 u32 bits, SplitScratch& s) const {
    s.small_keys.resize(rows.size());
    visit_codes(column.code, [&](const auto* code) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        s.small_keys[i] = u32{code[rows[i]]} << bits | targets_.label[rows[i]];
    });
    std::sort(s.small_keys.begin(), s.small_keys.end());
    return s.small_keys;
  }

  std::span<const u32> sort_rows(const Column& column, std::span<const Row> rows,
                                 SplitScratch& s) const {
    s.small_rows.resize(rows.size());
    s.small_keys.resize(rows.size());
    visit_codes(column.code, [&](const auto* code) {
      for (std::size_t i = 0; i < rows.size(); ++i)
        s.small_rows[i] = u64{code[rows[i]]} << 32 | rows[i];
    });
    std::sort(s.small_rows.begin(), s.small_rows.end());
    for (std::size_t i = 0; i < rows.size(); ++i)
      s.small_keys[i] = static_cast<u32>(s.small_rows[i]);
    return s.small_keys;
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
    acc.start(nullptr, 0);
    scan(acc, source, end, s.boundaries);
    finish(acc, 0, s.boundaries.size, s);
    // The last boundary has all non-missing values on its left.
    const std::size_t places = s.boundaries.size - (missing ? 0 : 1);
    best.n_thresholds = static_cast<u32>(places);
    const auto [lo, hi] =
        feasible(s.boundaries, 0, places, writes_weights<A>(), node, params_.limits);
    consider(acc, node, lo, hi, missing ? Missing::right : Missing::heavier, floor,
             request, s, best);
    if (request.error_bound) bound_errors(acc, source, node, places, 0, s, best);
    if (!missing) return best;

    start_with_missing(acc, source, end, node, s);
    scan(acc, source, end, s.boundaries);
    finish(acc, 0, s.boundaries.size, s);
    raise(floor, best);
    const std::size_t inner = s.boundaries.size - 1;
    const auto [first, last] =
        feasible(s.boundaries, 0, inner, writes_weights<A>(), node, params_.limits);
    consider(acc, node, first, last, Missing::left, floor, request, s, best);
    if (request.error_bound)
      bound_errors(acc, source, node, inner, source.size() - end, s, best);
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
    const Boundaries& b = s.boundaries;
    if (request.visit_all != nullptr) {
      for (std::size_t j = lo; j < hi; ++j) {
        const BestPlace one = acc.best(b, j, j + 1, A::kLeastScore);
        (*request.visit_all)(make_split(best.split.feature, s, j, missing),
                             acc.decrease(one.score));
      }
    }
    // A floor is one of other scores there.
    const BestPlace place = ranked_by_net(node)
                                ? scan_of(node, best.split.feature).best(acc, b, lo, hi)
                                : acc.best(b, lo, hi, floor);
    if (place.place == BestPlace::kNone) return;
    if (best.found && (place.score < best.score ||
                       (place.score == best.score && place.tie <= best.tie)))
      return;
    best.found = true;
    best.score = place.score;
    best.tie = place.tie;
    best.split = make_split(best.split.feature, s, place.place, missing);
  }

  Split make_split(u32 feature, const SplitScratch& s, std::size_t j,
                   Missing missing) const {
    const Column& column = columns_[feature];
    Split split;
    split.feature = feature;
    split.missing = missing;
    if (column.categorical) {
      split.categories = s.categories.left_of(j, column.n_codes());
      return split;
    }
    const Boundaries& b = s.boundaries;
    const u32 next = j + 1 < b.size ? b.code[j + 1] : column.n_values;
    split.threshold = column.threshold_between(b.code[j], next);
    split.cut = column.cut_of(split.threshold);
    return split;
  }

  // The largest weight one split of this feature classifies right. For more than two
  // classes the right side's majority comes from a second scan, backwards.
  // `extra` items behind the boundaries (missing values) are already on the left.
  template <class Source>
  void bound_errors(const A& acc, const Source& source, const NodeView& node,
                    std::size_t places, std::size_t extra, SplitScratch& s,
                    FeatureBest& best) const {
    if (looks_at_rows<A>() || !targets_.classification()) return;
    Boundaries& b = s.boundaries;
    const auto [lo, hi] =
        feasible(b, 0, places, writes_weights<A>(), node, params_.limits);
    if constexpr (looks_at_rows<A>()) {
    } else if constexpr (A::kMajorityFromPrefix) {
      best.most_correct = std::max(best.most_correct, acc.most_correct(b, lo, hi));
    } else {
      std::vector<double> right(targets_.n_classes, 0.0);
      double largest = 0;
      std::size_t place = places;  // boundary whose right side is being built
      for (std::size_t i = source.size() - extra; i-- > 0 && place > lo;) {
        while (place > lo && source.code(i) == b.code[place - 1]) {
          --place;
          if (place < hi)
            best.most_correct =
                std::max(best.most_correct, b.majority[place] + largest);
        }
        source.add_to(right.data(), i, targets_);
        if constexpr (std::is_same_v<Source, CellSource>)
          largest = *std::max_element(right.begin(), right.end());
        else
          largest = std::max(largest, right[label_of(source, i)]);
      }
    }
  }

  // Categories have a bound of their own.
  void bound_errors(const A&, const CategorySource&, const NodeView&, std::size_t,
                    std::size_t, SplitScratch&, FeatureBest&) const {}
  void bound_errors(const A&, const CategoryRowSource&, const NodeView&, std::size_t,
                    std::size_t, SplitScratch&, FeatureBest&) const {}

  static u32 label_of(const KeySource& source, std::size_t i) {
    return source.keys[i] & ((1u << source.class_bits) - 1);
  }
  template <class Code>
  u32 label_of(const RowSource<Code>& source, std::size_t i) const {
    return targets_.label[source.rows[i]];
  }

  const std::vector<Column>& columns_;
  const std::vector<ScanKeys>& keys_;
  const Targets& targets_;
  FinderParams params_;
};

template <bool Weighted>
std::unique_ptr<SplitFinder> make_finder(const std::vector<Column>& columns,
                                         const std::vector<ScanKeys>& keys,
                                         const Targets& t, const FinderParams& p) {
  if (p.criterion == Measure::fixed_sides)
    return std::make_unique<Finder<FixedSides>>(columns, keys, t, p);
  if (needs_rows(p.criterion))
    return std::make_unique<Finder<PinballAccumulator>>(columns, keys, t, p);
  if (t.general || p.criterion == Measure::cost_matrix)
    return std::make_unique<Finder<MassAccumulator>>(columns, keys, t, p);
  if (p.criterion == Measure::zero_one && t.n_classes == 2)
    return std::make_unique<Finder<BinaryErrors<Weighted>>>(columns, keys, t, p);
  if (p.criterion == Measure::zero_one)
    return std::make_unique<Finder<ClassErrors<Weighted>>>(columns, keys, t, p);
  if (!t.classification())
    return std::make_unique<Finder<PrefixAccumulator<Weighted, false>>>(columns, keys,
                                                                        t, p);
  if (p.criterion == Measure::entropy || p.criterion == Measure::log_loss)
    return std::make_unique<Finder<EntropyAccumulator<Weighted>>>(columns, keys, t, p);
  if (t.n_classes == 2)
    return std::make_unique<Finder<PrefixAccumulator<Weighted, true>>>(columns, keys, t,
                                                                       p);
  return std::make_unique<Finder<GiniAccumulator<Weighted>>>(columns, keys, t, p);
}

}  // namespace

std::unique_ptr<SplitFinder> make_split_finder(const std::vector<Column>& columns,
                                               const std::vector<ScanKeys>& keys,
                                               const Targets& targets,
                                               const FinderParams& params) {
  return targets.weighted() ? make_finder<true>(columns, keys, targets, params)
                            : make_finder<false>(columns, keys, targets, params);
}

}  // namespace dpdtree
