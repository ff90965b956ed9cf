"""strategy="greedy" grows scikit-learn's tree wherever no two splits tie."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from tests.reference.brute_force import Limits, Problem
from tests.reference.scan import tie_free

Array = npt.NDArray[Any]
SEEDS = range(12)

#: Growth parameters both packages share.
SETTINGS: dict[str, dict[str, Any]] = {
    "depth": {"max_depth": 4, "min_samples_leaf": 4},
    "leaf": {"max_depth": 4, "min_samples_leaf": 12},
    "leaf share": {"max_depth": 4, "min_samples_leaf": 0.05},
    "split": {"max_depth": 6, "min_samples_split": 40, "min_samples_leaf": 3},
    "split share": {"max_depth": 6, "min_samples_split": 0.2, "min_samples_leaf": 3},
    "weight": {"max_depth": 4, "min_weight_fraction_leaf": 0.06},
    "decrease": {"min_impurity_decrease": 0.012, "min_samples_leaf": 3},
    "leaves": {"max_leaf_nodes": 9, "min_samples_leaf": 4},
    "leaves and depth": {"max_leaf_nodes": 9, "max_depth": 3, "min_samples_leaf": 4},
}


def make_data(seed: int, classes: int, missing: float = 0.0) -> tuple[Array, Array]:
    """250 rows, 5 columns on float32 grids without equal neighbours, noisy target."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.permutation(250) for _ in range(5)], axis=1) / 16.0
    X[:, 4] = np.floor(X[:, 4])  # a column with equal values
    score = X[:, 0] * (X[:, 1] > 6) - X[:, 2] * (X[:, 4] > 8)
    score = score + rng.normal(scale=4.0, size=250)
    X[rng.random(X.shape) < missing] = np.nan
    if classes == 0:
        return X, score
    cuts = np.quantile(score, np.arange(1, classes) / classes)
    return X, np.searchsorted(cuts, score)


def make_weights(seed: int, weighted: bool) -> Array | None:
    """Multiples of 1/64: sums are exact, and a pure node's impurity is exactly 0."""
    rng = np.random.default_rng(seed)
    return rng.integers(16, 128, 250) / 64.0 if weighted else None


def resolved(settings: dict[str, Any], n: int, total: float) -> Limits:
    """The limits as counts and weights."""

    def count(name: str, default: int) -> int:
        value = settings.get(name, default)
        return int(np.ceil(value * n)) if isinstance(value, float) else value

    return Limits(
        min_samples_leaf=count("min_samples_leaf", 1),
        min_weight_leaf=settings.get("min_weight_fraction_leaf", 0.0) * total,
    )


def known_left(x: Array, threshold: float) -> Array:
    """Which of the known values go left."""
    left: Array = x[~np.isnan(x)] <= threshold
    return left


def assert_same_tree(ours: Any, theirs: Any, X: Array) -> None:
    """Same shape, splits, counts, impurities and values, node by node.

    Splits are the same if they divide the training rows alike: scikit-learn takes the
    middle between two values, we take the roundest number between them.
    """
    assert ours.node_count == theirs.node_count
    assert ours.n_leaves == theirs.n_leaves
    assert ours.max_depth == theirs.max_depth
    passed = theirs.decision_path(X.astype(np.float32)).toarray().astype(bool)
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        assert ours.feature[a] == theirs.feature[b]
        if theirs.feature[b] >= 0:
            x = X[passed[:, b], theirs.feature[b]]
            np.testing.assert_array_equal(
                known_left(x, ours.threshold[a]), known_left(x, theirs.threshold[b])
            )
        assert ours.n_node_samples[a] == theirs.n_node_samples[b]
        for name in ("weighted_n_node_samples", "impurity"):
            expected = pytest.approx(getattr(theirs, name)[b], rel=1e-9, abs=1e-9)
            assert getattr(ours, name)[a] == expected
        value = np.ravel(theirs.value[b])
        np.testing.assert_allclose(
            np.ravel(ours.value[a]), value, rtol=1e-9, atol=1e-12
        )
        if theirs.children_left[b] != -1:
            pairs.append((ours.children_left[a], theirs.children_left[b]))
            pairs.append((ours.children_right[a], theirs.children_right[b]))


def compare(
    criterion: str, settings: dict[str, Any], *, weighted: bool, missing: float = 0.0
) -> int:
    """Compare on every seed without ties; the number of seeds compared."""
    regression = criterion == "squared_error"
    peer = DecisionTreeRegressor if regression else DecisionTreeClassifier
    own = DPDTreeRegressor if regression else DPDTreeClassifier
    shared = {"max_depth": None, **settings, "criterion": criterion}
    if regression and "min_impurity_decrease" in settings:
        shared["min_impurity_decrease"] *= 30  # variances are larger than Gini indices
    compared = 0
    for seed in SEEDS:
        classes = 0 if regression else 2 + seed % 3
        X, y = make_data(seed, classes, missing)
        w = make_weights(seed, weighted)
        theirs = peer(**shared, random_state=seed).fit(X, y, sample_weight=w)
        weights = np.ones(len(y)) if w is None else w
        limits = resolved(settings, len(y), float(weights.sum()))
        problem = Problem(X, y, weights, "zero_one", criterion, limits)
        if not tie_free(problem, theirs.tree_, ordered="max_leaf_nodes" in settings):
            continue
        compared += 1
        ours = own(strategy="greedy", **shared).fit(X, y, sample_weight=w)
        assert_same_tree(ours.tree_, theirs.tree_, X)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-9)
    return compared


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_same_tree(criterion: str, settings: dict[str, Any], weighted: bool) -> None:
    assert compare(criterion, settings, weighted=weighted) >= 3


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_same_tree_with_missing_values(criterion: str) -> None:
    settings = {"max_depth": 4, "min_samples_leaf": 8}
    assert compare(criterion, settings, weighted=True, missing=0.15) >= 3


def test_same_predictions_for_unseen_rows() -> None:
    X, y = make_data(0, 3)
    fresh = np.random.default_rng(1).random((500, 5)) * 16
    theirs = DecisionTreeClassifier(max_depth=4, min_samples_leaf=10, random_state=0)
    ours = DPDTreeClassifier(strategy="greedy", max_depth=4, min_samples_leaf=10)
    w = make_weights(0, True)
    theirs.fit(X, y, sample_weight=w)
    ours.fit(X, y, sample_weight=w)
    # All but those between two neighbouring values of the training rows.
    expected = theirs.predict_proba(fresh)
    same = np.isclose(ours.predict_proba(fresh), expected, rtol=1e-9).all(axis=1)
    assert same.mean() > 0.95


def test_class_weight_balanced() -> None:
    X, y = make_data(2, 2)
    y[:120] = 0
    shared: dict[str, Any] = {
        "max_depth": 3,
        "min_samples_leaf": 10,
        "class_weight": "balanced",
    }
    theirs = DecisionTreeClassifier(**shared, random_state=0).fit(X, y)
    ours = DPDTreeClassifier(strategy="greedy", **shared).fit(X, y)
    np.testing.assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9
    )


def test_feature_importances() -> None:
    X, y = make_data(5, 0)
    shared: dict[str, Any] = {"max_depth": 3, "min_samples_leaf": 10}
    theirs = DecisionTreeRegressor(**shared, random_state=0).fit(X, y)
    ours = DPDTreeRegressor(strategy="greedy", **shared).fit(X, y)
    expected = theirs.feature_importances_
    np.testing.assert_allclose(ours.feature_importances_, expected, rtol=1e-8)
