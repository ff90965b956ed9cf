"""A tree as a genuine scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE, Tree
from sklearn.utils.validation import check_is_fitted

from dpdtree._params.estimators import resolved
from dpdtree._smoothing import node_probabilities
from dpdtree._structure import TREE_LEAF, TreeStructure, node_values

_SHARED_PARAMETERS = (
    "criterion",
    "max_depth",
    "min_samples_split",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "min_impurity_decrease",
    "max_features",
    "max_leaf_nodes",
    "random_state",
)
_SHARED_ATTRIBUTES = (
    "n_features_in_",
    "n_outputs_",
    "max_features_",
    "classes_",
    "n_classes_",
    "feature_names_in_",
)


def to_sklearn(
    estimator: Any, *, smoothed: bool = False
) -> DecisionTreeClassifier | DecisionTreeRegressor:
    """Return a fitted scikit-learn tree with the structure of this one.

    With `smoothed` it has the probabilities of predict_proba; else the true class
    shares, unless shrunk ones predict another class.
    """
    check_is_fitted(estimator)
    if any(left is not None for left in estimator.tree_.categories_left):
        raise ValueError(
            "This tree splits categories by sets of them, which scikit-learn's trees"
            " cannot do: encode the categories as numbers before the fit."
        )
    if hasattr(estimator, "cost_matrix_"):
        raise ValueError(
            "This tree predicts the class of least expected cost by its cost_matrix,"
            " which scikit-learn's trees cannot do: they predict the most frequent one."
        )
    params = {name: resolved(estimator, name) for name in _SHARED_PARAMETERS}
    if params["criterion"] == "quantile":  # the nearest that scikit-learn knows
        params["criterion"] = "absolute_error"
    if hasattr(estimator, "classes_"):
        twin = DecisionTreeClassifier(class_weight=estimator.class_weight, **params)
    else:
        twin = DecisionTreeRegressor(**params)
    for name in _SHARED_ATTRIBUTES:
        if hasattr(estimator, name):
            setattr(twin, name, getattr(estimator, name))
    shrunk = node_values(estimator)
    if not hasattr(estimator, "classes_"):
        values = shrunk
    elif smoothed:
        values = np.zeros_like(shrunk)
        for output, n_classes in enumerate(estimator.tree_.n_classes):
            values[:, output, :n_classes] = node_probabilities(estimator, output)
    else:
        raw = estimator.tree_.value
        is_leaf = (estimator.tree_.children_left == TREE_LEAF)[:, np.newaxis]
        other = is_leaf & (raw.argmax(axis=2) != shrunk.argmax(axis=2))
        values = np.where(other[:, :, np.newaxis], shrunk, raw)
    twin.tree_ = _build_tree(estimator.tree_, values)
    return twin


def _build_tree(structure: TreeStructure, values: NDArray[np.float64]) -> Tree:
    tree = Tree(structure.n_features, structure.n_classes, structure.n_outputs)
    tree.__setstate__(
        {
            "max_depth": structure.max_depth,
            "node_count": structure.node_count,
            "nodes": _build_nodes(structure),
            "values": np.ascontiguousarray(values),
        }
    )
    return tree


def _build_nodes(structure: TreeStructure) -> NDArray[Any]:
    """Fill the node records of the installed version, whatever fields it has."""
    columns = {
        "left_child": structure.children_left,
        "right_child": structure.children_right,
        "feature": structure.feature,
        "threshold": _float32_thresholds(structure),
        "impurity": structure.impurity,
        "n_node_samples": structure.n_node_samples,
        "weighted_n_node_samples": structure.weighted_n_node_samples,
        "missing_go_to_left": structure.missing_go_to_left,
    }
    nodes = np.zeros(structure.node_count, dtype=NODE_DTYPE)
    for name in NODE_DTYPE.names:
        if name in columns:
            nodes[name] = columns[name]
    return nodes


def _float32_thresholds(structure: TreeStructure) -> NDArray[np.float64]:
    """Round thresholds down to float32.

    No float32 lies between a threshold and the largest float32 below it, so each
    comparison of a float32 has the same outcome; and tools that store thresholds in
    single precision change nothing any more.
    """
    exact = structure.threshold
    with np.errstate(over="ignore"):
        rounded = exact.astype(np.float32)
    too_high = rounded > exact
    rounded[too_high] = np.nextafter(rounded[too_high], np.float32(-np.inf))
    is_leaf = structure.children_left == TREE_LEAF
    return np.where(is_leaf, exact, rounded.astype(np.float64))
