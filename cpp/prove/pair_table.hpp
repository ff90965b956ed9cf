// For every pair of questions, the rows of each class that say yes to both. From these
// counts follow the best stumps below every answer to every question.
#pragma once

#include <span>
#include <vector>

#include "base/stop.hpp"
#include "data/rows.hpp"
#include "prove/binary_features.hpp"
#include "prove/row_groups.hpp"
#include "simd/pair_kernels.hpp"

namespace dpdtree {

// Rows and their table. Counts are of rows as often as they count.
struct CountedRows {
  u32 n = 0;
  Hash128 key;  // of the set
  double weight = 0;
  std::vector<u32> rows;    // group by group
  std::vector<u32> end_of;  // per group, where its rows end
  std::vector<i32> n_of;    // per class
  std::vector<i32> pairs;   // per class the pairs (f, f), (f, f + 1) … of every f
  bool counted = false;     // is that table made?
};

class PairTables {
 public:
  PairTables(BinaryFeatures&& questions, RowGroups&& groups);

  const BinaryFeatures& questions() const { return questions_; }
  const RowGroups& groups() const { return groups_; }
  std::size_t n_classes() const { return groups_.unit.size(); }

  // Rows a and b, a <= b, of class k that say yes to both.
  i32 both(const CountedRows& rows, std::size_t k, std::size_t a, std::size_t b) const {
    return rows.pairs[k * row_start_.back() + row_start_[a] + b - a];
  }

  // The table of the rows of a search; null if stopped. It is kept for the next search
  // of the same rows.
  const CountedRows* make(std::span<const u32> rows, StopToken& stop);
  // By the answer to a question. Neither side is counted yet.
  void divide(const CountedRows& parent, std::size_t question, CountedRows& smaller,
              CountedRows& larger);
  // False if stopped. The table of the larger side is a difference.
  bool count_smaller(StopToken& stop, CountedRows& smaller);
  bool count_larger(const CountedRows& parent, StopToken& stop, CountedRows& smaller,
                    CountedRows& larger);

  // Losses of the best stump of the rows with each answer to each question; infinite
  // if a leaf had fewer than `least` rows.
  void rate_stumps(const CountedRows& rows, u32 least);
  double stump_of_yes(std::size_t question) const { return yes_[question]; }
  double stump_of_no(std::size_t question) const { return no_[question]; }

 private:
  void clear(CountedRows& node) const;
  void end_group(CountedRows& node, std::size_t group, u32 n) const;
  bool count(CountedRows& node, StopToken& stop);
  bool count_group(CountedRows& node, std::span<const u32> rows,
                   const RowGroups::Group& group, bool first, StopPoller& poller);
  i32* pairs_of(CountedRows& rows, std::size_t k, std::size_t question) const {
    return rows.pairs.data() + k * row_start_.back() + row_start_[question];
  }
  template <class T, class Rate>
  void rate_with(const CountedRows& rows, i32 least, T none, Rate rate,
                 std::vector<T>& yes, std::vector<T>& no);

  BinaryFeatures questions_;
  RowGroups groups_;
  PairKernels kernels_;
  CountedRows root_;
  std::vector<std::size_t> row_start_;  // of the pairs of a question
  std::vector<u64> columns_;
  std::vector<i32> counted_;
  std::vector<u32> sides_;                // the rows that say yes, and no
  std::vector<std::vector<i32>> single_;  // per class and question: yes
  std::vector<double> yes_, no_;
  std::vector<i32> yes_counts_, no_counts_;
};

}  // namespace dpdtree
