// A boosted fit on rows that are elsewhere; see fit_boosting.hpp.
#pragma once

#include "api/fit_boosting.hpp"
#include "boost/remote_booster.hpp"

namespace dpdtree {

class RemoteBoostingSession {
 public:
  using Interrupt = BoostingSession::Interrupt;
  using Progress = BoostingSession::Progress;

  RemoteBoostingSession(u32 n_classes, const boosting::Params& params,
                        boosting::BinnedData layout, boosting::Ask ask);

  // The first rounds; before anything else.
  void begin() { booster_.begin(); }
  // Up to n_iterations more; returns how many. Throws Interrupted.
  std::size_t run(std::size_t n_iterations, const Progress& progress,
                  const Interrupt& interrupt);

  // See Booster. Throws Interrupted.
  double noise_share(double n_rows, const Interrupt& interrupt);
  void set_pace(double learning_rate, u32 max_leaf_nodes) {
    booster_.set_pace(learning_rate, max_leaf_nodes);
  }

  const boosting::RemoteBooster& booster() const { return booster_; }
  double train_loss() { return booster_.train_loss(); }
  const std::string& stop_reason() const { return stop_reason_; }

 private:
  TimeLimit limit_;
  unsigned n_threads_;
  boosting::RemoteBooster booster_;
  std::string stop_reason_ = "completed";
};

}  // namespace dpdtree
