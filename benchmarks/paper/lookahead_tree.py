"""One-step look-ahead trees (Norton 1989): a baseline written for the benchmark.

A node above the last level takes the split whose children's best splits leave the least
entropy; the last level is greedy. Every threshold of every feature is tried. Such a
split is the root of the best tree of two levels by entropy, so an exhaustive search of
two levels finds it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from dpdtree import DPDTreeClassifier

Array = npt.NDArray[Any]


class LookaheadTree:
    """A classifier of a given depth.

    `operations_` counts the splits behind which a node has looked.
    """

    def __init__(self, max_depth: int) -> None:
        self.max_depth = max_depth

    def fit(self, X: Array, y: Array) -> LookaheadTree:
        """Grow the tree."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.operations_ = 0
        self.root_ = self._grow(X, codes, self.max_depth)
        return self

    def predict(self, X: Array) -> Array:
        """The majority class of each row's leaf."""
        out = np.empty(len(X), dtype=int)
        _fill(self.root_, X, np.arange(len(X)), out)
        return self.classes_[out]

    def score(self, X: Array, y: Array) -> float:
        """Accuracy."""
        return float(np.mean(self.predict(X) == y))

    def _grow(self, X: Array, codes: Array, levels: int) -> Any:
        """A leaf is a class, an inner node (feature, threshold, left, right)."""
        counts = np.bincount(codes)
        leaf = int(counts.argmax())
        if levels == 0 or counts.max() == len(codes):
            return leaf
        if levels > 1:
            self.operations_ += n_splits(X)
        root = best_root(X, codes, min(levels, 2))
        if root is None:
            return leaf
        feature, cut = root
        left = X[:, feature] <= cut
        children = (
            self._grow(X[side], codes[side], levels - 1) for side in (left, ~left)
        )
        return (feature, cut, *children)


def n_splits(X: Array) -> int:
    """All thresholds of all features."""
    return sum(len(np.unique(column)) - 1 for column in X.T)


def best_root(X: Array, codes: Array, levels: int) -> tuple[int, float] | None:
    """The root of the tree of so many levels that leaves the least entropy."""
    search = DPDTreeClassifier(
        strategy="paper", generator="exhaustive", criterion="entropy",
        loss="log_loss", alpha=0.0, max_depth=levels, n_jobs=1,
    )  # fmt: skip
    tree = search.fit(X, codes).tree_
    if tree.children_left[0] < 0:
        return None
    return int(tree.feature[0]), float(tree.threshold[0])


def _fill(node: Any, X: Array, rows: Array, out: Array) -> None:
    if isinstance(node, int):
        out[rows] = node
        return
    feature, cut, left, right = node
    goes_left = X[rows, feature] <= cut
    _fill(left, X, rows[goes_left], out)
    _fill(right, X, rows[~goes_left], out)
