#include "data/rows.hpp"

#include <algorithm>

namespace dpdtree {
namespace {

// Rows that go left to `left`, the others to `right`; returns how many went left.
// `left` may be where the rows are.
template <class Code, class IsLeft>
std::size_t divide(const Code* code, IsLeft is_left, std::span<const Row> in, Row* left,
                   Row* right) {
  const Row* first = left;
  for (const Row r : in) {
    const bool goes_left = is_left(code[r]);
    *left = r;  // both stores, one advance: no branch to mispredict
    *right = r;
    left += goes_left;
    right += !goes_left;
  }
  return static_cast<std::size_t>(left - first);
}

// Every piece divides its own stretch, then the stretches are joined.
template <class Code, class IsLeft>
std::size_t divide_by_pieces(const Code* code, IsLeft is_left, std::span<const Row> in,
                             Row* out, Row* spare, std::size_t pieces,
                             ThreadPool* pool) {
  const std::size_t n = in.size();
  std::vector<std::size_t> before(pieces + 1, 0);  // left rows of the pieces before
  for_pieces(pool, n, pieces, [&](std::size_t begin, std::size_t end, std::size_t p) {
    before[p + 1] = divide(code, is_left, in.subspan(begin, end - begin), out + begin,
                           spare + begin);
  });
  for (std::size_t p = 0; p < pieces; ++p) {
    std::copy_n(out + n * p / pieces, before[p + 1], out + before[p]);
    before[p + 1] += before[p];
  }
  const std::size_t n_left = before[pieces];
  for_pieces(pool, n, pieces, [&](std::size_t begin, std::size_t end, std::size_t p) {
    const std::size_t n_right = end - begin - (before[p + 1] - before[p]);
    std::copy_n(spare + begin, n_right, out + n_left + (begin - before[p]));
  });
  return n_left;
}

}  // namespace

u32 partition_rows(const Column& column, const LeftCodes& left_codes,
                   std::span<const Row> in, Row* out, RowBuffer& spare,
                   ThreadPool* pool) {
  const std::size_t n = in.size();
  const std::size_t pieces = n_pieces(pool, n);
  if (spare.size() < n) spare.resize(n);
  std::size_t n_left = 0;
  visit_codes(column.code, [&](const auto* code) {
    visit_side(left_codes, [&](auto is_left) {
      n_left = divide_by_pieces(code, is_left, in, out, spare.data(), pieces, pool);
    });
  });
  return static_cast<u32>(n_left);
}

}  // namespace dpdtree
