// Trees and forests as bytes: versioned, little-endian. Reading throws FormatError on
// anything that is not one of them; what earlier versions stored can still be read.
#pragma once

#include <string>
#include <string_view>

#include "tree/forest.hpp"
#include "tree/tree.hpp"

namespace dpdtree {

std::string to_bytes(const Tree& tree);
Tree tree_from_bytes(std::string_view bytes);

std::string to_bytes(const Forest& forest);
Forest forest_from_bytes(std::string_view bytes);

}  // namespace dpdtree
