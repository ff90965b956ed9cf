#include "base/stop.hpp"

#include <utility>

namespace dpdtree {

StopToken::StopToken(double time_limit, std::function<bool()> interrupt)
    : next_interrupt_check_(start_),
      time_limit_(time_limit),
      interrupt_(std::move(interrupt)) {}

double StopToken::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool StopToken::poll() {
  if (stopped()) return true;
  if (counts_looks() && looks_left_-- == 0) {
    looks_left_ = 0;
    request(StopReason::time_limit);
    return true;
  }
  const auto now = Clock::now();
  if (time_limit_ >= 0 &&
      std::chrono::duration<double>(now - start_).count() >= time_limit_) {
    reason_ = static_cast<int>(StopReason::time_limit);
  }
  if (interrupt_ && std::this_thread::get_id() == owner_ &&
      now >= next_interrupt_check_) {
    next_interrupt_check_ = now + std::chrono::milliseconds(20);
    if (interrupt_()) reason_ = static_cast<int>(StopReason::interrupted);
  }
  return stopped();
}

}  // namespace dpdtree
