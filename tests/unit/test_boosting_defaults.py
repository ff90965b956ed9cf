"""What "auto" stands for in a boosted fit."""

from __future__ import annotations

import math

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
from dpdtree._core import BoostingParams, BoostingSession

AUTO = ("learning_rate", "max_leaf_nodes", "lookahead")
BOTH = [DPDTBoostingClassifier, DPDTBoostingRegressor]


@pytest.mark.parametrize(
    ("n", "noise", "rate", "of_classes", "of_numbers", "ahead"),
    [
        (10, 0.5, 0.02, 4, 4, None),
        (200, 0.02, 0.0885, 6, 8, None),
        (1000, 0.5, 0.05, 5, 6, None),
        (1000, 0.2, 0.0707, 7, 12, None),
        (2999, 0.8, 0.0465, 6, 4, None),
        (5000, 0.5, 0.0748, 10, 10, "light"),
        (5000, 0.1, 0.12, 15, 31, "light"),
        (10**9, 0.5, 0.12, 31, 48, "light"),
    ],
)
def test_the_rule(n, noise, rate, of_classes, of_numbers, ahead):
    assert learning_rate(n, noise) == rate
    assert max_leaf_nodes(n, noise, classes=True) == of_classes
    assert max_leaf_nodes(n, noise, classes=False) == of_numbers
    assert lookahead(n) == ahead


@given(
    st.integers(1, 10**10),
    st.integers(1, 10**10),
    st.floats(0.0, 1.0),
    st.floats(0.0, 1.0),
    st.booleans(),
)
def test_more_rows_and_less_noise_never_mean_smaller_trees_or_steps(
    n, more, noise, other, classes
):
    less, most = sorted((noise, other))
    assert learning_rate(n, most) <= learning_rate(n + more, less)
    few = max_leaf_nodes(n, most, classes=classes)
    assert few <= max_leaf_nodes(n + more, less, classes=classes)


@given(st.integers(1, 10**6), st.floats(0.0, 1.0), st.integers(1, 10**18))
def test_steps_stay_within_their_limits(n, noise, max_iter):
    assert 0.02 <= learning_rate(n, noise, max_iter) <= 0.3


def test_fewer_iterations_make_larger_steps():
    assert learning_rate(1000, 0.5, 125) == pytest.approx(0.1)
    assert learning_rate(1000, 0.5, 1) == 0.3
    assert learning_rate(1000, 0.5, 10**6) == 0.02


def test_noise_that_is_not_known_counts_as_three_tenths():
    assert learning_rate(1000, math.nan) == learning_rate(1000, 0.3)
    leaves = max_leaf_nodes(1000, math.nan, classes=False)
    assert leaves == max_leaf_nodes(1000, 0.3, classes=False)


@pytest.mark.parametrize("estimator", BOTH)
def test_what_is_given_is_taken(estimator):
    explicit = {"learning_rate": 0.7, "max_leaf_nodes": None, "lookahead": "strong"}
    assert resolved(estimator(**explicit), 1000, {}, classes=True) == explicit
    before = {f"{name}_": f"kept {name}" for name in AUTO}
    assert resolved(estimator(**explicit), 1000, before, classes=True) == explicit
    kept = resolved(estimator(), 1000, before, classes=True)
    assert kept == {name: f"kept {name}" for name in AUTO}


def noise_of(X, y, weight=None, *, classes=False, n_rows=None, **params):
    """Return the share of noise that the core finds."""
    core = BoostingParams()
    core.loss = "log_loss" if classes else "squared_error"
    core.lookahead = "none"
    for name, value in params.items():
        setattr(core, name, value)
    n_classes = len(np.unique(y)) if classes else 0
    session = BoostingSession(X, np.asarray(y, float), weight, n_classes, core)
    return session.noise_share(float(len(y) if n_rows is None else n_rows))


def rows(n, noise, seed=0):
    """Targets of which this share is noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    told = np.where(X[:, 0] > 0, 1.0, -1.0)
    return X, np.sqrt(1 - noise) * told + np.sqrt(noise) * rng.normal(size=n)


@pytest.mark.native
@pytest.mark.parametrize("noise", [0.05, 0.3, 0.6, 0.9])
def test_the_share_of_noise_is_found(noise):
    assert noise_of(*rows(2000, noise)) == pytest.approx(noise, abs=0.05)


@pytest.mark.native
@pytest.mark.parametrize(("n", "p"), [(100, 3), (500, 30), (3000, 10)])
@pytest.mark.parametrize("classes", [True, False])
def test_rows_that_tell_nothing_are_all_noise(n, p, classes):
    rng = np.random.default_rng(n)
    drawn = [
        noise_of(
            rng.normal(size=(n, p)),
            rng.integers(0, 3, n) if classes else rng.normal(size=n),
            classes=classes,
        )
        for _ in range(20)
    ]
    assert np.mean(np.array(drawn) > 0.9) >= 0.95
    assert max(drawn) == 1.0


@pytest.mark.native
def test_constant_targets_are_noise():
    X = np.arange(20.0)[:, np.newaxis]
    assert noise_of(X, np.ones(20)) == 1.0


@pytest.mark.native
@pytest.mark.parametrize("classes", [True, False])
def test_the_share_depends_neither_on_order_nor_on_threads(classes):
    X, y = rows(3000, 0.4)
    y = (y > 0).astype(float) if classes else y
    share = noise_of(X, y, classes=classes)
    order = np.random.default_rng(1).permutation(len(y))
    assert noise_of(X[order], y[order], classes=classes) == share
    assert noise_of(X, y, classes=classes, n_threads=3) == share


@pytest.mark.native
@pytest.mark.parametrize("classes", [True, False])
def test_weights_count_as_repeated_rows_for_the_share(classes):
    X, y = rows(400, 0.4)
    y = (y > 0).astype(float) if classes else y
    weight = np.random.default_rng(2).integers(0, 4, 400)
    again = np.repeat(np.arange(400), weight)
    repeated = noise_of(X[again], y[again], classes=classes)
    weighted = noise_of(
        X, y, weight.astype(float), classes=classes, n_rows=weight.sum()
    )
    assert weighted == repeated


def test_noisier_targets_get_smaller_trees_and_steps():
    calm, noisy = (
        DPDTBoostingRegressor(max_iter=2, warm_start=True).fit(*rows(2000, noise))
        for noise in (0.05, 0.8)
    )
    assert calm.max_leaf_nodes_ > 2 * noisy.max_leaf_nodes_
    assert calm.learning_rate_ > 1.5 * noisy.learning_rate_


def test_a_loss_of_ones_own_has_no_noise():
    def squared(y, raw):
        return raw - y, np.ones_like(y)

    X, y = rows(1000, 0.9)
    model = DPDTBoostingRegressor(loss=squared, max_iter=2, warm_start=True).fit(X, y)
    assert model.learning_rate_ == learning_rate(1000, math.nan)


def test_several_outputs_share_their_pace():
    X, calm = rows(2000, 0.05)
    noisy = rows(2000, 0.8)[1]
    both = DPDTBoostingRegressor(max_iter=2, warm_start=True)
    both.fit(X, np.column_stack([calm, noisy]))
    alone = [
        DPDTBoostingRegressor(max_iter=2, warm_start=True).fit(X, y).max_leaf_nodes_
        for y in (calm, noisy)
    ]
    assert min(alone) < both.max_leaf_nodes_ < max(alone)


@pytest.mark.parametrize("estimator", BOTH)
def test_an_automatic_fit_is_the_explicit_one(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 4))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=700) > 0).astype(int)
    model = estimator(max_iter=20).fit(X, y)
    found = {name: getattr(model, f"{name}_") for name in AUTO}
    classes = hasattr(model, "classes_")
    noise = noise_of(X, y, classes=classes)
    assert found == resolved(
        estimator(max_iter=20), 700, {}, classes=classes, noise=noise
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
    noise = noise_of(X, X[:, 0], weights, n_rows=n)
    assert model.max_leaf_nodes_ == max_leaf_nodes(n, noise, classes=False)
    assert model.learning_rate_ == learning_rate(n, noise)


def test_rows_without_weight_do_not_count():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(2000, 2)), rng.normal(size=2000)
    weight = np.where(np.arange(2000) < 1000, 0.5, 0.0)
    model = DPDTBoostingRegressor(max_iter=2).fit(X, y, sample_weight=weight)
    few = DPDTBoostingRegressor(max_iter=2).fit(X[:1000], y[:1000])
    assert model.max_leaf_nodes_ == few.max_leaf_nodes_ == 4
