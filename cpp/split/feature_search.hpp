// The best split of one feature at a node. One implementation per accumulator, each
// compiled in a file of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "split/code_histogram.hpp"
#include "split/finder.hpp"

namespace dpdtree {

// The best split of one feature.
struct FeatureBest {
  bool constant = false;
  bool found = false;
  double score = 0;
  bool is_decrease = false;  // the score is one, less the charge
  double charge = 0;         // of a set of categories, see set_price.hpp
  double tie = 0;
  Split split;
  double log_choices = 0;  // see thresholds.hpp
  double most_correct = 0;
};

// What all of them read; it outlives them.
struct SearchInput {
  const std::vector<Column>& columns;
  const std::vector<ScanKeys>& keys;
  const Targets& targets;
  const FinderParams& params;
};

class FeatureSearch {
 public:
  // Scores lie above `least_score`; where ties are broken by a second number, a floor
  // would cut them off.
  FeatureSearch(double least_score, bool breaks_ties)
      : least_score_(least_score), breaks_ties_(breaks_ties) {}
  virtual ~FeatureSearch() = default;

  double least_score() const { return least_score_; }
  // A found split raises the score that others must beat.
  void raise(double& floor, const FeatureBest& best) const {
    if (best.found && !breaks_ties_ && best.score > floor) floor = best.score;
  }

  virtual void rank_targets(const NodeView& node, RankedTargets& ranks) const = 0;
  virtual std::optional<NodeBins> bins_of(
      const NodeView& node, std::span<const u32> features, const SplitRequest& request,
      ThreadPool* pool, const std::function<bool()>& stopped) const = 0;
  virtual FeatureBest search(u32 feature, const NodeView& node, double floor,
                             const SplitRequest& request,
                             SplitScratch& scratch) const = 0;
  // Of the criterion's impurity sum.
  virtual double decrease(const NodeView& node, double score) const = 0;

 private:
  double least_score_;
  bool breaks_ties_;
};

// The cells of a feature, in the scratch: given, found by difference, or counted.
inline void fill_cells(u32 f, const Column& column, const Targets& targets,
                       const NodeView& node, SplitScratch& s,
                       ThreadPool* pool = nullptr) {
  if (s.cell_counts != nullptr && s.cell_counts->has(f)) {
    ++s.n_by_known_cells;
    return copy_cells(s.cell_counts->cells(f), targets, s.cells, s.present);
  }
  fill_cells(s.given, f, column, targets, node.rows, s.cells, s.present, pool);
}

using FeatureSearchPtr = std::unique_ptr<const FeatureSearch>;

FeatureSearchPtr make_variance_search(const SearchInput& input);  // of numbers
FeatureSearchPtr make_gini_search(const SearchInput& input);
FeatureSearchPtr make_entropy_search(const SearchInput& input);
FeatureSearchPtr make_error_search(const SearchInput& input);
FeatureSearchPtr make_pinball_search(const SearchInput& input);
FeatureSearchPtr make_fixed_sides_search(const SearchInput& input);
FeatureSearchPtr make_general_search(const SearchInput& input);  // any criterion

}  // namespace dpdtree
