"""Hand-made models with categories and missing values, for the writers of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from dpdtree._core import TreeData
from dpdtree._structure import TreeStructure
from tests.unit.boosted import Booster, Tree

COLORS = np.array(["blue", "dark red", "it's"], dtype=object)


def small_tree(value: list[list[float]], lefts: Sequence[int] = (0, 2)) -> Any:
    """age <= 40.5 (missing left): color in {blue, it's} (missing right)? else leaf."""
    n = len(lefts)
    return TreeStructure(
        TreeData.from_arrays(
            2,
            np.array([1, 2, -1, -1, -1]),
            np.array([4, 3, -1, -1, -1]),
            np.array([0, 1, -2, -2, -2]),
            np.array([40.5, np.nan, -2.0, -2.0, -2.0]),
            np.array([1, 0, 0, 0, 0], dtype=np.uint8),
            np.array(value, dtype=float),
            np.array([0.5, 0.375, 0.0, 0.25, 0.0]),
            np.array([20, 12, 4, 8, 8]),
            np.array([20.0, 12.0, 4.0, 8.0, 8.0]),
            np.array([0, n, n, n, n]),
            np.array(lefts),
        )
    )


class Model(BaseEstimator):
    """An estimator as far as exporters look at it."""

    loss = "zero_one"
    leaf_smoothing = None

    def fit(self) -> None: ...


def _with(model: Any, **attributes: Any) -> Any:
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


def _columns() -> dict[str, Any]:
    return {
        "n_features_in_": 2,
        "feature_names_in_": np.array(["age", "favourite color"], dtype=object),
        "is_categorical_": np.array([False, True]),
        "categories_": [None, COLORS],
    }


def classifier() -> Any:
    value = [[0.45, 0.55], [0.25, 0.75], [1, 0], [0.125, 0.875], [0.75, 0.25]]
    tree = small_tree(value)
    classes = np.array(["no", "yes"], dtype=object)
    return _with(Model(), tree_=tree, classes_=classes, n_outputs_=1, **_columns())


def regressor() -> Any:
    tree = small_tree([[1.0], [2.0], [2.5], [-0.125], [1e-7]])
    return _with(Model(), tree_=tree, n_outputs_=1, **_columns())


def _stump(feature: int, values: list[float], **split: Any) -> Tree:
    words = np.zeros((3, 8), np.uint32)
    words[0, 0] = split.get("bits", 0)
    return Tree(
        node_count=3,
        children_left=np.array([1, -1, -1], np.int32),
        children_right=np.array([2, -1, -1], np.int32),
        feature=np.array([feature, -2, -2], np.int32),
        threshold=np.array([split.get("threshold", 0.0), 0.0, 0.0]),
        missing_go_to_left=np.array([split["missing_left"], 0, 0], np.uint8),
        is_categorical=np.array([int(feature == 1), 0, 0], np.uint8),
        left_categories=words,
        value=np.array(values),
        gain=np.array([1.0, 0.0, 0.0]),
        n_node_samples=np.array([10, 4, 6]),
        sum_hessian=np.array([10.0, 4.0, 6.0]),
    )


def booster(n_outputs: int = 1, **attributes: Any) -> Any:
    """Two iterations of stumps on age and color."""
    trees = [
        [
            _stump(0, [0.0, -0.25 - k, 0.5], threshold=40.5, missing_left=1)
            for k in range(n_outputs)
        ],
        [
            _stump(1, [0.0, 0.125, -1.5 + k], bits=0b101, missing_left=0)
            for k in range(n_outputs)
        ],
    ]
    native = Booster(
        n_iterations=2,
        n_outputs=n_outputs,
        n_features=2,
        baseline=np.arange(n_outputs) / 4 + 0.25,
        trees=trees,
    )
    return _with(Model(), booster_=native, **_columns(), **attributes)


def boosted_classifier() -> Any:
    return booster(classes_=np.array(["no", "yes"], dtype=object))


def boosted_classes() -> Any:
    return booster(3, classes_=np.array([1, 2, 3]))


def boosted_counts() -> Any:
    return booster(loss="poisson")


ROWS: list[dict[str, Any]] = [
    {"age": age, "favourite color": color}
    for age in (None, 40.5, 41.0)
    for color in (None, "blue", "dark red", "it's", "unseen")
]
