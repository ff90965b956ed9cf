"""The one table of constructor parameters: names, ranges, defaults and their text.

Validation, the estimators' docstrings and docs/parameters.md are all driven by it; a
test compares it with the signatures of the constructors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Protocol, TypeGuard

import numpy as np


def is_int(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is a real number of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Real)


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

    def accepts(self, value: object) -> bool:
        """Whether any constraint holds; the default always does."""
        return value is self.default or any(c.accepts(value) for c in self.constraints)

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        *first, last = [str(c) for c in self.constraints]
        return f"{', '.join(first)} or {last}" if first else last


STRATEGIES = ("greedy", "paper", "balanced", "optimal")
GENERATORS = ("cart", "top_b", "top_b_per_feature")
COMPLEXITIES = ("path_length", "n_leaves")

_NONE = Nothing()

_SHARED = (
    Parameter(
        "max_depth",
        3,
        (IntRange(1), _NONE),
        "Largest number of splits between the root and a leaf. None leaves the depth"
        " open; the paper's strategy then needs one number of candidates per depth.",
    ),
    Parameter(
        "strategy",
        "paper",
        (OneOf(STRATEGIES),),
        'How the tree is searched. "greedy" is CART: the best split of each node,'
        ' one after the other. "paper" is the published dynamic program: at each'
        " state it tries several candidate splits, follows each of them to the bottom"
        " and keeps the one whose subtree has the smallest objective.",
    ),
    Parameter(
        "n_candidates",
        8,
        (IntRange(1), IntSequence(1)),
        "Number of candidate splits of a state. An int holds for every depth; a"
        " sequence gives one number per depth, beyond its end it is 1 (the greedy"
        ' split). Ignored by strategy="greedy".',
    ),
    Parameter(
        "generator",
        "cart",
        (OneOf(GENERATORS),),
        'Where candidate splits come from. "cart": the splits of a best-first CART'
        ' with that many inner nodes, grown on the rows of the state. "top_b": the'
        ' best splits of the state by the criterion. "top_b_per_feature": the same,'
        " the best split of each feature first. The greedy split is always included.",
    ),
    Parameter("criterion", None, (), ""),
    Parameter("loss", None, (), ""),
    Parameter(
        "alpha",
        0.0,
        (RealRange(0.0),),
        "Price of one unit of complexity: the search minimises loss + alpha *"
        " complexity. 0.0 is the pure training loss.",
    ),
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
        'Grow at most this many leaves, best first. Only for strategy="greedy".',
    ),
    Parameter(
        "min_samples_split",
        2,
        (IntRange(2), RealRange(0.0, 1.0, open_low=True, fraction=True)),
        "Rows a node needs to be split; a float is a fraction of the training rows.",
    ),
    Parameter(
        "min_samples_leaf",
        1,
        (
            IntRange(1),
            RealRange(0.0, 1.0, open_low=True, open_high=True, fraction=True),
        ),
        "Rows each leaf keeps at least; a float is a fraction of the training rows.",
    ),
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
        " node's share of all training weight (scikit-learn's meaning).",
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
        " fraction of the features, None uses all of them.",
    ),
    Parameter("class_weight", None, (), ""),
    Parameter(
        "max_bins",
        None,
        (IntRange(2, 255), _NONE),
        "Merge the values of each feature into this many quantile bins. None searches"
        " every distinct value.",
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
        "1 prints a line about the search after the fit.",
    ),
)

_CLASSIFIER_ONLY = {
    "criterion": Parameter(
        "criterion",
        "gini",
        (OneOf(("gini", "entropy", "log_loss")),),
        'What proposes splits: Gini impurity or entropy ("log_loss" is the same).',
    ),
    "loss": Parameter(
        "loss",
        "zero_one",
        (OneOf(("zero_one", "gini", "log_loss")),),
        "What the search minimises: the training error, the mean Gini impurity of"
        " the leaves or their mean log-loss (in nats).",
    ),
    "class_weight": Parameter(
        "class_weight",
        None,
        (OneOf(("balanced",)), ClassWeights(), _NONE),
        'Weights of the classes: a dict, "balanced" for weights inversely'
        " proportional to the class counts, or None for equal weights.",
    ),
}

_REGRESSOR_ONLY = {
    "criterion": Parameter(
        "criterion",
        "squared_error",
        (OneOf(("squared_error",)),),
        "What proposes splits: the variance of the targets.",
    ),
    "loss": Parameter(
        "loss",
        "squared_error",
        (OneOf(("squared_error",)),),
        "What the search minimises: the mean squared error.",
    ),
}


def _table(own: Mapping[str, Parameter], leave_out: str = "") -> tuple[Parameter, ...]:
    return tuple(own.get(p.name, p) for p in _SHARED if p.name != leave_out)


CLASSIFIER = _table(_CLASSIFIER_ONLY)
REGRESSOR = _table(_REGRESSOR_ONLY, leave_out="class_weight")
