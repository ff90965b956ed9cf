"""What the training rows choose for themselves: quantiles, folds, held-out losses."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import gammainccinv

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree._core import TreeParams, stages
from dpdtree._tree_params import core_params
from dpdtree._tree_search import prepare
from tests.integration.data import make_classes, make_targets


@pytest.mark.parametrize("degrees", [1, 2, 3, 5, 10, 49, 200])
@pytest.mark.parametrize("level", [0.05, 0.01, 1e-5, 1e-12, 1e-200])
def test_gamma_quantile(degrees, level):
    found = stages.gamma_quantile(degrees, math.log(level))
    assert found == pytest.approx(gammainccinv(degrees / 2, level), rel=1e-9)


def fold_weights(X, y, weight=None, n_classes=0, n_folds=5, threads=1):
    params = TreeParams()
    params.criterion, params.loss = (
        ("gini", "zero_one") if n_classes else ("squared_error", "squared_error")
    )
    params.n_threads = threads
    if weight is not None:
        weight = np.asarray(weight, dtype=float)
    y = np.asarray(y, dtype=np.int32 if n_classes else float)
    folds = stages.folds(X, y, weight, n_classes, params, n_folds)
    return [(np.array(train), np.array(test)) for train, test in folds]


def test_each_row_is_held_out_once():
    X, y = make_classes(203)
    folds = fold_weights(X, y, n_classes=3)
    assert len(folds) == 5
    for train, test in folds:
        np.testing.assert_array_equal(train + test, 1.0)
        counts = np.bincount(y, test, 3)
        assert np.abs(counts - np.bincount(y) / 5).max() <= 1.0
        assert 40 <= test.sum() <= 41
    np.testing.assert_array_equal(sum(test for _, test in folds), 1.0)


@given(st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=25)
def test_weights_are_copies_in_any_order(seed, classes):
    """What is in which fold depends on values alone."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    X = rng.integers(0, 4, (n, 2)).astype(float)
    X[rng.random((n, 2)) < 0.1] = np.nan
    y = rng.integers(0, 3, n) if classes else rng.integers(0, 3, n).astype(float)
    times = rng.integers(0, 4, n)
    times[0] = 2
    rows = rng.permutation(np.repeat(np.arange(n), times))
    k = 3 if classes else 0

    def contents(X, y, weights):
        found = {}
        for row, value, weight in zip(X, y, weights, strict=True):
            if weight > 0:
                key = (*np.nan_to_num(row, nan=-1), value)
                found[key] = found.get(key, 0) + weight
        return found

    weighted = fold_weights(X, y, times, k)
    repeated = fold_weights(3 * X[rows], y[rows], None, k, threads=2)
    assert len(weighted) == len(repeated) == min(5, times.sum())
    for one, other in zip(weighted, repeated, strict=True):
        for a, b in zip(one, other, strict=True):
            assert contents(X, y, a) == contents(X[rows], y[rows], b)


def test_shares_are_not_divided():
    X, y = make_targets(50)
    weight = np.linspace(0.5, 2.5, 50)
    for train, test in fold_weights(X, y, weight):
        np.testing.assert_array_equal(train + test, weight)
        assert ((train == 0.0) | (test == 0.0)).all()


def test_one_row_has_no_folds():
    assert fold_weights(np.zeros((1, 1)), np.zeros(1)) == []
    assert len(fold_weights(np.zeros((3, 1)), np.zeros(3))) == 3


def params_of(model, X):
    prepare(model, X, np.arange(len(X)) % 2, None)
    params = core_params(model, X.shape, None)
    params.noise_level, params.shrinkages, params.price_scales = 0.0, [], []
    return params


STRENGTHS = [0.5, 10.0, 80.0]


def test_held_out_log_losses_are_those_of_the_shrunk_trees():
    X, y = make_classes(150)
    model = DPDTreeClassifier(strategy="greedy", loss="log_loss", alpha="mdl")
    params = params_of(model, X)
    found = stages.held_out_losses(
        X, y.astype(np.int32), None, 3, params, [1.0, math.inf], STRENGTHS
    )
    expected = np.zeros(6)
    for train, test in fold_weights(X, y, n_classes=3):
        inside, outside = train > 0, test > 0
        tree = model.fit(X[inside], y[inside]).tree_
        prior = np.bincount(y[inside], None, 3) / inside.sum()
        expected[3:] -= np.log(prior[y[outside]]).sum()
        for i, strength in enumerate(STRENGTHS):
            shares = tree.shrunk(strength)[tree.apply(X[outside]), 0]
            expected[i] -= np.log(shares[np.arange(len(shares)), y[outside]]).sum()
    np.testing.assert_allclose(found, expected, rtol=1e-3)  # codes, not thresholds


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_held_out_losses_of_numbers(loss):
    X, y = make_targets(150)
    X = X.round(1)
    model = DPDTreeRegressor(strategy="greedy", loss=loss, min_samples_leaf=5)
    params = params_of(model.set_params(alpha="mdl"), X)
    scales = [math.inf, 1.0, 0.0]
    found = stages.held_out_losses(X, y, None, 0, params, scales, STRENGTHS)
    found = np.reshape(found, (3, 3))
    expected = np.zeros(3)
    model.set_params(alpha="mdl")
    for train, test in fold_weights(X, y):
        inside, outside = train > 0, test > 0
        tree = model.fit(X[inside], y[inside]).tree_
        for i, strength in enumerate(STRENGTHS):
            said = tree.shrunk(strength)[tree.apply(X[outside]), 0, 0]
            off = np.abs(said - y[outside])
            expected[i] += (off**2 if loss == "squared_error" else off).sum()
    unit = np.sum(expected) / np.sum(found[1])  # the core scales targets
    np.testing.assert_allclose(found[1] * unit, expected, rtol=0.02)
    assert (found[0] == found[0, 0]).all()  # one leaf has nothing to shrink
