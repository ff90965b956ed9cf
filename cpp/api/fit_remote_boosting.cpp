#include "api/fit_remote_boosting.hpp"

#include "api/boosting_run.hpp"

namespace dpdtree {

RemoteBoostingSession::RemoteBoostingSession(u32 n_classes,
                                             const boosting::Params& params,
                                             boosting::BinnedData layout,
                                             boosting::Ask ask)
    : limit_(params.time_limit),
      n_threads_(params.n_threads),
      booster_(n_classes, params, std::move(layout), std::move(ask)) {}

std::size_t RemoteBoostingSession::run(std::size_t n_iterations,
                                       const Progress& progress,
                                       const Interrupt& interrupt) {
  BoostingRun run(n_threads_, limit_.left(), interrupt);
  return run.steps(booster_, n_iterations, progress, stop_reason_);
}

double RemoteBoostingSession::noise_share(double n_rows, const Interrupt& interrupt) {
  BoostingRun run(n_threads_, limit_.left(), interrupt);
  const double share = booster_.noise_share(n_rows, run.pool, run.stop);
  run.throw_if_interrupted();
  return share;
}

}  // namespace dpdtree
