"""Hand-made trees, wrapped as what a fit would have left behind."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from dpdtree._core import TreeData
from dpdtree._structure import TreeStructure


def five_nodes(value: list[list[float]]) -> TreeStructure:
    """Return a root on feature 1 with a leaf on its left, a split of 0 on its right."""
    return TreeStructure(
        TreeData.from_arrays(
            3,
            np.array([1, -1, 3, -1, -1]),
            np.array([2, -1, 4, -1, -1]),
            np.array([1, -2, 0, -2, -2]),
            np.array([0.5, -2.0, 10.0, -2.0, -2.0]),
            np.array([0, 0, 1, 0, 0], dtype=np.uint8),
            np.array(value, dtype=float),
            np.array([0.5, 0.0, 0.375, 0.0, 0.0]),
            np.array([12, 4, 8, 6, 2]),
            np.array([12.0, 4.0, 8.0, 6.0, 2.0]),
        )
    )


class Fitted(BaseEstimator):
    """An estimator as far as exporters look at it."""

    def fit(self) -> None: ...

    def __init__(self, tree: TreeStructure, labels: list[object] | None = None):
        self.tree_ = tree
        self.n_features_in_ = tree.n_features
        self.has_missing_ = np.zeros(tree.n_features, dtype=bool)
        if labels is not None:
            self.classes_ = np.array(labels)


def classifier() -> Fitted:
    value = [[0.5, 0.5], [1, 0], [0.25, 0.75], [0, 1], [1, 0]]
    return Fitted(five_nodes(value), ["no", "yes"])


def regressor() -> Fitted:
    return Fitted(five_nodes([[1.0], [-0.125], [2.0], [2.5], [0.5]]))


def lighter_side() -> Fitted:
    """Return a stump whose missing values go left, to the lighter child."""
    data = TreeData.from_arrays(
        1,
        np.array([1, -1, -1]),
        np.array([2, -1, -1]),
        np.array([0, -2, -2]),
        np.array([1.0, -2.0, -2.0]),
        np.array([1, 0, 0], dtype=np.uint8),
        np.array([[0.25, 0.75], [1.0, 0.0], [0.0, 1.0]]),
        np.array([0.375, 0.0, 0.0]),
        np.array([8, 2, 6]),
        np.array([8.0, 2.0, 6.0]),
    )
    return Fitted(TreeStructure(data), [0, 1])


def categories() -> Fitted:
    """Return a tree that asks the same five categories twice on its left side.

    Missing and unknown ones follow b and c at the root and d below.
    """
    data = TreeData.from_arrays(
        1,
        np.array([1, 2, -1, -1, -1]),
        np.array([4, 3, -1, -1, -1]),
        np.array([0, 0, -2, -2, -2]),
        np.array([np.nan, np.nan, -2.0, -2.0, -2.0]),
        np.array([0, 1, 0, 0, 0], dtype=np.uint8),
        np.array([[2.0], [1.0], [0.0], [3.0], [4.0]]),
        np.array([1.0, 1.0, 0.0, 0.0, 0.0]),
        np.array([12, 8, 4, 4, 4]),
        np.array([12.0, 8.0, 4.0, 4.0, 4.0]),
        category_end=np.array([3, 6, 6, 6, 6]),
        category_left=np.array([0, 3, 4, 1, 2, 3]),
    )
    model = Fitted(TreeStructure(data))
    model.categories_ = [np.array(list("abcde"), dtype=object)]
    return model
