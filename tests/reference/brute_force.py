"""Every tree of a candidate set, enumerated without dynamic programming.

For tiny data only. A tree is summed up by three numbers: its loss sum, the sum over its
splits of the weight that passes them, and its number of leaves. `all_trees` lists these
for every tree that the candidates and the limits allow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.reference.objective import impurity, leaf_loss

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Split:
    """Rows with x <= threshold go left; missing values where `missing_left` says."""

    feature: int
    threshold: float
    missing_left: bool = False

    def left(self, X: Array) -> Array:
        """Mask of the rows that go left."""
        x = X[:, self.feature].astype(float)
        return np.where(np.isnan(x), self.missing_left, x <= self.threshold)


@dataclass(frozen=True)
class Limits:
    """When a node may be split, with scikit-learn's meaning."""

    max_depth: int = 2
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_leaf: float = 0.0
    min_impurity_decrease: float = 0.0
    max_leaves: int = 1 << 30


@dataclass(frozen=True)
class Problem:
    """The data, what is minimised, and what proposes and limits splits."""

    X: Array
    y: Array
    w: Array
    loss: str
    criterion: str = "gini"
    limits: Limits = field(default_factory=Limits)

    def subset(self, rows: Array) -> tuple[Array, Array, Array]:
        """Features, targets and weights of some rows."""
        return self.X[rows], self.y[rows], self.w[rows]


Candidates = Callable[[Problem, Array, int], list[Split]]


def may_split(problem: Problem, rows: Array, depth: int) -> bool:
    """Whether a node may be split at all."""
    limits = problem.limits
    enough = len(rows) >= max(limits.min_samples_split, 2 * limits.min_samples_leaf)
    heavy = problem.w[rows].sum() >= 2 * limits.min_weight_leaf
    return depth < limits.max_depth and enough and bool(heavy)


def decrease(problem: Problem, rows: Array, left: Array) -> float:
    """Weighted impurity decrease of a split of `rows`, as a share of all weight."""

    def weighted(part: Array) -> float:
        _, y, w = problem.subset(part)
        return float(w.sum()) * impurity(problem.criterion, y, w)

    gain = weighted(rows) - weighted(rows[left]) - weighted(rows[~left])
    return gain / float(problem.w.sum())


def is_allowed(problem: Problem, rows: Array, left: Array) -> bool:
    """Whether both children of a split satisfy the limits."""
    limits = problem.limits
    parts = (rows[left], rows[~left])
    if min(map(len, parts)) < max(limits.min_samples_leaf, 1):
        return False
    if min(problem.w[part].sum() for part in parts) < limits.min_weight_leaf:
        return False
    threshold = limits.min_impurity_decrease
    return threshold <= 0 or decrease(problem, rows, left) >= threshold - 1e-12


def all_trees(
    problem: Problem, candidates: Candidates, rows: Array | None = None, depth: int = 0
) -> Array:
    """(loss, passed weight, leaves) of every tree, one line each."""
    if rows is None:
        rows = np.arange(len(problem.y))
    X, y, w = problem.subset(rows)
    lines = [np.array([[leaf_loss(problem.loss, y, w), 0.0, 1.0]])]
    if may_split(problem, rows, depth):
        for split in candidates(problem, rows, depth):
            left = split.left(X)
            if not is_allowed(problem, rows, left):
                continue
            a = all_trees(problem, candidates, rows[left], depth + 1)
            b = all_trees(problem, candidates, rows[~left], depth + 1)
            pairs = (a[:, np.newaxis] + b[np.newaxis]).reshape(-1, 3)
            lines.append(pairs + np.array([0.0, w.sum(), 0.0]))
    return np.unique(np.concatenate(lines), axis=0)


def best_objective(
    problem: Problem, candidates: Candidates, alpha: float, kind: str
) -> float:
    """Smallest normalised objective over every tree of the candidate set."""
    total = float(problem.w.sum())
    loss, passed, leaves = all_trees(problem, candidates).T
    size = passed / total if kind == "path_length" else leaves
    return float((loss / total + alpha * size).min())


def every_split(problem: Problem, rows: Array, depth: int) -> list[Split]:
    """All distinct partitions a threshold test makes, missing values on either side."""
    del depth
    return list(_threshold_splits(problem.X[rows]))


def _threshold_splits(X: Array) -> Iterator[Split]:
    for feature in range(X.shape[1]):
        column = X[:, feature].astype(float)
        missing = np.isnan(column)
        values = np.unique(column[~missing])
        sides = (False, True) if missing.any() else (False,)
        for low, high in pairwise(values):
            yield from (Split(feature, low / 2 + high / 2, side) for side in sides)
        if missing.any() and len(values):
            yield Split(feature, float(values[-1]), False)


def cart_candidates(n_splits: tuple[int, ...]) -> Candidates:
    """The splits of scikit-learn's best-first CART with `n_splits[depth]` of them."""

    def generate(problem: Problem, rows: Array, depth: int) -> list[Split]:
        count = n_splits[depth] if depth < len(n_splits) else 1
        return cart_splits(problem, rows, count)

    return generate


def cart_splits(problem: Problem, rows: Array, count: int) -> list[Split]:
    """Internal nodes of one best-first CART on `rows`."""
    X, y, w = problem.subset(rows)
    regression = problem.criterion == "squared_error"
    kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
    limits = problem.limits
    model = kind(
        criterion=problem.criterion,
        max_leaf_nodes=count + 1,
        min_samples_split=max(2, limits.min_samples_split),
        min_samples_leaf=limits.min_samples_leaf,
        random_state=0,
    )
    tree = model.fit(X, y, sample_weight=w).tree_
    inner = np.flatnonzero(tree.children_left != -1)
    return [
        Split(int(tree.feature[i]), float(tree.threshold[i]),
              bool(tree.missing_go_to_left[i])) for i in inner
    ]  # fmt: skip


def xor_data(n: int, seed: int = 0) -> tuple[Array, Array]:
    """The paper's XOR set: n uniform points of the unit square in four cells."""
    X = np.random.default_rng(seed).random((n, 2))
    return X, np.floor(2 * X).sum(axis=1).astype(int) % 2
