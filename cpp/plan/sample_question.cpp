#include "plan/sample_question.hpp"

#include <algorithm>
#include <utility>

namespace dpdtree {
namespace {

void write_parts(ByteWriter& out, const std::vector<PartSize>& parts) {
  out.number(parts.size());
  for (const PartSize& part : parts) {
    out.number(part.n);
    out.raw(&part.weight, sizeof part.weight);
  }
}

template <class T>
void append_to(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

Draw SampleQuestion::draw_at(std::size_t partition) const {
  Draw own = draw;
  for (std::size_t k = 0; k < std::min(partition, parts.size()); ++k) {
    own.n_before += parts[k].n;
    own.weight_before += parts[k].weight;
  }
  return own;
}

void SampleQuestion::write(ByteWriter& out) const {
  out.sized(features);
  out.number(draw.most);
  out.number(draw.by_weight ? 1 : 0);
  out.number(draw.n);
  out.raw(&draw.weight, sizeof draw.weight);
  write_parts(out, parts);
}

SampleQuestion SampleQuestion::read(ByteReader& in, std::size_t n_features) {
  SampleQuestion q;
  in.sized(q.features);
  for (const u32 f : q.features)
    if (f >= n_features) throw FormatError("a sample has an unknown feature");
  q.draw.most = in.number();
  q.draw.by_weight = in.number() != 0;
  q.draw.n = in.number();
  in.raw(&q.draw.weight, sizeof q.draw.weight);
  q.parts.resize(in.count());
  for (PartSize& part : q.parts) {
    part.n = in.number();
    in.raw(&part.weight, sizeof part.weight);
  }
  return q;
}

DrawnRows::DrawnRows(const std::vector<Column>& columns, const Targets& t,
                     const std::vector<u32>& features, const std::vector<Row>& rows) {
  for (const u32 f : features)
    visit_codes(columns[f].code, [&](const auto* code) {
      std::vector<u32>& own = codes.emplace_back();
      for (const Row r : rows) own.push_back(code[r]);
    });
  for (const Row r : rows) {
    if (t.classification()) label.push_back(t.label[r]);
    if (!t.classification()) y.push_back(t.y[r]);
    if (t.weighted()) weight.push_back(t.weight[r]);
  }
}

void DrawnRows::append(const DrawnRows& other) {
  if (other.codes.size() != codes.size())
    throw FormatError("partitions sample different features");
  for (std::size_t i = 0; i < codes.size(); ++i) append_to(codes[i], other.codes[i]);
  append_to(label, other.label);
  append_to(y, other.y);
  append_to(weight, other.weight);
}

// A byte for each code that fits one.
void DrawnRows::write(ByteWriter& out) const {
  out.number(codes.size());
  for (const std::vector<u32>& own : codes) {
    const bool small =
        std::all_of(own.begin(), own.end(), [](u32 c) { return c <= 0xff; });
    out.number(small ? 1 : 0);
    if (small)
      out.sized(std::vector<u8>(own.begin(), own.end()));
    else
      out.sized(own);
  }
  out.sized(label);
  out.sized(y);
  out.sized(weight);
}

DrawnRows DrawnRows::read(ByteReader& in) {
  DrawnRows rows;
  rows.codes.resize(in.count());
  for (std::vector<u32>& own : rows.codes) {
    if (in.number() == 0) {
      in.sized(own);
      continue;
    }
    std::vector<u8> small;
    in.sized(small);
    own.assign(small.begin(), small.end());
  }
  in.sized(rows.label);
  in.sized(rows.y);
  in.sized(rows.weight);
  for (const std::vector<u32>& own : rows.codes)
    if (own.size() != rows.n()) throw FormatError("a sample lacks codes");
  return rows;
}

SampledRows DrawnRows::with(const std::vector<Column>& columns, const Targets& units,
                            const std::vector<u32>& features) const {
  if (codes.size() != features.size())
    throw FormatError("a sample has other features than were asked for");
  SampledRows out{std::vector<Column>(columns.size()), units};
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Column& all = columns[features[i]];
    Column& own = out.columns[features[i]];
    own.n_values = all.n_values;
    own.n_missing = all.n_missing;
    own.binned = all.binned;
    own.categorical = all.categorical;
    own.code = make_codes(n(), all.n_codes());
    std::visit(
        [&](auto& code) {
          for (std::size_t r = 0; r < n(); ++r) {
            if (codes[i][r] >= all.n_codes())
              throw FormatError("a sample has an unknown code");
            code[r] = static_cast<std::decay_t<decltype(code[r])>>(codes[i][r]);
          }
        },
        own.code);
  }
  out.targets.label.assign(label.begin(), label.end());
  out.targets.y = y;
  out.targets.weight = weight;
  return out;
}

}  // namespace dpdtree
