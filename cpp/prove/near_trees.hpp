// Trees close to the best, where rows differ in few yes/no questions.
//
// All trees of two levels are looked at, and of more levels those that begin with the
// few questions whose two levels (three, where there are four and more) lose least.
// Losses alone decide which trees these are, not the price of a split: the best of them
// at one price is what the hull of them all says, and is found faster.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "plan/memo.hpp"
#include "prove/exact_search.hpp"
#include "prove/pair_table.hpp"

namespace dpdtree {

struct NearTree {
  double complexity = 0;  // the weight that pays for each split, all splits together
  double loss = 0;
  std::shared_ptr<const ExactChoice> choice = {};  // null: a leaf
};

class NearTrees {
 public:
  // Complexity rises, loss falls.
  using Front = std::vector<NearTree>;
  enum class Prices { one, all };

  // With Prices::one a front is one tree, the best at the price of the cost.
  NearTrees(const ExactParams& params, Prices prices, StopToken& stop,
            PairTables& tables);

  // Of at most that many levels; more of them are no worse. May throw SearchStopped.
  Front find(std::span<const u32> rows, u32 levels);
  // The best of all trees of three levels.
  Front find_three_levels(std::span<const u32> rows);

  double value_of(const Front& front) const {
    return front.front().loss + rate_ * front.front().complexity;
  }

 private:
  // How many questions are followed with three levels, and with more.
  struct Widths {
    std::size_t three, more;
    bool operator==(const Widths&) const = default;
  };
  // What the best trees of two levels that begin with a question lose, and what those
  // of more levels are worth at least.
  struct Losses {
    u32 question;
    double three_leaves, four_leaves, beyond;
  };
  // What the table of a set of rows tells.
  struct TwoLevels {
    Front front;
    double loss = 0;             // the least, whatever the price
    std::vector<Losses> losses;  // until it is known which questions may be followed:
    std::vector<u32> order;
    std::vector<double>
        beyond;  // of each, what trees of more levels are worth at least
    std::vector<u32> by_three_leaves;  // places in `order`
    std::vector<u32> deeper;           // the same for more levels, once it is known
  };
  struct Solved {
    Front front;
    double target = 0;  // only better trees were looked for
  };
  struct Side {
    double leaf = 0, stump = 0, weight = 0;
    u32 n = 0;
  };
  struct Candidate;
  using TablePtr = std::shared_ptr<TwoLevels>;
  using MakeTable = std::function<bool()>;

  const CountedRows& root_of(std::span<const u32> rows);
  Widths widths_of(u32 levels) const;
  NearTree leaf_of(const CountedRows& rows) const;
  double price_of(double weight) const {
    return rate_ * params_.cost.complexity_weight(weight);
  }
  bool ends(const CountedRows& rows, double target) const;

  TablePtr two_levels(const CountedRows& rows, const MakeTable& make_table);
  Side side_of(std::span<const i32> counts, double stump) const;
  void add_trees(u32 question, const Side& yes, const Side& no,
                 std::vector<Candidate>& out) const;
  double least_beyond(const Side& yes, const Side& no) const;
  static void choose_followed(TwoLevels& known);
  void rank(const CountedRows& rows, u32 levels, TwoLevels& known,
            const MakeTable& make_table);
  Front solve(const CountedRows& rows, u32 levels, double target, const Widths& widths,
              const MakeTable& make_table);
  void follow(const CountedRows& rows, u32 question, u32 levels, double target,
              const Widths& widths, Front& best);
  void divide(const CountedRows& rows, u32 question, u32 levels);
  Front joined(const CountedRows& rows, u32 question, const Front& small,
               const Front& large, bool small_says_yes, u32 levels) const;
  std::shared_ptr<const ExactChoice> choice_of(u32 question, u64 yes_leaves,
                                               u64 no_leaves) const;
  template <class Tree>
  void keep_best(std::vector<Tree>& trees) const;

  const ExactParams& params_;
  const bool all_prices_;
  const double rate_;
  StopToken& stop_;
  PairTables& tables_;
  Memo<TablePtr> two_levels_;
  Memo<Solved> solved_;
  std::vector<std::array<CountedRows, 2>> spare_;  // per level, the smaller side first
};

}  // namespace dpdtree
