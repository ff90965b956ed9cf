#include "api/fit_tree.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "api/report.hpp"
#include "base/error.hpp"
#include "data/encoder.hpp"
#include "search/extract.hpp"
#include "search/forced.hpp"
#include "search/tuning.hpp"

namespace dpdtree {

void throw_if_interrupted(const StopToken& stop) {
  if (stop.reason() == StopReason::interrupted) throw Interrupted();
}

std::function<bool()> heartbeats(const FitHooks& hooks, const StopToken& stop) {
  if (!hooks.interrupt) return {};
  return [&hooks, &stop] {
    return hooks.interrupt({stop.seconds(), stop.stage.name(), stop.stage.share()});
  };
}

namespace {

// As a fit with forced splits: these are no noise.
TreeParams never_one_leaf(TreeParams params) {
  std::erase_if(params.price_scales, [](double scale) { return std::isinf(scale); });
  params.noise_level = 0;
  return params;
}

}  // namespace

std::vector<Column> encode_columns(const TrainingData& data, const TreeParams& params,
                                   const FitHooks& hooks) {
  StopToken stop(params.time_limit, heartbeats(hooks, stop));
  ThreadPool pool(params.n_threads, [&] { stop.poll(); });
  std::vector<Column> columns =
      encode(data.x, params.max_bins, data.weights, params.categorical, pool, stop);
  throw_if_interrupted(stop);
  if (stop.stopped()) columns.clear();
  return columns;
}

FitResult fit_tree(const TrainingData& data, const TreeParams& params,
                   const FitHooks& hooks) {
  StopToken stop(params.time_limit, heartbeats(hooks, stop));
  if (params.stop_after_looks >= 0)
    stop.stop_after_looks(static_cast<u64>(params.stop_after_looks));
  ThreadPool pool(params.n_threads, [&] { stop.poll(); });
  const auto search = prepare(data, params, stop, pool);
  Trace trace(*search, hooks);
  OptimalResult found = params.forced_splits.empty()
                            ? find_tree(*search, trace.watch())
                            : find_forced_tree(*search, trace.watch());
  throw_if_interrupted(stop);
  const Tuned tuned = tuned_without_noise(*search, found.solution.plan);
  if (tuned.one_leaf()) found = {};
  FitResult result = report_of(*search, found, trace);
  result.tuned = tuned;
  pool.dismiss();
  return result;
}

PathResult fit_path(const TrainingData& data, const TreeParams& params, FrontKind kind,
                    const FitHooks& hooks) {
  StopToken stop(params.time_limit, heartbeats(hooks, stop));
  ThreadPool pool(params.n_threads, [&] { stop.poll(); });
  TreeParams pure = params;
  pure.alpha = 0;
  pure.mdl = false;
  pure.price_scales.clear();
  pure.shrinkages.clear();
  pure.noise_level = 0;
  const auto search = prepare(data, pure, stop, pool);
  const std::vector<Solution> front = params.forced_splits.empty()
                                          ? find_front(*search, kind)
                                          : find_forced_front(*search, kind);
  throw_if_interrupted(stop);
  std::vector<Extracted> trees;
  stop.stage.begin("building the trees", front.size());
  for (const Solution& one : front) {
    trees.push_back(extract(*search, search->objective, one.plan));
    stop.stage.add();
  }
  PathResult out;
  out.points = kind == FrontKind::alpha
                   ? alpha_path(std::move(trees), search->root_loss())
                   : leaf_path(std::move(trees));
  fill_report(*search, out);
  return out;
}

AlternativesResult find_alternatives(const TrainingData& data, const TreeParams& params,
                                     const AlternativesParams& wanted,
                                     const FitHooks& hooks) {
  StopToken stop(params.time_limit, heartbeats(hooks, stop));
  ThreadPool pool(params.n_threads, [&] { stop.poll(); });
  TreeParams named = params;
  named.hash_rows = true;
  auto search = prepare(data, named, stop, pool);
  AlternativesParams asked = wanted;
  if (search->tuned.one_leaf()) {  // what a split costs is to be seen all the same
    search = prepare(data, never_one_leaf(named), stop, pool);
    asked.tree_is_given = true;
  }
  AlternativesResult out;
  out.states = find_alternatives(*search, asked);
  out.tuned = search->tuned;
  throw_if_interrupted(stop);
  fill_report(*search, out);
  return out;
}

}  // namespace dpdtree
