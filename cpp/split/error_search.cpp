#include "split/feature_search_impl.hpp"
#include "split/loss_accumulators.hpp"

namespace dpdtree {

FeatureSearchPtr make_error_search(const SearchInput& in) {
  if (in.targets.n_classes == 2)
    return in.targets.weighted() ? make_search<BinaryErrors<true>>(in)
                                 : make_search<BinaryErrors<false>>(in);
  return in.targets.weighted() ? make_search<WeightedErrors>(in)
                               : make_search<ClassErrors>(in);
}

}  // namespace dpdtree
