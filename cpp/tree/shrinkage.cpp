#include "tree/shrinkage.hpp"

namespace dpdtree {

std::vector<double> shrunk_values(const Tree& tree, std::span<const double> rows,
                                  double strength) {
  std::vector<double> out = tree.value;
  if (strength == 0) return out;
  const std::size_t width = tree.n_values();
  for (std::size_t node = 0; node < tree.node_count(); ++node) {
    if (tree.is_leaf(node)) continue;
    const double share = shrunk_share(strength, rows[node]);
    for (const i64 below : {tree.children_left[node], tree.children_right[node]}) {
      const auto child = static_cast<std::size_t>(below);
      for (std::size_t k = 0; k < width; ++k)
        out[child * width + k] =
            out[node * width + k] +
            share * (tree.value[child * width + k] - tree.value[node * width + k]);
    }
  }
  return out;
}

}  // namespace dpdtree
