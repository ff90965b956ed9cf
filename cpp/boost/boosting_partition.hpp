// Some of the rows of a boosted fit, wherever they are: questions in, answers out.
//
// An answer follows from the rows and the request alone. Scores, derivatives and the
// rows of nodes are kept as long as requests go on where the last one ended; whoever
// lost them gets all trees with the next request and finds the same bits.
#pragma once

#include <memory>
#include <mutex>

#include "boost/local_rows.hpp"
#include "boost/messages.hpp"
#include "boost/node_rows.hpp"

namespace dpdtree::boosting {

class BoostingPartition {
 public:
  // The samples have codes, and the training rows first_row.
  BoostingPartition(Sample train, const Sample* validation, u32 n_classes,
                    Params params);

  // Empty if the request goes on where this partition has never been.
  std::string answer(std::string_view request);

  const LocalRows& rows() const { return *rows_; }

 private:
  // Which rows and gradients a set of nodes is made of.
  struct Origin {
    u64 iteration = ~u64{0};
    u64 lone = 0;
    double gradient_unit = 0;
    double hessian_unit = 0;
    u32 n_windows = 0;  // 0: all rows
    bool operator==(const Origin&) const = default;
  };
  struct Growing {
    Origin origin;
    NodeRows nodes;
  };
  struct Asked {
    u32 output = 0;
    Units units;
  };

  std::string answer_one(std::string_view request, ThreadPool& pool);
  bool catch_up(ByteReader& in, ThreadPool& pool);
  void restart();
  std::string start() const;
  std::string start_digits(ByteReader& in) const;
  void draw(u64 lone);
  std::string prepare(ByteReader& in, ThreadPool& pool);
  std::string histograms(ByteReader& in, ThreadPool& pool);
  std::string leaf_sums(ByteReader& in, ThreadPool& pool);
  std::string leaf_digits(ByteReader& in, ThreadPool& pool);
  LossPart loss_part(const LossInput& in, ByteReader& request) const;
  OutputPart output_part(u32 output, bool noise, ThreadPool& pool) const;
  Asked read_asked(ByteReader& in) const;
  NodeRows& nodes_of(const Asked& asked, u32 n_windows, ThreadPool& pool);

  std::mutex mutex_;
  Params params_;
  std::unique_ptr<Loss> loss_;
  std::vector<double> baseline_;  // of all rows; comes with the requests
  std::unique_ptr<LocalRows> rows_;
  u64 iteration_ = 0;             // trees of each output in the scores
  u64 drawn_ = ~u64{0};           // for which iteration …
  u64 lone_ = 0;                  // … and the only row, plus 1
  std::vector<Growing> growing_;  // [output][all rows, some rows]
};

}  // namespace dpdtree::boosting
