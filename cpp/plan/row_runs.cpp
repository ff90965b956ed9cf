#include "plan/row_runs.hpp"

#include <numeric>
#include <utility>

#include "base/bytes.hpp"

namespace dpdtree {
namespace {

std::string bytes_of(const std::vector<Column>& columns, const Targets& t, Row r) {
  ByteWriter out;
  for (const Column& column : columns)
    visit_codes(column.code, [&](const auto* code) { out.number(code[r]); });
  for (u32 j = 0; j < t.n_outputs; ++j) {
    const std::size_t i = std::size_t{r} * t.n_outputs + j;
    const double value = t.classification() ? t.label[i] : t.y[i] + 0.0;  // no -0
    out.raw(&value, sizeof value);
  }
  return std::move(out.bytes);
}

void write(ByteWriter& out, const std::string& bytes) {
  out.number(bytes.size());
  out.raw(bytes.data(), bytes.size());
}

std::string read(ByteReader& in) {
  std::string bytes(in.count(), '\0');
  in.raw(bytes.data(), bytes.size());
  return bytes;
}

}  // namespace

RowRuns::RowRuns(const std::vector<Column>& columns, const Targets& t,
                 std::span<const Row> rows) {
  if (rows.empty()) return;
  first_ = last_ = bytes_of(columns, t, rows[0]);
  u64* open = &front_;
  for (const Row r : rows) {
    std::string row = bytes_of(columns, t, r);
    if (row != last_) {
      if (open == &back_) close(std::exchange(back_, 0));
      open = &back_;
      last_ = std::move(row);
    }
    *open += static_cast<u64>(t.weight_of(r));
  }
}

void RowRuns::close(u64 length) {
  unit_ = std::gcd(unit_, length);
  total_ += length;
  ++runs_;
}

void RowRuns::append(const RowRuns& next) {
  if (next.first_.empty()) return;
  if (first_.empty()) {
    *this = next;
    return;
  }
  if (last_ == next.first_) {
    (one_run() ? front_ : back_) += next.front_;
    if (!next.one_run()) {
      if (!one_run()) close(back_);
      back_ = next.back_;
    }
  } else {
    if (!one_run()) close(back_);
    if (!next.one_run()) close(next.front_);
    back_ = next.one_run() ? next.front_ : next.back_;
  }
  last_ = next.last_;
  unit_ = std::gcd(unit_, next.unit_);
  total_ += next.total_;
  runs_ += next.runs_;
}

void RowRuns::keep(Targets& units) const {
  if (!units.whole_weights || first_.empty()) return;
  RowRuns all = *this;
  all.close(front_);
  if (!one_run()) all.close(back_);
  units.repeat_unit = static_cast<double>(all.unit_);
  units.mean_repeats =
      static_cast<double>(all.total_) / static_cast<double>(all.unit_ * all.runs_);
}

std::string RowRuns::bytes() const {
  ByteWriter out;
  for (const u64 n : {unit_, total_, runs_, front_, back_}) out.number(n);
  write(out, first_);
  write(out, last_);
  return std::move(out.bytes);
}

RowRuns RowRuns::from_bytes(std::string_view bytes) {
  ByteReader in(bytes, "runs of rows");
  RowRuns runs;
  for (u64* n : {&runs.unit_, &runs.total_, &runs.runs_, &runs.front_, &runs.back_})
    *n = in.number();
  runs.first_ = read(in);
  runs.last_ = read(in);
  return runs;
}

}  // namespace dpdtree
