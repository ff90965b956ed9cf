#include "data/low_cardinality.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "data/few_values.hpp"

namespace dpdtree {
namespace {

// Rows that are read at a time: the values of a few columns stay in the fastest cache.
constexpr std::size_t kStrip = 128;

// Some rows of a column: the slot of each row's value, kMissingSlot if it is missing.
struct PieceOfFew {
  static constexpr u8 kMissingSlot = kFewValues - 1;
  FewValues few;
  u32 n_missing = 0;
  bool failed = false;

  bool full() const { return few.values.size() + (n_missing > 0) > kFewValues; }

  void add(std::span<const double> values, u8* slot) {
    for (std::size_t i = 0; i < values.size() && !failed; ++i) {
      if (std::isnan(values[i])) {
        slot[i] = kMissingSlot;
        failed = n_missing++ == 0 && full();
      } else {
        const int s = few.slot_of(values[i]);
        slot[i] = static_cast<u8>(s);
        failed = s < 0 || (s == kMissingSlot && full());
      }
    }
  }
};

// The columns of one call: pieces of rows, each by itself, then put together.
class Reading {
 public:
  Reading(const MatrixView& x, std::span<const u32> features, ThreadPool* pool)
      : x_(x),
        features_(features),
        pool_(pool),
        pieces_(n_pieces(pool, x.rows)),
        found_(features.size()) {
    for (Found& found : found_) {
      found.slot.resize(x.rows);
      found.pieces.resize(pieces_);
    }
    for_pieces(pool, x.rows, pieces_,
               [&](std::size_t begin, std::size_t end, std::size_t p) {
                 read(begin, end, p);
               });
  }

  std::optional<Column> column(std::size_t c) {
    Found& found = found_[c];
    FewValues all;
    Column column;
    for (const PieceOfFew& piece : found.pieces) {
      if (piece.failed) return std::nullopt;
      column.n_missing += piece.n_missing;
      for (const double v : piece.few.values)
        if (all.slot_of(v) < 0) return std::nullopt;
    }
    column.lower = std::move(all.values);
    std::sort(column.lower.begin(), column.lower.end());
    column.n_values = static_cast<u32>(column.lower.size());
    if (column.n_codes() > kFewValues) return std::nullopt;
    for_pieces(pool_, x_.rows, pieces_,
               [&](std::size_t begin, std::size_t end, std::size_t p) {
                 rank_slots(column, found.pieces[p],
                            {found.slot.data() + begin, found.slot.data() + end});
               });
    column.code = std::move(found.slot);
    return column;
  }

 private:
  struct Found {
    UninitializedVector<u8> slot;
    std::vector<PieceOfFew> pieces;
  };

  // Columns that have failed are not read any further.
  void read(std::size_t begin, std::size_t end, std::size_t p) {
    std::vector<double> strip(features_.size() * kStrip);
    std::vector<std::size_t> open(features_.size());
    for (std::size_t c = 0; c < open.size(); ++c) open[c] = c;
    while (begin < end && !open.empty()) {
      const std::size_t n = std::min(kStrip, end - begin);
      std::vector<u32> wanted;
      std::vector<double*> to;
      for (const std::size_t c : open) {
        wanted.push_back(features_[c]);
        to.push_back(strip.data() + c * kStrip);
      }
      read_finite(x_, wanted, begin, begin + n, to);
      for (const std::size_t c : open)
        found_[c].pieces[p].add({strip.data() + c * kStrip, n},
                                found_[c].slot.data() + begin);
      std::erase_if(open, [&](std::size_t c) { return found_[c].pieces[p].failed; });
      begin += n;
    }
  }

  static void rank_slots(const Column& column, const PieceOfFew& piece,
                         std::span<u8> slots) {
    std::array<u8, kFewValues> rank{};
    for (std::size_t s = 0; s < piece.few.values.size(); ++s)
      rank[s] = static_cast<u8>(column.cut_of(piece.few.values[s]) - 1);
    if (piece.n_missing > 0)
      rank[PieceOfFew::kMissingSlot] = static_cast<u8>(column.n_values);
    for (u8& slot : slots) slot = rank[slot];
  }

  const MatrixView& x_;
  std::span<const u32> features_;
  ThreadPool* pool_;
  std::size_t pieces_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<std::optional<Column>> encode_few_values(const MatrixView& x,
                                                     std::span<const u32> features,
                                                     ThreadPool* pool) {
  Reading reading(x, features, pool);
  std::vector<std::optional<Column>> columns;
  for (std::size_t c = 0; c < features.size(); ++c)
    columns.push_back(reading.column(c));
  return columns;
}

}  // namespace dpdtree
