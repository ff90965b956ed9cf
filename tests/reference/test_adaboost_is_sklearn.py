"""DPDTAdaBoostClassifier is scikit-learn's AdaBoost over our tree, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.ensemble import AdaBoostClassifier

from dpdtree import DPDTAdaBoostClassifier, DPDTreeClassifier
from tests.integration.data import assert_same_tree, make_classes

TREES = [
    {"strategy": "greedy", "max_depth": 1},
    {"strategy": "paper", "max_depth": 2, "n_candidates": 3},
    {"strategy": "balanced", "max_depth": 2, "criterion": "entropy"},
    {"strategy": "balanced", "max_depth": 3, "max_features": 2},
    {"strategy": "balanced", "max_depth": 2, "alpha": 0.01},
    {"strategy": "optimal", "max_depth": 2, "min_samples_leaf": 5},
]


def assert_equal(ours, theirs, X):
    for own, their in zip(ours.estimators_, theirs.estimators_, strict=True):
        assert_same_tree(own, their)
        assert own.random_state == their.random_state
    for name in ("classes_", "n_classes_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    n = len(ours.estimators_)  # theirs has places for trees that were never made
    for name, rest in (("estimator_weights_", 0.0), ("estimator_errors_", 1.0)):
        their = getattr(theirs, name)
        np.testing.assert_array_equal(getattr(ours, name), their[:n], name)
        assert (their[n:] == rest).all()
    np.testing.assert_array_equal(
        ours.feature_importances_, theirs.feature_importances_
    )
    methods = ("predict", "predict_proba", "predict_log_proba", "decision_function")
    for name in methods:
        np.testing.assert_array_equal(getattr(ours, name)(X), getattr(theirs, name)(X))
    for name in ("predict", "predict_proba", "decision_function"):
        stages = zip(
            getattr(ours, f"staged_{name}")(X),
            getattr(theirs, f"staged_{name}")(X),
            strict=True,
        )
        for own, their in stages:
            np.testing.assert_array_equal(own, their)


def fit_both(X, y, tree, *, weight=None, **settings):
    tree = {"n_candidates": None, "alpha": 0.0} | tree
    ours = DPDTAdaBoostClassifier(**settings, **tree)
    theirs = AdaBoostClassifier(DPDTreeClassifier(**tree), **settings)
    return ours.fit(X, y, weight), theirs.fit(X, y, weight)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_same_ensemble(tree, n_classes):
    X, y = make_classes(200, n_classes=n_classes, seed=1)
    y = np.array(["a", "b", "c"])[np.minimum(y, n_classes - 1)]
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    with np.errstate(divide="ignore"):  # theirs takes the logarithm of zero weights
        pair = fit_both(
            X, y, tree, weight=weight, n_estimators=8, learning_rate=0.7, random_state=3
        )
    assert_equal(*pair, X)
    stages = zip(*(m.staged_score(X, y, weight) for m in pair), strict=True)
    assert all(own == their for own, their in stages)


def test_class_weights_are_first_weights():
    X, y = make_classes(200)
    ours = DPDTAdaBoostClassifier(
        n_estimators=4,
        strategy="balanced",
        n_candidates=None,
        class_weight={0: 1, 1: 5, 2: 0.5},
    )
    theirs = AdaBoostClassifier(
        DPDTreeClassifier(strategy="balanced", max_depth=3, alpha=0.0), n_estimators=4
    )
    weight = np.array([1, 5, 0.5])[y]
    for tree, their in zip(
        ours.fit(X, y).estimators_,
        theirs.fit(X, y, weight).estimators_,
        strict=True,
    ):
        assert_same_tree(tree, their)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(2, 40),
    st.integers(2, 4),
    st.integers(0, 2**31),
    st.sampled_from([0.1, 1.0, 3.0]),
)
def test_same_ensemble_on_small_problems(n, n_classes, seed, learning_rate):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (n, 2)).astype(float)
    y = rng.integers(0, n_classes, n)
    common = {"n_estimators": 6, "learning_rate": learning_rate, "random_state": 0}
    tree = {"max_depth": int(rng.integers(1, 4)), "strategy": "balanced"}
    tree["alpha"] = 0.0
    theirs = AdaBoostClassifier(DPDTreeClassifier(**tree), **common)
    ours = DPDTAdaBoostClassifier(n_candidates=None, **tree, **common)
    try:
        theirs.fit(X, y)
    except ValueError:
        with pytest.raises(ValueError, match="no better than chance"):
            ours.fit(X, y)
        return
    if len(np.unique(y)) > 1:
        assert_equal(ours.fit(X, y), theirs, X)
    else:
        assert ours.fit(X, y).stop_reason_ == "perfect"
        np.testing.assert_array_equal(ours.predict(X), y)
