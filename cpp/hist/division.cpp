#include "hist/division.hpp"

#include <algorithm>
#include <vector>

#include "simd/dispatch.hpp"

namespace dpdtree::boosting {
namespace {

// Below this many rows, waking other threads costs more than they help.
constexpr std::size_t kRowsForThreads = 40'000;
constexpr std::size_t kRowsPerChunk = 4096;
// Codes that are asked for in time only delay what is in a cache anyway.
constexpr std::size_t kNearBytes = std::size_t{4} << 20;

class Sides {
 public:
  Sides(const BinnedData& data, const BinnedSplit& rule)
      : left_(data.sides(rule)),
        codes_(data.codes_of(rule.feature)),
        far_(data.n_rows() * codes_.stride > kNearBytes) {}

  std::size_t divide(const RowSet& rows, const RowSet& out) const {
    if (rows.size == 0) return 0;
    const std::size_t last = out.size - 1;
    return kernels().gradient.divide(
        {rows.rows, rows.gradients, rows.size, codes_.data, codes_.stride, far_,
         left_.data(), out.rows, out.gradients, out.rows + last, out.gradients + last});
  }
  std::size_t count_left(const RowSet& rows) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < rows.size; ++i)
      n += left_[codes_.data[std::size_t{rows.rows[i]} * codes_.stride]];
    return n;
  }

 private:
  SideTable left_;
  ColumnCodes codes_;
  bool far_;
};

void copy(const RowSet& from, const RowSet& to) {
  std::copy_n(from.rows, from.size, to.rows);
  std::copy_n(from.gradients, from.size, to.gradients);
}

// The same order as in one go, chunk after chunk; through a buffer, because dividing
// writes places that belong to neighbours.
std::size_t divide_in_chunks(const Sides& sides, ThreadPool& pool, const RowSet& rows,
                             const RowSet& out) {
  const std::size_t n_chunks = (rows.size + kRowsPerChunk - 1) / kRowsPerChunk;
  const auto chunk = [&](std::size_t i) {
    return rows.part(i * kRowsPerChunk, std::min(rows.size, (i + 1) * kRowsPerChunk));
  };
  std::vector<std::size_t> n_left(n_chunks + 1);
  pool.parallel_for(n_chunks, [&](std::size_t i, unsigned) {
    n_left[i + 1] = sides.count_left(chunk(i));
  });
  for (std::size_t i = 0; i < n_chunks; ++i) n_left[i + 1] += n_left[i];
  pool.parallel_for(n_chunks, [&](std::size_t i, unsigned) {
    Row chunk_rows[kRowsPerChunk];
    RowGradient chunk_gradients[kRowsPerChunk];
    const RowSet in = chunk(i);
    const RowSet divided{chunk_rows, chunk_gradients, in.size};
    const std::size_t left = sides.divide(in, divided);
    copy(divided.part(0, left), out.part(n_left[i], n_left[i + 1]));
    const std::size_t n_right = i * kRowsPerChunk - n_left[i];
    const std::size_t right_end = out.size - n_right;
    copy(divided.part(left, in.size),
         out.part(right_end - (in.size - left), right_end));
  });
  return n_left[n_chunks];
}

}  // namespace

std::size_t divide(const BinnedData& data, ThreadPool& pool, const RowSet& rows,
                   const BinnedSplit& rule, const RowSet& out) {
  const Sides sides(data, rule);
  if (rows.size >= kRowsForThreads && pool.has_idle())
    return divide_in_chunks(sides, pool, rows, out);
  return sides.divide(rows, out);
}

}  // namespace dpdtree::boosting
