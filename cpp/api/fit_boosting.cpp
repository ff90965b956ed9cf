#include "api/fit_boosting.hpp"

#include <algorithm>
#include <atomic>

#include "api/boosting_run.hpp"
#include "base/error.hpp"
#include "loss/registry.hpp"

namespace dpdtree {
namespace {

// `checked`: another session has the same X.
void check_sample(const boosting::Sample& s, u32 n_classes, const char* name,
                  bool checked) {
  const std::string what(name);
  if (s.x.rows == 0 || s.x.cols == 0) throw InputError(what + " is empty");
  if (s.coded == nullptr && !checked) check_finite(s.x);
  if (s.y.size() != s.x.rows)
    throw InputError("the targets of " + what + " have " + std::to_string(s.y.size()) +
                     " entries, " + what + " has " + std::to_string(s.x.rows) +
                     " rows");
  for (const double y : s.y)
    if (n_classes > 0 && !(y >= 0 && y < n_classes))
      throw InputError("the targets of " + what + " must be class numbers below " +
                       std::to_string(n_classes));
}

void check_like(const boosting::Sample& train, const boosting::Sample* validation,
                const boosting::LocalRows& rows) {
  const std::size_t n_validation = validation != nullptr ? validation->x.rows : 0;
  if (rows.n_rows() != train.x.rows || rows.data().n_features() != train.x.cols ||
      rows.n_validation_rows() != n_validation)
    throw InputError("a session can share its codes with one of the same rows only");
}

void check_params(const boosting::Params& p, std::size_t n_features) {
  if (p.max_bins < 2 || p.max_bins > boosting::kMaxBins)
    throw InputError("max_bins must lie between 2 and 255");
  if (p.lookahead == boosting::Lookahead::full && p.max_depth == 0)
    throw InputError("lookahead='full' needs a max_depth");
  if (!p.monotonic_cst.empty() && p.monotonic_cst.size() != n_features)
    throw InputError("monotonic_cst must have one entry per feature");
  if (!p.categorical.empty() && p.categorical.size() != n_features)
    throw InputError("categorical must have one entry per feature");
  for (const auto& group : p.interaction_cst)
    for (const u32 feature : group)
      if (feature >= n_features)
        throw InputError("interaction_cst names a feature that X does not have");
}

}  // namespace

BoostingSession::BoostingSession(const boosting::Sample& train,
                                 const boosting::Sample* validation, u32 n_classes,
                                 const boosting::Params& params, const Forest* start,
                                 const BoostingSession* like,
                                 const Interrupt& interrupt)
    : limit_(params.time_limit),
      n_threads_(params.n_threads),
      has_validation_(validation != nullptr) {
  const LossInfo* loss = find_loss(params.loss);
  const bool classes = loss != nullptr && loss->task == Task::classification;
  const u32 labels = classes ? n_classes : 0;
  check_params(params, train.x.cols);
  check_sample(train, labels, "X", like != nullptr);
  if (validation != nullptr) {
    check_sample(*validation, labels, "X_val", like != nullptr);
    if (validation->x.cols != train.x.cols)
      throw InputError("X_val must have as many features as X");
    if ((validation->coded == nullptr) != (train.coded == nullptr))
      throw InputError("X and X_val must both be codes, or neither");
  }
  if (like != nullptr) check_like(train, validation, like->booster().rows());
  BoostingRun run(n_threads_, limit_.left(), interrupt);
  booster_ = std::make_unique<boosting::Booster>(
      train, validation, n_classes, params, start,
      like != nullptr ? like->booster_.get() : nullptr, run.pool, run.stop);
  run.throw_if_interrupted();
}

double TimeLimit::left() const {
  if (seconds_ < 0) return -1;
  const std::chrono::duration<double> spent = StopToken::Clock::now() - start_;
  return std::max(0.0, seconds_ - spent.count());
}

std::size_t BoostingSession::run(std::size_t n_iterations, const Progress& progress,
                                 const Interrupt& interrupt) {
  BoostingRun run(n_threads_, limit_.left(), interrupt);
  return run.steps(*booster_, n_iterations, progress, stop_reason_);
}

class BoostingSession::Together {
 public:
  explicit Together(std::span<BoostingSession* const> sessions) : all_(sessions) {}

  bool step(ThreadPool& pool, StopToken& stop) {
    std::atomic<bool> complete = true;
    pool.parallel_for(all_.size(), [&](std::size_t k, unsigned) {
      if (!all_[k]->booster_->step(pool, stop)) complete = false;
    });
    return complete;
  }
  const Forest& model() const { return all_.front()->booster().model(); }

 private:
  std::span<BoostingSession* const> all_;
};

std::size_t BoostingSession::run_together(std::span<BoostingSession* const> sessions,
                                          std::size_t n_iterations,
                                          const Progress& progress,
                                          const Interrupt& interrupt) {
  if (sessions.empty()) return 0;
  const BoostingSession& first = *sessions.front();
  Together together(sessions);
  BoostingRun run(first.n_threads_, first.limit_.left(), interrupt);
  std::string reason;
  const std::size_t done = run.steps(together, n_iterations, progress, reason);
  for (BoostingSession* s : sessions) s->stop_reason_ = reason;
  return done;
}

bool BoostingSession::step(std::span<const double> gradient,
                           std::span<const double> hessian,
                           const Interrupt& interrupt) {
  BoostingRun run(n_threads_, limit_.left(), interrupt);
  const bool made = booster_->step(gradient, hessian, run.pool, run.stop);
  run.throw_if_interrupted();
  return made;
}

double BoostingSession::noise_share(double n_rows, const Interrupt& interrupt) {
  BoostingRun run(n_threads_, limit_.left(), interrupt);
  const double share = booster_->noise_share(n_rows, run.pool, run.stop);
  run.throw_if_interrupted();
  return share;
}

}  // namespace dpdtree
