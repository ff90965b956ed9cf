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

// The same, but nothing is written behind the last row of a side, where other threads
// may write.
template <class Code, class IsLeft>
void divide_exactly(const Code* code, IsLeft is_left, std::span<const Row> in,
                    Row* left, Row* right) {
  constexpr std::size_t kStrip = 1024;
  Row own_left[kStrip], own_right[kStrip];
  while (!in.empty()) {
    const auto strip = in.first(std::min(kStrip, in.size()));
    const std::size_t n_left = divide(code, is_left, strip, own_left, own_right);
    left = std::copy_n(own_left, n_left, left);
    right = std::copy_n(own_right, strip.size() - n_left, right);
    in = in.subspan(strip.size());
  }
}

// Counts first, so that every piece knows its places.
template <class Code, class IsLeft>
std::size_t divide_by_pieces(const Code* code, IsLeft is_left, std::span<const Row> in,
                             Row* out, std::size_t pieces, ThreadPool* pool) {
  std::vector<std::size_t> before(pieces + 1, 0);  // left rows of the pieces before
  for_pieces(pool, in.size(), pieces,
             [&](std::size_t begin, std::size_t end, std::size_t p) {
               std::size_t n_left = 0;
               for (const Row r : in.subspan(begin, end - begin))
                 n_left += is_left(code[r]);
               before[p + 1] = n_left;
             });
  for (std::size_t p = 0; p < pieces; ++p) before[p + 1] += before[p];
  const std::size_t n_left = before[pieces];
  for_pieces(pool, in.size(), pieces,
             [&](std::size_t begin, std::size_t end, std::size_t p) {
               divide_exactly(code, is_left, in.subspan(begin, end - begin),
                              out + before[p], out + n_left + (begin - before[p]));
             });
  return n_left;
}

}  // namespace

u32 partition_rows(const Column& column, const LeftCodes& left_codes,
                   std::span<const Row> in, Row* out, RowBuffer& spare,
                   ThreadPool* pool) {
  const std::size_t n = in.size();
  const std::size_t pieces = n_pieces(pool, n);
  const bool in_place = in.data() == out;
  if ((in_place || pieces == 1) && spare.size() < n) spare.resize(n);
  std::size_t n_left = 0;
  visit_codes(column.code, [&](const auto* code) {
    visit_side(left_codes, [&](auto is_left) {
      n_left = pieces == 1
                   ? divide(code, is_left, in, out, spare.data())
                   : divide_by_pieces(code, is_left, in, in_place ? spare.data() : out,
                                      pieces, pool);
    });
  });
  if (pieces == 1)
    std::copy_n(spare.data(), n - n_left, out + n_left);
  else if (in_place)
    for_pieces(pool, n, pieces, [&](std::size_t begin, std::size_t end, std::size_t) {
      std::copy(spare.data() + begin, spare.data() + end, out + begin);
    });
  return static_cast<u32>(n_left);
}

}  // namespace dpdtree
