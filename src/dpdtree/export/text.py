"""A tree as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpdtree._structure import (
    TREE_LEAF,
    TreeStructure,
    node_decisions,
    node_predictions,
)
from dpdtree.export._boosted import BoostedStructure
from dpdtree.export.conditions import (
    MOST_LISTED,
    Branches,
    Reachable,
    categories_of,
    describe_split,
    divided,
    rounded,
)

BRANCH = "|   "
TWIG = "|--- "


class _Style(NamedTuple):
    """How nodes are written."""

    feature_names: Sequence[str]
    categories: Sequence[Sequence[Any] | None]
    has_missing: Sequence[bool]  # of each feature, in fit
    class_names: Sequence[Sequence[str]] | None  # of each output
    decisions: NDArray[np.intp]
    values: NDArray[np.float64]  # what nodes predict
    decimals: int | None
    max_depth: int
    show_weights: bool
    max_categories: int


def export_text(
    estimator: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | bool | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
    show_weights: bool = False,
    max_categories: int | None = MOST_LISTED,
    trees: Sequence[int] = (0,),
) -> str:
    """Write the rules of a tree as indented text.

    Parameters
    ----------
    estimator : tree or boosting estimator
        Fitted.
    feature_names : sequence of str, default=None
        Names of the features; None takes the column names seen in fit, or
        "feature_0", "feature_1", ...
    class_names : sequence of str or True, default=None
        Names of the classes in the order of classes_ (one such sequence per output,
        if there are several); None and True take the labels.
    decimals : int, default=None
        Digits after the decimal point. None writes thresholds exactly, in the fewest
        digits that stand for them, and results to six significant digits.
    max_depth : int, default=None
        Subtrees below this depth are only counted. None writes the whole tree.
    show_weights : bool, default=False
        Whether leaves show the weight of each class, or of all their rows.
    max_categories : int, default=8
        Longer lists of categories are cut; None lists them all.
    trees : sequence of int, default=(0,)
        Which iterations of boosted trees to write; -1 is the last. Their leaves show
        what they add to the raw score.

    Returns
    -------
    str
        One line per branch, with those categories only that get there. Where a feature
        had missing values in fit, each of its splits says which branch they follow;
        of other features they follow the one with the larger training weight (the
        second if equal). Categories unknown to the fit follow the branch of missing
        values: "or unknown" says so where its condition does not.
    """
    check_is_fitted(estimator)
    if decimals is not None:
        decimals = _at_least_zero("decimals", decimals)
    if max_categories is not None:
        max_categories = _at_least_zero("max_categories", max_categories)
    if hasattr(estimator, "booster_"):
        if class_names is not None:
            raise ValueError("class_names must be None for boosted trees.")
        parts = _boosted_trees(estimator, trees)
    else:
        parts = [("", estimator.tree_)]
    texts = []
    for title, tree in parts:
        style = _Style(
            _feature_names(estimator, feature_names),
            [categories_of(estimator, j) for j in range(estimator.n_features_in_)],
            getattr(estimator, "has_missing_", [True] * estimator.n_features_in_),
            None if title else _class_names(estimator, class_names),
            np.zeros(0, np.intp) if title else _decisions(estimator),
            tree.node_values if title else node_predictions(estimator),
            decimals,
            tree.max_depth
            if max_depth is None
            else _at_least_zero("max_depth", max_depth),
            show_weights,
            2**31 if max_categories is None else max_categories,
        )
        lines = "\n".join(_lines(tree, style, 0, 0, {}))
        texts.append(f"{title}{lines}\n")
    return "\n".join(texts)


def _decisions(estimator: Any) -> NDArray[np.intp]:
    if not hasattr(estimator, "classes_"):
        return np.zeros(0, np.intp)
    decisions: NDArray[np.intp] = node_decisions(estimator)
    return decisions


def _boosted_trees(estimator: Any, wanted: Sequence[int]) -> list[tuple[str, Any]]:
    """Return the trees of some iterations, each with a title."""
    booster, labels = estimator.booster_, getattr(estimator, "classes_", ())
    chosen = []
    for iteration in wanted:
        if not -booster.n_iterations <= iteration < booster.n_iterations:
            raise ValueError(
                f"trees must lie in 0 ... {booster.n_iterations - 1}, the iterations of"
                f" the model; got {iteration!r}."
            )
        number = iteration % booster.n_iterations
        for output in range(booster.n_outputs):
            of = f", output {output}" if booster.n_outputs > 1 else ""
            if len(labels) > 2:
                of = f", class {labels[output]}"
            tree = BoostedStructure(booster.tree(number, output))
            chosen.append((f"tree {number}{of}:\n", tree))
    return chosen


def _at_least_zero(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ValueError(f"{name} must be an int >= 0, got {value!r}.")
    return int(value)


def _feature_names(estimator: Any, given: Sequence[str] | None) -> Sequence[str]:
    n_features = estimator.n_features_in_
    if given is None:
        default = [f"feature_{j}" for j in range(n_features)]
        return list(getattr(estimator, "feature_names_in_", default))
    return _checked("feature_names", given, n_features)


def _class_names(
    estimator: Any, given: Sequence[Any] | bool | None
) -> Sequence[Sequence[str]] | None:
    labels = getattr(estimator, "classes_", None)
    if given is True:  # as in scikit-learn's other exports
        given = None
    if labels is None:
        if given is not None:
            raise ValueError("class_names must be None for a regression tree.")
        return None
    several = estimator.tree_.n_outputs > 1
    if not several:
        labels = [labels]
    if given is None:
        return [[str(label) for label in of_output] for of_output in labels]
    given = _entries("class_names", given) if several else [given]
    if len(given) != len(labels):
        raise ValueError(
            f"class_names must have a sequence for each of {len(labels)} outputs, got"
            f" {len(given)}."
        )
    return [
        _checked("class_names", names, len(of_output))
        for names, of_output in zip(given, labels, strict=True)
    ]


def _checked(name: str, given: Any, expected: int) -> Sequence[str]:
    entries = _entries(name, given)
    if len(entries) != expected:
        raise ValueError(f"{name} must have {expected} entries, got {len(entries)}.")
    return [str(entry) for entry in entries]


def _entries(name: str, given: Any) -> list[Any]:
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise TypeError(f"{name} must be a sequence of names, got {given!r}.")
    return list(given)


def _lines(
    tree: TreeStructure, style: _Style, node: int, depth: int, reachable: Reachable
) -> Iterator[str]:
    indent = BRANCH * depth + TWIG
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left == TREE_LEAF:
        yield indent + _leaf(tree, style, node)
        return
    if depth >= style.max_depth:
        yield f"{indent}... {_leaves_below(tree, node)} more leaves"
        return
    feature = int(tree.feature[node])
    branches = describe_split(
        tree,
        node,
        style.feature_names[feature],
        style.categories[feature],
        style.decimals,
        style.max_categories,
        reachable=reachable.get(feature),
    )
    left_note, right_note = _notes(tree, style, node, branches)
    left_reach, right_reach = divided(tree, node, style.categories[feature], reachable)
    yield f"{indent}{branches.left}{left_note}"
    yield from _lines(tree, style, left, depth + 1, left_reach)
    yield f"{indent}{branches.right}{right_note}"
    yield from _lines(tree, style, right, depth + 1, right_reach)


def _notes(
    tree: TreeStructure, style: _Style, node: int, branches: Branches
) -> tuple[str, str]:
    """Say which branch values follow that its condition does not tell of."""
    if branches.of_missing:
        return "", ""
    goes_left = bool(tree.missing_go_to_left[node])
    note = " or missing" * bool(style.has_missing[int(tree.feature[node])])
    if branches.lists[0 if goes_left else 1]:
        note += " or unknown"
    return (note, "") if goes_left else ("", note)


def _leaf(tree: TreeStructure, style: _Style, node: int) -> str:
    weight = float(tree.weighted_n_node_samples[node])
    if style.class_names is None:
        predictions = [rounded(v, style.decimals) for v in style.values[node]]
        text = f"value: {_one_or_list(predictions)}"
        if not style.show_weights:
            return text
        return f"{text} weight: {rounded(weight, style.decimals)}"
    said = zip(style.class_names, style.decisions[node], strict=True)
    text = f"class: {_one_or_list([names[k] for names, k in said])}"
    if not style.show_weights:
        return text
    return f"{text} weights: {_class_weights(tree, style, node, weight)}"


def _class_weights(tree: TreeStructure, style: _Style, node: int, weight: float) -> str:
    lists = []
    for shares, n_classes in zip(tree.value[node], tree.n_classes, strict=True):
        own = [rounded(v * weight, style.decimals) for v in shares[:n_classes]]
        lists.append(f"[{', '.join(own)}]")
    return _one_or_list(lists)


def _one_or_list(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _leaves_below(tree: TreeStructure, node: int) -> int:
    """Leaves of the subtree: nodes are in preorder, so it is a contiguous range."""
    open_nodes, leaves = 1, 0
    while open_nodes:
        is_leaf = tree.children_left[node] == TREE_LEAF
        leaves += int(is_leaf)
        open_nodes += -1 if is_leaf else 1
        node += 1
    return leaves
