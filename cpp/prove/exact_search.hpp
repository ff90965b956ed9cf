// A search over all trees of a given depth. There are two: one bisects the thresholds
// of features that have many, one asks all yes/no questions where there are few.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "plan/objective.hpp"
#include "prove/ranked_rows.hpp"
#include "prove/row_twins.hpp"
#include "prove/solved.hpp"
#include "prove/stumps.hpp"

namespace dpdtree {

// Thrown when the token stops a search that has no use for half an answer.
struct SearchStopped {};

struct ExactParams {
  Cost cost;
  StumpLimits limits;
  double largest_cost = 1;  // of a row, per unit of weight, that a tree gets wrong
  double row_cost_per_level = 0;  // alpha for path lengths
  double tolerance = 0;           // values closer than this are equal
  bool use_pair_search = true;
  RowTwins* twins = nullptr;  // null: with few levels they hardly matter

  double least_of_twins(const std::vector<u32>& rows) const {
    return twins != nullptr ? twins->least_loss(rows) : 0;
  }
  // Whatever its leaves: values never fall when rows are added.
  bool without_limits() const {
    return limits.min_samples_leaf <= 1 && limits.min_samples_split <= 2 &&
           limits.min_weight_leaf <= 0;
  }
  // What one row more costs at most with that many levels.
  double row_cost(u32 levels) const;
  // What a tree with so many levels costs at least, whatever its rows: as many splits,
  // if each has a price.
  double price_of_levels(u64 levels) const;
  // So many levels, at most, has a tree that costs less.
  u64 levels_below(double value) const;
};

struct Progress {
  double objective;
  double lower_bound;
};

using Report = std::function<void(Progress)>;

class ExactSearch {
 public:
  struct Outcome {
    double value;
    double lower_bound;
    bool complete;
    double any_depth = 0;  // no tree of however many levels is better
  };

  virtual ~ExactSearch() = default;

  // The best tree for these of the training rows (positions, ascending) with that many
  // levels and at most that many leaves. Anytime: starts from a known objective,
  // reports each improvement of either bound, and returns what it knows when it is
  // stopped. `choice` is set only if something better than `incumbent` was found.
  virtual Outcome prove(std::span<const u32> rows, u32 levels, u64 leaves,
                        double incumbent, ExactChoice& choice,
                        const Report& report) = 0;

  // With how many levels to go on after a proof for so many, of at most `most`.
  virtual u32 levels_after(u32 levels, u32 /*most*/) const { return levels + 1; }

  // How many levels are solved in about the time of a look at all splits.
  virtual u32 cheap_levels() const { return 2; }

  // Gives a proof up after so many evaluations.
  void limit_evaluations(u64 most) { most_evaluations_ = most; }
  u64 evaluations() const { return evaluations_; }

 protected:
  u64 evaluations_ = 0;
  u64 most_evaluations_ = ~0ULL;
};

// Could few yes/no questions tell rows with these features apart?
bool few_cuts(const std::vector<Column>& columns, const std::vector<u32>& features);

// The one that is faster for these rows and `leaves`. The data are kept; the pool may
// be null.
std::unique_ptr<ExactSearch> make_exact_search(const ExactData& data,
                                               const ExactParams& params, u32 levels,
                                               u64 leaves, StopToken& stop,
                                               ThreadPool* pool);

}  // namespace dpdtree
