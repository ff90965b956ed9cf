#include "split/ordering.hpp"

#include <bit>

namespace dpdtree {

std::vector<ScanKeys> make_scan_keys(std::vector<Column>& columns,
                                     const Targets& targets) {
  std::vector<ScanKeys> keys(columns.size());
  if (!targets.classification() || targets.weighted()) return keys;
  const u32 class_bits =
      static_cast<u32>(std::bit_width(std::max(targets.n_classes, 2u) - 1));
  for (std::size_t f = 0; f < columns.size(); ++f) {
    Column& column = columns[f];
    if (std::bit_width(column.n_codes()) + static_cast<int>(class_bits) > 32) continue;
    keys[f] = {true, class_bits};
    visit_codes(column.code, [&](const auto* code) {
      for (u32& s : column.sorted) s = code[s] << class_bits | targets.label[s];
    });
  }
  return keys;
}

void Orderer::walk_all(const u32* sorted, std::size_t n_words) {
  u32* out = out_.data();
  for (std::size_t w = 0; w < n_words; ++w) {
    u64 word = bits_[w];
    bits_[w] = 0;
    const u32* base = sorted + 64 * w;
    for (; word != 0; word &= word - 1) *out++ = base[std::countr_zero(word)];
  }
  n_out_ = static_cast<std::size_t>(out - out_.data());
}

void Orderer::walk_marked(const u32* sorted, std::size_t n_words) {
  u32* out = out_.data();
  for (std::size_t m = 0; m < (n_words + 63) / 64; ++m) {
    u64 mark = marks_[m];
    marks_[m] = 0;
    for (; mark != 0; mark &= mark - 1) {
      const std::size_t w = 64 * m + static_cast<std::size_t>(std::countr_zero(mark));
      u64 word = bits_[w];
      bits_[w] = 0;
      const u32* base = sorted + 64 * w;
      for (; word != 0; word &= word - 1) *out++ = base[std::countr_zero(word)];
    }
  }
  n_out_ = static_cast<std::size_t>(out - out_.data());
}

std::span<const u32> Orderer::collect(const Column& column, std::span<const Row> rows) {
  const std::size_t n_all = column.sorted.size();
  if (rows.size() == n_all) return column.sorted;
  const std::size_t n_words = (n_all + 63) / 64;
  if (bits_.size() < n_words) {
    bits_.resize(n_words, 0);
    marks_.resize((n_words + 63) / 64, 0);
  }
  if (out_.size() < rows.size()) out_.resize(rows.size());
  const bool small = rows.size() < n_all / 32;
  const Codes& position = column.position_is_code ? column.code : column.position;
  visit_codes(position, [&](const auto* pos) {
    for (const Row r : rows) {
      const std::size_t p = pos[r];
      bits_[p / 64] |= 1ULL << (p % 64);
    }
    if (!small) return;
    for (const Row r : rows) {
      const std::size_t w = pos[r] / 64;
      marks_[w / 64] |= 1ULL << (w % 64);
    }
  });
  small ? walk_marked(column.sorted.data(), n_words)
        : walk_all(column.sorted.data(), n_words);
  return {out_.data(), n_out_};
}

}  // namespace dpdtree
