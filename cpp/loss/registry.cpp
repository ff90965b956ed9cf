#include "loss/registry.hpp"

#include <array>
#include <string>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr auto kLosses = static_cast<std::size_t>(Criterion::fixed_sides);

LossInfo named(LossInfo info, std::string_view name) {
  info.name = name;
  return info;
}

}  // namespace

std::span<const LossInfo> loss_table() {
#define DPDTREE_ENTRY(name) named(name##_info(), #name),
  static const std::array<LossInfo, kLosses> table{DPDTREE_LOSSES(DPDTREE_ENTRY)};
#undef DPDTREE_ENTRY
  return table;
}

const LossInfo* find_loss(std::string_view name) {
  for (const LossInfo& info : loss_table())
    if (info.name == name) return &info;
  return nullptr;
}

Criterion criterion_of(std::string_view name) {
  const LossInfo* info = find_loss(name);
  if (info == nullptr || info->impurity == nullptr)
    throw InputError("unknown criterion or loss '" + std::string(name) + "'");
  return static_cast<Criterion>(info - loss_table().data());
}

bool needs_rows(Criterion criterion) {
  return criterion != Criterion::fixed_sides && loss_info(criterion).pinball != nullptr;
}

Pinball pinball_of(Criterion criterion, const Targets& targets) {
  return loss_info(criterion).pinball(targets);
}

bool is_simple(Criterion criterion) { return loss_info(criterion).simple != nullptr; }

double impurity_sum(Criterion criterion, std::span<const double> stats) {
  return loss_info(criterion).simple(stats);
}

double impurity_sum(Criterion criterion, const Targets& targets,
                    std::span<const Row> rows, std::span<const double> stats) {
  const LossInfo& info = loss_info(criterion);
  return info.simple != nullptr && !targets.general
             ? info.simple(stats)
             : info.impurity(targets, rows, stats);
}

double least_impurity(Criterion criterion, const Targets& targets,
                      std::span<const double> stats, u64 n_leaves) {
  const LossInfo& info = loss_info(criterion);
  return info.least != nullptr ? info.least(targets, stats, n_leaves) : 0;
}

double unit_of(Criterion criterion, const Targets& t) {
  if (t.classification()) return 1;
  return loss_info(criterion).degree == 2 ? t.y_scale * t.y_scale : t.y_scale;
}

namespace boosting {

std::unique_ptr<Loss> make_loss(std::string_view name, const LossOptions& options) {
  if (name == kCustomLoss) return custom_loss(options.n_classes);
  const LossInfo* info = find_loss(name);
  if (info == nullptr || info->boosted == nullptr)
    throw InputError("unknown loss '" + std::string(name) + "'");
  return info->boosted(options);
}

}  // namespace boosting
}  // namespace dpdtree
