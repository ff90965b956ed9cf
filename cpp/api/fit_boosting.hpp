// A boosted fit in progress: can be run for some iterations, looked at, and run on.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "boost/booster.hpp"

namespace dpdtree {

// Counts from where it is made, whatever the time is spent on.
class TimeLimit {
 public:
  explicit TimeLimit(double seconds) : seconds_(seconds) {}
  double left() const;  // < 0: no limit

 private:
  StopToken::Clock::time_point start_ = StopToken::Clock::now();
  double seconds_;
};

class BoostingSession {
 public:
  using Interrupt = std::function<bool()>;
  // Called with the number of iterations after each; false stops.
  using Progress = std::function<bool(std::size_t)>;

  // `like`: a session of the same rows with other targets, or null. Codes are shared.
  BoostingSession(const boosting::Sample& train, const boosting::Sample* validation,
                  u32 n_classes, const boosting::Params& params, const Forest* start,
                  const BoostingSession* like, const Interrupt& interrupt);

  // Up to n_iterations more; returns how many. Throws Interrupted.
  std::size_t run(std::size_t n_iterations, const Progress& progress,
                  const Interrupt& interrupt);
  // The same for sessions of several outputs, an iteration of all at a time: their
  // trees know nothing of each other, so threads grow a tree each.
  static std::size_t run_together(std::span<BoostingSession* const> sessions,
                                  std::size_t n_iterations, const Progress& progress,
                                  const Interrupt& interrupt);
  bool step(std::span<const double> gradient, std::span<const double> hessian,
            const Interrupt& interrupt);

  // See Booster. Throws Interrupted.
  double noise_share(double n_rows, const Interrupt& interrupt);
  void set_pace(double learning_rate, u32 max_leaf_nodes) {
    booster_->set_pace(learning_rate, max_leaf_nodes);
  }

  const boosting::Booster& booster() const { return *booster_; }
  double train_loss() { return booster_->train_loss(); }
  bool has_validation() const { return has_validation_; }
  const std::string& stop_reason() const { return stop_reason_; }

 private:
  class Together;

  TimeLimit limit_;
  unsigned n_threads_;
  bool has_validation_;
  std::unique_ptr<boosting::Booster> booster_;
  std::string stop_reason_ = "completed";
};

}  // namespace dpdtree
