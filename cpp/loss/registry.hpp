// The one table of losses, known to both languages: what each is called, for what it
// may be used, and the functions of its own file.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "loss/boosting_loss.hpp"
#include "loss/criterion.hpp"

namespace dpdtree {

enum class Task : u8 { classification, regression };
enum class Domain : u8 { any, non_negative, positive };  // of the targets
// From a boosted model's raw score to its prediction.
enum class Link : u8 { identity, log, logit };

// What a unit of ln p + ln T (the choice of a split among p features of T thresholds)
// costs with alpha="mdl": half a row or a whole one; half of what a mistake costs; or
// once or twice the mean loss about the greedy tree, where noise is most likely.
enum class MdlRule : u8 { half_row, row, half_mistake, noise, twice_noise };

struct LossInfo {
  std::string_view name;  // the registry's own entry
  Task task = Task::regression;
  Domain domain = Domain::any;
  Link link = Link::identity;
  MdlRule mdl = MdlRule::twice_noise;
  bool proposes_splits = false;  // may be the criterion of a tree
  bool minimised_by_trees = false;
  bool provable = false;    // strategy="optimal" knows it
  u8 degree = 1;            // how its unit depends on that of the targets
  std::string_view label;   // of an axis; empty: trees do not minimise it
  std::string_view scorer;  // of cross-validation; empty: that of the task

  // Of statistics: null unless it is simple.
  double (*simple)(std::span<const double> stats) = nullptr;
  // Any targets; null if only boosting knows the loss.
  double (*impurity)(const Targets& targets, std::span<const Row> rows,
                     std::span<const double> stats) = nullptr;
  // See `least_impurity`; null: 0.
  double (*least)(const Targets& targets, std::span<const double> stats,
                  u64 n_leaves) = nullptr;
  // The loss of the rows if `told` is predicted, less their loss by their own mean;
  // null: leaves cannot be told what to predict (monotone features).
  double (*excess)(double sum, double weight, double told) = nullptr;
  // What a row of each class costs in a leaf with these class weights.
  void (*class_costs)(const Targets& targets, std::span<const double> counts,
                      double* costs) = nullptr;
  // What a target costs where another number is predicted.
  double (*row_cost)(const Targets& targets, double y, double prediction) = nullptr;
  // Of losses that need rows.
  Pinball (*pinball)(const Targets& targets) = nullptr;
  // For gradient boosting; null: it cannot be boosted.
  std::unique_ptr<boosting::Loss> (*boosted)(const boosting::LossOptions& options) =
      nullptr;
};

// Of all losses, in the order of the list.
std::span<const LossInfo> loss_table();

// Null if there is none of that name.
const LossInfo* find_loss(std::string_view name);

// fixed_sides has none.
inline const LossInfo& loss_info(Criterion criterion) {
  return loss_table()[static_cast<std::size_t>(criterion)];
}

// The sum of Of over the class weights of each output.
template <double (*Of)(std::span<const double>)>
double over_outputs(const Targets& t, std::span<const Row>,
                    std::span<const double> stats) {
  double sum = 0;
  for (u32 j = 0; j < t.n_outputs; ++j)
    sum += Of(stats.subspan(t.first_class[j], t.first_class[j + 1] - t.first_class[j]));
  return sum;
}

// Each in a file of its own.
#define DPDTREE_INFO(name) LossInfo name##_info();
DPDTREE_LOSSES(DPDTREE_INFO)
#undef DPDTREE_INFO

}  // namespace dpdtree
