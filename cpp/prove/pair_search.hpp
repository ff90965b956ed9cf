// Exact minimisation over all trees of a given depth where rows differ in few yes/no
// questions.
//
// One table of pairs (pair_table.hpp) solves the last two levels. Above them every
// question is tried, unless it is bounded (pair_bounds.cpp): a tree for some rows
// serves fewer of them as well, and one row more costs at most `row_cost`. So what is
// known of the sides of one question bounds those of all others, each side by itself,
// and those of every question that is asked below.
//
// What is known of a set of rows is kept: other questions in another order lead to it
// again, and so does a search with more levels.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "plan/memo.hpp"
#include "prove/exact_search.hpp"
#include "prove/pair_table.hpp"

namespace dpdtree {

class PairSearch final : public ExactSearch {
 public:
  // Null if there are too many questions, or too many different weights.
  static std::unique_ptr<PairSearch> make_if_suited(const ExactData& data,
                                                    const ExactParams& params,
                                                    u32 levels, StopToken& stop);

  // Of two levels and more.
  Outcome prove(std::span<const u32> rows, u32 levels, u64 leaves, double incumbent,
                ExactChoice& choice, const Report& report) override;
  // What is known of a set with all levels holds wherever it is met, so that many of
  // them are no more work than some.
  u32 levels_after(u32 levels, u32 most) const override {
    return levels < kSomeLevels ? levels + 1 : most;
  }
  u32 cheap_levels() const override { return 3; }
  // So many that their time is a few times that of a look at all splits.
  u64 cheap_evaluations() const;
  std::size_t n_questions() const { return tables_.questions().size(); }
  PairTables& tables() { return tables_; }

 private:
  struct Job;
  using Choice = std::shared_ptr<const ExactChoice>;

  // Of a set of rows with so many levels. Bounds are what no tree is better than, of
  // those levels or of however many.
  struct Found {
    double value = 0;
    double lower = 0;
    double any_depth = 0;
    Choice choice = {};
    u32 levels = 0;
    double fewer_levels = 0;  // the bound of a level less; set where it is recalled
  };

  PairSearch(const ExactParams& params, StopToken& stop, PairTables&& tables)
      : params_(params), stop_(stop), tables_(std::move(tables)), memo_(kMostKnown) {}

  double leaf_loss(std::span<const i32> counts) const;
  double least_loss(const CountedRows& rows, u64 leaves) const;
  double side_value(std::span<const i32> counts, double stump, u32 n) const;
  struct Promise;
  struct TwinLosses;
  TwinLosses twin_losses(const CountedRows& rows) const;
  double least_of_two_splits(std::span<const i32> counts, double twins, u32 n) const;
  bool too_few(double weight) const;
  Promise two_levels(const CountedRows& rows, u64 leaves);

  struct Bounds {
    double lower, any_depth;
    double twins = 0;  // what any tree loses
  };
  struct Shares {
    Bounds small, large;
  };
  struct Side {
    Choice choice;
    u64 leaves = 1;  // at most
  };

  // Makes the table of a side once it is needed.
  using MakeTable = std::function<bool()>;

  Found solve(Job job, Bounds least, const MakeTable& make_table);
  Found recall(const Hash128& key, u32 levels);
  void remember(Job& job);
  bool begin(Job& job, Bounds least);
  void start(Job& job);
  void run(Job& job, const Report* report);
  void evaluate(Job& job, std::size_t question);
  Shares evaluate_share(Job& job, std::size_t question, bool yes,
                        std::vector<CountedRows>& sides, u64 leaves);
  void want_affordable_levels(Job& job, double twins) const;
  void bound_any_depth(Job& job) const;
  void raise_bound(Job& job, std::size_t question) const;
  void bound_by_all_rows(const Job& job, double small_weight, double large_weight,
                         Bounds& small, Bounds& large) const;
  void inherit(Job& job) const;
  void bound_others(Job& job, std::size_t question, Bounds yes, Bounds no);
  static Bounds least_of(Bounds a, Bounds b) {
    return {std::min(a.lower, b.lower), std::min(a.any_depth, b.any_depth)};
  }
  Choice choice_of(std::size_t question, Side yes, Side no) const;

  static constexpr u32 kSomeLevels = 5;
  static constexpr std::size_t kMostKnown = 1u << 21;  // sets of rows

  ExactParams params_;
  StopToken& stop_;
  PairTables tables_;
  Memo<Found> memo_;
  u64 give_up_at_ = ~0ULL;
  std::vector<double> in_both_, in_other_;       // what rows that say yes cost
  std::vector<std::vector<CountedRows>> spare_;  // per level
};

}  // namespace dpdtree
