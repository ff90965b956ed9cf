"""Gains of every split of a node, to find out where two splits tie."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tests.reference.brute_force import Limits, Problem

Array = npt.NDArray[Any]
TOLERANCE = 1e-9


def _moments(problem: Problem, rows: Array) -> Array:
    """Per row: what adds up over a side (class weights, or w, wy, wyy)."""
    y, w = problem.y[rows], problem.w[rows]
    if problem.criterion == "squared_error":
        return np.stack([w, w * y, w * y * y], axis=1)
    classes = np.unique(problem.y)
    return np.asarray(w[:, None] * (y[:, None] == classes[None, :]))


def _weighted_impurity(criterion: str, sums: Array) -> Array:
    """Weight times impurity of each line of side sums."""
    if criterion == "squared_error":
        return np.asarray(sums[:, 2] - sums[:, 1] ** 2 / sums[:, 0])
    total = sums.sum(axis=1, keepdims=True)
    share = sums / total
    if criterion == "gini":
        return np.asarray(total[:, 0] * (1 - (share**2).sum(axis=1)))
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(-(sums * logs).sum(axis=1))


def _side_weight(criterion: str, sums: Array) -> Array:
    return np.asarray(sums[:, 0] if criterion == "squared_error" else sums.sum(axis=1))


def _column_gains(
    problem: Problem, rows: Array, feature: int, missing_left: bool
) -> Array:
    """Gains of one feature's thresholds with the missing values on one side."""
    x = problem.X[rows, feature]
    missing = np.isnan(x)
    order = np.argsort(np.where(missing, -np.inf if missing_left else np.inf, x))
    ordered, moments = x[order], _moments(problem, rows[order])
    prefix = moments.cumsum(axis=0)
    total = prefix[-1:]
    position = np.arange(1, len(rows))
    a, b = ordered[:-1], ordered[1:]
    boundary = (a != b) & ~(np.isnan(a) & np.isnan(b))
    if missing_left:  # "missing alone on the left" is the mirror image of the right
        boundary &= ~np.isnan(a)
    left, right = prefix[:-1], total - prefix[:-1]
    limits: Limits = problem.limits
    leaf = limits.min_samples_leaf
    fits = (position >= leaf) & (len(rows) - position >= leaf)
    for side in (left, right):
        fits &= _side_weight(problem.criterion, side) >= limits.min_weight_leaf
    keep = boundary & fits
    whole = _weighted_impurity(problem.criterion, total)
    parts = [_weighted_impurity(problem.criterion, s[keep]) for s in (left, right)]
    return np.asarray(whole - parts[0] - parts[1])


def gains(problem: Problem, rows: Array) -> Array:
    """Impurity decreases (times weight) of all allowed splits, largest first."""
    found = []
    for feature in range(problem.X.shape[1]):
        sides = (False, True) if np.isnan(problem.X[rows, feature]).any() else (False,)
        found += [_column_gains(problem, rows, feature, side) for side in sides]
    return np.sort(np.concatenate(found))[::-1]


def tie_free(problem: Problem, tree: Any, *, ordered: bool) -> bool:
    """Whether each split of a scikit-learn tree is the only best one.

    With `ordered` (best-first growth) the nodes' gains must differ, too. A split
    without gain counts as a tie: rounding decides whether it is made.
    """
    members = tree.decision_path(problem.X.astype(np.float32)).toarray().astype(bool)
    best = []
    for node in range(tree.node_count):
        rows = np.flatnonzero(members[:, node])
        ranked = gains(problem, rows) if len(rows) > 1 else np.empty(0)
        runner_up = ranked[1] if len(ranked) > 1 else 0.0
        inner = tree.children_left[node] != -1
        if inner and ranked[0] - runner_up <= TOLERANCE:
            return False
        if len(ranked) and ranked[0] > TOLERANCE:
            best.append(ranked[0])
    distinct = len(best) < 2 or np.diff(np.sort(best)).min() > TOLERANCE
    return bool(distinct) or not ordered
