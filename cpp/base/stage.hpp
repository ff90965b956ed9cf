// What a fit is doing and how much of that is done, for whoever waits for it.
#pragma once

#include <algorithm>
#include <atomic>

#include "base/types.hpp"

namespace dpdtree {

// Written by any thread of a fit, read by the one that answers for it. Each number is
// atomic, all of them together are not: for an instant a share may be the last stage's.
class Stage {
 public:
  // `name` is a literal.
  void begin(const char* name, u64 total, u64 done = 0) {
    name_ = name;
    total_ = std::max<u64>(total, 1);
    done_ = done;
  }
  void add(u64 done = 1) { done_ += done; }
  // For what is known as a share of one.
  void set_share(double share) {
    if (!(share > 0)) share = 0;  // of nothing: not a number
    done_ = static_cast<u64>(static_cast<double>(total_) * std::min(share, 1.0));
  }

  const char* name() const { return name_; }
  double share() const {
    return std::min(1.0, static_cast<double>(done_) / static_cast<double>(total_));
  }

 private:
  std::atomic<const char*> name_{"starting"};
  std::atomic<u64> total_{1};
  std::atomic<u64> done_{0};
};

// A part of the work of a stage; what of it is not handed on is done when it ends.
class StagePart {
 public:
  static constexpr u64 kWhole = 1ULL << 40;

  StagePart(Stage& stage, u64 units) : stage_(stage), units_(units) {}
  ~StagePart() {
    if (units_ > 0) stage_.add(units_);
  }
  StagePart(const StagePart&) = delete;
  StagePart& operator=(const StagePart&) = delete;

  // The units of each of n equal parts, which are theirs from now on.
  u64 hand_on(u64 n) {
    const u64 each = n > 0 ? units_ / n : 0;
    units_ -= n * each;
    return each;
  }

 private:
  Stage& stage_;
  u64 units_;
};

}  // namespace dpdtree
