#include "prove/near_trees.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace dpdtree {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostKnown = 1u << 18;  // sets of rows
constexpr std::size_t kMostFollowed = 12;
constexpr std::size_t kMostPairs = 60'000;  // questions divided by, times questions

// From the least.
std::vector<u32> places_by(const std::vector<double>& loss) {
  std::vector<u32> out(loss.size());
  std::iota(out.begin(), out.end(), 0u);
  std::stable_sort(out.begin(), out.end(),
                   [&](u32 a, u32 b) { return loss[a] < loss[b]; });
  return out;
}

// One of the first, one of the second, and so on, each once: as many as the first has.
std::vector<u32> in_turn(const std::vector<u32>& first,
                         const std::vector<u32>& second) {
  std::vector<u32> out;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (const u32 one : {first[i], second[i]})
      if (std::find(out.begin(), out.end(), one) == out.end()) out.push_back(one);
  out.resize(first.size());
  return out;
}

// The questions to be followed: those that lose least with four leaves, and with three.
template <class Losses>
std::vector<u32> first_of(std::vector<Losses> losses) {
  const std::size_t n = std::min(losses.size(), kMostFollowed);
  const auto best_by = [&](double Losses::* loss) {
    std::partial_sort(losses.begin(), losses.begin() + static_cast<std::ptrdiff_t>(n),
                      losses.end(), [&](const Losses& a, const Losses& b) {
                        return a.*loss != b.*loss ? a.*loss < b.*loss
                                                  : a.question < b.question;
                      });
    std::vector<u32> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(losses[i].question);
    return out;
  };
  const std::vector<u32> four = best_by(&Losses::four_leaves);
  return in_turn(four, best_by(&Losses::three_leaves));
}

}  // namespace

// A tree of two levels below a question, or a leaf.
struct NearTrees::Candidate {
  double complexity, loss;
  u32 question;
  bool yes_splits, no_splits;
};

NearTrees::NearTrees(const ExactParams& params, Prices prices, StopToken& stop,
                     PairTables& tables)
    : params_(params),
      all_prices_(prices == Prices::all),
      rate_(all_prices_ ? 0 : params.cost.penalty_rate()),
      stop_(stop),
      tables_(tables),
      two_levels_(kMostKnown),
      solved_(kMostKnown) {}

// Fewer of them the more levels there are, and the more questions a table has.
NearTrees::Widths NearTrees::widths_of(u32 levels) const {
  static constexpr Widths kWidths[] = {
      {kMostFollowed, 4}, {kMostFollowed, 3}, {8, 2}, {6, 2}, {4, 1}, {2, 1}};
  const auto n_divisions = [&](const Widths& w) {
    double n = static_cast<double>(w.three);
    for (u32 more = 3; more < levels; ++more)
      n = static_cast<double>(w.more) * (1 + 2 * n);
    return n;
  };
  const double most =
      static_cast<double>(kMostPairs) / static_cast<double>(tables_.questions().size());
  for (const Widths& w : kWidths)
    if (n_divisions(w) <= most) return w;
  return {1, 1};
}

NearTree NearTrees::leaf_of(const CountedRows& rows) const {
  return {0, side_of(rows.n_of, kInf).leaf};
}

// Is the leaf the best tree, or no tree better than the target?
bool NearTrees::ends(const CountedRows& rows, double target) const {
  if (rows.n < params_.limits.min_samples_split) return true;
  const double least = price_of(rows.weight) + params_.tolerance;
  return least >= std::min(leaf_of(rows).loss, target);
}

// What is best at the price, or at any: the lower convex hull.
template <class Tree>
void NearTrees::keep_best(std::vector<Tree>& trees) const {
  const auto value = [&](const Tree& t) { return t.loss + rate_ * t.complexity; };
  if (!all_prices_) {
    const auto best = std::min_element(
        trees.begin(), trees.end(),
        [&](const Tree& a, const Tree& b) { return value(a) < value(b); });
    trees = {Tree(std::move(*best))};
    return;
  }
  std::stable_sort(trees.begin(), trees.end(), [](const Tree& a, const Tree& b) {
    return a.complexity != b.complexity ? a.complexity < b.complexity : a.loss < b.loss;
  });
  std::vector<Tree> hull;
  for (Tree& tree : trees) {
    if (!hull.empty() && tree.loss >= hull.back().loss - params_.tolerance) continue;
    while (hull.size() > 1) {
      const Tree &a = hull[hull.size() - 2], &b = hull.back();
      if ((a.loss - b.loss) * (tree.complexity - b.complexity) >
          (b.loss - tree.loss) * (b.complexity - a.complexity))
        break;
      hull.pop_back();
    }
    hull.push_back(std::move(tree));
  }
  trees = std::move(hull);
}

NearTrees::Side NearTrees::side_of(std::span<const i32> counts, double stump) const {
  const std::vector<double>& unit = tables_.groups().unit;
  Side out{0, stump, tables_.groups().weight(counts)};
  double most = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    most = std::max(most, counts[k] * unit[k]);
    out.n += static_cast<u32>(counts[k]);
  }
  out.leaf = out.weight - most;
  if (out.n < params_.limits.min_samples_split) out.stump = kInf;
  return out;
}

// Each side a leaf or a stump; at one price only what is better than the one tree
// there.
void NearTrees::add_trees(u32 question, const Side& yes, const Side& no,
                          std::vector<Candidate>& out) const {
  const auto value = [&](const Candidate& t) { return t.loss + rate_ * t.complexity; };
  const auto weight = [&](const Side& s) {
    return params_.cost.complexity_weight(s.weight);
  };
  const double own = params_.cost.complexity_weight(yes.weight + no.weight);
  for (const bool yes_splits : {false, true}) {
    for (const bool no_splits : {false, true}) {
      const double loss =
          (yes_splits ? yes.stump : yes.leaf) + (no_splits ? no.stump : no.leaf);
      if (loss == kInf) continue;
      const Candidate tree{
          own + (yes_splits ? weight(yes) : 0) + (no_splits ? weight(no) : 0), loss,
          question, yes_splits, no_splits};
      if (all_prices_)
        out.push_back(tree);
      else if (value(tree) < value(out.back()))
        out.back() = tree;
    }
  }
}

// A tree of more than two levels splits one side twice at least; the other one is a
// leaf, a stump, or as dear.
double NearTrees::least_beyond(const Side& yes, const Side& no) const {
  const auto one = [&](const Side& s) {
    return std::min(s.leaf, price_of(s.weight) + s.stump);
  };
  const auto two = [&](const Side& s) {
    if (s.n < params_.limits.min_samples_split) return kInf;
    const bool same = params_.cost.complexity == Complexity::n_leaves;
    return (same ? 2 : 1) * price_of(s.weight);
  };
  return price_of(yes.weight + no.weight) +
         std::min(two(yes) + std::min(one(no), two(no)),
                  two(no) + std::min(one(yes), two(yes)));
}

NearTrees::TablePtr NearTrees::two_levels(const CountedRows& rows,
                                          const MakeTable& make_table) {
  constexpr u32 kLeaf = ~0u;
  TablePtr known;
  if (two_levels_.lookup(rows.key, known)) return known;
  if (!make_table()) throw SearchStopped{};
  const u32 least = std::max(1u, params_.limits.min_samples_leaf);
  tables_.rate_stumps(rows, least);
  const double leaf = leaf_of(rows).loss;
  std::vector<Candidate> trees{{0, leaf, kLeaf, false, false}};
  known = std::make_shared<TwoLevels>();
  known->loss = leaf;
  std::vector<i32> yes(tables_.n_classes()), no(tables_.n_classes());
  for (u32 q = 0; q < tables_.questions().size(); ++q) {
    for (std::size_t k = 0; k < yes.size(); ++k) {
      yes[k] = tables_.both(rows, k, q, q);
      no[k] = rows.n_of[k] - yes[k];
    }
    const Side y = side_of(yes, tables_.stump_of_yes(q));
    const Side n = side_of(no, tables_.stump_of_no(q));
    if (y.n < least || n.n < least) continue;
    add_trees(q, y, n, trees);
    const double stump_yes = std::min(y.leaf, y.stump);
    const double stump_no = std::min(n.leaf, n.stump);
    known->losses.push_back({q, std::min(y.leaf + stump_no, stump_yes + n.leaf),
                             stump_yes + stump_no, least_beyond(y, n)});
    known->loss = std::min(known->loss, stump_yes + stump_no);
  }
  keep_best(trees);
  for (const Candidate& t : trees)
    known->front.push_back(
        {t.complexity, t.loss,
         t.question == kLeaf
             ? nullptr
             : choice_of(t.question, 1 + t.yes_splits, 1 + t.no_splits)});
  two_levels_.store(rows.key, known, 1);
  return known;
}

std::shared_ptr<const ExactChoice> NearTrees::choice_of(u32 question, u64 yes_leaves,
                                                        u64 no_leaves) const {
  const Question& q = tables_.questions()[question];
  return std::make_shared<const ExactChoice>(
      ExactChoice{true, q.ordering, q.rank, yes_leaves, no_leaves, nullptr, nullptr});
}

void NearTrees::divide(const CountedRows& rows, u32 question, u32 levels) {
  if (stop_.poll()) throw SearchStopped{};
  auto& [small, large] = spare_[levels];
  tables_.divide(rows, question, small, large);
}

// Most tables are those of the last two levels: nothing is followed there.
void NearTrees::choose_followed(TwoLevels& known) {
  if (known.losses.empty()) return;
  known.order = first_of(known.losses);
  std::vector<double> three_leaves;
  for (const u32 q : known.order) {
    const auto of_q = std::find_if(known.losses.begin(), known.losses.end(),
                                   [&](const Losses& l) { return l.question == q; });
    known.beyond.push_back(of_q->beyond);
    three_leaves.push_back(of_q->three_leaves);
  }
  known.by_three_leaves = places_by(three_leaves);
  known.losses = {};
}

// By the losses of three levels, and of three leaves.
void NearTrees::rank(const CountedRows& rows, u32 levels, TwoLevels& known,
                     const MakeTable& make_table) {
  if (!rows.counted && !make_table()) throw SearchStopped{};
  auto& [small, large] = spare_[levels];
  const auto loss_of = [&](const CountedRows& side, const MakeTable& make) {
    if (side.n < params_.limits.min_samples_split) return leaf_of(side).loss;
    return two_levels(side, make)->loss;
  };
  std::vector<double> loss;
  for (const u32 q : known.order) {
    divide(rows, q, levels);
    const double of_large =
        loss_of(large, [&] { return tables_.count_larger(rows, stop_, small, large); });
    loss.push_back(of_large +
                   loss_of(small, [&] { return tables_.count_smaller(stop_, small); }));
  }
  known.deeper = in_turn(places_by(loss), known.by_three_leaves);
}

NearTrees::Front NearTrees::solve(const CountedRows& rows, u32 levels, double target,
                                  const Widths& widths, const MakeTable& make_table) {
  if (ends(rows, target)) return {leaf_of(rows)};
  Hash128 key = rows.key;
  key += {mix64(levels + 64 * widths.more), mix64(widths.three)};
  Solved solved;
  const auto usable = [&](const Solved& s) {
    return all_prices_ || s.target >= target || value_of(s.front) < s.target;
  };
  if (levels > 2 && solved_.lookup(key, solved, usable)) return solved.front;
  const TablePtr known = two_levels(rows, make_table);
  if (levels == 2) return known->front;
  choose_followed(*known);
  Front best = known->front;
  if (levels > 3) best = solve(rows, 3, target, widths, make_table);
  const auto may_help = [&](std::size_t i) {
    return all_prices_ ||
           known->beyond[i] + params_.tolerance < std::min(target, value_of(best));
  };
  bool any = false;
  for (std::size_t i = 0; i < known->order.size(); ++i) any |= may_help(i);
  if (any && levels > 3 && known->deeper.empty())
    rank(rows, levels, *known, make_table);
  const std::size_t most = levels == 3 ? widths.three : widths.more;
  for (std::size_t at = 0; any && at < std::min(most, known->order.size()); ++at) {
    const std::size_t i = levels == 3 ? at : known->deeper[at];
    if (!may_help(i)) continue;
    if (!rows.counted && !make_table()) throw SearchStopped{};
    follow(rows, known->order[i], levels, target, widths, best);
  }
  solved_.store(key, {best, target}, 1);
  return best;
}

void NearTrees::follow(const CountedRows& rows, u32 question, u32 levels, double target,
                       const Widths& widths, Front& best) {
  divide(rows, question, levels);
  auto& [small, large] = spare_[levels];
  const double wanted = all_prices_ ? kInf
                                    : std::min(target, value_of(best)) -
                                          price_of(rows.weight) - params_.tolerance;
  const double least_of_small = std::min(leaf_of(small).loss, price_of(small.weight));
  const Front of_large = solve(large, levels - 1, wanted - least_of_small, widths, [&] {
    return large.counted || tables_.count_larger(rows, stop_, small, large);
  });
  if (value_of(of_large) + least_of_small >= wanted) return;
  const Front of_small = solve(small, levels - 1, wanted - value_of(of_large), widths,
                               [&] { return tables_.count_smaller(stop_, small); });
  if (value_of(of_large) + value_of(of_small) >= wanted) return;
  const bool yes = tables_.questions().yes(small.rows.front(), question);
  const Front more = joined(rows, question, of_small, of_large, yes, levels);
  best.insert(best.end(), more.begin(), more.end());
  keep_best(best);
}

// A tree of each side.
NearTrees::Front NearTrees::joined(const CountedRows& rows, u32 question,
                                   const Front& small, const Front& large,
                                   bool small_says_yes, u32 levels) const {
  const u64 most = Cost::max_leaves(levels - 1);
  const auto leaves = [&](const NearTree& t) { return t.choice == nullptr ? 1 : most; };
  const double own = params_.cost.complexity_weight(rows.weight);
  struct Pair {
    double complexity, loss;
    const NearTree *small, *large;
  };
  std::vector<Pair> pairs;
  for (const NearTree& s : small)
    for (const NearTree& l : large)
      pairs.push_back({own + s.complexity + l.complexity, s.loss + l.loss, &s, &l});
  keep_best(pairs);
  Front out;
  for (const Pair& p : pairs) {
    const NearTree &yes = small_says_yes ? *p.small : *p.large,
                   &no = small_says_yes ? *p.large : *p.small;
    ExactChoice choice = *choice_of(question, leaves(yes), leaves(no));
    choice.left = yes.choice;
    choice.right = no.choice;
    out.push_back(
        {p.complexity, p.loss, std::make_shared<const ExactChoice>(std::move(choice))});
  }
  return out;
}

const CountedRows& NearTrees::root_of(std::span<const u32> rows) {
  const CountedRows* const root = tables_.make(rows, stop_);
  if (root == nullptr) throw SearchStopped{};
  return *root;
}

NearTrees::Front NearTrees::find(std::span<const u32> rows, u32 levels) {
  const CountedRows& root = root_of(rows);
  spare_.resize(std::max<std::size_t>(spare_.size(), levels + 1));
  Front best{leaf_of(root)};
  for (u32 some = 2; some <= levels; ++some) {
    const Widths widths = widths_of(some);
    // With the same widths more levels are no worse.
    if (some < levels && widths == widths_of(some + 1)) continue;
    const Front found = solve(root, some, all_prices_ ? kInf : value_of(best), widths,
                              [] { return true; });
    best.insert(best.end(), found.begin(), found.end());
    keep_best(best);
  }
  return best;
}

NearTrees::Front NearTrees::find_three_levels(std::span<const u32> rows) {
  const CountedRows& root = root_of(rows);
  spare_.resize(std::max<std::size_t>(spare_.size(), 4));
  if (ends(root, kInf)) return {leaf_of(root)};
  Front best = two_levels(root, [] { return true; })->front;
  const u32 least = std::max(1u, params_.limits.min_samples_leaf);
  for (u32 q = 0; q < tables_.questions().size(); ++q) {
    u32 n_yes = 0, n_no = 0;
    for (std::size_t k = 0; k < tables_.n_classes(); ++k) {
      const i32 yes = tables_.both(root, k, q, q);
      n_yes += static_cast<u32>(yes);
      n_no += static_cast<u32>(root.n_of[k] - yes);
    }
    if (n_yes >= least && n_no >= least) follow(root, q, 3, kInf, {}, best);
  }
  return best;
}

}  // namespace dpdtree
