"""Small problems the integration tests share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def make_classes(
    n_samples: int = 300, n_features: int = 5, n_classes: int = 3, seed: int = 0
) -> tuple[Array, Array]:
    """Return noisy classes with an interaction; float32 holds X exactly."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-500, 500, size=(n_samples, n_features)) / 8
    y = (X[:, 0] > 10).astype(int) + (X[:, 1] * X[:, 2] > 0)
    noise = rng.random(n_samples) < 0.1
    y[noise] = rng.integers(0, n_classes, noise.sum())
    return X, y


def make_targets(n_samples: int = 300, seed: int = 0) -> tuple[Array, Array]:
    """Return a regression problem with an interaction."""
    X, _ = make_classes(n_samples, seed=seed)
    rng = np.random.default_rng(seed + 1)
    y = np.sign(X[:, 0] * X[:, 1]) * 3 + X[:, 2] / 20 + rng.normal(size=n_samples)
    return X, y


def with_missing(X: Array, share: float = 0.1, seed: int = 0) -> Array:
    """Return a copy of X in which this share of the values is NaN."""
    X = X.copy()
    X[np.random.default_rng(seed).random(X.shape) < share] = np.nan
    return X


TREE_ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
    "value",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
)


def assert_same_tree(model: Any, other: Any) -> None:
    """Check that two fitted estimators hold equal trees, bit by bit."""
    for name in TREE_ARRAYS:
        a, b = getattr(model.tree_, name), getattr(other.tree_, name)
        np.testing.assert_array_equal(a, b, err_msg=name)
