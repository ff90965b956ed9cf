"""The one table of constructor parameters: names, ranges, defaults and their text.

Validation, the estimators' docstrings and docs/parameters.md are all driven by it; a
test compares it with the signatures of the constructors.
"""

from __future__ import annotations

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

STRATEGIES = ("greedy", "paper", "balanced", "optimal")
GENERATORS = ("cart", "top_b", "top_b_per_feature", "exhaustive")
COMPLEXITIES = ("path_length", "n_leaves")
FEATURE_CONSTRAINTS = (
    "monotonic_cst",
    "interaction_cst",
    "feature_costs",
    "allowed_features",
)

#: What n_candidates=None means with strategy="paper", and with "balanced" and "optimal"
#: for trees of up to three levels and for deeper ones.
PAPER_CANDIDATES = 8
SHALLOW_CANDIDATES = (4, 1)
DEEP_CANDIDATES = (4, 4, 4, 1)


def default_candidates(strategy: str, max_depth: int | None) -> int | tuple[int, ...]:
    """Return what n_candidates=None stands for."""
    if strategy == "greedy":
        return 1
    if strategy == "paper":
        return PAPER_CANDIDATES
    shallow = max_depth is not None and max_depth <= 3
    return SHALLOW_CANDIDATES if shallow else DEEP_CANDIDATES


NONE = Nothing()
_AUTO = OneOf(("auto",))


_SHARED = (
    Parameter(
        "max_depth",
        "auto",
        (IntRange(1), _AUTO, NONE),
        'Largest number of splits between the root and a leaf. "auto" is 5 with'
        ' strategy="balanced" and 3 with the others. None leaves the depth open, for'
        ' strategy="greedy" and, with one number of candidates per depth, for'
        ' "paper".',
        auto=(5, 3),
    ),
    Parameter(
        "strategy",
        "balanced",
        (OneOf(STRATEGIES),),
        'How the tree is searched. "greedy" is CART: the best split of each node,'
        ' one after the other, pruned where alpha asks for it. "paper" is the published'
        " dynamic program: at each state it tries several candidate splits, follows"
        " each of them to the bottom and keeps the one whose subtree has the smallest"
        " objective."
        ' "balanced" adds an exhaustive search of the last two levels and a descent'
        ' over all thresholds: never worse than "greedy", nor than "paper" with the'
        ' same n_candidates, and mostly optimal. "optimal" starts from the balanced'
        " tree and searches until none is better, or time is up: gap_ says how much"
        " better a tree could be.",
    ),
    Parameter(
        "n_candidates",
        None,
        (IntRange(1), IntSequence(1), NONE),
        "Number of candidate splits of a state. An int holds for every depth; a"
        " sequence gives one number per depth, beyond its end it is 1 (the greedy"
        f' split). None is {PAPER_CANDIDATES} at each depth with strategy="paper";'
        f' with "balanced" and "optimal" it is {DEEP_CANDIDATES}, and'
        f" {SHALLOW_CANDIDATES} for trees of up to three levels. Ignored by"
        ' strategy="greedy".',
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
        "Share of the total sample weight each leaf keeps at least.",
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
        "Splits that the tree begins with: the best tree that has them is searched,"
        ' by every strategy, and "optimal" proves that none of those is better. Each'
        " is a dict; rows go left where the feature is <= threshold or one of the"
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
        "Seconds after which the search stops and returns its best tree so far;"
        " report_.stop_reason says whether it did. None waits for the end.",
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
    "Rows each leaf keeps at least; a float is a fraction of the training rows."
)

_CLASSIFIER_ONLY = {
    "alpha": Parameter(
        "alpha",
        "auto",
        _ALPHA,
        f'{ALPHA_DOC} "auto" is "mdl" with strategy="balanced" and 0.0 with the'
        " others.",
        auto=("mdl", 0.0),
    ),
    "min_samples_leaf": Parameter("min_samples_leaf", 1, _LEAF_ROWS, _LEAF_ROWS_DOC),
    "criterion": Parameter(
        "criterion",
        "gini",
        (OneOf(criteria("classification")),),
        'What proposes splits: Gini impurity or entropy ("log_loss" is the same).',
    ),
    "loss": Parameter(
        "loss",
        "zero_one",
        (OneOf(tree_losses("classification")),),
        "What the search minimises: the training error, the mean Gini impurity of"
        " the leaves, their mean log-loss (in nats) or the mean cost of their answers"
        ' by cost_matrix. Summed over several outputs. strategy="optimal" takes'
        ' "zero_one" only.',
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
        ' "auto" is 3.0 with strategy="balanced" and loss="zero_one", else None: the'
        " other losses are those of the raw shares. None with monotonic_cst, too:"
        " it changes small leaves more than large ones.",
        auto=(3.0, None),
    ),
}

_REGRESSOR_ONLY = {
    "alpha": Parameter(
        "alpha", "auto", _ALPHA, f'{ALPHA_DOC} "auto" is 0.0.', auto=(0.0, 0.0)
    ),
    "min_samples_leaf": Parameter(
        "min_samples_leaf",
        "auto",
        (*_LEAF_ROWS, _AUTO),
        f'{_LEAF_ROWS_DOC} "auto" is 0.01 with strategy="balanced" and 1 with the'
        " others.",
        auto=(0.01, 1),
    ),
    "criterion": Parameter(
        "criterion",
        "squared_error",
        (OneOf(criteria("regression")),),
        "What proposes splits: the variance of the targets, their mean absolute"
        " deviation from the median, half their Poisson deviance or the quantile loss.",
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
