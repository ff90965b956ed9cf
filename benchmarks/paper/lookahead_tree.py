"""One-step look-ahead trees (Norton 1989): a baseline written for the benchmark.

A node above the last level takes the split whose children's best splits leave the least
entropy; the last level is greedy. Every threshold of every feature is tried.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class LookaheadTree:
    """A classifier of a given depth; counts the candidate splits it evaluates."""

    def __init__(self, max_depth: int) -> None:
        self.max_depth = max_depth

    def fit(self, X: Array, y: Array) -> LookaheadTree:
        """Grow the tree."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.operations_ = 0
        self._X, self._onehot = X, np.eye(len(self.classes_))[codes]
        self.root_ = self._grow(np.arange(len(y)), self.max_depth)
        del self._X, self._onehot
        return self

    def predict(self, X: Array) -> Array:
        """The majority class of each row's leaf."""
        out = np.empty(len(X), dtype=int)
        _fill(self.root_, X, np.arange(len(X)), out)
        return self.classes_[out]

    def score(self, X: Array, y: Array) -> float:
        """Accuracy."""
        return float(np.mean(self.predict(X) == y))

    def _grow(self, rows: Array, levels: int) -> Any:
        counts = self._onehot[rows].sum(axis=0)
        leaf = int(counts.argmax())
        if levels == 0 or counts.max() == counts.sum():
            return leaf
        found = self._best(rows) if levels == 1 else self._best_ahead(rows)
        if found is None:
            return leaf
        feature, cut = found
        left = self._X[rows, feature] <= cut
        children = (self._grow(rows[side], levels - 1) for side in (left, ~left))
        return (feature, cut, *children)

    def _best(self, rows: Array) -> tuple[int, float] | None:
        scored = [(*best_cut(self._X[rows, f], self._onehot[rows]), f)
                  for f in range(self._X.shape[1])]  # fmt: skip
        self.operations_ += len(scored)
        after, cut, feature = min(scored)
        return None if after == np.inf else (feature, cut)

    def _best_ahead(self, rows: Array) -> tuple[int, float] | None:
        best, found = np.inf, None
        X, onehot = self._X[rows], self._onehot[rows]
        orders = np.argsort(X, axis=0, kind="stable")
        for feature in range(X.shape[1]):
            values = np.unique(X[:, feature])
            for cut in (values[:-1] + values[1:]) / 2:
                left = X[:, feature] <= cut
                if left.all() or not left.any():
                    continue  # the middle of two neighbours rounded to one of them
                after = sum(_least_entropy(X, onehot, orders, s) for s in (left, ~left))
                self.operations_ += 1
                if after < best:
                    best, found = after, (feature, float(cut))
        return found


def _fill(node: Any, X: Array, rows: Array, out: Array) -> None:
    if isinstance(node, int):
        out[rows] = node
        return
    feature, cut, left, right = node
    goes_left = X[rows, feature] <= cut
    _fill(left, X, rows[goes_left], out)
    _fill(right, X, rows[~goes_left], out)


def _entropy_sum(counts: Array) -> Array:
    """Entropy times size, along the last axis; in nats."""
    total = counts.sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(counts > 0, counts * np.log(counts), 0.0)
        whole = np.where(total > 0, total * np.log(total), 0.0)
    return whole - parts.sum(axis=-1)


def best_cut(values: Array, onehot: Array) -> tuple[float, float]:
    """Least entropy after one split of a feature, and its threshold."""
    order = np.argsort(values, kind="stable")
    return _scan(values[order], onehot[order])


def _scan(values: Array, onehot: Array) -> tuple[float, float]:
    ends = np.flatnonzero(values[:-1] < values[1:])
    if len(ends) == 0:
        return np.inf, np.nan
    counts = onehot.cumsum(axis=0)
    left = counts[ends]
    after = _entropy_sum(left) + _entropy_sum(counts[-1] - left)
    at = int(after.argmin())
    cut = (values[ends[at]] + values[ends[at] + 1]) / 2
    return float(after[at]), float(cut)


def _least_entropy(X: Array, onehot: Array, orders: Array, side: Array) -> float:
    """Entropy left on one side after its best split, or as a leaf."""
    best = float(_entropy_sum(onehot[side].sum(axis=0)))
    for feature in range(X.shape[1]):
        order = orders[:, feature]
        order = order[side[order]]
        best = min(best, _scan(X[order, feature], onehot[order])[0])
    return best
