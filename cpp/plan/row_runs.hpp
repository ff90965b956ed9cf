// Runs of equal rows that follow one another, of rows in several places: samples count
// rows that repeat as one (see Targets::repeat_unit).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/column.hpp"
#include "loss/targets.hpp"

namespace dpdtree {

class RowRuns {
 public:
  RowRuns() = default;
  RowRuns(const std::vector<Column>& columns, const Targets& targets,
          std::span<const Row> rows);

  // Adds the rows that come next.
  void append(const RowRuns& next);
  // Into the units of all rows; these are all there are.
  void keep(Targets& units) const;

  std::string bytes() const;
  static RowRuns from_bytes(std::string_view bytes);

 private:
  void close(u64 length);
  bool one_run() const { return back_ == 0; }

  // Runs that have ended on both sides: the greatest common divisor of their lengths,
  // which count weights; their sum; their number.
  u64 unit_ = 0, total_ = 0, runs_ = 0;
  u64 front_ = 0, back_ = 0;  // lengths of the first and the last run; no last: one run
  std::string first_, last_;  // the rows of these
};

}  // namespace dpdtree
