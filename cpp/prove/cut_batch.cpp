#include "prove/cut_batch.hpp"

namespace dpdtree {

BatchCodes::BatchCodes() {
  for (const std::size_t n_parts : {1, 2, 4}) {
    const std::size_t most = CutBatch::most_cuts(n_parts), steps = most + 1;
    std::size_t n_codes = 1;
    for (std::size_t p = 0; p < n_parts; ++p) n_codes *= steps;
    for (std::size_t code = 0; code < n_codes; ++code) {
      u32 bits = 0;
      std::size_t rest = code;
      for (std::size_t p = 0; p < n_parts; ++p, rest /= steps)
        bits |= ((1u << rest % steps) - 1) << p * most;
      beyond_[first_code(n_parts) + code] = static_cast<u16>(bits);
    }
  }
}

}  // namespace dpdtree
