// The part of PairSearch that follows few questions instead of all.
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "prove/pair_job.hpp"

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr u32 kFewestLevels = 3;  // of rows whose questions are followed

}  // namespace

// How many questions are followed: fewer, the more levels each of them has below it.
std::size_t PairSearch::n_followed(u32 levels) const {
  static constexpr std::array<std::size_t, 3> kFollowed{12, 4, 3};
  if (is_tired()) return 1;
  const std::size_t more = levels - kFewestLevels;
  return more < kFollowed.size() ? kFollowed[more] : 1;
}

// The questions that were best with a level less come first, and their best tree is
// what is to be beaten.
void PairSearch::put_first(Job& job) {
  if (job.levels <= kFewestLevels || is_tired()) return;
  const u64 leaves = std::min(job.leaves, Cost::max_leaves(job.levels - 1));
  const Found less = solve(job.rows, job.levels - 1, leaves, kInf, [] { return true; });
  if (less.value < job.best.value - params_.tolerance) {
    job.best.value = less.value;
    job.best.choice = less.choice;
  }
  if (less.followed == nullptr) return;
  std::vector<std::size_t> order(less.followed->begin(), less.followed->end());
  for (const std::size_t q : job.order)
    if (std::find(less.followed->begin(), less.followed->end(), q) ==
        less.followed->end())
      order.push_back(q);
  job.order = std::move(order);
}

void PairSearch::remember(Job& job) {
  Found& best = job.best;
  best.any_depth = std::min(best.value, job.lower_of_any_depth());
  best.lower = std::min(best.value, job.lower());
  if (best.value - best.lower <= params_.tolerance) best.lower = best.value;
  if (follows_few_ && !job.is_bottom()) {
    std::stable_sort(job.followed.begin(), job.followed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    auto questions = std::make_shared<std::vector<u32>>();
    for (const auto& one : job.followed) questions->push_back(one.second);
    best.followed = std::move(questions);
    best.target = job.target;
  }
  memo_.store(job.key(follows_few_), best, 1);
}

}  // namespace dpdtree
