// The boosting loop over rows that are elsewhere: the same model as from rows in memory
// (booster.hpp), whichever partition a row is in.
#pragma once

#include <memory>

#include "boost/remote_grower.hpp"
#include "tree/forest.hpp"

namespace dpdtree::boosting {

class RemoteBooster {
 public:
  // `layout`: the bins of the features, without rows.
  RemoteBooster(u32 n_classes, Params params, BinnedData layout, Ask ask);

  // Asks where to start and for the state of the rows; before anything else.
  void begin();
  // See Booster.
  double noise_share(double n_rows, ThreadPool& pool, StopToken& stop);
  void set_pace(double learning_rate, u32 max_leaf_nodes) {
    params_.learning_rate = learning_rate;
    params_.max_leaf_nodes = max_leaf_nodes;
  }
  // One more iteration. False if the token stopped it: then nothing has changed.
  bool step(ThreadPool& pool, StopToken& stop);

  const Forest& model() const { return model_; }
  Forest latest() const { return model_.latest(); }
  double train_loss();
  double validation_loss() const;
  const RemoteRows& rows() const { return *rows_; }

 private:
  using Trees = std::vector<std::shared_ptr<const Tree>>;

  // task(output, grower's number, pool) for each output; they share their rounds.
  using OutputTask = std::function<void(u32, std::size_t, ThreadPool&)>;
  void for_outputs(ThreadPool& pool, const OutputTask& task);
  Units begin_tree(u32 output, const RemoteGrower& grower, ThreadPool& pool);
  double noise_of(u32 output, double n_rows, ThreadPool& pool, StopToken& stop);
  std::shared_ptr<const Tree> new_tree(u32 output, RemoteGrower& grower,
                                       ThreadPool& pool, StopToken& stop);

  Params params_;
  std::unique_ptr<Loss> loss_;
  BinnedData layout_;
  Forest model_;
  std::unique_ptr<RemoteRows> rows_;
  std::vector<RemoteGrower> growers_;  // one per tree that may be under way at a time
  bool charges_sets_ = false;          // there are categories
};

}  // namespace dpdtree::boosting
