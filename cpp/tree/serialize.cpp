// Layout: magic, version, n_features, the number of outputs and the classes of each,
// node_count, then each array in the order of `Tree`; categories last, after the number
// of their array. Little-endian, as every platform with wheels is.
#include "base/bytes.hpp"
#include "base/error.hpp"
#include "tree/tree.hpp"

namespace dpdtree {
namespace {

constexpr std::string_view kMagic = "dpdtree\n";
constexpr u64 kVersion = 3;  // 1 has no categories, 1 and 2 have one output

}  // namespace

std::string tree_to_bytes(const Tree& tree) {
  ByteWriter out;
  out.raw(kMagic.data(), kMagic.size());
  out.number(kVersion);
  out.number(static_cast<u64>(tree.n_features));
  out.number(tree.n_classes.size());
  out.array(tree.n_classes);
  out.number(tree.node_count());
  out.array(tree.children_left);
  out.array(tree.children_right);
  out.array(tree.feature);
  out.array(tree.threshold);
  out.array(tree.missing_go_to_left);
  out.array(tree.value);
  out.array(tree.impurity);
  out.array(tree.n_node_samples);
  out.array(tree.weighted_n_node_samples);
  out.number(tree.category_left.size());
  out.array(tree.category_end);
  out.array(tree.category_left);
  return std::move(out.bytes);
}

Tree tree_from_bytes(std::string_view bytes) {
  ByteReader in(bytes, "tree");
  std::string magic(kMagic.size(), '\0');
  in.raw(magic.data(), magic.size());
  if (magic != kMagic) throw InputError("not the data of a dpdtree tree");
  const u64 version = in.number();
  if (version > kVersion)
    throw InputError("tree data of version " + std::to_string(version) +
                     " needs a newer dpdtree (this one reads up to version " +
                     std::to_string(kVersion) + ")");
  Tree tree;
  tree.n_features = static_cast<i64>(in.number());
  // Sizes beyond the data itself are nonsense, and their product could overflow.
  const auto size = [&] {
    const u64 number = in.number();
    if (number > bytes.size()) throw InputError("tree data is cut short");
    return number;
  };
  if (version > 2)
    in.array(tree.n_classes, size());
  else
    tree.n_classes = {static_cast<i64>(size())};
  const u64 n = size();
  for (const i64 k : tree.n_classes)
    if (k < 1 || static_cast<u64>(k) > bytes.size())
      throw InputError("tree data is cut short");
  if (tree.n_values() > bytes.size()) throw InputError("tree data is cut short");
  in.array(tree.children_left, n);
  in.array(tree.children_right, n);
  in.array(tree.feature, n);
  in.array(tree.threshold, n);
  in.array(tree.missing_go_to_left, n);
  in.array(tree.value, n * tree.n_values());
  in.array(tree.impurity, n);
  in.array(tree.n_node_samples, n);
  in.array(tree.weighted_n_node_samples, n);
  const u64 n_categories = version > 1 ? in.number() : 0;
  if (n_categories > 0) in.array(tree.category_end, n);
  in.array(tree.category_left, n_categories);
  if (!in.at_end()) throw InputError("tree data has bytes after its end");
  check_tree(tree);
  return tree;
}

}  // namespace dpdtree
