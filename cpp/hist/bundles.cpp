#include "hist/bundles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

namespace dpdtree::boosting {
namespace {

constexpr std::size_t kProbeRows = 2000;
// A column that is often away from its usual bin has few partners.
constexpr double kLargestShare = 0.6;
constexpr std::size_t kOpenBundles = 64;

struct Sparse {
  u32 feature = 0;
  u32 default_bin = 0;
  u32 n_values = 0;
  std::size_t count = 0;    // rows away from the default
  std::vector<u64> away{};  // one bit per row
};

struct OpenBundle {
  u32 n_codes = 1;  // code 0: all members at their default
  std::vector<u64> used;
  std::vector<const Sparse*> members;
};

// The most frequent bin in a few evenly spaced rows, if it is frequent enough.
std::optional<u32> usual_bin(const MatrixView& x, u32 feature,
                             const FeatureBins& bins) {
  std::vector<Row> probe;
  const std::size_t step = std::max<std::size_t>(1, x.rows / kProbeRows);
  for (std::size_t i = 0; i < x.rows; i += step) probe.push_back(static_cast<Row>(i));
  std::array<u32, kMaxBins + 1> count{};
  for (const double v : read_column(x, feature, &probe)) ++count[bins.code_of(v)];
  const auto top = std::max_element(count.begin(), count.end());
  const auto bin = static_cast<u32>(top - count.begin());
  const double share =
      1 - static_cast<double>(*top) / static_cast<double>(probe.size());
  if (bin == bins.n_values || share > kLargestShare) return std::nullopt;
  return bin;
}

// Empty `away` if the column has missing values.
Sparse sparse_column(const MatrixView& x, u32 feature, const FeatureBins& bins,
                     u32 default_bin) {
  Sparse s{feature, default_bin, bins.n_values, 0, {}};
  const std::vector<double> values = read_column(x, feature, nullptr);
  s.away.assign((values.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const u32 code = bins.code_of(values[i]);
    if (code == bins.n_values) {
      s.away.clear();
      return s;
    }
    const u64 bit = code != default_bin;
    s.away[i / 64] |= bit << (i % 64);
    s.count += bit;
  }
  return s;
}

std::vector<Sparse> sparse_columns(const MatrixView& x,
                                   const std::vector<FeatureBins>& bins,
                                   ThreadPool& pool) {
  std::vector<Sparse> found(bins.size());
  pool.parallel_for(bins.size(), [&](std::size_t f, unsigned) {
    const FeatureBins& b = bins[f];
    if (b.categorical || b.n_values < 2 || b.n_values > kMaxBins / 2) return;
    const auto feature = static_cast<u32>(f);
    if (const auto bin = usual_bin(x, feature, b))
      found[f] = sparse_column(x, feature, b, *bin);
  });
  std::erase_if(found, [](const Sparse& s) { return s.away.empty(); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Sparse& a, const Sparse& b) { return a.count > b.count; });
  return found;
}

bool fits(const OpenBundle& bundle, const Sparse& s) {
  if (bundle.n_codes + s.n_values - 1 > kMaxBins) return false;
  for (std::size_t i = 0; i < s.away.size(); ++i)
    if ((bundle.used[i] & s.away[i]) != 0) return false;
  return true;
}

void put(OpenBundle& bundle, const Sparse& s) {
  bundle.members.push_back(&s);
  bundle.n_codes += s.n_values - 1;
  for (std::size_t i = 0; i < s.away.size(); ++i) bundle.used[i] |= s.away[i];
}

Bundle closed(const OpenBundle& open) {
  Bundle bundle;
  u32 offset = 1;
  for (const Sparse* s : open.members) {
    bundle.push_back({s->feature, offset, s->default_bin});
    offset += s->n_values - 1;
  }
  return bundle;
}

}  // namespace

std::vector<Bundle> find_bundles(const MatrixView& x,
                                 const std::vector<FeatureBins>& bins,
                                 ThreadPool& pool) {
  const std::vector<Sparse> columns = sparse_columns(x, bins, pool);
  std::vector<OpenBundle> open;
  for (const Sparse& s : columns) {
    const auto place = std::find_if(open.begin(), open.end(),
                                    [&](const OpenBundle& b) { return fits(b, s); });
    if (place != open.end()) {
      put(*place, s);
    } else if (open.size() < kOpenBundles) {
      open.push_back({1, std::vector<u64>(s.away.size(), 0), {}});
      put(open.back(), s);
    }
  }
  std::vector<Bundle> bundles;
  for (const OpenBundle& b : open)
    if (b.members.size() > 1) bundles.push_back(closed(b));
  return bundles;
}

}  // namespace dpdtree::boosting
