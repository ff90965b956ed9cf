// Which splits of a state are worth to be shown.
#pragma once

#include <memory>
#include <vector>

#include "plan/plan.hpp"
#include "search/candidates/generator.hpp"
#include "search/lookahead/lookahead.hpp"
#include "search/search.hpp"

namespace dpdtree {

class AlternativeSplits {
 public:
  explicit AlternativeSplits(const Search& search);

  // Those of the strategy's own generator and the best ones of single features, for
  // variety; many where little has to be searched below them, else the n that look
  // best, and with `spare` some more, since looks deceive.
  std::vector<Split> propose(const Search& state, u32 n, const Plan& own,
                             bool spare) const;

  // Does the split keep the limits at the root of the search? `split` is settled.
  bool allowed(const Search& state, const Children& children, const Split& split) const;

 private:
  std::unique_ptr<Generator> generator_;
  std::unique_ptr<Generator> per_feature_;
  std::unique_ptr<Lookahead> lookahead_;  // null: the order of the generators counts

  void keep_promising(const Search& state, std::size_t most, const Plan& own,
                      std::vector<Split>& splits) const;
};

}  // namespace dpdtree
