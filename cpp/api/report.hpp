// From what a search found to what its caller is told.
#pragma once

#include "api/fit_tree.hpp"
#include "search/search.hpp"

namespace dpdtree {

// Follows a proof for the caller.
class Trace {
 public:
  Trace(const Search& search, const FitHooks& hooks) : s_(search), hooks_(hooks) {}

  ProofWatch watch() {
    return {[this](Progress p) { add(p); }, static_cast<bool>(hooks_.progress)};
  }
  const std::vector<TracePoint>& points() const { return points_; }

 private:
  void add(Progress progress);

  const Search& s_;
  const FitHooks& hooks_;
  std::vector<TracePoint> points_;
};

FitResult report_of(const Search& search, const OptimalResult& found,
                    const Trace& trace);

// Counters, times and why it ended.
void fill_report(const Search& search, SearchReport& out);

}  // namespace dpdtree
