"""A common factor of all weights changes nothing; a whole weight is a repeated row."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from tests.property.problems import (
    COMPLEXITIES,
    LOSSES,
    Case,
    Sample,
    cases,
    examples,
    make_sample,
)
from tests.property.test_equivalences import repeated

FACTORS = (2.0, 3.0, 0.5, 10.0, 0.1)
STRATEGIES = ("greedy", "paper", "balanced", "optimal")


def scaled(sample: Sample, factor: float) -> Sample:
    """The sample with all weights multiplied."""
    return dataclasses.replace(sample, w=sample.weights * factor)


def with_real_targets(sample: Sample, seed: int) -> Sample:
    """Targets whose sums round, where they are numbers."""
    if not sample.regression:
        return sample
    noise = np.random.default_rng(seed).normal(size=len(sample.y))
    return dataclasses.replace(sample, y=sample.y + noise / 7)


def assert_same_tree(one: Any, other: Any) -> None:
    """Equal splits, and values that are equal but for rounding."""
    for name in ("feature", "threshold", "children_left", "n_node_samples"):
        np.testing.assert_array_equal(
            getattr(one.tree_, name), getattr(other.tree_, name)
        )
    np.testing.assert_allclose(one.tree_.value, other.tree_.value, rtol=1e-9)


@given(
    case=cases(),
    strategy=st.sampled_from(STRATEGIES),
    factor=st.sampled_from(FACTORS),
    seed=st.integers(0, 2**32 - 1),
)
@examples(150)
def test_a_common_factor_changes_nothing(
    case: Case, strategy: str, factor: float, seed: int
) -> None:
    case = case.for_strategy(strategy)
    sample = with_real_targets(case.sample, seed)
    one = sample.fit(strategy=strategy, **case.parameters)
    other = scaled(sample, factor).fit(strategy=strategy, **case.parameters)
    whole = np.all(sample.weights * 64 % 1 == 0)
    if whole or factor in (2.0, 0.5):
        assert_same_tree(one, other)
    slack = sample.rounding
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-9, abs=slack)
    total = other.tree_.weighted_n_node_samples[0]
    assert total == pytest.approx(sample.weights.sum() * factor, rel=1e-9)


@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(LOSSES),
    n=st.integers(30, 400),
    weighting=st.sampled_from(["none", "integer", "zeros"]),
    factor=st.sampled_from(FACTORS),
    depth=st.integers(2, 4),
    alpha=st.sampled_from([0.0, 0.01]),
    complexity=st.sampled_from(COMPLEXITIES),
)
@examples(60)
def test_a_common_factor_does_not_change_what_balanced_draws(
    seed: int, loss: str, n: int, weighting: str, factor: float, depth: int, **same: Any
) -> None:
    """Larger sets, whose look-ahead sees drawn rows and bins."""
    sample = make_sample(seed, loss=loss, n=n, p=4, levels=80, weighting=weighting)
    sample = with_real_targets(sample, seed)
    same |= {"strategy": "balanced", "max_depth": depth}
    assert_same_tree(sample.fit(**same), scaled(sample, factor).fit(**same))


@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(LOSSES),
    n=st.integers(30, 300),
    times=st.sampled_from([1, 2, 4]),
    depth=st.integers(2, 4),
    alpha=st.sampled_from([0.0, 0.01]),
    complexity=st.sampled_from(COMPLEXITIES),
)
@examples(60)
def test_weights_are_repeated_rows_whatever_their_factor(
    seed: int, loss: str, n: int, times: int, depth: int, **same: Any
) -> None:
    sample = make_sample(seed, loss=loss, n=n, p=4, levels=80, weighting="integer")
    sample = with_real_targets(sample, seed)
    same |= {"strategy": "balanced", "max_depth": depth}
    weighted = sample.fit(**same).objective_
    plain = repeated(scaled(sample, times)).fit(**same).objective_
    assert weighted == pytest.approx(plain, rel=1e-9, abs=sample.rounding)


@pytest.mark.parametrize("loss", ["zero_one", "squared_error"])
@pytest.mark.parametrize("n", [1500, 2600])
def test_doubled_rows_are_drawn_like_single_ones(loss: str, n: int) -> None:
    """The look-ahead of 2600 rows draws some of them, of 1500 rows only if doubled."""
    sample = make_sample(n, loss=loss, n=n, p=12, levels=300)
    same: dict[str, Any] = {"strategy": "balanced", "max_depth": 4}
    one = sample.fit(**same)
    other = repeated(scaled(sample, 2.0)).fit(**same)
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-9)


@pytest.mark.filterwarnings("ignore:No tree of the cross-validation")
@given(
    seed=st.integers(0, 2**32 - 1), factor=st.sampled_from(FACTORS),
    weighting=st.sampled_from(["none", "integer"]), regression=st.booleans(),
)  # fmt: skip
@examples(10)
def test_cross_validation_chooses_alike(
    seed: int, factor: float, weighting: str, regression: bool
) -> None:
    loss = "squared_error" if regression else "zero_one"
    sample = make_sample(seed, loss=loss, n=90, levels=20, weighting=weighting)
    kind = DPDTreeRegressorCV if regression else DPDTreeClassifierCV
    one, other = (
        kind(cv=3, by="n_leaves", strategy="balanced").fit(
            s.X, s.y, sample_weight=s.weights
        )
        for s in (sample, scaled(sample, factor))
    )
    assert one.best_params_ == other.best_params_
    assert_same_tree(one, other)


def test_splits_that_gain_nothing_are_candidates_of_entropy():
    # A weighted checkerboard: no first split changes the class shares at all.
    X = np.array(
        [[0, 0], [1, 0], [1, 0], [0, 1], [1, 0], [1, 1], [1, 1], [0, 0], [0, 1]]
    )
    y = [0, 1, 1, 1, 1, 0, 0, 0, 1]
    w = [1, 2, 1, 4, 2, 1, 2, 2, 1]
    for factor in (1, 3, 0.1):
        model = DPDTreeClassifier(
            strategy="paper",
            criterion="entropy",
            loss="zero_one",
            alpha=0.0,
            max_depth=2,
        ).fit(X, y, sample_weight=np.multiply(w, factor))
        assert model.loss_ == 0.0
        assert model.get_n_leaves() == 4


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("far", [3.8, 1e6, 1e12])
def test_targets_without_weight_do_not_cost_the_others_digits(
    strategy: str, far: float
) -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0], [0.5], [1.5]])
    y = np.array([0.354197, 0.347329, 0.36, 0.351, far, -far])
    w = np.array([0.25, 1.921875, 0.7, 1.1, 0.0, 0.0])
    params = {"strategy": strategy, "max_depth": 1, "alpha": 0.0, "max_bins": 255}
    tree = DPDTreeRegressor(**params, min_samples_leaf=2).fit(X, y, sample_weight=w)
    heavy = w > 0
    same = DPDTreeRegressor(**params, min_samples_leaf=2).fit(
        X[heavy], y[heavy], sample_weight=w[heavy]
    )
    assert tree.objective_ == pytest.approx(same.objective_, rel=1e-12, abs=0)
    assert tree.is_optimal_ == same.is_optimal_


def test_a_row_for_each_leaf_leaves_no_noise_to_pay_for() -> None:
    # The weights add up to seven rows only but for rounding.
    X = np.array([[0.075], [0.0625], [0.1775], [0.165], [0.0525], [0.145], [0.1175]])
    y = np.array([0.61498344761632773, -0.2461226483065857, 0.34435652296810432])
    y = np.append(y, [0.42741245364340441, -0.39492695637309494])
    y = np.append(y, [4.4794780809989652, -0.083120237669734892])
    w = np.array([1.0505485354552824, 0.26908088002816899, 0.16322826120974213])
    w = np.append(w, [1.0570238160489611, 1.0910224707609577])
    w = np.append(w, [0.48116310048449273, 0.30303854008548792])
    tree = DPDTreeRegressor(
        strategy="paper",
        generator="exhaustive",
        alpha="mdl",
        max_depth=3,
        n_candidates=[1, 1, 1],
        min_samples_leaf=1,
        max_bins=255,
    ).fit(X, y, sample_weight=w)
    assert tree.get_n_leaves() == 7
    assert tree.objective_ == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_splits_gain_beside_heavy_rows_is_not_lost(n_classes: int) -> None:
    """An exhaustive search has all splits, also those of next to no decrease."""
    rng = np.random.default_rng(0)
    X, y = np.array([[0.0], [1.0], [1.0], [1.0]]), np.array([0, 0, 1, n_classes - 1])
    for _ in range(100):
        heavy = float(rng.integers(10**8, 10**9))
        w = np.array([float(rng.integers(2, 10**6)), heavy, 1.0, 1.0])
        model = DPDTreeClassifier(
            strategy="paper",
            generator="exhaustive",
            criterion="gini",
            loss="log_loss",
            max_depth=1,
            min_samples_leaf=1,
            alpha=0.0,
        )
        assert model.fit(X, y, sample_weight=w).get_n_leaves() == 2
