#include "split/ordering.hpp"

#include <algorithm>
#include <bit>

namespace dpdtree {
namespace {

// The code at a place where codes are places: that of the first row with its value.
u32 start_of(const ColumnOrder& order, std::size_t place) {
  std::size_t w = place / 64;
  u64 word = order.starts[w] & (~0ULL >> (63 - place % 64));
  while (word == 0) word = order.starts[--w];
  return static_cast<u32>(64 * w + 63 - static_cast<unsigned>(std::countl_zero(word)));
}

// make(place, row) for all places.
template <class Make>
void for_places(const ColumnOrder& order, ThreadPool& pool, Make make) {
  const std::size_t n = order.sorted.size();
  for_pieces(&pool, n, n_pieces(&pool, n),
             [&](std::size_t begin, std::size_t end, std::size_t) {
               for (std::size_t p = begin; p < end; ++p) make(p, order.sorted[p]);
             });
}

void add_classes(Column& column, const Targets& t, u32 class_bits, ThreadPool& pool) {
  ColumnOrder& order = column.order;
  const u16* label = t.label.data();
  if (order.by_place()) {
    order.classes.resize(order.sorted.size());
    return for_places(order, pool, [&](std::size_t p, Row r) {
      const u32 tied = order.starts_at(p) ? 0 : ColumnOrder::kTied;
      order.classes[p] = static_cast<u8>(label[r] | tied);
    });
  }
  visit_codes(column.code, [&](const auto* code) {
    for_places(order, pool, [&, code](std::size_t p, Row r) {
      order.sorted[p] = static_cast<u32>(code[r]) << class_bits | label[r];
    });
  });
}

}  // namespace

std::vector<ScanKeys> make_scan_keys(std::vector<Column>& columns,
                                     const Targets& targets, ThreadPool& pool) {
  std::vector<ScanKeys> keys(columns.size());
  if (!targets.classification() || targets.weighted() || targets.general) return keys;
  const u32 class_bits =
      static_cast<u32>(std::bit_width(std::max(targets.n_classes, 2u) - 1));
  std::vector<Column*> ordered;
  for (std::size_t f = 0; f < columns.size(); ++f) {
    const auto bits = static_cast<u32>(std::bit_width(columns[f].n_codes()));
    if (bits + class_bits > 32) continue;
    if (columns[f].order.by_place() && targets.n_classes > ColumnOrder::kTied) continue;
    keys[f] = {true, class_bits};
    if (columns[f].has_order) ordered.push_back(&columns[f]);
  }
  const auto convert = [&](std::size_t i, unsigned) {
    add_classes(*ordered[i], targets, class_bits, pool);
  };
  pool.parallel_for(ordered.size(), convert);
  return keys;
}

template <class Item>
void Orderer::walk_all(std::size_t n_words, Item item) {
  u32* out = out_.data();
  for (std::size_t w = 0; w < n_words; ++w) {
    u64 word = bits_[w];
    bits_[w] = 0;
    for (; word != 0; word &= word - 1)
      *out++ = item(64 * w + static_cast<unsigned>(std::countr_zero(word)));
  }
  n_out_ = static_cast<std::size_t>(out - out_.data());
}

template <class Item>
void Orderer::walk_marked(std::size_t n_words, Item item) {
  u32* out = out_.data();
  for (std::size_t m = 0; m < (n_words + 63) / 64; ++m) {
    u64 mark = marks_[m];
    marks_[m] = 0;
    for (; mark != 0; mark &= mark - 1) {
      const std::size_t w = 64 * m + static_cast<std::size_t>(std::countr_zero(mark));
      u64 word = bits_[w];
      bits_[w] = 0;
      for (; word != 0; word &= word - 1)
        *out++ = item(64 * w + static_cast<unsigned>(std::countr_zero(word)));
    }
  }
  n_out_ = static_cast<std::size_t>(out - out_.data());
}

void Orderer::mark(const Column& column, std::span<const Row> rows, bool with_marks) {
  const ColumnOrder& order = column.order;
  const auto mark_all = [&](const auto* place, auto place_of) {
    // A small node's rows are far apart: their places are asked for in advance.
    constexpr std::size_t kAhead = 48;
    const std::size_t n = rows.size();
    for (std::size_t i = 0; i < n; ++i) {
      __builtin_prefetch(place + rows[std::min(i + kAhead, n - 1)]);
      const std::size_t p = place_of(rows[i]), w = p / 64;
      bits_[w] |= 1ULL << (p % 64);
      if (with_marks) marks_[w / 64] |= 1ULL << (w % 64);
    }
  };
  const bool by_place = order.by_place();
  visit_codes(by_place ? column.code : order.position, [&](const auto* place) {
    if (!by_place || order.ties.empty())
      return mark_all(place, [=](Row r) { return std::size_t{place[r]}; });
    if (with_marks)  // few rows: look each of the ties up
      return mark_all(place, [&order, place](Row r) {
        const std::size_t p = place[r];
        if (order.starts_at(p + 1)) return p;  // alone with its value
        return std::size_t{order.place_of_tie(r, static_cast<u32>(p))};
      });
    const ColumnOrder::Tie* tie = order.ties.data();  // both ascend
    mark_all(place, [tie, place](Row r) mutable {
      while (tie->row < r) ++tie;
      return std::size_t{tie->row == r ? tie->place : place[r]};
    });
  });
}

std::span<const u32> Orderer::collect(const Column& column, std::span<const Row> rows,
                                      const ScanKeys& keys) {
  const ColumnOrder& order = column.order;
  const std::size_t n_all = order.sorted.size();
  const bool make_keys = order.by_place() && keys.in_use;
  const bool all = rows.size() == n_all;
  if (all && !make_keys) return order.sorted;
  const std::size_t n_words = (n_all + 63) / 64;
  if (bits_.size() < n_words) {
    bits_.resize(n_words, 0);
    marks_.resize((n_words + 63) / 64, 0);
  }
  if (out_.size() < rows.size()) out_.resize(rows.size());
  const bool small = rows.size() < n_all / 32;
  if (!all) mark(column, rows, small);
  const auto walk = [&](auto item) {
    if (!all) return small ? walk_marked(n_words, item) : walk_all(n_words, item);
    for (std::size_t p = 0; p < n_all; ++p) out_[p] = item(p);
    n_out_ = n_all;
  };
  if (!make_keys) {
    walk([sorted = order.sorted.data()](std::size_t p) { return sorted[p]; });
  } else {
    walk([&order, classes = order.classes.data(),
          class_bits = keys.class_bits](std::size_t p) {
      const u32 entry = classes[p];
      if ((entry & ColumnOrder::kTied) == 0)
        return static_cast<u32>(p) << class_bits | entry;
      return start_of(order, p) << class_bits | (entry ^ ColumnOrder::kTied);
    });
  }
  return {out_.data(), n_out_};
}

}  // namespace dpdtree
