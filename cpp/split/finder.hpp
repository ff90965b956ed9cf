// The best split of a node: the one splitter that greedy trees, candidate generators
// and the solver share.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "data/column.hpp"
#include "loss/criterion.hpp"
#include "loss/targets.hpp"
#include "node/split.hpp"
#include "split/accumulators.hpp"
#include "split/bin_counts.hpp"
#include "split/cell_counts.hpp"
#include "split/cell_table.hpp"
#include "split/coarse_codes.hpp"
#include "split/left_sums.hpp"
#include "split/node_bins.hpp"
#include "split/ordering.hpp"
#include "split/ranked_targets.hpp"
#include "split/scan.hpp"

namespace dpdtree {

// Features that may still vary; shared down the tree, shrinking.
using FeatureList = std::shared_ptr<const std::vector<u32>>;

// Scratch memory of one worker.
struct SplitScratch {
  Orderer orderer;
  LeftSums boundaries;
  CodeHistogram cells;
  std::vector<u32> present;
  CategoryScratch categories;
  std::vector<u32> small_keys;
  std::vector<u64> small_rows;
  std::vector<double> missing_stats;
  std::vector<u8> seen_codes;  // all zero between uses
  std::vector<u32> category_ends;
  std::vector<u32> block_counts;
  double most_correct = 0;  // weight that some split of the node gets right
  RankedTargets own_ranks;
  const RankedTargets* ranks = nullptr;  // of the node, where the criterion needs them
  const NodeBins* bins = nullptr;        // of the node, where they help
  const CellTable* given = nullptr;      // of the node, where its rows are elsewhere
  const CellCounts* cell_counts = nullptr;  // of the node, where they help
  // So many features were searched by way of their bins, and by known cells.
  std::size_t n_by_bins = 0, n_by_known_cells = 0;
};

// One feasible split of one feature with its decrease of impurity.
using SplitVisitor = std::function<void(const Split& split, double decrease)>;

struct SplitRequest {
  bool error_bound = false;  // also bound the 0-1 loss after any one split
  const SplitVisitor* visit_all = nullptr;  // called for every feasible split
  // One entry per feature of the list: the score of its own best split (-infinity: it
  // has none). Scores compare within one call only.
  std::vector<double>* feature_scores = nullptr;
};

struct FinderParams {
  Criterion criterion = Criterion::gini;
  SplitLimits limits;
  u32 max_features = ~0u;
  u64 seed = 0;
  // Of each unit of ln T, T being the thresholds that the split's feature offers there;
  // in the unit of the decrease, from which it is taken before splits are compared.
  double threshold_price = 0;
  // Of the mean row, if sets of categories compare by what they decrease less what it
  // takes to name them (see set_price.hpp); 0: by their decrease, as thresholds do.
  double row_weight = 0;
  const CoarseCodes* coarse = nullptr;    // of the columns; may be null
  BinCountCache* bin_counts = nullptr;    // null also if nodes have no hashes
  CellCountCache* cell_counts = nullptr;  // the same
  ThreadPool* pool = nullptr;  // shares out the rows of large nodes; may be null
};

class SplitFinder {
 public:
  virtual ~SplitFinder() = default;

  // Deterministic: larger decrease first, then lower feature, lower threshold, missing
  // right. Features found constant are dropped from `features`.
  virtual FoundSplit find(const NodeView& node, FeatureList& features,
                          const SplitRequest& request, SplitScratch& scratch,
                          StopPoller& poller) const = 0;

  // The same, features and the rows of large nodes shared out over the pool's workers
  // (one scratch each).
  virtual FoundSplit find_parallel(const NodeView& node, FeatureList& features,
                                   const SplitRequest& request,
                                   std::vector<SplitScratch>& scratch, StopToken& stop,
                                   ThreadPool& pool) const = 0;
};

// `columns` and `targets` outlive the finder.
std::unique_ptr<SplitFinder> make_split_finder(const std::vector<Column>& columns,
                                               const std::vector<ScanKeys>& keys,
                                               const Targets& targets,
                                               const FinderParams& params);

}  // namespace dpdtree
