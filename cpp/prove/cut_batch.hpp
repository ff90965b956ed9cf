// Cuts that are evaluated at once: up to sixteen of one ordering, eight of each of two,
// or four of each of four. Every cut is a lane, and divides the rows into a left and a
// right subset; a lane without a cut has all rows on its left. Few cuts of many
// orderings tell soon which of them deserve more.
#pragma once

#include <array>
#include <vector>

#include "prove/ranked_rows.hpp"

namespace dpdtree {

inline constexpr std::size_t kCuts = 16;
inline constexpr std::size_t kLanes = 2 * kCuts;      // left subsets, then right ones
inline constexpr std::size_t kWholeLane = kCuts - 1;  // all rows, if it has no cut

struct CutBatch {
  struct Part {
    u32 ordering = 0;
    std::vector<u32> cuts;  // how many rows of it are on the left, ascending
  };
  std::vector<Part> parts;  // one, two or four

  // Of each part.
  static std::size_t most_cuts(std::size_t n_parts) { return kCuts / n_parts; }
  std::size_t lane(std::size_t part, std::size_t cut) const {
    return part * most_cuts(parts.size()) + cut;
  }
};

// A row's code tells its steps in all parts, and so in which of the subsets it is. The
// codes of batches of one, two and four parts follow one another.
class BatchCodes {
 public:
  static constexpr std::size_t kCodes = 17 + 9 * 9 + 5 * 5 * 5 * 5;

  BatchCodes();

  // Calls visit(part, step, code, begin, end) with the positions in each part's
  // ordering of the rows that lie beyond so many of its cuts, and what that adds to
  // their codes.
  template <class Visit>
  static void for_each_step(const CutBatch& batch, u32 n, Visit&& visit) {
    const std::size_t n_parts = batch.parts.size();
    std::size_t first = first_code(n_parts), unit = 1;
    for (std::size_t p = 0; p < n_parts; ++p) {
      const std::vector<u32>& cuts = batch.parts[p].cuts;
      u32 begin = 0;
      for (std::size_t j = 0; j <= cuts.size(); ++j) {
        const u32 end = j < cuts.size() ? cuts[j] : n;
        visit(p, j, static_cast<u16>(first + j * unit), begin, end);
        begin = end;
      }
      first = 0;
      unit *= CutBatch::most_cuts(n_parts) + 1;
    }
  }

  bool in_lane(std::size_t code, std::size_t lane) const {
    const bool beyond = (beyond_[code] >> (lane % kCuts) & 1) != 0;
    return beyond == (lane >= kCuts);
  }

 private:
  // Codes of batches of fewer parts come before.
  static std::size_t first_code(std::size_t n_parts) {
    return n_parts == 1 ? 0 : n_parts == 2 ? 17 : 17 + 9 * 9;
  }

  std::array<u16, kCodes> beyond_;  // a bit per cut
};

// The codes of these rows; of others they stay what they were.
inline void write_codes(const CutBatch& batch, const RankedRows& rows,
                        std::vector<u16>& code_of) {
  BatchCodes::for_each_step(
      batch, rows.n, [&](std::size_t part, std::size_t, u16 code, u32 begin, u32 end) {
        const std::vector<u32>& order = rows.order[batch.parts[part].ordering];
        for (u32 i = begin; i < end; ++i) {
          u16& of_row = code_of[order[i] & kRowMask];
          of_row = static_cast<u16>(part == 0 ? code : of_row + code);
        }
      });
}

}  // namespace dpdtree
