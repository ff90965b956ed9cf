// What a boosted fit asks the partitions of its rows, and what they answer, as bytes.
//
// A request says which trees there are so far, so that a partition that is new to the
// fit can catch up; a node is its path of splits. Answers of several partitions become
// one by adding, taking the larger or joining: which rows lie where is of no
// consequence.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/exact_sum.hpp"
#include "boost/grown_tree.hpp"
#include "hist/gradients.hpp"

namespace dpdtree::boosting {

enum class Question : u64 {
  prepare,
  histograms,
  leaf_sums,
  leaf_digits,
  start,
  start_digits
};

void write_path(ByteWriter& out, const NodePath& path);
NodePath read_path(ByteReader& in);
NodePath path_of(const NodeContext& node);

// A tree without its rows and sums.
struct ValuedTree {
  GrownTree tree;
  std::vector<double> values;
};
void write_tree(ByteWriter& out, const GrownTree& tree, std::span<const double> values);
ValuedTree read_tree(ByteReader& in);

void write_units(ByteWriter& out, const Units& units);
Units read_units(ByteReader& in);

void write_double(ByteWriter& out, double value);
double read_double(ByteReader& in);

// A sum of losses and the largest of them.
struct LossPart {
  double largest = 0;
  FixedSum sum;
};

struct OutputPart {
  Largest largest;
  ExactSum squares;  // of gradients
  ExactSum hessian;
  ExactSum weights;
};

// The state of the rows before an iteration.
struct Prepared {
  LossPart training;
  LossPart validation;
  std::vector<OutputPart> outputs;
  std::vector<u8> has_missing;  // per feature
  u64 least_hash = ~u64{0};     // of the usable rows
  u64 least_row = 0;

  Prepared& operator+=(const Prepared& other);
  void write(ByteWriter& out) const;
  static Prepared read(ByteReader& in);
};

// What is to be known before a model starts.
struct Start {
  u64 n_rows = 0;
  u64 n_usable = 0;           // of positive weight
  double largest_weight = 0;  // 0: there are no weights
  StartSums training;
  u64 n_validation_rows = 0;
  StartSums validation;

  Start& operator+=(const Start& other);
  void write(ByteWriter& out) const;
  static Start read(ByteReader& in);
};

// Weights of residuals by a digit of theirs, ascending; of one leaf.
struct DigitWeight {
  u64 digit = 0;
  double weight = 0;
};
using Digits = std::vector<DigitWeight>;

// Numbers in the order of the residuals.
inline u64 ordered_bits(double residual) {
  const u64 bits = std::bit_cast<u64>(residual);
  constexpr u64 kSign = u64{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}
inline double from_ordered_bits(u64 ordered) {
  constexpr u64 kSign = u64{1} << 63;
  return std::bit_cast<double>((ordered & kSign) != 0 ? ordered ^ kSign : ~ordered);
}

// A digit of ordered bits: those below `shift` + `width`, from `shift` on.
struct DigitPlace {
  u32 shift = 0;
  u32 width = 0;

  u64 of(u64 ordered) const { return ordered >> shift & ((u64{1} << width) - 1); }
  u64 above(u64 ordered) const {
    return shift + width == 64 ? 0 : ordered >> (shift + width);
  }
};

// Which digit, of weights on this grid.
struct DigitRequest {
  Grid grid;
  DigitPlace place;

  // `largest`: of n weights; 0: there are none.
  static void write(ByteWriter& out, double largest, u64 n, DigitPlace place);
  static DigitRequest read(ByteReader& in);
};

// The answer of all partitions. Each begins with its question.
std::string merged(std::span<const std::string_view> answers);

}  // namespace dpdtree::boosting
