"""Losses, complexities and objectives recomputed plainly, from data and a fitted tree.

Nothing here shares code with the package: leaf sums come from NumPy, the losses of a
fitted estimator from its predictions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
CLASSIFICATION_LOSSES = ("zero_one", "gini", "log_loss")


def class_weights(y: Array, w: Array) -> Array:
    """Total weight of each class code."""
    return np.bincount(y.astype(np.int64), weights=w)


def leaf_loss(loss: str, y: Array, w: Array) -> float:
    """Weighted sum of the loss when all rows share one leaf with its best value."""
    total = float(w.sum())
    if loss == "squared_error":
        mean = float((w * y).sum()) / total
        return float((w * (y - mean) ** 2).sum())
    counts = class_weights(y, w)
    if loss == "zero_one":
        return total - float(counts.max())
    if loss == "gini":
        return total - float((counts**2).sum()) / total
    counts = counts[counts > 0]
    return -float((counts * np.log(counts / total)).sum())


def impurity(criterion: str, y: Array, w: Array) -> float:
    """scikit-learn's impurity of a node (entropy in bits, variance)."""
    loss = {"entropy": "log_loss"}.get(criterion, criterion)
    mean = leaf_loss(loss, y, w) / float(w.sum())
    return mean / np.log(2.0) if criterion == "entropy" else mean


def prediction_loss(loss: str, model: Any, X: Array, y: Array, w: Array) -> float:
    """Weighted mean loss of an estimator's predictions on (X, y).

    Rows of weight 0 are left out: their probability may be 0, their log-loss infinite.
    """
    X, y, w = X[w > 0], y[w > 0], w[w > 0]
    if loss == "squared_error":
        per_row = (y - model.predict(X)) ** 2
    elif loss == "zero_one":
        per_row = (model.predict(X) != y).astype(float)
    else:
        per_row = _probability_loss(loss, model, X, y)
    return float((w * per_row).sum() / w.sum())


def _probability_loss(loss: str, model: Any, X: Array, y: Array) -> Array:
    proba = model.predict_proba(X)
    own = (model.classes_[np.newaxis, :] == y[:, np.newaxis]).astype(float)
    if loss == "gini":  # the Brier score, whose leaf-wise best value is the Gini index
        return np.asarray(((proba - own) ** 2).sum(axis=1))
    return np.asarray(-np.log((proba * own).sum(axis=1)))


def path_length(model: Any, X: Array, w: Array) -> float:
    """Weighted mean number of splits a row passes."""
    nodes = np.asarray(model.decision_path(X).sum(axis=1)).ravel()
    return float((w * (nodes - 1)).sum() / w.sum())


def complexity(kind: str, model: Any, X: Array, w: Array) -> float:
    """The complexity the estimator reports, from its decision paths or its leaves."""
    if kind == "path_length":
        return path_length(model, X, w)
    return float((model.tree_.children_left == -1).sum())


def objective(
    model: Any,
    X: Array,
    y: Array,
    w: Array | None,
    *,
    loss: str,
    alpha: float,
    kind: str,
) -> float:
    """Loss + alpha * complexity of a fitted estimator, all recomputed."""
    weights = np.ones(len(y)) if w is None else np.asarray(w, dtype=float)
    penalty = alpha * complexity(kind, model, X, weights)
    return prediction_loss(loss, model, X, y, weights) + penalty


def best_pruning(
    tree: Any, leaf_losses: Array, weights: Array, alpha: float, kind: str
) -> float:
    """Smallest objective over every pruning of a tree, from per-node sums.

    `leaf_losses[i]` is the loss sum of node i as a leaf, `weights[i]` its weight. The
    prunings are all trees that share the root's top: each node stays or becomes a leaf.
    """
    total = float(weights[0])
    price = {"path_length": weights, "n_leaves": np.full_like(weights, total)}[kind]

    def best(node: int) -> float:
        left, right = tree.children_left[node], tree.children_right[node]
        if left == -1:
            return float(leaf_losses[node])
        split = alpha * float(price[node]) + best(left) + best(right)
        return min(float(leaf_losses[node]), split)

    root_leaf = alpha if kind == "n_leaves" else 0.0
    return best(0) / total + root_leaf
