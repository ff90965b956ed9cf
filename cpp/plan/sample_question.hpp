// A sample of a node whose rows are in several places.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "plan/sample.hpp"

namespace dpdtree {

// What a partition has of a node.
struct PartSize {
  u64 n = 0;
  double weight = 0;
};

struct SampleQuestion {
  std::vector<u32> features;    // whose codes are wanted
  Draw draw;                    // of the whole node
  std::vector<PartSize> parts;  // of the node, partition after partition

  // For the rows of one of the partitions.
  Draw draw_at(std::size_t partition) const;

  void write(ByteWriter& out) const;
  static SampleQuestion read(ByteReader& in, std::size_t n_features);
};

// Rows as they travel: of each wanted feature its codes, then the targets.
struct DrawnRows {
  std::vector<std::vector<u32>> codes;
  std::vector<u16> label;
  std::vector<double> y;
  std::vector<double> weight;

  DrawnRows() = default;
  DrawnRows(const std::vector<Column>& columns, const Targets& targets,
            const std::vector<u32>& features, const std::vector<Row>& rows);

  std::size_t n() const { return label.size() + y.size(); }
  void append(const DrawnRows& other);
  void write(ByteWriter& out) const;
  static DrawnRows read(ByteReader& in);

  // With columns and units as all rows have them.
  SampledRows with(const std::vector<Column>& columns, const Targets& units,
                   const std::vector<u32>& features) const;
};

}  // namespace dpdtree
