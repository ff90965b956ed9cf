"""What "auto" stands for in a boosted fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor
from dpdtree._boosting.defaults import (
    learning_rate,
    lookahead,
    max_leaf_nodes,
    resolved,
)

AUTO = ("learning_rate", "max_leaf_nodes", "lookahead")
BOTH = [DPDTBoostingClassifier, DPDTBoostingRegressor]


@pytest.mark.parametrize(
    ("n", "rate", "of_classes", "of_numbers", "ahead"),
    [
        (10, 0.03, 6, 6, None),
        (1000, 0.05, 6, 12, None),
        (2999, 0.05 * 2.999**0.25, 9, 17, None),
        (5000, 0.05 * 5**0.25, 11, 19, "light"),
        (16_000, 0.1, 18, 28, "light"),
        (10**9, 0.1, 31, 31, "light"),
    ],
)
def test_the_rule(n, rate, of_classes, of_numbers, ahead):
    assert learning_rate(n) == pytest.approx(rate)
    assert max_leaf_nodes(n, classes=True) == of_classes
    assert max_leaf_nodes(n, classes=False) == of_numbers
    assert lookahead(n) == ahead


@given(st.integers(1, 10**10), st.integers(1, 10**10), st.booleans())
def test_more_rows_never_mean_smaller_trees_or_smaller_steps(n, more, classes):
    assert learning_rate(n) <= learning_rate(n + more)
    few, many = (max_leaf_nodes(k, classes=classes) for k in (n, n + more))
    assert few <= many


@given(st.integers(1, 10**6), st.integers(1, 10**18))
def test_steps_stay_within_their_limits(n, max_iter):
    assert 0.03 <= learning_rate(n, max_iter) <= 0.3


def test_fewer_iterations_make_larger_steps():
    assert learning_rate(1000, 125) == pytest.approx(0.1)
    assert learning_rate(1000, 1) == 0.3
    assert learning_rate(1000, 10**6) == 0.03


@pytest.mark.parametrize("estimator", BOTH)
def test_what_is_given_is_taken(estimator):
    explicit = {"learning_rate": 0.7, "max_leaf_nodes": None, "lookahead": "strong"}
    assert resolved(estimator(**explicit), 1000, {}, classes=True) == explicit
    before = {f"{name}_": f"kept {name}" for name in AUTO}
    assert resolved(estimator(**explicit), 1000, before, classes=True) == explicit
    kept = resolved(estimator(), 1000, before, classes=True)
    assert kept == {name: f"kept {name}" for name in AUTO}


@pytest.mark.parametrize("estimator", BOTH)
def test_an_automatic_fit_is_the_explicit_one(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 4))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=700) > 0).astype(int)
    model = estimator(max_iter=20).fit(X, y)
    found = {name: getattr(model, f"{name}_") for name in AUTO}
    assert found == resolved(
        estimator(max_iter=20), 700, {}, classes=hasattr(model, "classes_")
    )
    explicit = estimator(max_iter=20, **found).fit(X, y)
    assert explicit.booster_.to_bytes() == model.booster_.to_bytes()


@pytest.mark.parametrize(
    ("weight", "n"), [(2.0, 2100), (0.5, 700), (1e30, 1050 * 10**30)]
)
def test_rows_are_counted_by_whole_weights_only(weight, n):
    X = np.arange(700.0)[:, np.newaxis]
    weights = np.full(700, weight)
    weights[::2] += weight
    model = DPDTBoostingRegressor(max_iter=2, warm_start=True)
    model.fit(X, X[:, 0], sample_weight=weights)
    assert model.max_leaf_nodes_ == max_leaf_nodes(n, classes=False)
    assert model.learning_rate_ == pytest.approx(learning_rate(n))


def test_rows_without_weight_do_not_count():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(2000, 2)), rng.normal(size=2000)
    weight = np.where(np.arange(2000) < 1000, 0.5, 0.0)
    model = DPDTBoostingRegressor(max_iter=2).fit(X, y, sample_weight=weight)
    few = DPDTBoostingRegressor(max_iter=2).fit(X[:1000], y[:1000])
    assert model.max_leaf_nodes_ == few.max_leaf_nodes_ == 12
