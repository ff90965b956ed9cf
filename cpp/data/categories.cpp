#include "data/categories.hpp"

#include <cmath>

#include "base/error.hpp"

namespace dpdtree {
namespace {

constexpr u32 kUnseen = ~0u;

u32 number_of(double value, std::size_t n_rows) {
  if (!(value >= 0 && value < static_cast<double>(n_rows)) ||
      value != std::floor(value))
    throw InputError("a categorical column holds something else than category numbers");
  return static_cast<u32>(value);
}

// Gives the categories of all rows, or of those with a weight, the next free codes.
void assign_codes(std::span<const double> values, const double* weights,
                  std::vector<u32>& code_of, std::vector<u32>& category) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i]) || (weights != nullptr && weights[i] == 0)) continue;
    const u32 number = number_of(values[i], values.size());
    if (code_of[number] != kUnseen) continue;
    code_of[number] = static_cast<u32>(category.size());
    category.push_back(number);
  }
}

}  // namespace

Column encode_categories(std::span<const double> values, const double* weights) {
  Column column;
  column.categorical = true;
  std::vector<u32> code_of(values.size(), kUnseen);
  assign_codes(values, weights, code_of, column.category);
  if (weights != nullptr) assign_codes(values, nullptr, code_of, column.category);
  column.n_values = static_cast<u32>(column.category.size());
  for (const double v : values) column.n_missing += std::isnan(v);
  column.code = make_codes(values.size(), column.n_codes());
  std::visit(
      [&](auto& code) {
        using Code = typename std::decay_t<decltype(code)>::value_type;
        for (std::size_t i = 0; i < values.size(); ++i)
          code[i] = static_cast<Code>(
              std::isnan(values[i]) ? column.missing_code()
                                    : code_of[static_cast<std::size_t>(values[i])]);
      },
      column.code);
  return column;
}

}  // namespace dpdtree
