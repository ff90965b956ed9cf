"""Hierarchical shrinkage (Agarwal et al. 2022): leaves drawn towards their ancestors.

The value of a node is the mean of the root plus, for each step down the path, what
the step changes in the mean, divided by 1 + strength / (rows of the parent).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def shrunk_values(tree: Any, strength: float) -> Floats:
    """Means or class shares of all nodes of a scikit-learn tree, one row per node."""
    values: Floats = tree.value[:, 0, :].copy()
    raw, rows = tree.value[:, 0, :], tree.weighted_n_node_samples
    for node in np.flatnonzero(tree.children_left >= 0):  # parents come first
        factor = 1 / (1 + strength / rows[node])
        for child in (tree.children_left[node], tree.children_right[node]):
            values[child] = values[node] + factor * (raw[child] - raw[node])
    return values


class ShrunkTree:
    """A fitted scikit-learn tree that predicts by shrunk values."""

    def __init__(self, model: Any, strength: float) -> None:
        self.model = model
        self.values = shrunk_values(model.tree_, strength)

    @property
    def classes_(self) -> npt.NDArray[Any]:
        classes: npt.NDArray[Any] = self.model.classes_
        return classes

    def get_n_leaves(self) -> int:
        return int(self.model.get_n_leaves())

    def predict_proba(self, X: npt.NDArray[Any]) -> Floats:
        shares: Floats = self.values[self.model.apply(X)]
        return shares

    def predict(self, X: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Most probable class, or the mean."""
        values = self.values[self.model.apply(X)]
        if hasattr(self.model, "classes_"):
            labels: npt.NDArray[Any] = self.classes_[values.argmax(axis=1)]
            return labels
        return values[:, 0]
