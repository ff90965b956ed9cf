#include "split/category_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpdtree {
namespace {

// Orders cost a sort and a scan each: of many classes, the most frequent ones.
constexpr std::size_t kMostClassOrders = 12;
constexpr std::size_t kMostPairedClasses = 5;

template <class Key>
OrderKeys keys_of(std::span<const u32> cells, Key key) {
  OrderKeys keys;
  keys.reserve(cells.size());
  for (const u32 c : cells) keys.push_back(key(c));
  return keys;
}

// Outputs that are numbers have none: they stay in their order.
std::vector<u32> outputs_in_order(u32 n) {
  std::vector<u32> order(n);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

std::vector<u32> classes_by_weight(const CellSums& sums, u32 n_classes,
                                   std::span<const u32> cells) {
  std::vector<double> weight(n_classes, 0.0);
  for (const u32 c : cells)
    for (u32 k = 0; k < n_classes; ++k) weight[k] += sums.of_class(c, k);
  std::vector<u32> order(n_classes);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](u32 a, u32 b) { return weight[a] > weight[b]; });
  while (!order.empty() && weight[order.back()] == 0) order.pop_back();
  return order;
}

// Class shares of the cells less their mean, cell by cell.
std::vector<double> centred_shares(const CellSums& sums, u32 n_classes,
                                   std::span<const u32> cells) {
  std::vector<double> mean(n_classes, 0.0), centred;
  double total = 0;
  for (const u32 c : cells) {
    total += sums.weight(c);
    for (u32 k = 0; k < n_classes; ++k) mean[k] += sums.of_class(c, k);
  }
  centred.reserve(cells.size() * n_classes);
  for (const u32 c : cells)
    for (u32 k = 0; k < n_classes; ++k)
      centred.push_back(sums.share(c, k) - mean[k] / total);
  return centred;
}

// The direction of largest weighted variance, by power iteration: a few steps will do,
// since only the order along it counts.
OrderKeys along_principal_component(const CellSums& sums, u32 n_classes,
                                    std::span<const u32> cells, u32 first) {
  constexpr int kSteps = 12;
  const std::vector<double> x = centred_shares(sums, n_classes, cells);
  const auto project = [&](std::size_t i, const std::vector<double>& direction) {
    double p = 0;
    for (u32 k = 0; k < n_classes; ++k) p += x[i * n_classes + k] * direction[k];
    return p;
  };
  std::vector<double> direction(n_classes, 0.0);
  direction[first] = 1;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> next(n_classes, 0.0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const double p = sums.weight(cells[i]) * project(i, direction);
      for (u32 k = 0; k < n_classes; ++k) next[k] += p * x[i * n_classes + k];
    }
    double norm = 0;
    for (const double v : next) norm += v * v;
    if (!(norm > 0)) break;
    for (u32 k = 0; k < n_classes; ++k) direction[k] = next[k] / std::sqrt(norm);
  }
  OrderKeys keys;
  keys.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) keys.push_back(project(i, direction));
  return keys;
}

// Between leaves of the classes a and b, each category goes where it has more rows.
OrderKeys between_classes(const CellSums& sums, std::span<const u32> cells, u32 a,
                          u32 b) {
  return keys_of(cells, [&](u32 c) {
    const double in_a = sums.of_class(c, a), in_b = sums.of_class(c, b);
    return in_a + in_b > 0 ? (in_b - in_a) / (in_a + in_b) : 0.0;
  });
}

// How far a category lies from the mean of all, in standard errors (up to a factor).
OrderKeys by_evidence(const CellSums& sums, std::span<const u32> cells,
                      const OrderKeys& keys) {
  double total = 0, mean = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double w = sums.weight(cells[i]);
    total += w;
    mean += w * keys[i];
  }
  mean /= total;
  OrderKeys out;
  out.reserve(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i)
    out.push_back((keys[i] - mean) * std::sqrt(sums.weight(cells[i])));
  return out;
}

void add_by_evidence(const CellSums& sums, std::span<const u32> cells,
                     std::vector<OrderKeys>& orders) {
  const std::size_t n = orders.size();
  for (std::size_t i = 0; i < n; ++i)
    orders.push_back(by_evidence(sums, cells, orders[i]));
}

}  // namespace

bool one_order_is_exact(const Targets& targets) {
  return targets.n_outputs == 1 && targets.n_classes <= 2;
}

std::vector<OrderKeys> category_orders(const CellSums& sums, const Targets& targets,
                                       std::span<const u32> cells, OrderNeeds needs) {
  std::vector<OrderKeys> orders;
  if (one_order_is_exact(targets)) {
    orders.push_back(keys_of(cells, [&](u32 c) { return sums.mean_response(c); }));
    if (needs.by_evidence) add_by_evidence(sums, cells, orders);
    return orders;
  }
  const auto n_coordinates = static_cast<u32>(targets.n_coordinates());
  const auto classes = targets.classification()
                           ? classes_by_weight(sums, n_coordinates, cells)
                           : outputs_in_order(n_coordinates);
  for (std::size_t i = 0; i < std::min(classes.size(), kMostClassOrders); ++i)
    orders.push_back(keys_of(cells, [&](u32 c) { return sums.share(c, classes[i]); }));
  orders.push_back(
      along_principal_component(sums, n_coordinates, cells, classes.front()));
  if (needs.by_evidence) add_by_evidence(sums, cells, orders);
  if (!needs.for_errors || targets.n_outputs > 1) return orders;
  const std::size_t n = std::min(classes.size(), kMostPairedClasses);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      orders.push_back(between_classes(sums, cells, classes[i], classes[j]));
  return orders;
}

OrderKeys main_order(const CellSums& sums, const Targets& targets,
                     std::span<const u32> cells) {
  if (!one_order_is_exact(targets) && !cells.empty())
    return along_principal_component(
        sums, targets.n_classes, cells,
        classes_by_weight(sums, targets.n_classes, cells).front());
  return keys_of(cells, [&](u32 c) { return sums.mean_response(c); });
}

void sort_cells(std::span<const u32> cells, const OrderKeys& keys,
                std::vector<u32>& sorted) {
  std::vector<u32> index(cells.size());
  std::iota(index.begin(), index.end(), 0u);
  std::stable_sort(index.begin(), index.end(),
                   [&](u32 i, u32 j) { return keys[i] < keys[j]; });
  sorted.clear();
  for (const u32 i : index) sorted.push_back(cells[i]);
}

double most_correct_of_cells(const CellSums& sums, const Targets& targets,
                             std::span<const double> stats,
                             std::span<const u32> cells) {
  double each_its_own = 0;
  for (const u32 c : cells) {
    double largest = 0;
    for (u32 k = 0; k < targets.n_classes; ++k)
      largest = std::max(largest, sums.of_class(c, k));
    each_its_own += largest;
  }
  double first = 0, second = 0;  // two leaves name two classes at most
  for (const double w : stats) {
    second = std::max(second, std::min(first, w));
    first = std::max(first, w);
  }
  return std::min(each_its_own, first + second);
}

}  // namespace dpdtree
