// What the training rows themselves say about how large a tree should be and how far
// its values should be shrunk: folds of greedy trees, which take less time than one
// search that looks ahead.
#pragma once

#include "plan/plan.hpp"
#include "search/search.hpp"

namespace dpdtree {

inline constexpr u32 kFolds = 5;

// By the candidates of the search's parameters; the first of equals.
Tuned tune(const Search& search, const TrainingData& data);

// The same once a tree has been found: one leaf if neither it nor the greedy tree has a
// split that is more than noise.
Tuned tuned_without_noise(const Search& search, const Plan& plan);

}  // namespace dpdtree
