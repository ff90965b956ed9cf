// When to stop: a deadline or the user's Ctrl-C, polled from inside the split loops.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "base/stage.hpp"
#include "base/types.hpp"

namespace dpdtree {

enum class StopReason { none, time_limit, interrupted, callback };

// Shared by all threads of one fit. `interrupt` is asked only on the thread that made
// the token (it may need Python's GIL), at most every 20 ms.
class StopToken {
 public:
  using Clock = std::chrono::steady_clock;

  // time_limit < 0: none.
  StopToken(double time_limit, std::function<bool()> interrupt);

  // For tests: the time is up after so many looks at the clock, whatever it shows, and
  // pollers then look each time they are asked.
  void stop_after_looks(u64 looks) { looks_left_ = looks; }
  bool counts_looks() const { return looks_left_ != kAnyLooks; }

  bool stopped() const { return reason_.load(std::memory_order_relaxed) != 0; }
  StopReason reason() const { return static_cast<StopReason>(reason_.load()); }
  double seconds() const;

  void request(StopReason reason) { reason_ = static_cast<int>(reason); }

  // Looks at the clock (and the interrupt); true once the fit should stop.
  bool poll();

  Stage stage;  // what is done meanwhile

 private:
  static constexpr u64 kAnyLooks = ~0ULL;

  Clock::time_point start_ = Clock::now();
  Clock::time_point next_interrupt_check_;
  double time_limit_;
  std::function<bool()> interrupt_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<int> reason_{0};
  std::atomic<u64> looks_left_{kAnyLooks};
};

// One per worker: looks at the clock once per `kWorkPerPoll` visited cells only.
class StopPoller {
 public:
  explicit StopPoller(StopToken& token)
      : token_(&token), work_per_poll_(token.counts_looks() ? 0 : kWorkPerPoll) {}

  bool add_work(u64 cells) {
    work_ += cells;
    if (work_ < work_per_poll_) return token_->stopped();
    work_ = 0;
    return token_->poll();
  }
  bool stopped() const { return token_->stopped(); }
  // Looks at once; for any thread.
  bool poll() const { return token_->poll(); }

 private:
  static constexpr u64 kWorkPerPoll = 50'000;
  StopToken* token_;
  u64 work_per_poll_;
  u64 work_ = 0;
};

}  // namespace dpdtree
