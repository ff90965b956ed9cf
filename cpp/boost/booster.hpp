// The boosting loop: derivatives → a tree per output → scores. The trees of one
// iteration know nothing of each other: with several outputs, threads grow a tree each.
#pragma once

#include <memory>

#include "boost/local_rows.hpp"
#include "boost/tree_grower.hpp"
#include "tree/forest.hpp"

namespace dpdtree::boosting {

class Booster {
 public:
  // `start`: a model to go on with, or null. `like`: of the same rows with other
  // targets, or null. If the token stops it before the data is binned, there will be no
  // iteration.
  Booster(const Sample& train, const Sample* validation, u32 n_classes, Params params,
          const Forest* start, const Booster* like, ThreadPool& pool, StopToken& stop);

  // One more iteration with the derivatives of the loss. False if the token stopped it:
  // then nothing has changed.
  bool step(ThreadPool& pool, StopToken& stop);
  // With derivatives from outside, row-major.
  bool step(std::span<const double> gradient, std::span<const double> hessian,
            ThreadPool& pool, StopToken& stop);

  // How much of the targets is noise (boost/noise_share.hpp), of the rows that the
  // first iteration draws; they count as so many. NaN if the token stopped it.
  double noise_share(double n_rows, ThreadPool& pool, StopToken& stop);
  // From the next iteration on.
  void set_pace(double learning_rate, u32 max_leaf_nodes) {
    params_.learning_rate = learning_rate;
    params_.max_leaf_nodes = max_leaf_nodes;
  }

  const Forest& model() const { return model_; }
  // The trees of the last iteration alone.
  Forest latest() const { return model_.latest(); }
  // The mean loss of any rows.
  double loss_of(const LossInput& in) const;
  const LocalRows& rows() const { return *rows_; }
  Edges edges() const;
  double train_loss() { return mean(rows_->training_loss()); }
  double validation_loss() const { return mean(rows_->validation_loss()); }

 private:
  using Values = std::vector<double>;

  static double mean(const LossSum& sum) { return sum.loss / sum.weight; }
  void start_model(const Sample& train, const Forest* start);
  void start_scores(const Sample& sample, Values& raw, ThreadPool& pool) const;
  void make_growers();
  bool boost(ThreadPool& pool, StopToken& stop);
  TreeGrower& grower_of(u32 output, unsigned worker);
  // The drawn rows to where the grower takes them from, in the units that suit them.
  Units write_rows(u32 output, TreeGrower& grower, ThreadPool& pool) const;
  // Grows the tree of one output and adds it to the scores of that output.
  std::shared_ptr<const Tree> new_tree(u32 output, TreeGrower& grower, ThreadPool& pool,
                                       StopToken& stop);

  Params params_;
  std::unique_ptr<Loss> loss_;
  Forest model_;
  std::unique_ptr<LocalRows> rows_;
  // One per tree that may be under way at a time; none without binned data.
  std::vector<TreeGrower> growers_;
  bool charges_sets_ = false;  // there are categories
};

}  // namespace dpdtree::boosting
