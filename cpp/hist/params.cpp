#include "hist/params.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"

namespace dpdtree::boosting {
namespace {

constexpr std::array<std::pair<std::string_view, Lookahead>, 4> kNames{
    {{"none", Lookahead::none},
     {"light", Lookahead::light},
     {"strong", Lookahead::strong},
     {"full", Lookahead::full}}};

}  // namespace

Lookahead lookahead_named(std::string_view name) {
  for (const auto& [known, value] : kNames)
    if (known == name) return value;
  throw InputError("lookahead must be 'none', 'light', 'strong' or 'full', got '" +
                   std::string(name) + "'");
}

std::string_view name_of(Lookahead lookahead) {
  return kNames[static_cast<std::size_t>(lookahead)].first;
}

}  // namespace dpdtree::boosting
