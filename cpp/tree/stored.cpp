// Layout: magic and version; of a forest its sizes, its baseline and the number of its
// trees; then the record of each tree. A record is the number of features, whether the
// tree is boosted, and its arrays, each after its length. Children are not stored:
// preorder gives them. A checksum of all bytes ends it.
#include "tree/stored.hpp"

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "tree/stored_versions.hpp"
#include "tree/tree_builder.hpp"

namespace dpdtree {
namespace {

constexpr std::string_view kTreeMagic = "dpdtree\n";
constexpr std::string_view kForestMagic = "dpdboost";
// Trees of version 1 to 3 stored their children, forests of version 1 their sets of
// categories as bits; there is a checksum from version 5 and 3 on.
constexpr u64 kTreeVersion = 5;
constexpr u64 kForestVersion = 3;

void write_header(ByteWriter& out, std::string_view magic, u64 version) {
  out.raw(magic.data(), magic.size());
  out.number(version);
}

// Returns the version.
u64 read_header(ByteReader& in, std::string_view magic, u64 newest, const char* what) {
  std::string found(magic.size(), '\0');
  in.raw(found.data(), found.size());
  if (found != magic) throw FormatError(std::string("not the data of a ") + what);
  const u64 version = in.number();
  if (version > newest)
    throw FormatError("the data of a " + std::string(what) + " of version " +
                      std::to_string(version) +
                      " needs a newer dpdtree (this one reads up to version " +
                      std::to_string(newest) + ")");
  return version;
}

void write_tree(ByteWriter& out, const Tree& tree) {
  out.number(static_cast<u64>(tree.n_features));
  out.number(tree.gain.empty() ? 0 : 1);
  out.sized(tree.n_classes);
  out.sized(tree.feature);
  out.sized(tree.threshold);
  out.sized(tree.missing_go_to_left);
  out.sized(tree.category_end);
  out.sized(tree.category_left);
  out.sized(tree.value);
  out.sized(tree.gain.empty() ? tree.impurity : tree.gain);
  out.sized(tree.n_node_samples);
  out.sized(tree.weighted_n_node_samples);
}

Tree read_tree(ByteReader& in) {
  Tree tree;
  tree.n_features = static_cast<i64>(in.number());
  const bool boosted = in.number() != 0;
  in.sized(tree.n_classes);
  in.sized(tree.feature);
  in.sized(tree.threshold);
  in.sized(tree.missing_go_to_left);
  in.sized(tree.category_end);
  in.sized(tree.category_left);
  in.sized(tree.value);
  in.sized(boosted ? tree.gain : tree.impurity);
  in.sized(tree.n_node_samples);
  in.sized(tree.weighted_n_node_samples);
  link_children(tree);
  check_tree(tree);
  return tree;
}

void check_end(const ByteReader& in, const char* what) {
  if (!in.at_end())
    throw FormatError(std::string(what) + " data has bytes after its end");
}

}  // namespace

std::string to_bytes(const Tree& tree) {
  ByteWriter out;
  write_header(out, kTreeMagic, kTreeVersion);
  write_tree(out, tree);
  return std::move(out).sealed();
}

Tree tree_from_bytes(std::string_view bytes) {
  ByteReader in(bytes, "tree");
  const u64 version = read_header(in, kTreeMagic, kTreeVersion, "dpdtree tree");
  if (version > 4) in.unseal();
  Tree tree = version < 4 ? read_early_tree(in, version) : read_tree(in);
  check_end(in, "tree");
  return tree;
}

std::string to_bytes(const Forest& forest) {
  ByteWriter out;
  write_header(out, kForestMagic, kForestVersion);
  out.number(forest.n_features);
  out.number(forest.n_outputs);
  out.number(forest.trees.size());
  out.array(forest.baseline);
  for (const auto& tree : forest.trees) write_tree(out, *tree);
  return std::move(out).sealed();
}

Forest forest_from_bytes(std::string_view bytes) {
  ByteReader in(bytes, "model");
  const u64 version =
      read_header(in, kForestMagic, kForestVersion, "boosted dpdtree model");
  if (version > 2) in.unseal();
  Forest forest;
  forest.n_features = static_cast<u32>(in.number());
  forest.n_outputs = static_cast<u32>(in.number());
  const u64 n_trees = in.count();
  in.array(forest.baseline, forest.n_outputs);
  for (u64 i = 0; i < n_trees; ++i)
    forest.trees.push_back(std::make_shared<const Tree>(
        version < 2 ? read_early_boosted_tree(in, forest.n_features) : read_tree(in)));
  check_end(in, "model");
  check_forest(forest);
  return forest;
}

}  // namespace dpdtree
