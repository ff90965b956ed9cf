"""Stages of the boosting engine on hand-made input: losses, bins, gradients."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import log_softmax

from dpdtree import _core
from dpdtree._core import stages
from tests.unit.native_boosting import params, regression, session_of

pytestmark = pytest.mark.native

LOSSES = ["log_loss", "squared_error", "absolute_error", "quantile", "poisson", "gamma"]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradients_are_derivatives_of_the_loss(loss, n_classes, weighted):
    rng = np.random.default_rng(1)
    n = 30
    outputs = n_classes if loss == "log_loss" and n_classes > 2 else 1
    p = params(loss=loss, quantile=0.3)
    y = rng.integers(0, n_classes, n).astype(float)
    y = y if loss == "log_loss" else y + 0.5
    raw = rng.normal(size=n * outputs)
    weight = rng.uniform(0.5, 2, n) if weighted else None
    g, h = stages.boosting_gradients(p, n_classes, y, raw)
    if weighted:  # the core weighs derivatives when it rounds them
        g, h = g * np.tile(weight, outputs), h * np.tile(weight, outputs)

    def total(at):
        return stages.boosting_loss(p, n_classes, y, at, weight)

    for i in range(0, n * outputs, 7):
        step = np.zeros_like(raw)
        step[i] = 1e-4
        up, here, down = total(raw + step), total(raw), total(raw - step)
        assert g[i] == pytest.approx((up - down) / 2e-4, rel=1e-4, abs=1e-5)
        if loss in ("absolute_error", "quantile"):
            continue  # flat: the hessian is 1 by choice
        second = (up - 2 * here + down) / 1e-8
        if outputs > 1:
            second *= outputs / (outputs - 1)  # shared among the classes
        assert h[i] == pytest.approx(second, rel=1e-2, abs=1e-3)


@pytest.mark.parametrize("n", [1, 3, 511, 512, 1030])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_log_loss_is_the_same_with_every_instruction_set(n, n_classes):
    rng = np.random.default_rng(n)
    y = rng.integers(0, n_classes, n).astype(float)
    raw = 4 * rng.normal(size=n * (n_classes if n_classes > 2 else 1))
    raw[::7] = rng.choice([0.0, -0.0, 800.0, -800.0, 1e-300], len(raw[::7]))
    p = params(loss="log_loss", max_leaf_nodes=1)
    found = []
    try:
        for path in filter(stages.force_instruction_set, ("portable", "sse2", "avx2")):
            derivatives = stages.boosting_gradients(p, n_classes, y, raw)
            session = _core.BoostingSession(y[:, None], y, None, n_classes, p)
            found.append((path, *derivatives, session.train_loss()))
    finally:
        stages.force_instruction_set("best")
    for _, *others in found[1:]:
        for mine, theirs in zip(found[0][1:], others, strict=True):
            np.testing.assert_array_equal(mine, theirs)
    if n_classes == 2:
        chance = 1 / (1 + np.exp(-np.clip(raw, -700, 700)))
        np.testing.assert_allclose(found[0][1], chance - y, atol=1e-7)
        np.testing.assert_allclose(found[0][2], chance * (1 - chance), atol=1e-7)


def test_exponentials():
    x = np.concatenate([np.linspace(-700, 700, 5001), [0.0, -0.0, 1e-300, -745, -1e9]])
    try:
        for path in filter(stages.force_instruction_set, ("portable", "sse2", "avx2")):
            found = stages.boosting_exponentials(x)
            np.testing.assert_allclose(
                found[:-2], np.exp(x[:-2]), rtol=1e-15, err_msg=path
            )
            assert (found[-2:] < 1e-300).all()
    finally:
        stages.force_instruction_set("best")


def test_edges_separate_few_values():
    x = np.array([3.0, 1.0, np.nan, 1.0, 7.0, 3.0])
    assert list(stages.boosting_edges(x, 255)) == [2.0, 5.0]


def test_edges_are_quantiles_even_beside_a_heavy_value():
    x = np.concatenate([np.zeros(5000), np.linspace(1, 2, 5000)])
    edges = stages.boosting_edges(x, 11)
    assert len(edges) == 10
    counts = np.bincount(np.searchsorted(edges, x))
    assert counts[0] == 5000
    assert counts[1:].max() - counts[1:].min() <= 2


def test_edges_in_single_precision():
    step = 2.0**-23  # between numbers of single precision from 1 to 2
    close = 1.0 + step * np.array([0.0, 0.1, 0.49, 0.51, 1.0, 1.49, 2.0])
    edges = stages.boosting_edges(close, 255)
    assert len(edges) == 2
    for x in (close, close.astype(np.float32).astype(float)):
        assert list(np.searchsorted(edges, x)) == [0, 0, 0, 1, 1, 1, 2]
    far = np.array([1e-60, 2e-60, 1e300, 2e300])  # out of its range: nothing to keep
    assert len(stages.boosting_edges(far, 255)) == 3


def test_quantized_gradients_are_close_and_exact_to_sum():
    rng = np.random.default_rng(0)
    g = rng.normal(size=5000).astype(np.float32)
    h = rng.uniform(0, 1, 5000).astype(np.float32)
    qg, qh = stages.boosting_quantized(g, h)
    np.testing.assert_allclose(qg, g, atol=2e-8 * np.abs(g).max())
    np.testing.assert_allclose(qh, h, atol=2e-8)
    assert qg.sum() == qg[::-1].sum() == rng.permutation(qg).cumsum()[-1]


@pytest.mark.parametrize("factor", [1e-320, 1e-200, 1e-5, 1e30])
def test_weights_of_any_size(factor):
    X, y = regression(200)
    weight = np.random.default_rng(0).uniform(0.5, 1.5, 200)
    raw = session_of(X, y, weight=weight * factor, min_samples_leaf=1).raw_train
    assert np.isfinite(raw).all()
    if factor > 1e-150:  # else hessians are too small to be told from zero
        same = session_of(X, y, weight=weight, min_samples_leaf=1).raw_train
        np.testing.assert_allclose(raw, same, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("weighted", [False, True])
def test_mean_loss_is_that_of_the_probabilities(n_classes, weighted):
    rng = np.random.default_rng(n_classes)
    X = rng.normal(size=(1300, 4))
    y = rng.permutation(np.arange(1300) % n_classes).astype(float)
    weight = rng.random(1300) if weighted else None
    session = session_of(X, y, 3, n_classes, weight, loss="log_loss", learning_rate=1.0)
    raw = np.asarray(session.raw_train)
    if n_classes == 2:
        raw = np.column_stack([np.zeros(1300), raw[:, 0]])
    chosen = log_softmax(raw, axis=1)[np.arange(1300), y.astype(int)]
    assert session.train_loss() == pytest.approx(
        -np.average(chosen, weights=weight), rel=1e-12
    )


def test_weights_beyond_all_bounds_are_refused():
    X, y = regression(200)
    with pytest.raises(ValueError, match="sample_weight is too large"):
        session_of(X, y, weight=np.full(200, 1e300))
