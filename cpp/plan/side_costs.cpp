#include "plan/side_costs.hpp"

#include "data/rows.hpp"
#include "plan/split_bytes.hpp"

namespace dpdtree {
namespace {

template <class Add>
void assign_costs(const SideQuestion& q, const std::vector<Column>& columns,
                  const Targets& t, int i, u32 passed, std::span<const Row> rows,
                  double* y, const Add& add) {
  if (rows.empty()) return;
  const CostNode& node = q.nodes[static_cast<std::size_t>(i)];
  if (node.leaf())
    return assign_leaf_costs(q.loss, t, node, q.path_price * passed, rows, y, add);
  const Column& column = columns[node.split.feature];
  RowBuffer out(rows.size()), spare;
  const u32 n_left =
      partition_rows(column, node.split.left_codes(column), rows, out.data(), spare);
  const std::span<const Row> all(out.data(), out.size());
  assign_costs(q, columns, t, node.left, passed + 1, all.first(n_left), y, add);
  assign_costs(q, columns, t, node.right, passed + 1, all.subspan(n_left), y, add);
}

}  // namespace

void SideQuestion::write(ByteWriter& out, const std::vector<Column>& columns) const {
  out.number(static_cast<u64>(loss));
  out.raw(&path_price, sizeof path_price);
  out.raw(&largest, sizeof largest);
  out.number(n);
  out.number(only_mattering ? 1 : 0);
  out.number(static_cast<u64>(left));
  out.number(static_cast<u64>(right));
  out.number(nodes.size());
  for (const CostNode& node : nodes) {
    out.number(node.leaf() ? 1 : 0);
    if (node.leaf()) {
      out.sized(node.stats);
      out.sized(node.predictions);
      continue;
    }
    write_split(out, node.split, columns);
    out.number(static_cast<u64>(node.left));
    out.number(static_cast<u64>(node.right));
  }
}

SideQuestion SideQuestion::read(ByteReader& in, const std::vector<Column>& columns) {
  SideQuestion q;
  const u64 loss = in.number();
  if (loss >= static_cast<u64>(Criterion::fixed_sides))
    throw FormatError("a request names an unknown loss");
  q.loss = static_cast<Criterion>(loss);
  in.raw(&q.path_price, sizeof q.path_price);
  in.raw(&q.largest, sizeof q.largest);
  q.n = in.number();
  q.only_mattering = in.number() != 0;
  const u64 left = in.number(), right = in.number();
  q.nodes.resize(in.count());
  // Children come after their parents.
  const auto index = [&](u64 i, u64 least) {
    if (i < least || i >= q.nodes.size())
      throw FormatError("a subtree has an unknown node");
    return static_cast<int>(i);
  };
  q.left = index(left, 0);
  q.right = index(right, 0);
  for (u64 i = 0; i < q.nodes.size(); ++i) {
    CostNode& node = q.nodes[i];
    if (in.number() != 0) {
      in.sized(node.stats);
      in.sized(node.predictions);
      continue;
    }
    node.split = read_split(in, columns);
    node.left = index(in.number(), i + 1);
    node.right = index(in.number(), i + 1);
  }
  return q;
}

void SideQuestion::assign(const std::vector<Column>& columns, const Targets& t,
                          std::span<const Row> rows, double* y) const {
  assign_costs(*this, columns, t, left, 0, rows, y,
               [](double& v, double cost) { v = cost; });
  assign_costs(*this, columns, t, right, 0, rows, y,
               [](double& v, double cost) { v -= cost; });
}

}  // namespace dpdtree
