// A single tree of rows that are elsewhere: the search of `fit_tree` on what partitions
// answer, see plan/known_nodes.hpp.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/fit_tree.hpp"
#include "plan/known_nodes.hpp"
#include "plan/row_runs.hpp"

namespace dpdtree {

class RemoteTreeFit {
 public:
  // A request in, the merged answer of all partitions out.
  using Ask = std::function<std::string(const std::string&)>;

  // `columns` have no codes, `units` no targets. Throws InputError if such a search
  // needs the rows themselves.
  RemoteTreeFit(std::vector<Column> columns, Targets units, TreeParams params);
  RemoteTreeFit(const RemoteTreeFit&) = delete;
  RemoteTreeFit& operator=(const RemoteTreeFit&) = delete;

  // Does `fit` have to know first which rows repeat? Those of all partitions, in order.
  bool wants_runs() const;
  void take_runs(const std::vector<RowRuns>& parts);
  // Do rows have to be dealt to folds before `fit`?
  bool wants_folds() const;
  // What they are dealt by; asks for the cells of all rows.
  std::vector<std::vector<u32>> ranks(const Ask& ask);

  FitResult fit(const Ask& ask, const FitHooks& hooks);

 private:
  const NodeFacts& root(const Ask& ask);
  // Throws InputError if there is a reason to.
  void refuse(u64 n_rows) const;

  const std::vector<Column> columns_;
  Targets units_;
  const TreeParams params_;
  KnownNodes known_;
};

// Rows of positive weight, and the codes of each column but that of missing values.
struct TableSize {
  u64 rows = 0;
  std::vector<u32> n_codes;
};

// Why a tree cannot be searched where its rows are; empty: it can. Balanced trees can,
// unless they end with exact searches, which go over rows: for 0-1 loss, of few rows or
// few yes/no questions.
std::string needs_all_rows(const Targets& targets, const TreeParams& params,
                           const TableSize& size);

}  // namespace dpdtree
