// Rows in memory: targets, weights, scores, derivatives and codes.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "base/exact_sum.hpp"
#include "base/rng.hpp"
#include "base/stop.hpp"
#include "boost/boosting_rows.hpp"

namespace dpdtree::boosting {

struct Sample {
  MatrixView x;
  std::span<const double> y;
  const double* weights = nullptr;  // or null
  // The codes of the rows, made elsewhere; they are taken over. Then x has a shape
  // only.
  BinnedData* coded = nullptr;
  std::span<const double> init;  // scores to start from, row-major, or empty
  // Rows first_row … of a larger table, perhaps none of them.
  bool part = false;
  u64 first_row = 0;
};

using Edges = std::vector<std::vector<double>>;

class LocalRows final : public BoostingRows {
 public:
  // `like`: the same rows with other targets, whose codes are shared; or null.
  LocalRows(const Sample& train, const Sample* validation, const Params& params,
            const Loss& loss, const LocalRows* like, ThreadPool& pool, StopToken& stop);

  const BinnedData& data() const { return *data_; }
  std::size_t n_rows() const { return train_.y.size(); }
  std::size_t n_validation_rows() const { return validation_.y.size(); }
  // Rows of positive weight, and how many of them this iteration has drawn.
  std::size_t n_usable() const { return usable_.size(); }
  std::span<const Row> usable() const { return usable_; }
  std::size_t n_drawn() const { return drawn_.size(); }
  LossInput training_input() const { return train_.input(); }
  // Raw scores: [output][row].
  std::vector<double>& training_scores() {
    derivatives_known_ = false;
    return train_.raw;
  }
  std::vector<double>& validation_scores() { return validation_.raw; }
  const std::vector<double>& training_scores() const { return train_.raw; }
  const std::vector<double>& validation_scores() const { return validation_.raw; }

  // Derivatives by the loss, or from outside (row-major).
  void compute_derivatives(ThreadPool& pool);
  void set_derivatives(std::span<const double> gradient,
                       std::span<const double> hessian);
  // Draws each row with probability `subsample`, by a hash of its number and the
  // iteration; if that gives none, the row of the smallest hash.
  void draw(u64 iteration);
  // The same for a part of a larger table, whose rows have other numbers; `lone`: the
  // only row that is drawn.
  void draw_part(u64 iteration, std::optional<u64> lone);
  // The least hash of this iteration and the number of its row; of a part.
  struct LeastHash {
    u64 hash = ~u64{0};
    u64 row = 0;
  };
  LeastHash least_hash(u64 iteration) const;
  std::span<const Row> drawn() const { return drawn_; }
  u64 first_row() const { return first_row_; }
  // The drawn rows with their derivatives in these units.
  void write(u32 output, const Units& units, const RowSet& out, ThreadPool& pool) const;

  // Of the drawn rows, exact in any order.
  Spread spread(u32 output) const;
  void add_spread(u32 output, ExactSum& squares, ExactSum& hessian,
                  ExactSum& weights) const;

  Largest largest(u32 output, ThreadPool& pool) const override;
  double noise(u32 output) const override;
  LossSum training_loss() override;
  LossSum validation_loss() const override;
  std::vector<double> leaf_quantiles(const GrownTree& tree, u32 output,
                                     double quantile) const override;
  std::vector<DerivativeSum> leaf_sums(const GrownTree& tree, u32 output,
                                       double l2) const override;
  void add_tree(const GrownTree& tree, std::span<const double> values, u32 output,
                ThreadPool& pool) override;
  // The same by the codes of all rows: the tree's own are elsewhere.
  void add_by_codes(const GrownTree& tree, std::span<const double> values, u32 output,
                    ThreadPool& pool);
  LossInput validation_input() const { return validation_.input(); }
  const BinnedData* validation_data() const { return validation_data_.get(); }
  const Loss& loss() const { return *loss_; }
  Slopes slopes(u32 output) const;
  Slopes full_slopes(u32 output) const;

 private:
  struct Scored {
    std::vector<double> y;
    std::vector<double> weight;  // empty: all 1
    std::vector<double> raw;
    double total_weight = 0;
    LossInput input() const;
  };

  static Scored copied(const Sample& sample, u32 n_outputs);
  void encode(const Sample& train, const Sample* validation, ThreadPool& pool,
              StopToken& stop);
  NumberHash hash_of(u64 iteration) const;
  double residual_quantile(const RowSet& rows, u32 output, double quantile,
                           const Grid& grid) const;
  void add_to_training(const GrownTree& tree, std::span<const double> values,
                       u32 output, ThreadPool& pool);
  void add_to_validation(const GrownTree& tree, std::span<const double> values,
                         u32 output, ThreadPool& pool);

  const Params* params_;
  const Loss* loss_;
  Scored train_;
  Scored validation_;
  std::vector<Row> usable_;  // rows of positive weight
  std::vector<Row> drawn_;   // those of this iteration
  std::vector<float> ones_;  // instead of hessians, for first-order trees
  Gradients gradients_;
  u64 first_row_;
  // By the loss, at the scores as they are. Outputs change theirs side by side.
  std::atomic<bool> derivatives_known_ = false;
  std::shared_ptr<const BinnedData> data_;
  std::shared_ptr<const BinnedData> validation_data_;  // or null
};

}  // namespace dpdtree::boosting
