#include "prove/choice_split.hpp"

namespace dpdtree {
namespace {

// The codes of a node's rows next to a cut, one on each side.
struct CutCodes {
  bool left = false, right = false, missing = false;  // are there any?
  u32 before = 0, after = 0;
};

CutCodes codes_at(const Ordering& ordering, const Column& column, const NodeView& node,
                  u32 cut_rank) {
  CutCodes out;
  u32 before = 0, after = ~0u;  // ranks
  visit_codes(column.code, [&](const auto* code) {
    for (const Row r : node.rows) {
      const bool missing = code[r] == column.missing_code();
      const u32 rank = rank_of(ordering, column, code[r]);
      out.missing |= missing;
      if (rank <= cut_rank && (!out.left || rank >= before)) {
        out.left = true;
        before = rank;
        out.before = code[r];
      } else if (rank > cut_rank && (!out.right || rank <= after)) {
        out.right = true;
        after = rank;
        out.after = code[r];
      }
    }
  });
  return out;
}

}  // namespace

ChoiceSplit split_of(const ExactData& data, const std::vector<Column>& columns,
                     const NodeView& node, const ExactChoice& choice) {
  const Ordering& ordering = data.orderings[choice.ordering];
  const Column& column = columns[ordering.feature];
  const CutCodes at = codes_at(ordering, column, node, choice.rank);
  ChoiceSplit out{at.left, at.right};
  if (!at.left || !at.right) return out;
  out.mirrored = at.before == column.missing_code();
  Split& split = out.split;
  split.feature = ordering.feature;
  split.threshold =
      column.threshold_between(out.mirrored ? column.n_values - 1 : at.before,
                               out.mirrored ? column.n_values : at.after);
  split.cut = column.cut_of(split.threshold);
  if (at.missing && column.n_missing > 0)
    split.missing =
        ordering.missing_first && !out.mirrored ? Missing::left : Missing::right;
  return out;
}

}  // namespace dpdtree
