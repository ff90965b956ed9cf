// The boosting loop: gradients → a tree per output → scores. The trees of one iteration
// know nothing of each other: with several outputs, threads grow a tree each.
#pragma once

#include <optional>

#include "boost/tree_grower.hpp"
#include "hist/gradients.hpp"
#include "tree/forest.hpp"

namespace dpdtree::boosting {

struct Sample {
  MatrixView x;
  std::span<const double> y;
  const double* weights = nullptr;  // or null
};

using Edges = std::vector<std::vector<double>>;

class Booster {
 public:
  // `start`: a model to go on with, or null. `edges`: bin limits, or null. If the token
  // stops it before the data is binned, there will be no iteration.
  Booster(const Sample& train, const Sample* validation, u32 n_classes, Params params,
          const Forest* start, const Edges* edges, ThreadPool& pool, StopToken& stop);

  // One more iteration with the gradients of the loss. False if the token stopped it:
  // then nothing has changed.
  bool step(ThreadPool& pool, StopToken& stop);
  // With gradients from outside, row-major.
  bool step(std::span<const double> gradient, std::span<const double> hessian,
            ThreadPool& pool, StopToken& stop);

  const Forest& model() const { return model_; }
  Edges edges() const;
  std::size_t n_rows() const { return train_.y.size(); }
  std::size_t n_validation_rows() const { return validation_.y.size(); }
  // Raw scores: [output][row].
  const std::vector<double>& train_scores() const { return train_.raw; }
  const std::vector<double>& validation_scores() const { return validation_.raw; }
  double train_loss() const { return mean_loss(train_); }
  double validation_loss() const { return mean_loss(validation_); }

 private:
  struct Scored {
    std::vector<double> y;
    std::vector<double> weight;  // empty: all 1
    std::vector<double> raw;
    LossInput input() const;
  };
  using Values = std::vector<double>;

  static Scored copied(const Sample& sample);
  void make_growers();
  void start_scores(Scored& scored, const MatrixView& x, ThreadPool& pool) const;
  bool boost(ThreadPool& pool, StopToken& stop);
  void choose_rows();
  TreeGrower& grower_of(u32 output, unsigned worker);
  // Grows the tree of one output and adds it to the scores of that output.
  std::shared_ptr<const Tree> new_tree(u32 output, TreeGrower& grower, ThreadPool& pool,
                                       StopToken& stop);
  Values node_values(const GrownTree& tree, const LeafCost& cost, u32 output) const;
  double residual_quantile(const RowSet& rows, u32 output) const;
  double newton_step(const RowSet& rows, u32 output) const;
  void update_scores(const GrownTree& tree, const Values& values, u32 output,
                     ThreadPool& pool);
  void update_validation(const GrownTree& tree, const Values& values, u32 output,
                         ThreadPool& pool);
  double mean_loss(const Scored& data) const;

  Params params_;
  std::unique_ptr<Loss> loss_;
  Scored train_;
  Scored validation_;
  std::vector<Row> usable_;  // rows of positive weight
  std::vector<Row> rows_;    // those of this iteration
  std::vector<float> ones_;  // instead of hessians, for first-order trees
  Forest model_;
  Gradients gradients_;
  std::optional<BinnedData> data_;
  std::optional<BinnedData> validation_data_;
  // One per tree that may be under way at a time; none without binned data.
  std::vector<TreeGrower> growers_;
};

}  // namespace dpdtree::boosting
