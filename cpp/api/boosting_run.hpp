// Some iterations of a boosted fit: threads, a clock, Ctrl-C.
#pragma once

#include <string>

#include "api/fit_boosting.hpp"
#include "base/error.hpp"

namespace dpdtree {

// A thread waiting for others still notices Ctrl-C.
struct BoostingRun {
  BoostingRun(unsigned n_threads, double time_limit,
              const BoostingSession::Interrupt& interrupt)
      : stop(time_limit, interrupt), pool(n_threads, [this] { stop.poll(); }) {}

  void throw_if_interrupted() const {
    if (stop.reason() == StopReason::interrupted) throw Interrupted();
  }

  // Returns how many iterations were made, and why not more.
  template <class Booster>
  std::size_t steps(Booster& booster, std::size_t n_iterations,
                    const BoostingSession::Progress& progress, std::string& reason) {
    reason = "completed";
    std::size_t done = 0;
    while (done < n_iterations) {
      if (!booster.step(pool, stop)) {
        throw_if_interrupted();
        reason = "time_limit";
        break;
      }
      ++done;
      if (progress && !progress(booster.model().n_iterations())) {
        reason = "callback";
        break;
      }
    }
    throw_if_interrupted();
    return done;
  }

  StopToken stop;
  ThreadPool pool;
};

}  // namespace dpdtree
