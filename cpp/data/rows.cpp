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

}  // namespace

u32 partition_rows(const Column& column, const LeftCodes& left_codes,
                   std::span<const Row> in, Row* out, RowBuffer& spare,
                   ThreadPool* pool) {
  const std::size_t n = in.size();
  if (spare.size() < n) spare.resize(n);
  // Each piece is divided in its own place, then the parts move together.
  std::vector<std::size_t> n_left(n_pieces(pool, n));
  const std::size_t pieces = n_left.size();
  const auto begin_of = [=](std::size_t p) { return n * p / pieces; };
  visit_codes(column.code, [&](const auto* code) {
    visit_side(left_codes, [&](auto is_left) {
      for_pieces(pool, n, pieces,
                 [&](std::size_t begin, std::size_t end, std::size_t p) {
                   n_left[p] = divide(code, is_left, in.subspan(begin, end - begin),
                                      out + begin, spare.data() + begin);
                 });
    });
  });
  Row* to = out + n_left[0];
  for (std::size_t p = 1; p < pieces; ++p)
    to = std::copy_n(out + begin_of(p), n_left[p], to);
  const auto n_all_left = static_cast<u32>(to - out);
  for (std::size_t p = 0; p < pieces; ++p) {
    const std::size_t size = begin_of(p + 1) - begin_of(p);
    to = std::copy_n(spare.data() + begin_of(p), size - n_left[p], to);
  }
  return n_all_left;
}

}  // namespace dpdtree
