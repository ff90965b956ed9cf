#include "split/ordering.hpp"

#include <algorithm>
#include <bit>

namespace dpdtree {
namespace {

// make(position, row) for all positions.
template <class Make>
void for_positions(const ColumnOrder& order, ThreadPool& pool, Make make) {
  const std::size_t n = order.sorted.size();
  for_pieces(&pool, n, n_pieces(&pool, n),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               for (std::size_t p = begin; p < end; ++p) make(p, order.sorted[p]);
             });
}

// Two classes in one bit per row: small enough to be read in any order.
std::vector<u64> bits_of_classes(const Targets& t, std::size_t n) {
  std::vector<u64> bits(n / 64 + 1, 0);
  if (t.n_classes > 2) return bits;
  for (std::size_t r = 0; r < n; ++r) bits[r / 64] |= u64{t.label[r]} << (r % 64);
  return bits;
}

// class_of(row) at all positions.
template <class ClassOf>
void add_classes_by_position(ColumnOrder& order, ThreadPool& pool, ClassOf class_of) {
  order.classes.resize(order.sorted.size());
  u8* classes = order.classes.data();
  const u64* starts = order.starts.data();
  for_positions(order, pool, [=](std::size_t p, Row r) {
    const bool tied = (starts[p / 64] >> (p % 64) & 1) == 0;
    classes[p] = static_cast<u8>(class_of(r) | (tied ? ColumnOrder::kTied : 0));
  });
}

void add_classes(Column& column, const Targets& t, const std::vector<u64>& bits,
                 u32 class_bits, ThreadPool& pool) {
  ColumnOrder& order = column.order;
  const u16* label = t.label.data();
  if (order.by_position() && t.n_classes == 2)
    return add_classes_by_position(order, pool, [bits = bits.data()](Row r) {
      return static_cast<u32>(bits[r / 64] >> (r % 64) & 1);
    });
  if (order.by_position())
    return add_classes_by_position(order, pool, [=](Row r) { return u32{label[r]}; });
  visit_codes(column.code, [&](const auto* code) {
    for_positions(order, pool, [&, code](std::size_t p, Row r) {
      order.sorted[p] = static_cast<u32>(code[r]) << class_bits | label[r];
    });
  });
}

}  // namespace

std::vector<ScanKeys> make_scan_keys(std::vector<Column>& columns,
                                     const Targets& targets, ThreadPool& pool) {
  std::vector<ScanKeys> keys(columns.size());
  if (!targets.classification() || targets.general) return keys;
  const u32 class_bits =
      static_cast<u32>(std::bit_width(std::max(targets.n_classes, 2u) - 1));
  for (ScanKeys& k : keys) k.class_bits = class_bits;
  if (targets.weighted()) return keys;
  std::vector<Column*> ordered;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    const auto bits = static_cast<u32>(std::bit_width(columns[f].n_codes()));
    if (bits + class_bits > 32) continue;
    if (columns[f].order.by_position() && targets.n_classes > ColumnOrder::kTied)
      continue;
    keys[f] = {true, class_bits};
    if (columns[f].has_order) ordered.push_back(&columns[f]);
  }
  if (ordered.empty()) return keys;
  const auto bits = bits_of_classes(targets, ordered[0]->order.sorted.size());
  const auto convert = [&](std::size_t i, unsigned) {
    add_classes(*ordered[i], targets, bits, class_bits, pool);
  };
  pool.parallel_for(ordered.size(), convert);
  return keys;
}

void Orderer::mark(const Column& column, std::span<const Row> rows, bool with_marks) {
  const ColumnOrder& order = column.order;
  const bool by_position = order.by_position();
  visit_codes(by_position ? column.code : order.position, [&](const auto* position) {
    const bool ties = by_position && !order.ties.empty();
    if (with_marks && !ties)
      mark_few(position, rows, [=](Row r) { return std::size_t{position[r]}; });
    else if (with_marks)  // look each of the ties up
      mark_few(position, rows, [&order, position](Row r) {
        const std::size_t p = position[r];
        if (order.starts_at(p + 1)) return p;  // alone with its value
        return std::size_t{order.position_of_tie(r, static_cast<u32>(p))};
      });
    else if (!ties)
      mark_plain(position, rows);
    else
      mark_tied(position, rows, order.ties.data());
  });
}

// Rows are far apart: their positions are asked for in advance.
template <class Code, class PositionOf>
void Orderer::mark_few(const Code* position, std::span<const Row> rows,
                       PositionOf position_of) {
  constexpr std::size_t kAhead = 48;
  const std::size_t n = rows.size();
  for (std::size_t i = 0; i < n; ++i) {
    __builtin_prefetch(position + rows[std::min(i + kAhead, n - 1)]);
    const std::size_t p = position_of(rows[i]), w = p / 64;
    bits_[w] |= 1ULL << (p % 64);
    marks_[w / 64] |= 1ULL << (w % 64);
  }
}

template <class Code>
void Orderer::mark_plain(const Code* position, std::span<const Row> rows) {
  constexpr std::size_t kAhead = 32;
  u64* bits = bits_.data();
  const auto set = [=](Row r) { bits[position[r] / 64] |= 1ULL << (position[r] % 64); };
  const std::size_t n = rows.size();
  std::size_t i = 0;
  for (; i + kAhead < n; ++i) {
    __builtin_prefetch(position + rows[i + kAhead]);
    set(rows[i]);
  }
  for (; i < n; ++i) set(rows[i]);
}

// Between one of the ties and the next there are only rows of the plain kind.
template <class Code>
void Orderer::mark_tied(const Code* position, std::span<const Row> rows,
                        const ColumnOrder::Tie* tie) {
  const Row* row = rows.data();
  const Row* const end = row + rows.size();
  for (;; ++tie) {  // the last one is behind all rows
    const Row* const first = row;
    while (row != end && *row < tie->row) ++row;
    mark_plain(position, {first, row});
    if (row == end) return;
    if (*row != tie->row) continue;
    bits_[tie->position / 64] |= 1ULL << (tie->position % 64);
    ++row;
  }
}

std::span<const u32> Orderer::collect(const Column& column, std::span<const Row> rows,
                                      const ScanKeys& keys) {
  const ColumnOrder& order = column.order;
  const bool make_keys = order.by_position() && keys.in_use;
  if (rows.size() == order.sorted.size() && !make_keys) return order.sorted;
  if (out_.size() < rows.size()) out_.resize(rows.size());
  const auto write = [&](auto item) {
    visit_words(column, rows, [&](auto words) {
      u32* out = out_.data();
      std::size_t first = 0;
      u64 word = 0;
      while (words.next(first, word))
        for (; word != 0; word &= word - 1)
          *out++ = item(first + static_cast<unsigned>(std::countr_zero(word)));
    });
  };
  if (!make_keys) {
    write([sorted = order.sorted.data()](std::size_t p) { return sorted[p]; });
  } else {
    write([codes = StartFinder(order, ~0u), classes = order.classes.data(),
           class_bits = keys.class_bits](std::size_t p) mutable {
      const u32 entry = classes[p];
      const u32 code = codes.code_at(p, (entry & ColumnOrder::kTied) != 0);
      return code << class_bits | (entry & (ColumnOrder::kTied - 1u));
    });
  }
  return {out_.data(), rows.size()};
}

}  // namespace dpdtree
