// Whole numbers in few bytes: small ones take one, and so does a run of zeros. Doubles
// that are multiples of one power of two are packed as such. Counts, of which
// neighbours are alike, take as many bits as the largest of some neighbours exceeds the
// smallest.
#pragma once

#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace dpdtree {

void pack(ByteWriter& out, std::span<const i64> values);
void unpack(ByteReader& in, std::span<i64> values);

void pack(ByteWriter& out, std::span<const double> values);
void unpack(ByteReader& in, std::span<double> values);

void pack_counts(ByteWriter& out, std::span<const u32> values);
void unpack_counts(ByteReader& in, std::span<u32> values);

}  // namespace dpdtree
