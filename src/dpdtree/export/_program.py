"""A fitted model as the writers of code see it: questions, leaves and a link.

Trees and boosted trees store their splits differently; here a split is one `Question`.
Missing values and categories unknown to the fit take the same side, so that a set of
categories is written as the one that takes the other side: whatever is not in it,
known or not, needs no mention.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpdtree._losses import link_of
from dpdtree._smoothing import node_probabilities
from dpdtree._structure import TREE_LEAF, node_decisions, node_predictions
from dpdtree.export._boosted import BoostedStructure, check_one_output, trees

Plain: TypeAlias = str | bool | int | float

#: Integers up to here are doubles, too.
LARGEST_INTEGER = 2**53


class Feature(NamedTuple):
    """A column of X."""

    place: int
    name: str | None
    categories: tuple[Plain, ...] | None

    @property
    def kind(self) -> str:
        """What its values are: "number", "text", "flag" or "code" (of a category)."""
        if self.categories is None:
            return "number"
        if all(isinstance(value, str) for value in self.categories):
            return "text"
        flags = all(isinstance(value, bool) for value in self.categories)
        return "flag" if flags else "code"


class Question(NamedTuple):
    """What a split asks.

    Of a number: is it <= `threshold`? Then it goes left. Of a category: is it one of
    `members`, places in the feature's categories? Then it goes left if
    `members_go_left`, else right. What is missing goes left if `missing_left`; of a
    category that is where everything goes that is not a member.
    """

    feature: int
    threshold: float
    missing_left: bool
    members: tuple[int, ...] | None = None

    @property
    def members_go_left(self) -> bool:
        return not self.missing_left


class Nodes:
    """The nodes of one tree, in preorder."""

    def __init__(self, tree: Any, features: Sequence[Feature]) -> None:
        self.left: list[int] = tree.children_left.tolist()
        self.right: list[int] = tree.children_right.tolist()
        sets = _left_sets(tree)
        self.questions = [
            None if left == TREE_LEAF else _question(tree, node, sets[node], features)
            for node, left in enumerate(self.left)
        ]

    def __len__(self) -> int:
        return len(self.left)

    def leaves(self) -> Iterator[int]:
        """Yield the leaves from left to right."""
        return (node for node, left in enumerate(self.left) if left == TREE_LEAF)

    def depth(self) -> int:
        """Return the number of questions on the longest path."""
        depths = [0] * len(self)
        for node, question in enumerate(self.questions):
            if question is not None:
                below = depths[node] + 1
                depths[self.left[node]] = depths[self.right[node]] = below
        return max(depths)


@dataclass(frozen=True)
class SingleTree:
    """A tree: what each node says, one entry per output."""

    features: tuple[Feature, ...]
    nodes: Nodes
    classes: tuple[tuple[Plain, ...], ...] | None  # None for a regressor
    decisions: NDArray[np.intp]  # (node, output) -> class
    probabilities: list[NDArray[np.float64]]  # by output: (node, class)
    values: NDArray[np.float64]  # (node, output); of a regressor

    @property
    def n_outputs(self) -> int:
        """How many things are predicted at once."""
        return self.values.shape[1] if self.classes is None else len(self.classes)

    def labels(self, node: int) -> list[Plain]:
        """Return what `predict` says in a node: a label or number for each output."""
        if self.classes is None:
            return [float(value) for value in self.values[node]]
        said = zip(self.classes, self.decisions[node], strict=True)
        return [names[code] for names, code in said]


@dataclass(frozen=True)
class Boosted:
    """Trees whose values add up to raw scores, and the link behind them."""

    features: tuple[Feature, ...]
    trees: tuple[tuple[int, Nodes, list[float]], ...]  # (output, nodes, values)
    baseline: tuple[float, ...]
    classes: tuple[Plain, ...] | None
    link: str  # "identity", "exp"; of a classifier "sigmoid", "softmax"


def read_model(
    model: Any, feature_names: Sequence[str] | None = None, *, one_output: bool = True
) -> SingleTree | Boosted:
    """Return a fitted tree or boosting estimator in the form the writers take.

    They write one output of a boosted regressor.
    """
    features = _features(model, feature_names)
    if hasattr(model, "booster_"):
        if one_output:
            check_one_output(model)
        return _read_boosted(model, features)
    return _read_tree(model, features)


def _features(model: Any, given: Sequence[str] | None) -> tuple[Feature, ...]:
    _check_model(model)
    n = model.n_features_in_
    names: Sequence[Any] | None = given
    if given is None:
        names = getattr(model, "feature_names_in_", None)
    elif len(given) != n or len(set(given)) != n:
        raise ValueError(
            f"feature_names must list {n} different names, one per feature; got"
            f" {len(given)}, {len(set(given))} of them different."
        )
    known = getattr(model, "categories_", None) or [None] * n
    return tuple(
        Feature(
            j,
            None if names is None else _name(names[j]),
            None if values is None else _plain_all(values, f"categories_[{j}]"),
        )
        for j, values in enumerate(known)
    )


def _check_model(model: Any) -> None:
    if hasattr(model, "estimators_"):
        raise ValueError(
            f"{type(model).__name__} cannot be exported as code: its trees vote by"
            " weight. Export a tree of estimators_, or fit a DPDTBoostingClassifier."
        )
    check_is_fitted(model)
    if not (hasattr(model, "tree_") or hasattr(model, "booster_")):
        raise TypeError(
            "model must be a fitted tree or boosting estimator of dpdtree, got a"
            f" {type(model).__name__}."
        )


def _name(name: Any) -> str:
    return check_text(str(name), "feature name")


def check_text(text: str, what: str) -> str:
    """Return a text if every target can hold it: no NUL, no half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"The {what} {text!r} is not valid Unicode.") from error
    if "\0" in text:
        raise ValueError(f"The {what} {text!r} contains a NUL character.")
    return text


def _plain_all(values: Any, what: str) -> tuple[Plain, ...]:
    return tuple(_plain(value, what) for value in np.asarray(values).tolist())


def _plain(value: Any, what: str) -> Plain:
    """Return a label or category as a string or number of Python, or refuse it."""
    if isinstance(value, str):
        return check_text(str(value), f"entry of {what}")
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        if abs(int(value)) <= LARGEST_INTEGER:
            return int(value)
        raise ValueError(
            f"{what} contains {value}, which no double holds: use strings instead."
        )
    if isinstance(value, float | np.floating) and math.isfinite(value):
        return float(value)
    raise ValueError(
        f"Code can hold strings and finite numbers; {what} contains {value!r}."
    )


def _read_tree(model: Any, features: tuple[Feature, ...]) -> SingleTree:
    tree = model.tree_
    nodes = Nodes(tree, features)
    labels = getattr(model, "classes_", None)
    if labels is None:
        nothing = np.zeros((len(nodes), 0), np.intp)
        return SingleTree(features, nodes, None, nothing, [], node_predictions(model))
    several = labels if tree.n_outputs > 1 else [labels]
    return SingleTree(
        features,
        nodes,
        tuple(_plain_all(of_output, "classes_") for of_output in several),
        node_decisions(model),
        [node_probabilities(model, output) for output in range(tree.n_outputs)],
        np.zeros((len(nodes), 0)),
    )


def _read_boosted(model: Any, features: tuple[Feature, ...]) -> Boosted:
    labels = getattr(model, "classes_", None)
    classes = None if labels is None else _plain_all(labels, "classes_")
    booster = model.booster_
    if classes is not None:
        link = "sigmoid" if len(classes) == 2 else "softmax"
    else:
        link = "exp" if link_of(model.loss) == "log" else "identity"
    forest = tuple(
        (output, Nodes(tree, features), tree.value.tolist())
        for output, tree in trees(booster)
    )
    return Boosted(features, forest, tuple(booster.baseline.tolist()), classes, link)


def _left_sets(tree: Any) -> Sequence[NDArray[np.int64] | None]:
    """Return the categories that go left at each node, None where it is no such."""
    if hasattr(tree, "categories_left"):
        sets: list[NDArray[np.int64] | None] = tree.categories_left
        return sets
    return BoostedStructure(tree).categories_left


def _question(
    tree: Any,
    node: int,
    left: NDArray[np.int64] | None,
    features: Sequence[Feature],
) -> Question:
    feature = int(tree.feature[node])
    missing_left = bool(tree.missing_go_to_left[node])
    threshold = float(tree.threshold[node])
    if left is None:
        return Question(feature, threshold, missing_left)
    members = set(left.tolist())
    if missing_left:
        members = set(range(len(features[feature].categories or ()))) - members
    return Question(feature, threshold, missing_left, tuple(sorted(members)))


def used_features(model: SingleTree | Boosted) -> list[Feature]:
    """Return the features that some split asks, in the order of the columns."""
    all_nodes = (
        [model.nodes]
        if isinstance(model, SingleTree)
        else [nodes for _, nodes, _ in model.trees]
    )
    asked = {q.feature for nodes in all_nodes for q in nodes.questions if q is not None}
    return [feature for feature in model.features if feature.place in asked]


def named(feature: Feature) -> str:
    """Return the name of a feature, made up if the fit saw none."""
    return f"feature_{feature.place}" if feature.name is None else feature.name
