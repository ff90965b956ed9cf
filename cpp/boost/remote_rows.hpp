// Rows that are elsewhere, in partitions: boosting's questions as requests, a round
// each.
#pragma once

#include <functional>
#include <optional>

#include "boost/boosting_rows.hpp"
#include "boost/messages.hpp"
#include "boost/round_batcher.hpp"
#include "hist/params.hpp"

namespace dpdtree::boosting {

// Of all partitions together.
struct RemoteSizes {
  std::size_t n_rows = 0;  // of training rows
  std::size_t n_usable = 0;
  double weight = 0;
  std::size_t n_validation_rows = 0;
  double validation_weight = 0;
};

class RemoteRows final : public BoostingRows {
 public:
  RemoteRows(Ask ask, const Loss& loss, bool noise)
      : batcher_(std::move(ask)),
        noise_(noise),
        units_(loss.n_outputs()),
        new_trees_(loss.n_outputs()) {}

  // Before anything else: a round, or some more for losses of quantiles. Throws
  // InputError if no row has a weight.
  void start(const Loss& loss);
  const RemoteSizes& sizes() const { return sizes_; }
  const std::vector<double>& baseline() const { return baseline_; }
  // Adds the trees of the last iteration to the scores, if there are any, and gets
  // ready for the next: a round, or two if losses have shrunk or grown much.
  void prepare();
  const Prepared& prepared() const { return prepared_; }
  // Trees that were added since are not kept.
  void forget_trees() { new_trees_.assign(new_trees_.size(), {}); }
  // Several trees at a time: they share their rounds.
  void at_once(std::size_t n, const std::function<void(std::size_t)>& task) {
    batcher_.run(n, task);
  }
  // The units that the next questions about nodes of an output go by.
  void set_units(u32 output, const Units& units);

  // Histograms of nodes of an output. Sampled ones hold the rows of one of so many
  // windows.
  struct NodeWanted {
    NodePath path;
    bool sampled = false;
    Bin* histogram = nullptr;
  };
  void histograms(u32 output, u32 n_windows, std::span<const NodeWanted> nodes,
                  std::size_t histogram_size) const;

  // A request with all trees there are, for partitions that have lost their scores.
  std::string with_history(std::string_view request) const;

  // Of the drawn rows; known before the first iteration, and where noise is asked for.
  Spread spread(u32 output) const;
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

 private:
  struct Leaf {
    u32 node = 0;
    NodePath path;
    u64 bits = 0;      // of the quantile, as far as they are known
    double below = 0;  // weight of smaller residuals
    double total = 0;
  };

  void ask_prepared(double training_guess, double validation_guess);
  // The trees that come along, the lone row, and the question.
  ByteWriter request(Question question, bool last_trees) const;
  ByteWriter about_nodes(Question question, u32 output) const;
  std::string answer(Question question, const ByteWriter& request) const;
  static std::vector<Leaf> leaves_of(const GrownTree& tree);
  double start_quantile(const Start& start, double quantile) const;
  void next_digit(std::vector<Leaf>& leaves, u32 output, double quantile,
                  DigitPlace place) const;
  static void read_digit(ByteReader& in, double quantile, DigitPlace place, Leaf& leaf);

  mutable RoundBatcher batcher_;
  RemoteSizes sizes_;
  std::vector<double> baseline_;  // empty: not known yet
  bool noise_;
  std::vector<Units> units_;
  Prepared prepared_;
  u64 iteration_ = 0;  // those that the partitions know
  std::optional<u64> lone_;
  std::string history_;                 // all trees, and …
  std::size_t last_trees_ = 0;          // … where those of the last iteration begin
  std::vector<std::string> new_trees_;  // of each output, or empty
};

}  // namespace dpdtree::boosting
