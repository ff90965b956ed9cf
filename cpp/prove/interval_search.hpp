// Exact minimisation over all trees of a given depth, by bisecting intervals of
// thresholds.
//
// With t moving to the right the left side only gains rows and the right side only
// loses some, and the best loss of a set of rows never falls when rows are added (any
// tree for the larger set serves the smaller one as well). So for thresholds between
// two that have been evaluated, a < t < b:
//     value(t) >= penalty + V(left of a) + V(right of b),
// and as one row more costs at most `row_cost`, also
//     value(t) >= penalty + V(left of b) + V(right of a) - row_cost · weight(a … b).
// Intervals whose bound reaches the incumbent are closed; the others are divided.
//
// The same two facts bound the sides of a cut by those of the evaluated cuts next to
// it, and the cuts of those sides by the cuts of theirs (known_cuts.hpp).
//
// What a level less gets is found first. A better tree then has all the levels, so one
// of its sides has all but one: as many splits, and their price.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "prove/cut_intervals.hpp"
#include "prove/exact_search.hpp"

namespace dpdtree {

class IntervalSearch final : public ExactSearch {
 public:
  // The pool may be null.
  IntervalSearch(const ExactData& data, const ExactParams& params, StopToken& stop,
                 ThreadPool* pool);
  IntervalSearch(const IntervalSearch&) = delete;
  IntervalSearch& operator=(const IntervalSearch&) = delete;
  ~IntervalSearch() override = default;

  // The exact value of the rows with that many levels and at most that many leaves, and
  // the choice that earns it. `near`: solved with as many levels and leaves.
  Solved solve(const RankedRows& rows, u32 levels, u64 leaves, const Neighbours& near);

  Outcome prove(std::span<const u32> rows, u32 levels, u64 leaves, double incumbent,
                ExactChoice& choice, const Report& report) override;

 private:
  struct Job;
  struct DeepCut;
  using Sides = std::array<RankedRows, 2>;  // left, right
  static constexpr std::size_t kCutsAtOnce = 4;
  static constexpr std::size_t kPartsAtOnce = 4;  // of a batch

  // A helper: the same search for sides of the root, with memory of its own.
  struct AsHelper {};
  IntervalSearch(const IntervalSearch& whole, AsHelper);

  static IntervalEnd end_of(u32 cut, double weight,
                            const std::shared_ptr<const SolvedCut>& solved);

  Outcome prove_ranked(const RankedRows& rows, u32 levels, u64 leaves, double incumbent,
                       ExactChoice& choice, const Report& report);

  ExactValue leaf_value(const RankedRows& rows) const;
  ExactValue value_of(const SubsetLoss& loss, u64 leaves) const;
  double least_of_twins(const RankedRows& rows) const;
  double least_of_classes(const RankedRows& rows, u64 leaves) const;
  Solved stump(const RankedRows& rows);

  bool settled(const Neighbours& near, u32 levels, Solved& out) const;
  void start_from_neighbours(Job& job) const;
  RowCosts row_costs(u32 levels) const;
  static const KnownCuts* usable(const std::shared_ptr<const KnownCuts>& cuts,
                                 const Job& job);
  void learn_from_neighbours(const Job& job, CutIntervals& f) const;
  std::shared_ptr<const KnownCuts> known_cuts(const Job& job) const;
  void share_out(Job& job, u64 leaves, const Report* report);
  void open_features(Job& job);
  void set_whole(Job& job, const IntervalEnd& whole);
  void take_if_better(Job& job, const ExactValue& fewer,
                      const ExactChoice& choice) const;
  void want_all_levels(Job& job) const;
  double any_depth(const Job& job, u64 leaves) const;
  double any_depth(double value, u32 levels) const {
    return std::min(value, params_.price_of_levels(levels + 1));
  }
  void run(Job& job, const Report* report);
  void close(const Job& job, CutIntervals& f) const;
  void evaluate(Job& job, std::span<CutIntervals* const> next, u32 wanted);
  void follow_neighbours(Job& job);
  void evaluate_batch(Job& job, std::span<CutIntervals* const> next, u32 wanted);
  void take_whole(Job& job, const SubsetLoss& all);
  void evaluate_deep(Job& job, CutIntervals& f, u32 cut);
  void make_helpers();
  void evaluate_at_once(Job& job, std::span<CutIntervals* const> next);
  DeepCut begin_cut(const Job& job, CutIntervals& f, u32 cut) const;
  void divide_at(const Job& job, const DeepCut& c, Sides& rows);
  void solve_side(const Job& job, const DeepCut& c, std::size_t side,
                  const RankedRows& rows);
  void end_cut(Job& job, const DeepCut& c) const;
  Neighbours neighbours_of(const Job& job, const CutIntervals& f, u32 cut,
                           bool right) const;
  void consider(Job& job, CutIntervals& f, const IntervalEnd& end, ExactValue left,
                ExactValue right) const;

  const ExactData& data_;
  ExactParams params_;
  StopToken& stop_;
  ThreadPool* pool_ = nullptr;
  std::optional<RowTwins> twins_;  // a helper's
  bool plain_;                     // no limits: values and bounds are the same
  std::unique_ptr<StumpSolver> stumps_;
  bool learns_;               // from cuts of neighbours
  std::vector<Sides> sides_;  // per level
  std::vector<u8> side_of_;
  std::vector<std::vector<double>> promise_;  // per level and ordering: last best value
  RankedRows all_;

  // Two for each cut of the root that is evaluated at once, and its sides.
  std::vector<std::unique_ptr<IntervalSearch>> helpers_;
  std::vector<Sides> root_sides_;

  // What a proof for all rows has shown, for the one with a level more.
  u32 proven_levels_ = 0;
  std::shared_ptr<const SolvedCut> proven_;
};

}  // namespace dpdtree
