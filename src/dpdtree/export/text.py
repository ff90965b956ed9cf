"""A tree as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpdtree._structure import TREE_LEAF, TreeStructure
from dpdtree.export.conditions import categories_of, describe_split

BRANCH = "|   "
TWIG = "|--- "


class _Style(NamedTuple):
    """How nodes are written."""

    feature_names: Sequence[str]
    categories: Sequence[Sequence[Any] | None]
    class_names: Sequence[Sequence[str]] | None  # of each output
    decisions: NDArray[np.intp]
    decimals: int
    max_depth: int
    show_weights: bool


def export_text(
    estimator: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int = 2,
    max_depth: int | None = None,
    show_weights: bool = False,
) -> str:
    """Write the rules of a tree as indented text.

    Parameters
    ----------
    estimator : DPDTreeClassifier or DPDTreeRegressor
        A fitted estimator.
    feature_names : sequence of str, default=None
        Names of the features; None takes the column names seen in fit, or
        "feature_0", "feature_1", ...
    class_names : sequence of str, default=None
        Names of the classes in the order of classes_ (one such sequence per output,
        if there are several); None takes the labels.
    decimals : int, default=2
        Digits after the decimal point.
    max_depth : int, default=None
        Subtrees below this depth are only counted. None writes the whole tree.
    show_weights : bool, default=False
        Whether leaves show the weight of each class, or of all their rows.

    Returns
    -------
    str
        One line per branch. Missing values, and categories unknown to the fit, follow
        the branch with the larger training weight (the second if equal) unless the
        other one says "or missing".
    """
    check_is_fitted(estimator)
    tree: TreeStructure = estimator.tree_
    style = _Style(
        _feature_names(estimator, feature_names),
        [categories_of(estimator, j) for j in range(tree.n_features)],
        _class_names(estimator, class_names),
        tree.decisions(getattr(estimator, "cost_matrix_", None)),
        _at_least_zero("decimals", decimals),
        tree.max_depth if max_depth is None else _at_least_zero("max_depth", max_depth),
        show_weights,
    )
    return "\n".join(_lines(tree, style, node=0, depth=0)) + "\n"


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
    estimator: Any, given: Sequence[Any] | None
) -> Sequence[Sequence[str]] | None:
    labels = getattr(estimator, "classes_", None)
    if labels is None:
        if given is not None:
            raise ValueError("class_names must be None for a regression tree.")
        return None
    several = estimator.tree_.n_outputs > 1
    if not several:
        labels = [labels]
        given = None if given is None else [given]
    if given is None:
        return [[str(label) for label in of_output] for of_output in labels]
    if len(given) != len(labels):
        raise ValueError(
            f"class_names must have a sequence for each of {len(labels)} outputs, got"
            f" {len(given)}."
        )
    return [
        _checked("class_names", names, len(of_output))
        for names, of_output in zip(given, labels, strict=True)
    ]


def _checked(name: str, given: Sequence[str], expected: int) -> Sequence[str]:
    if len(given) != expected:
        raise ValueError(f"{name} must have {expected} entries, got {len(given)}.")
    return [str(entry) for entry in given]


def _lines(tree: TreeStructure, style: _Style, node: int, depth: int) -> Iterator[str]:
    indent = BRANCH * depth + TWIG
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    if left == TREE_LEAF:
        yield indent + _leaf(tree, style, node)
        return
    if depth >= style.max_depth:
        yield f"{indent}... {_leaves_below(tree, node)} more leaves"
        return
    feature = int(tree.feature[node])
    is_left, is_right = describe_split(
        tree,
        node,
        style.feature_names[feature],
        style.categories[feature],
        style.decimals,
    )
    left_note, right_note = _missing_notes(tree, node)
    yield f"{indent}{is_left}{left_note}"
    yield from _lines(tree, style, left, depth + 1)
    yield f"{indent}{is_right}{right_note}"
    yield from _lines(tree, style, right, depth + 1)


def _missing_notes(tree: TreeStructure, node: int) -> tuple[str, str]:
    """Mark the side of missing values unless it is the one they take by default."""
    weight = tree.weighted_n_node_samples
    left_is_heavier = (
        weight[tree.children_left[node]] > weight[tree.children_right[node]]
    )
    goes_left = bool(tree.missing_go_to_left[node])
    if goes_left == left_is_heavier:
        return "", ""
    return (" or missing", "") if goes_left else ("", " or missing")


def _leaf(tree: TreeStructure, style: _Style, node: int) -> str:
    weight = float(tree.weighted_n_node_samples[node])
    if style.class_names is None:
        predictions = [f"{v:.{style.decimals}f}" for v in tree.node_values[node]]
        text = f"value: {_one_or_list(predictions)}"
        if not style.show_weights:
            return text
        return f"{text} weight: {weight:.{style.decimals}f}"
    said = zip(style.class_names, style.decisions[node], strict=True)
    text = f"class: {_one_or_list([names[k] for names, k in said])}"
    if not style.show_weights:
        return text
    return f"{text} weights: {_class_weights(tree, style, node, weight)}"


def _class_weights(tree: TreeStructure, style: _Style, node: int, weight: float) -> str:
    lists = []
    for shares, n_classes in zip(tree.value[node], tree.n_classes, strict=True):
        own = [f"{v * weight:.{style.decimals}f}" for v in shares[:n_classes]]
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
