"""The one table of constructor parameters: names, ranges, defaults and their text.

Validation, the estimators' docstrings and docs/parameters.md are all driven by it; a
test compares it with the signatures of the constructors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from dpdtree._losses import criteria, tree_losses
from dpdtree._params.feature_rules import (
    Costs,
    Directions,
    FeaturesByDepth,
    ForcedSplits,
    Groups,
)
from dpdtree._params.kinds import (
    ClassWeightList,
    ClassWeights,
    CostMatrix,
    FeatureChoice,
    Flag,
    IntRange,
    IntSequence,
    NonzeroInt,
    Nothing,
    OneOf,
    Parameter,
    RandomState,
    RealRange,
)

STRATEGIES = ("auto", "greedy", "paper", "balanced", "optimal")
GENERATORS = ("cart", "top_b", "top_b_per_feature", "exhaustive")
COMPLEXITIES = ("path_length", "n_leaves")
FEATURE_CONSTRAINTS = (
    "monotonic_cst",
    "interaction_cst",
    "feature_costs",
    "allowed_features",
)

#: What n_candidates=None means with strategy="auto", with "paper", and with "balanced"
#: and "optimal" for trees of up to three levels and for deeper ones.
AUTO_CANDIDATES = (4, 4, 2, 1)
PAPER_CANDIDATES = 8
SHALLOW_CANDIDATES = (4, 1)
DEEP_CANDIDATES = (4, 4, 4, 1)


#: Among these multiples of the price by "mdl" folds choose where alpha="auto" of a
#: regressor asks for it; the smallest tree comes first and wins ties.
PRICE_SCALES = (math.inf, 4.0, 2.0, 1.0, 0.5, 0.25, 0.0)
#: Among these strengths where shrinkage="folds" asks for it.
CLASS_SHRINKAGES = (400.0, 200.0, 100.0, 60.0, 30.0, 10.0, 3.0, 1.0)
NUMBER_SHRINKAGES = (300.0, 100.0, 30.0, 10.0, 3.0)
#: How often alpha="auto" lets rows that tell nothing be split.
NOISE_LEVEL = 0.01
#: Losses of decisions: shrunk shares would decide otherwise than the loss was counted.
DECISION_LOSSES = ("zero_one", "cost_matrix")


def default_candidates(
    strategy: str, max_depth: int | None, *, looks_further: bool
) -> int | tuple[int, ...]:
    """Return what n_candidates=None stands for."""
    if strategy == "auto":
        return AUTO_CANDIDATES
    if strategy == "paper":
        return PAPER_CANDIDATES
    if strategy == "greedy" or looks_further:
        return 1
    shallow = max_depth is not None and max_depth <= 3
    return SHALLOW_CANDIDATES if shallow else DEEP_CANDIDATES


NONE = Nothing()
_AUTO = OneOf(("auto",))


_SHARED = (
    Parameter(
        "max_depth",
        "auto",
        (IntRange(1), _AUTO, NONE),
        'Largest number of splits between the root and a leaf. "auto" is 6 with'
        ' strategy="auto", 5 with "balanced" and 3 with the others. None leaves the'
        ' depth open, for strategy="auto", for "greedy", with one number of'
        ' candidates per depth for "paper", and with a price per leaf for "optimal".',
        auto=(("auto", 6), ("balanced", 5), ("other", 3)),
    ),
    Parameter("strategy", None, (), ""),
    Parameter(
        "n_candidates",
        None,
        (IntRange(1), IntSequence(1), NONE),
        "Number of candidate splits of a state. An int holds for every depth; a"
        " sequence gives one number per depth, beyond its end it is 1 (the greedy"
        f' split). None is {AUTO_CANDIDATES} with strategy="auto" of a classifier,'
        f' {PAPER_CANDIDATES} at each depth with "paper";'
        f' with "balanced" and "optimal" it is {DEEP_CANDIDATES}, and'
        f" {SHALLOW_CANDIDATES} for trees of up to three levels; 1 where alpha is a"
        " number, unless min_impurity_decrease or max_features keep them from looking"
        ' further ahead. Ignored by strategy="greedy".',
    ),
    Parameter(
        "generator",
        "cart",
        (OneOf(GENERATORS),),
        'Where the candidate splits of strategy="paper" come from. "cart": the splits'
        " of a best-first CART with that many inner nodes, grown on the rows of the"
        ' state. "top_b": the best splits of the state by the criterion.'
        ' "top_b_per_feature": the same, the best split of each feature first. The'
        ' greedy split is always included. "exhaustive": every threshold at every'
        " depth, whatever n_candidates says; the oracle, for small data only. The"
        " other strategies have their own candidates and ignore it.",
    ),
    Parameter("criterion", None, (), ""),
    Parameter("loss", None, (), ""),
    Parameter("cost_matrix", None, (), ""),
    Parameter("quantile", None, (), ""),
    Parameter("alpha", None, (), ""),
    Parameter(
        "complexity",
        "path_length",
        (OneOf(COMPLEXITIES),),
        'What alpha counts. "path_length": the weighted mean number of splits a'
        ' training row passes. "n_leaves": the number of leaves.',
    ),
    Parameter(
        "max_leaf_nodes",
        None,
        (IntRange(2), NONE),
        'At most this many leaves. With strategy="greedy" they are grown best first;'
        " the other strategies find the best tree with so few: of all trees that they"
        ' look at, or, with "optimal", of all there are.',
    ),
    Parameter(
        "min_samples_split",
        2,
        (IntRange(2), RealRange(0.0, 1.0, open_low=True, fraction=True)),
        "Rows a node needs to be split; a float is a fraction of the training rows.",
    ),
    Parameter("min_samples_leaf", None, (), ""),
    Parameter(
        "min_weight_fraction_leaf",
        0.0,
        (RealRange(0.0, 0.5),),
        "Minimum share of the total sample weight in a leaf.",
    ),
    Parameter(
        "min_impurity_decrease",
        0.0,
        (RealRange(0.0),),
        "A split has to lower the impurity by at least this much, weighted by the"
        " node's share of all training weight (scikit-learn's meaning). Above 0.0,"
        ' strategy="balanced" searches its candidates only; not for "optimal".',
    ),
    Parameter(
        "max_features",
        None,
        (
            IntRange(1),
            RealRange(0.0, 1.0, open_low=True, fraction=True),
            OneOf(("sqrt", "log2")),
            NONE,
        ),
        "Number of features drawn at random for each split search; a float is a"
        " fraction of the features, None uses all of them. With fewer than all,"
        ' strategy="balanced" searches its candidates only; not for "optimal".',
    ),
    Parameter("class_weight", None, (), ""),
    Parameter("leaf_smoothing", None, (), ""),
    Parameter("shrinkage", None, (), ""),
    Parameter(
        "categorical_features",
        "from_dtype",
        (OneOf(("from_dtype",)), FeatureChoice(), NONE),
        'Which features are categories, split by sets of them. "from_dtype": the'
        " columns of a categorical dtype (pandas category, polars Categorical and"
        " Enum, dictionaries of pyarrow) or of strings. Strings that hardly repeat,"
        " such as names, are an error unless the column is named here. None takes every"
        ' column for numbers. Not for strategy="optimal".',
    ),
    Parameter(
        "monotonic_cst",
        None,
        (Directions(), NONE),
        "Features whose effect on the prediction must be increasing (1) or decreasing"
        " (-1), whatever the other features; 0 leaves it open. For regression and two"
        " classes, where the probability of the second is what rises or falls.",
    ),
    Parameter(
        "interaction_cst",
        None,
        (OneOf(("pairwise", "no_interactions")), Groups(), NONE),
        "Groups of features that may meet on a path from the root to a leaf. Features"
        " in no group form one of their own.",
    ),
    Parameter(
        "feature_costs",
        None,
        (Costs(), NONE),
        "What asking a feature costs, in units of the loss. A row pays once for each"
        " feature on its path; the mean, feature_cost_, is part of the objective.",
    ),
    Parameter(
        "allowed_features",
        None,
        (FeaturesByDepth(), NONE),
        "Which features may be asked at a depth, the root being depth 0; at depths"
        ' that are not listed, all of them. {0: ["age"]} makes every tree ask the age'
        " first. With this or one of the three constraints above,"
        ' strategy="balanced" searches candidates and all splits of the last level'
        ' only; not for strategy="optimal", unless all depths allow the same features.',
    ),
    Parameter(
        "forced_splits",
        None,
        (ForcedSplits(), NONE),
        "Splits that the tree begins with. Every strategy finds the best tree that has"
        ' them, and "optimal" proves that none of those is better. Each is a dict; rows'
        " go left where the feature is <= threshold or one of the"
        " categories, and missing values where missing_left says, or where it is"
        " better. Limits and constraints hold for these splits, too, and alpha counts"
        " them; no pruning takes them away. `Alternatives.splits` makes such dicts.",
    ),
    Parameter(
        "max_bins",
        None,
        (IntRange(2, 255), NONE),
        "Merge the values of each feature into this many quantile bins, categories"
        " excepted. None searches every distinct value. A bound or a proof is then one"
        " for the trees on these bins.",
    ),
    Parameter(
        "time_limit",
        None,
        (RealRange(0.0), NONE),
        "Seconds after which the search stops and returns its best tree so far, not"
        " worse than CART's if there was time for that one; report_.stop_reason says"
        " whether it did. None waits for the end.",
    ),
    Parameter(
        "n_jobs",
        None,
        (NonzeroInt(), NONE),
        "Number of threads: None means 1 outside a joblib context, -1 all cores."
        " The fitted tree does not depend on it.",
    ),
    Parameter(
        "random_state",
        None,
        (IntRange(0, 2**32 - 1), RandomState(), NONE),
        "Seed of the feature draw. Without max_features nothing is random.",
    ),
    Parameter(
        "verbose",
        0,
        (IntRange(0), Flag()),
        "1 prints a line about the search after the fit and, while a long proof goes"
        " on, its objective, lower bound and gap (by rich or tqdm if installed).",
    ),
)

_STRATEGY_DOC = (
    '"greedy" is CART: the best split of each node,'
    ' one after the other, pruned where alpha asks for it. "paper" is the published'
    " dynamic program: at each state it tries several candidate splits, follows"
    " each of them to the bottom and keeps the one whose subtree has the smallest"
    " objective."
    ' "balanced" adds an exhaustive search of the last two levels and a descent'
    ' over all thresholds: never worse than "greedy", nor than "paper" with the'
    ' same n_candidates, and mostly optimal. "optimal" starts from the balanced'
    " tree and searches until none is better, or time is up: gap_ says how much"
    " better a tree could be."
)
_SHRINKAGE_DOC = (
    "Hierarchical shrinkage of what nodes predict: each step down a path changes {what}"
    " by so much less, divided by 1 + shrinkage / rows of the upper node."
    " The tree, its loss_ and objective_ stay those of the"
    ' unshrunk leaves, tree_.value too; 0.0 changes nothing. "folds" chooses among'
    " {candidates} by the {score} of five folds of greedy"
    ' trees; shrinkage_ says what was chosen. "auto" is "folds" with'
    ' strategy="auto" and alpha="auto"{unless}, else 0.0.'
)


def _listed(numbers: tuple[float, ...]) -> str:
    *first, last = [f"{number:g}" for number in sorted(numbers)]
    return f"{', '.join(first)} and {last}"


_SHRINKAGE = (RealRange(0.0), OneOf(("auto", "folds")))

_ALPHA = (RealRange(0.0), OneOf(("auto", "mdl")))
ALPHA_DOC = (
    "Price of one unit of complexity: the search minimises loss + alpha *"
    ' complexity. 0.0 is the pure training loss. "mdl" (minimum description'
    " length) needs no tuning: each split costs (ln p + ln T) / 2 errors, where p"
    " is the number of features and T the number of thresholds, or sets of"
    " categories, its feature offers there; complexity_ is then the sum of these costs"
    " over the total weight."
    ' Not for strategy="optimal".'
)
_LEAF_ROWS = (
    IntRange(1),
    RealRange(0.0, 1.0, open_low=True, open_high=True, fraction=True),
)
_LEAF_ROWS_DOC = (
    "Minimum number of rows in a leaf; a float is a fraction of the training rows."
)

_CLASSIFIER_ONLY = {
    "alpha": Parameter(
        "alpha",
        "auto",
        _ALPHA,
        f'{ALPHA_DOC} "auto" is "mdl" with strategy="balanced" and 0.0 with "greedy",'
        ' "paper" and "optimal". With strategy="auto" it is "mdl", unless all splits'
        " of the greedy tree may be noise: then the tree is one leaf. A split counts"
        " as more than noise if rows that tell nothing would have one as good with a"
        f" probability below {NOISE_LEVEL:g}.",
        auto=(("auto", "mdl"), ("balanced", "mdl"), ("other", 0.0)),
    ),
    "strategy": Parameter(
        "strategy",
        "auto",
        (OneOf(STRATEGIES),),
        'How the tree is searched. "auto", for new rows, is "paper" with few candidates'
        " and the log-loss. It sets max_depth, n_candidates, criterion, loss, alpha,"
        " shrinkage and leaf_smoothing, as their texts say, unless you do."
        f" {_STRATEGY_DOC}",
        auto=(("auto", "paper"),),
    ),
    "shrinkage": Parameter(
        "shrinkage",
        "auto",
        _SHRINKAGE,
        _SHRINKAGE_DOC.format(
            what="the class shares",
            candidates=_listed(CLASS_SHRINKAGES),
            score="log-loss",
            unless=", unless the loss counts decisions (zero_one, cost_matrix)",
        )
        + " predict returns the class of the largest shrunk share.",
        auto=(("auto", "folds"), ("other", 0.0)),
    ),
    "min_samples_leaf": Parameter("min_samples_leaf", 1, _LEAF_ROWS, _LEAF_ROWS_DOC),
    "criterion": Parameter(
        "criterion",
        "gini",
        (OneOf(criteria("classification")),),
        'Proposes candidate splits: Gini impurity or entropy ("log_loss" is the same).'
        " Unlike in scikit-learn, the tree minimises `loss`, not this.",
    ),
    "loss": Parameter(
        "loss",
        "auto",
        (OneOf(("auto", *tree_losses("classification"))),),
        "What the search minimises: the training error, the mean Gini impurity of"
        " the leaves, their mean log-loss (in nats) or the mean cost of their answers"
        ' by cost_matrix. Summed over several outputs. strategy="optimal" takes'
        ' "zero_one" and "cost_matrix" only. "auto" is "log_loss" with'
        ' strategy="auto", and "zero_one" with the others.',
        auto=(("auto", "log_loss"), ("other", "zero_one")),
    ),
    "cost_matrix": Parameter(
        "cost_matrix",
        None,
        (CostMatrix(), NONE),
        'For loss="cost_matrix", and needed there: entry [i, j] is what it costs to'
        " predict classes_[j] where classes_[i] is true. Each leaf predicts the class"
        " of least expected cost. For one output.",
    ),
    "class_weight": Parameter(
        "class_weight",
        None,
        (OneOf(("balanced",)), ClassWeights(), ClassWeightList(), NONE),
        'Weights of the classes: a dict, "balanced" for weights inversely'
        " proportional to the class counts, or None for equal weights. With several"
        " outputs a list of dicts; the weights of a row are multiplied.",
    ),
    "leaf_smoothing": Parameter(
        "leaf_smoothing",
        "auto",
        (RealRange(0.0), OneOf(("auto", "laplace")), NONE),
        "Draws the probabilities of a leaf towards the class shares of the training"
        " set, as if so many rows of them (in units of sample_weight if these are"
        " whole numbers, of their mean if not) had been added"
        ' to the leaf; "laplace" adds one row of each class, None and 0 nothing. For'
        " predict_proba only: the most probable class stays the one predict returns."
        ' "auto" is 3.0 with strategy="auto" and "balanced", and None with the others'
        " and where shares are shrunk already. None with monotonic_cst, too:"
        " it changes small leaves more than large ones.",
        auto=(("auto", 3.0), ("balanced", 3.0), ("other", None)),
    ),
}

_REGRESSOR_ONLY = {
    "alpha": Parameter(
        "alpha",
        "auto",
        _ALPHA,
        f'{ALPHA_DOC} "auto" is 0.0 with a named strategy. With strategy="auto" it is'
        ' "mdl" times what is best by the loss of five folds of greedy trees, of'
        f" {_listed(PRICE_SCALES)}, and the tree is one leaf if all splits of the"
        " greedy tree may be noise; price_scale_ says what was chosen.",
        auto=(("auto", "mdl"), ("other", 0.0)),
    ),
    "strategy": Parameter(
        "strategy",
        "auto",
        (OneOf(STRATEGIES),),
        'How the tree is searched. "auto", for new rows, is "greedy", or "paper" if'
        " n_candidates or generator is given: on small noisy data trees that look"
        " ahead predict numbers worse. It sets max_depth, min_samples_leaf, alpha and"
        " shrinkage, as their texts say, unless you do."
        f" {_STRATEGY_DOC}",
        auto=(("auto", "greedy"),),
    ),
    "shrinkage": Parameter(
        "shrinkage",
        "auto",
        _SHRINKAGE,
        _SHRINKAGE_DOC.format(
            what="the prediction",
            candidates=_listed(NUMBER_SHRINKAGES),
            score="loss",
            unless="",
        ),
        auto=(("auto", "folds"), ("other", 0.0)),
    ),
    "min_samples_leaf": Parameter(
        "min_samples_leaf",
        "auto",
        (*_LEAF_ROWS, _AUTO),
        f'{_LEAF_ROWS_DOC} "auto" is 5 with strategy="auto" (integer weights count'
        " copies of a row; of any others, five times their mean), 0.01 with"
        ' "balanced" and 1 with the others.',
        auto=(("auto", 5), ("balanced", 0.01), ("other", 1)),
    ),
    "criterion": Parameter(
        "criterion",
        "squared_error",
        (OneOf(criteria("regression")),),
        "Proposes candidate splits: the variance of the targets, their mean absolute"
        " deviation from the median, half their Poisson deviance or the quantile loss."
        " Unlike in scikit-learn, the tree minimises `loss`, not this.",
    ),
    "loss": Parameter(
        "loss",
        "squared_error",
        (OneOf(tree_losses("regression")),),
        "What the search minimises, and by what leaves predict: the mean squared error"
        " (leaves predict means), the mean absolute error (medians), half the mean"
        " Poisson deviance (means; targets >= 0) or the quantile (pinball) loss of"
        ' `quantile`. Summed over several outputs. strategy="optimal" takes'
        ' "squared_error" only.',
    ),
    "quantile": Parameter(
        "quantile",
        0.5,
        (RealRange(0.0, 1.0, open_low=True, open_high=True),),
        'The quantile that loss="quantile" and criterion="quantile" are about.',
    ),
}


def _table(
    own: Mapping[str, Parameter], leave_out: tuple[str, ...] = ()
) -> tuple[Parameter, ...]:
    return tuple(own.get(p.name, p) for p in _SHARED if p.name not in leave_out)


CLASSIFIER = _table(_CLASSIFIER_ONLY, leave_out=("quantile",))
REGRESSOR = _table(
    _REGRESSOR_ONLY, leave_out=("cost_matrix", "class_weight", "leaf_smoothing")
)
