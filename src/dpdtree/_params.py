"""The one table of constructor parameters: names, ranges, defaults and their text.

Validation, the estimators' docstrings and docs/parameters.md are all driven by it; a
test compares it with the signatures of the constructors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from dpdtree._feature_rules import Costs, Directions, FeaturesByDepth, Groups
from dpdtree._numbers import is_int, is_real


class Constraint(Protocol):
    """A set of allowed values that can say what it is."""

    def accepts(self, value: object) -> bool: ...
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class IntRange:
    """Integers from low to high, both included."""

    low: int
    high: int | None = None

    def accepts(self, value: object) -> bool:
        if not is_int(value):
            return False
        return value >= self.low and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"an int >= {self.low}"
        return f"an int from {self.low} to {self.high}"


@dataclass(frozen=True)
class RealRange:
    """Finite reals from low to high; `fraction` leaves the integers to IntRange."""

    low: float
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    fraction: bool = False

    def accepts(self, value: object) -> bool:
        if not is_real(value) or (self.fraction and is_int(value)):
            return False
        x = float(value)
        above = x > self.low if self.open_low else x >= self.low
        below = x < self.high if self.open_high else x <= self.high
        return above and below and math.isfinite(x)

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"a finite float {'>' if self.open_low else '>='} {self.low}"
        left = "(" if self.open_low else "["
        right = ")" if self.open_high else "]"
        return f"a float in {left}{self.low}, {self.high}{right}"


@dataclass(frozen=True)
class OneOf:
    """One of a few strings."""

    options: tuple[str, ...]

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.options

    def __str__(self) -> str:
        *first, last = [f'"{option}"' for option in self.options]
        return f"{', '.join(first)} or {last}" if first else last


@dataclass(frozen=True)
class IntSequence:
    """A non-empty list, tuple or 1-D array of integers >= low."""

    low: int

    def accepts(self, value: object) -> bool:
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        item = IntRange(self.low)
        return len(value) > 0 and all(item.accepts(v) for v in value)

    def __str__(self) -> str:
        return f"a non-empty sequence of ints >= {self.low}"


@dataclass(frozen=True)
class NonzeroInt:
    """Any integer but zero (scikit-learn's and joblib's n_jobs)."""

    def accepts(self, value: object) -> bool:
        return IntRange(-(2**31), 2**31 - 1).accepts(value) and value != 0

    def __str__(self) -> str:
        return "a nonzero int"


@dataclass(frozen=True)
class ClassWeights:
    """A mapping from label to a finite weight >= 0."""

    def accepts(self, value: object) -> bool:
        weight = RealRange(0.0)
        return isinstance(value, Mapping) and all(map(weight.accepts, value.values()))

    def __str__(self) -> str:
        return "a dict of label: weight with finite weights >= 0"


@dataclass(frozen=True)
class ClassWeightList:
    """A list of such mappings, one per output."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, list) and all(map(ClassWeights().accepts, value))

    def __str__(self) -> str:
        return "a list of such dicts (one per output)"


@dataclass(frozen=True)
class CostMatrix:
    """A square matrix of finite numbers >= 0."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, str | bytes | Mapping):
            return False
        try:
            costs = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            return False
        square = costs.ndim == 2 and costs.shape[0] == costs.shape[1] > 0
        return square and bool(np.isfinite(costs).all() and (costs >= 0.0).all())

    def __str__(self) -> str:
        return "a square matrix of finite numbers >= 0"


@dataclass(frozen=True)
class FeatureChoice:
    """A sequence of feature names, of indices, or a mask of bools."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, np.ndarray):
            value = value.tolist() if value.ndim == 1 else None
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        return (
            all(isinstance(v, str) for v in value)
            or all(isinstance(v, bool | np.bool_) for v in value)
            or all(IntRange(0).accepts(v) for v in value)
        )

    def __str__(self) -> str:
        return "a sequence of feature names, of indices >= 0 or of one bool per feature"


@dataclass(frozen=True)
class RandomState:
    """A NumPy RandomState instance."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, np.random.RandomState)

    def __str__(self) -> str:
        return "a numpy.random.RandomState instance"


@dataclass(frozen=True)
class Flag:
    """A bool where an int would do as well."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "a bool"


@dataclass(frozen=True)
class Nothing:
    """None, where it has a meaning of its own."""

    def accepts(self, value: object) -> bool:
        return value is None

    def __str__(self) -> str:
        return "None"


@dataclass(frozen=True)
class Parameter:
    """A constructor parameter: what it may be, its default and what it means."""

    name: str
    default: object
    constraints: tuple[Constraint, ...]
    doc: str
    #: What "auto" stands for: with strategy="balanced", with the others.
    auto: tuple[object, object] = (None, None)

    def accepts(self, value: object) -> bool:
        """Whether any constraint holds; the default always does."""
        return value is self.default or any(c.accepts(value) for c in self.constraints)

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        *first, last = [str(c) for c in self.constraints]
        return f"{', '.join(first)} or {last}" if first else last


def resolved(estimator: Any, name: str) -> Any:
    """Return the value of a parameter, or what "auto" stands for."""
    value = getattr(estimator, name)
    if not isinstance(value, str) or value != "auto":
        return value
    [parameter] = [p for p in estimator._parameters if p.name == name]
    return parameter.auto[estimator.strategy != "balanced"]


STRATEGIES = ("greedy", "paper", "balanced", "optimal")
GENERATORS = ("cart", "top_b", "top_b_per_feature", "exhaustive")
COMPLEXITIES = ("path_length", "n_leaves")
REGRESSION_LOSSES = ("squared_error", "absolute_error", "poisson", "quantile")
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


_NONE = Nothing()
_AUTO = OneOf(("auto",))


_SHARED = (
    Parameter(
        "max_depth",
        "auto",
        (IntRange(1), _AUTO, _NONE),
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
        ' one after the other, pruned where alpha asks for it. "paper" is the published dynamic program: at each'
        " state it tries several candidate splits, follows each of them to the bottom"
        " and keeps the one whose subtree has the smallest objective."
        ' "balanced" adds an exhaustive search of the last two levels and a descent'
        ' over all thresholds: never worse than "greedy", nor than "paper" with the'
        ' same n_candidates, and mostly optimal. "optimal" starts from the balanced'
        " tree and searches until none is better, or time is up: gap_ says how much"
        " better a tree could be.",
    ),
    Parameter(
        "n_candidates",
        None,
        (IntRange(1), IntSequence(1), _NONE),
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
        (IntRange(2), _NONE),
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
            _NONE,
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
        (OneOf(("from_dtype",)), FeatureChoice(), _NONE),
        'Which features are categories, split by sets of them. "from_dtype": the'
        " columns of a categorical dtype (pandas category, polars Categorical and"
        " Enum, dictionaries of pyarrow). Columns of strings have to be named here."
        ' None takes every column for numbers. Not for strategy="optimal".',
    ),
    Parameter(
        "monotonic_cst",
        None,
        (Directions(), _NONE),
        "Features whose effect on the prediction must be increasing (1) or decreasing"
        " (-1), whatever the other features; 0 leaves it open. For regression and two"
        " classes, where the probability of the second is what rises or falls.",
    ),
    Parameter(
        "interaction_cst",
        None,
        (OneOf(("pairwise", "no_interactions")), Groups(), _NONE),
        "Groups of features that may meet on a path from the root to a leaf. Features"
        " in no group form one of their own.",
    ),
    Parameter(
        "feature_costs",
        None,
        (Costs(), _NONE),
        "What asking a feature costs, in units of the loss. A row pays once for each"
        " feature on its path; the mean, feature_cost_, is part of the objective.",
    ),
    Parameter(
        "allowed_features",
        None,
        (FeaturesByDepth(), _NONE),
        "Which features may be asked at a depth, the root being depth 0; at depths"
        ' that are not listed, all of them. {0: ["age"]} makes every tree ask the age'
        " first. With this or one of the three constraints above,"
        ' strategy="balanced" searches candidates and all splits of the last level'
        ' only; not for strategy="optimal", unless all depths allow the same features.',
    ),
    Parameter(
        "max_bins",
        None,
        (IntRange(2, 255), _NONE),
        "Merge the values of each feature into this many quantile bins, categories"
        " excepted. None searches every distinct value. A bound or a proof is then one"
        " for the trees on these bins.",
    ),
    Parameter(
        "time_limit",
        None,
        (RealRange(0.0), _NONE),
        "Seconds after which the search stops and returns its best tree so far;"
        " report_.stop_reason says whether it did. None waits for the end.",
    ),
    Parameter(
        "n_jobs",
        None,
        (NonzeroInt(), _NONE),
        "Number of threads: None means 1 outside a joblib context, -1 all cores."
        " The fitted tree does not depend on it.",
    ),
    Parameter(
        "random_state",
        None,
        (IntRange(0, 2**32 - 1), RandomState(), _NONE),
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
_ALPHA_DOC = (
    "Price of one unit of complexity: the search minimises loss + alpha *"
    ' complexity. 0.0 is the pure training loss. "mdl" (minimum description'
    " length) needs no tuning: each split costs (ln p + ln T) / 2 errors, where p"
    " is the number of features and T the number of thresholds its feature offers"
    " there; complexity_ is then the sum of these costs over the total weight."
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
        f'{_ALPHA_DOC} "auto" is "mdl" with strategy="balanced" and 0.0 with the'
        " others.",
        auto=("mdl", 0.0),
    ),
    "min_samples_leaf": Parameter("min_samples_leaf", 1, _LEAF_ROWS, _LEAF_ROWS_DOC),
    "criterion": Parameter(
        "criterion",
        "gini",
        (OneOf(("gini", "entropy", "log_loss")),),
        'What proposes splits: Gini impurity or entropy ("log_loss" is the same).',
    ),
    "loss": Parameter(
        "loss",
        "zero_one",
        (OneOf(("zero_one", "gini", "log_loss", "cost_matrix")),),
        "What the search minimises: the training error, the mean Gini impurity of"
        " the leaves, their mean log-loss (in nats) or the mean cost of their answers"
        ' by cost_matrix. Summed over several outputs. strategy="optimal" takes'
        ' "zero_one" only.',
    ),
    "cost_matrix": Parameter(
        "cost_matrix",
        None,
        (CostMatrix(), _NONE),
        'For loss="cost_matrix", and needed there: entry [i, j] is what it costs to'
        " predict classes_[j] where classes_[i] is true. Each leaf predicts the class"
        " of least expected cost. For one output.",
    ),
    "class_weight": Parameter(
        "class_weight",
        None,
        (OneOf(("balanced",)), ClassWeights(), ClassWeightList(), _NONE),
        'Weights of the classes: a dict, "balanced" for weights inversely'
        " proportional to the class counts, or None for equal weights. With several"
        " outputs a list of dicts; the weights of a row are multiplied.",
    ),
    "leaf_smoothing": Parameter(
        "leaf_smoothing",
        "auto",
        (RealRange(0.0), OneOf(("auto", "laplace")), _NONE),
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
        "alpha", "auto", _ALPHA, f'{_ALPHA_DOC} "auto" is 0.0.', auto=(0.0, 0.0)
    ),
    "min_samples_leaf": Parameter(
        "min_samples_leaf",
        "auto",
        (*_LEAF_ROWS, _AUTO),
        f'{_LEAF_ROWS_DOC} "auto" is 0.005 with strategy="balanced" and 1 with the'
        " others.",
        auto=(0.005, 1),
    ),
    "criterion": Parameter(
        "criterion",
        "squared_error",
        (OneOf(REGRESSION_LOSSES),),
        "What proposes splits: the variance of the targets, their mean absolute"
        " deviation from the median, half their Poisson deviance or the quantile loss.",
    ),
    "loss": Parameter(
        "loss",
        "squared_error",
        (OneOf(REGRESSION_LOSSES),),
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

_BY_NAME = {p.name: p for p in CLASSIFIER}

_ADABOOST_ONLY = {
    "max_depth": Parameter(
        "max_depth",
        3,
        (IntRange(1), _NONE),
        "Largest number of splits between the root and a leaf of each tree; None as"
        " for a single tree.",
    ),
    "alpha": Parameter("alpha", 0.0, (RealRange(0.0), OneOf(("mdl",))), _ALPHA_DOC),
    "strategy": replace(
        _BY_NAME["strategy"],
        default="paper",
        doc="How each tree is searched, as in DPDTreeClassifier. The default looks"
        ' ahead from the root; "balanced" takes much longer on weighted rows and gains'
        " nothing over it in boosting.",
    ),
    "n_candidates": replace(_BY_NAME["n_candidates"], default=(4, 1)),
    "loss": Parameter(
        "loss",
        "zero_one",
        (OneOf(("zero_one", "gini", "log_loss")),),
        "What each tree minimises: the training error, the mean Gini impurity of the"
        ' leaves or their mean log-loss. strategy="optimal" takes "zero_one" only.',
    ),
    "class_weight": Parameter(
        "class_weight",
        None,
        (OneOf(("balanced",)), ClassWeights(), _NONE),
        'Factors of the weights that boosting starts with: a dict, "balanced" for'
        " factors inversely proportional to the class counts, or None.",
    ),
    "time_limit": Parameter(
        "time_limit",
        None,
        (RealRange(0.0), _NONE),
        "Seconds for the whole ensemble. The tree that is not done by then is left"
        " out, unless it is the first; stop_reason_ says so. None waits for the end.",
    ),
    "n_jobs": Parameter(
        "n_jobs",
        None,
        (NonzeroInt(), _NONE),
        "Number of threads within a tree: None means 1 outside a joblib context, -1"
        " all cores. The trees do not depend on it.",
    ),
    "max_bins": Parameter(
        "max_bins",
        None,
        (IntRange(2, 255), _NONE),
        "Merge the values of each feature into this many quantile bins, once: those"
        " of the weights given to fit, for all trees. None searches every distinct"
        " value.",
    ),
    "random_state": Parameter(
        "random_state",
        None,
        (IntRange(0, 2**32 - 1), RandomState(), _NONE),
        "Seed of the trees' feature draws. Without max_features nothing is random.",
    ),
    "verbose": Parameter(
        "verbose",
        0,
        (IntRange(0), Flag()),
        "1 shows the number of trees and the error of the last one now and then.",
    ),
}

ADABOOST = (
    Parameter(
        "n_estimators",
        50,
        (IntRange(1),),
        "Number of trees at most; a tree without errors is the last one.",
    ),
    Parameter(
        "learning_rate",
        1.0,
        (RealRange(0.0, open_low=True),),
        "Factor of the weight of each tree.",
    ),
    *(
        _ADABOOST_ONLY.get(p.name, p)
        for p in CLASSIFIER
        if p.name not in ("leaf_smoothing", "cost_matrix", *FEATURE_CONSTRAINTS)
    ),
)
