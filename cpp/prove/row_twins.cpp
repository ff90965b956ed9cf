#include "prove/row_twins.hpp"

#include <algorithm>
#include <numeric>

#include "base/rng.hpp"
#include "prove/answer_costs.hpp"

namespace dpdtree {
namespace {

std::vector<u64> hashes_of(const ExactData& data, std::size_t n) {
  std::vector<u64> hash(n, 0);
  for (const std::vector<u32>& rank : data.rank)
    for (std::size_t i = 0; i < n; ++i) hash[i] = mix64(hash[i] + rank[i]);
  return hash;
}

}  // namespace

RowTwins::RowTwins(const ExactData& data, Criterion loss)
    : data_(data), loss_(loss), width_(data.n_classes > 0 ? data.n_classes : 3) {
  const std::size_t n = std::max(data.label.size(), data.y.size());
  const std::vector<u64> hash = hashes_of(data, n);
  std::vector<u32> sorted(n);
  std::iota(sorted.begin(), sorted.end(), 0u);
  std::sort(sorted.begin(), sorted.end(), [&](u32 a, u32 b) {
    return hash[a] != hash[b] ? hash[a] < hash[b] : a < b;
  });
  const auto twins = [&](u32 a, u32 b) {
    return hash[a] == hash[b] && std::all_of(data.rank.begin(), data.rank.end(),
                                             [&](const std::vector<u32>& rank) {
                                               return rank[a] == rank[b];
                                             });
  };
  group_.assign(n, kAlone);
  for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
    while (end < n && twins(sorted[begin], sorted[end])) ++end;
    ++n_distinct_;
    keep_mixed(sorted, begin, end);
  }
  sums_.assign(n_groups_ * width_, 0.0);
  row_loss_.assign(n, 0.0);
  add_up(sorted);
  std::vector<u32> first(n_groups_, kAlone);
  for (const u32 i : sorted)
    if (group_[i] != kAlone && first[group_[i]] == kAlone) first[group_[i]] = i;
  for (u32 g = 0; g < n_groups_; ++g) row_loss_[first[g]] = loss_of_group(g);
  std::fill(sums_.begin(), sums_.end(), 0.0);
}

void RowTwins::keep_mixed(const std::vector<u32>& sorted, std::size_t begin,
                          std::size_t end) {
  const auto same = [&](u32 a, u32 b) {
    return data_.n_classes > 0 ? data_.label[a] == data_.label[b]
                               : data_.y[a] == data_.y[b];
  };
  bool mixed = false;
  for (std::size_t i = begin; i < end; ++i) mixed |= !same(sorted[begin], sorted[i]);
  if (!mixed) return;
  for (std::size_t i = begin; i < end; ++i) group_[sorted[i]] = n_groups_;
  ++n_groups_;
}

void RowTwins::add_up(const std::vector<u32>& entries) {
  for (const u32 entry : entries) {
    const u32 i = entry & kRowMask;
    if (group_[i] == kAlone) continue;
    double* s = sums_.data() + group_[i] * width_;
    const double w = data_.weight_of(i);
    if (data_.n_classes > 0) {
      s[data_.label[i]] += w;
    } else {
      s[0] += w;
      s[1] += w * data_.y[i];
      s[2] += w * data_.y[i] * data_.y[i];
    }
  }
}

double RowTwins::loss_of_group(u32 group) const {
  return loss_of(loss_, data_, {sums_.data() + group * width_, width_});
}

double RowTwins::least_loss(const std::vector<u32>& entries) {
  if (n_groups_ == 0) return 0;
  add_up(entries);
  double loss = 0;
  for (u32 g = 0; g < n_groups_; ++g) loss += loss_of_group(g);
  std::fill(sums_.begin(), sums_.end(), 0.0);
  return loss;
}

}  // namespace dpdtree
