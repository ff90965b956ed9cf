// The training data, encoded for the search.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/stop.hpp"
#include "base/thread_pool.hpp"
#include "data/matrix_view.hpp"
#include "data/rows.hpp"
#include "loss/targets.hpp"
#include "search/params.hpp"
#include "split/bin_counts.hpp"
#include "split/cell_counts.hpp"
#include "split/coarse_codes.hpp"
#include "split/ordering.hpp"

namespace dpdtree {

// Labels, if n_classes has an entry per output, or real targets; the other span is
// empty. Several outputs come row after row.
struct TrainingData {
  MatrixView x;
  ClassCodes labels;
  std::span<const double> y;
  const double* weights = nullptr;
  std::vector<u32> n_classes;
  u32 n_outputs = 1;
  // X as `encode_columns` left it: spares fits that differ in their weights only the
  // work. Null: the fit encodes for itself.
  const std::vector<Column>* encoded = nullptr;
};

// Labels or numbers as the search takes them.
Targets targets_of(const TrainingData& data, const TreeParams& params,
                   ThreadPool& pool);

// Members refer to one another.
struct TrainingSet {
  TrainingSet(const TrainingData& data, const TreeParams& params, StopToken& stop,
              ThreadPool& pool);
  // Of rows that are elsewhere: columns without codes, and the units of targets.
  TrainingSet(const std::vector<Column>& columns, const Targets& units)
      : targets(units), encoded(&columns) {
    keys.resize(columns.size());
  }
  TrainingSet(const TrainingSet&) = delete;
  TrainingSet& operator=(const TrainingSet&) = delete;

  const std::vector<Column>& columns() const { return *encoded; }

  RowBuffer rows;  // of positive weight
  Targets targets;
  std::vector<Column> own_columns;
  const std::vector<Column>* encoded;
  std::vector<ScanKeys> keys;
  std::optional<CoarseCodes> coarse;  // where bins speed the search up
  double seconds = 0;                 // that the encoding took
  std::optional<RowHasher> hasher;    // where sets of rows may recur
  std::unique_ptr<BinCountCache> bin_counts;
  std::unique_ptr<CellCountCache> cell_counts;
};

}  // namespace dpdtree
