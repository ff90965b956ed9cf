#include <algorithm>
#include <type_traits>

#include "base/bytes.hpp"
#include "base/rng.hpp"
#include "loss/targets.hpp"

namespace dpdtree {
namespace {

template <class T>
void keep_rows(T& values, std::size_t begin, std::size_t end, std::size_t width) {
  if (values.empty()) return;
  const auto at = [&](std::size_t row) {
    return values.begin() + static_cast<std::ptrdiff_t>(row * width);
  };
  values = T(at(begin), at(end));
}

// f(member) for all that is written; what rows have comes last.
template <class T, class F>
void for_members(T& t, const F& f) {
  f(t.n_classes), f(t.n_outputs), f(t.quantile), f(t.general), f(t.y_scale);
  f(t.weight_scale), f(t.whole_weights), f(t.weights_count), f(t.repeat_unit);
  f(t.exact_weights), f(t.least_weight);
  f(t.mean_repeats), f(t.order_free), f(t.moment_grid), f(t.square_grid), f(t.log_grid);
  f(t.first_class), f(t.costs), f(t.center);
  f(t.label), f(t.y), f(t.y_rest), f(t.y_log_y), f(t.weight);
}

template <class T>
constexpr bool is_plain = std::is_trivially_copyable_v<T>;

}  // namespace

u64 class_group(const Targets& t, Row row) {
  u64 group = 0;
  for (u32 j = 0; t.classification() && j < t.n_outputs; ++j) {
    const u16 label = t.label[std::size_t{row} * t.n_outputs + j];
    group = j == 0 ? label : mix64(group ^ label);
  }
  return group;
}

// Whether rows have weights, or logarithms, is known by there being some: one is left.
Targets targets_of_rows(const Targets& all, std::size_t begin, std::size_t end) {
  Targets t = all;
  const bool none = begin == end;
  t.xlogx_table.clear();
  keep_rows(t.label, begin, end, t.n_outputs);
  keep_rows(t.y, begin, end, t.n_outputs);
  keep_rows(t.y_rest, begin, end, t.n_outputs);
  keep_rows(t.y_log_y, none ? 0 : begin, none ? 1 : end, 1);
  keep_rows(t.weight, none ? 0 : begin, none ? 1 : end, 1);
  return t;
}

std::string targets_to_bytes(const Targets& targets) {
  ByteWriter out;
  for_members(targets, [&]<class M>(const M& member) {
    if constexpr (is_plain<M>) {
      out.raw(&member, sizeof member);
    } else {
      out.number(member.size());
      out.raw(member.data(), member.size() * sizeof(member[0]));
    }
  });
  return std::move(out.bytes);
}

Targets targets_from_bytes(std::string_view bytes) {
  Targets targets;
  ByteReader in(bytes, "targets");
  for_members(targets, [&]<class M>(M& member) {
    if constexpr (is_plain<M>) {
      in.raw(&member, sizeof member);
    } else {
      member.resize(in.count());
      in.raw(member.data(), member.size() * sizeof(member[0]));
    }
  });
  return targets;
}

}  // namespace dpdtree
