#include "plan/split_bytes.hpp"

#include <memory>
#include <utility>

namespace dpdtree {

void write_split(ByteWriter& out, const Split& s, const std::vector<Column>& columns) {
  const u64 flags =
      (s.missing == Missing::left ? 1u : 0u) | (s.categories != nullptr ? 2u : 0u);
  out.number(s.feature);
  out.number(s.cut);
  out.number(flags);
  if (s.categories == nullptr) return;
  std::vector<u8> in(columns[s.feature].n_values);
  for (u32 c = 0; c < in.size(); ++c) in[c] = s.categories->contains(c) ? 1 : 0;
  out.array(in);
}

Split read_split(ByteReader& in, const std::vector<Column>& columns) {
  Split split;
  const u64 feature = in.number();
  if (feature >= columns.size()) throw FormatError("a path has an unknown feature");
  const Column& column = columns[feature];
  split.feature = static_cast<u32>(feature);
  split.cut = static_cast<u32>(in.number());
  const u64 flags = in.number();
  split.missing = (flags & 1) != 0 ? Missing::left : Missing::right;
  if ((flags & 2) == 0) return split;
  std::vector<u8> left;
  in.array(left, column.n_values);
  auto set = std::make_shared<CategorySet>(column.n_values + 1);
  for (u32 c = 0; c < column.n_values; ++c)
    if (left[c] != 0) set->insert(c);
  split.categories = std::move(set);
  return split;
}

}  // namespace dpdtree
