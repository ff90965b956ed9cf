"""strategy="greedy" grows scikit-learn's tree for every criterion both know."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from dpdtree import DPDTreeClassifier, DPDTreeRegressor

Array = npt.NDArray[Any]
SEEDS = range(15)


def make_data(seed: int, outputs: int) -> tuple[Array, Array, Array | None]:
    """Features whose midpoints are the same in single and double precision."""
    rng = np.random.default_rng(seed)
    n = 150
    X = np.stack([rng.permutation(n) for _ in range(4)], axis=1) / 16.0
    score = X[:, :1] * (X[:, 1:2] > 4) + rng.normal(scale=2.0, size=(n, outputs))
    w = rng.integers(16, 128, n) / 64.0 if seed % 2 else None
    return X, score, w


def decrease(tree: Any, node: int) -> float:
    mass = tree.impurity * tree.weighted_n_node_samples
    left, right = tree.children_left[node], tree.children_right[node]
    return float(mass[node] - mass[left] - mass[right])


def same_split(ours: Any, theirs: Any, node: int, X: Any) -> bool:
    """Whether both divide the rows of a node alike."""
    if ours.feature[node] != theirs.feature[node]:
        return False
    passed = theirs.decision_path(X.astype(np.float32)).toarray()[:, node] > 0
    x = X[passed, theirs.feature[node]]
    return np.array_equal(x <= ours.threshold[node], x <= theirs.threshold[node])


def same_until_a_tie(ours: Any, theirs: Any, X: Any) -> bool:
    """Compare nodes in preorder; False from the first tie on that went elsewhere."""
    for node in range(theirs.node_count):
        assert ours.impurity[node] == pytest.approx(theirs.impurity[node], abs=1e-9)
        assert ours.n_node_samples[node] == theirs.n_node_samples[node]
        if same_split(ours, theirs, node, X):
            continue
        if ours.children_left[node] < 0:  # pure, but for rounding
            assert theirs.impurity[node] < 1e-12
            return False
        assert decrease(ours, node) == pytest.approx(decrease(theirs, node), abs=1e-9)
        return False
    assert ours.node_count == theirs.node_count
    return True


@pytest.mark.parametrize("criterion", ["absolute_error", "poisson", "squared_error"])
@pytest.mark.parametrize("outputs", [1, 3])
def test_regression(criterion, outputs):
    same = 0
    for seed in SEEDS:
        X, y, w = make_data(seed, outputs)
        if criterion == "poisson":
            y = np.floor(np.abs(y))
        y = y[:, 0] if outputs == 1 else y
        limits = {"max_depth": 4, "min_samples_leaf": 3, "criterion": criterion}
        theirs = DecisionTreeRegressor(random_state=0, **limits).fit(X, y, w)
        ours = DPDTreeRegressor(strategy="greedy", loss=criterion, **limits)
        ours.fit(X, y, w)
        if not same_until_a_tie(ours.tree_, theirs.tree_, X):
            continue
        same += 1
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value)
        assert ours.score(X, y) == pytest.approx(theirs.score(X, y))
    assert same >= len(SEEDS) // 2


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("class_weight", [None, "balanced", "listed"])
def test_classes_of_several_outputs(criterion, class_weight):
    same = 0
    for seed in SEEDS:
        X, score, w = make_data(seed, 2)
        y = np.column_stack([score[:, 0] > 1, np.digitize(score[:, 1], [0, 2, 4])])
        weights: Any = class_weight
        if class_weight == "listed":
            weights = [{0: 1, 1: 2}, {0: 1, 1: 0.5, 2: 2, 3: 1}]
        limits = {"max_depth": 4, "criterion": criterion, "class_weight": weights}
        limits["min_samples_leaf"] = 5
        theirs = DecisionTreeClassifier(random_state=0, **limits).fit(X, y, w)
        ours = DPDTreeClassifier(strategy="greedy", **limits).fit(X, y, w)
        assert ours.n_classes_ == list(theirs.n_classes_)
        if not same_until_a_tie(ours.tree_, theirs.tree_, X):
            continue
        same += 1
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        np.testing.assert_allclose(ours.tree_.value, theirs.tree_.value, atol=1e-12)
        for one, other in zip(
            ours.predict_proba(X), theirs.predict_proba(X), strict=True
        ):
            np.testing.assert_allclose(one, other, atol=1e-12)
    assert same >= len(SEEDS) // 3


def test_only_one_column():
    X, y, _ = make_data(0, 1)
    ours = DPDTreeRegressor(criterion="absolute_error", loss="absolute_error")
    np.testing.assert_array_equal(ours.fit(X, y).predict(X).shape, (len(y),))
