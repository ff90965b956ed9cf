#include "data/rows.hpp"

#include <algorithm>

#include "base/rng.hpp"

namespace dpdtree {

RowHasher::RowHasher(std::size_t n_rows) : word_(n_rows) {
  for (std::size_t i = 0; i < n_rows; ++i) word_[i] = {mix64(2 * i), mix64(2 * i + 1)};
}

u32 partition_rows(const Column& column, const LeftCodes& left_codes,
                   std::span<const Row> in, Row* out, std::vector<Row>& spare) {
  if (spare.size() < in.size()) spare.resize(in.size());
  Row* right = spare.data();
  Row* left = out;
  visit_codes(column.code, [&](const auto* code) {
    visit_side(left_codes, [&](auto is_left) {
      for (const Row r : in) {
        const bool goes_left = is_left(code[r]);
        *left = r;  // both stores, one advance: no branch to mispredict
        *right = r;
        left += goes_left;
        right += !goes_left;
      }
    });
  });
  std::copy(spare.data(), right, left);
  return static_cast<u32>(left - out);
}

}  // namespace dpdtree
