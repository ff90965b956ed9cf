"""The leaves of a tree: the rows that get there, what they say and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from dpdtree._numbers import row_counts
from dpdtree.export._program import Feature, Nodes, SingleTree, named, read_model
from dpdtree.export.conditions import exact

#: Losses whose leaves predict a mean.
_MEANS = ("squared_error", "poisson")


class Condition(NamedTuple):
    """What all splits on the way to a leaf ask of one feature together."""

    feature: Feature
    low: float = -math.inf  # a number lies above it,
    high: float = math.inf  # and not above this
    categories: tuple[int, ...] | None = None  # the known ones that get there
    missing: bool = True  # whether missing and unknown values get there

    def narrowed(self, question: Any, *, left: bool) -> Condition:
        """Return the condition after one more split."""
        missing = self.missing and question.missing_left == left
        if question.members is None:
            cut = question.threshold
            if left:
                return self._replace(high=min(self.high, cut), missing=missing)
            return self._replace(low=max(self.low, cut), missing=missing)
        known = self.categories
        if known is None:
            known = tuple(range(len(self.feature.categories or ())))
        members = set(question.members)
        kept = left == question.members_go_left
        some = tuple(place for place in known if (place in members) == kept)
        return self._replace(categories=some, missing=missing)


class Leaf(NamedTuple):
    """A leaf and the way to it."""

    node: int
    conditions: tuple[Condition, ...]


def leaves_of(nodes: Nodes, features: Sequence[Feature]) -> list[Leaf]:
    """Return the leaves from left to right, their conditions as they are asked."""
    found: list[Leaf] = []
    todo: list[tuple[int, Mapping[int, Condition]]] = [(0, {})]
    while todo:
        node, way = todo.pop()
        question = nodes.questions[node]
        if question is None:
            found.append(Leaf(node, tuple(way.values())))
            continue
        feature = question.feature
        before = way.get(feature, Condition(features[feature]))
        for child, left in ((nodes.right[node], False), (nodes.left[node], True)):
            todo.append((child, {**way, feature: before.narrowed(question, left=left)}))
    return found


class Wording(NamedTuple):
    """How conditions are written."""

    has_missing: Sequence[bool]  # of each feature, in fit
    decimals: int | None = None  # None: as many as it takes
    most_listed: int | None = None

    def number(self, value: float) -> str:
        """Return a number, exactly unless digits are limited."""
        return exact(value, self.decimals)

    def condition(self, condition: Condition) -> str:
        """Return a condition in words."""
        if condition.categories is None:
            return self._of_number(condition)
        return self._of_category(condition)

    def _of_number(self, condition: Condition) -> str:
        name, low, high = named(condition.feature), condition.low, condition.high
        if low >= high:
            return f"{name} is missing"
        bounded = self._between(name, low, high)
        if not bounded:
            return f"{name} is not missing"
        seen = condition.missing and self.has_missing[condition.feature.place]
        return bounded + " or missing" * bool(seen)

    def _between(self, name: str, low: float, high: float) -> str:
        if low == -math.inf:
            return "" if high == math.inf else f"{name} <= {self.number(high)}"
        if high == math.inf:
            return f"{name} > {self.number(low)}"
        return f"{self.number(low)} < {name} <= {self.number(high)}"

    def _of_category(self, condition: Condition) -> str:
        name = named(condition.feature)
        known = condition.feature.categories or ()
        allowed = [str(known[place]) for place in condition.categories or ()]
        if not condition.missing:
            return f"{name} in {self.listed(allowed)}"
        seen = bool(self.has_missing[condition.feature.place])
        if not allowed:
            return f"{name} is {'missing or ' * seen}unknown"
        others = set(range(len(known))) - set(condition.categories or ())
        if not others:
            return f"{name} is anything"
        if len(others) <= len(allowed):
            excluded = self.listed([str(known[place]) for place in sorted(others)])
            return f"{name} not in {excluded}" + " or missing" * seen
        return f"{name} in {self.listed(allowed)} or {'missing or ' * seen}unknown"

    def listed(self, names: Sequence[str]) -> str:
        """Return a set of names, cut if it is long."""
        most = len(names) if self.most_listed is None else self.most_listed
        more = len(names) - most
        if more > 1:
            return f"{{{', '.join(names[:most])}, ... {more} more}}"
        return f"{{{', '.join(names)}}}"


def joined(conditions: Sequence[str]) -> str:
    """Return conditions as one."""
    if not conditions:
        return "always"
    several = len(conditions) > 1
    parts = [f"({c})" if several and " or " in c else c for c in conditions]
    return " and ".join(parts)


def one_output(estimator: Any, what: str, feature_names: Any = None) -> SingleTree:
    """Return a tree of one output; refuse other models by name of what was asked."""
    program = read_model(estimator, feature_names)
    if not isinstance(program, SingleTree):
        raise TypeError(
            f"{what} is for single trees; {type(estimator).__name__} has many. Use"
            " export_text(trees=[0]) or explain."
        )
    if program.n_outputs > 1:
        raise ValueError(
            f"{what} is for one output, and this tree has {program.n_outputs}."
        )
    return program


def has_missing(estimator: Any) -> Sequence[bool]:
    """Return which features had missing values in fit; all may have, if unknown."""
    n = estimator.n_features_in_
    return list(getattr(estimator, "has_missing_", [True] * n))


def wilson(events: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Return Wilson's interval for a share of n rows."""
    z = float(ndtri(0.5 + level / 2))
    events, n = np.asarray(events, float), np.asarray(n, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = events / n
        middle = (share + z * z / (2 * n)) / (1 + z * z / n)
        half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        half /= 1 + z * z / n
    return np.clip(middle - half, 0.0, 1.0), np.clip(middle + half, 0.0, 1.0)


def t_interval(mean: Any, variance: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Return Student's interval for a mean, given the variance divided by n."""
    mean, n = np.asarray(mean, float), np.asarray(n, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        half = stdtrit(n - 1, 0.5 + level / 2) * np.sqrt(variance / (n - 1))
    half = np.where(n > 1, half, np.nan)
    return mean - half, mean + half


class Support(NamedTuple):
    """Training rows of every node, and what is known of the prediction there."""

    n: NDArray[np.int64]
    weight: NDArray[np.float64]
    events: NDArray[np.float64] | None  # weight of the label; of a classifier
    rate: NDArray[np.float64]  # its share, or the mean
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def support(
    estimator: Any, program: SingleTree, level: float, label: int | None = None
) -> Support:
    """Return the support of all nodes; `label` counts instead of the predicted one."""
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}.")
    tree = estimator.tree_
    n, weight = tree.n_node_samples, tree.weighted_n_node_samples
    rows = row_counts(weight, n)
    if program.classes is None:
        mean = tree.node_values[:, 0]  # of the rows, not shrunk as predictions are
        low = high = np.full(len(mean), np.nan)
        known = getattr(estimator, "criterion", None) == "squared_error"
        if known and getattr(estimator, "loss", None) in _MEANS:
            low, high = t_interval(mean, tree.impurity, rows, level)
        return Support(n, weight, None, mean, low, high)
    codes = program.decisions[:, 0]
    if label is not None:
        codes = np.full(len(codes), label)
    rate = tree.value[np.arange(len(codes)), 0, codes]
    low, high = wilson(rate * rows, rows, level)
    return Support(n, weight, rate * weight, rate, low, high)
