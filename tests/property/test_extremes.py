"""Targets, weights and costs at the limits of float64.

A fit raises a ValueError that names the argument, or all that it reports is finite and
its predictions lie between the targets.
"""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from dpdtree import DPDTreeClassifier, DPDTreeRegressor

LARGEST = float(np.finfo(np.float64).max)
SMALLEST = 5e-324
STRATEGIES = ("greedy", "paper", "balanced", "optimal")
ARGUMENTS = re.compile(r"\b(y|sample_weight|class_weight|'?cost_matrix'?)\b")

#: Magnitudes around the places where numbers, squares or their sums overflow or vanish.
MAGNITUDES = st.sampled_from(
    [
        *(SMALLEST, 1e-320, 1e-310, 2.3e-308, 1e-200, 1e-162, 1e-154, 1e-30, 1.0),
        *(1e30, 1e140, 1e153, 6e153, 1e154, 1.4e154, 1e155, 1e200, 1e300, 1e307),
        *(8e307, LARGEST),
    ]
)
SHARES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])


@st.composite
def columns(draw: Any, n: int, signs: tuple[float, ...]) -> Any:
    """Numbers of one or two magnitudes."""
    scales = [draw(MAGNITUDES) for _ in range(draw(st.integers(1, 2)))]
    values = [
        draw(st.sampled_from(scales)) * draw(SHARES) * draw(st.sampled_from(signs))
        for _ in range(n)
    ]
    return np.array(values)


def reported(model: Any) -> dict[str, Any]:
    """Every number that a fitted tree reports."""
    tree = model.tree_
    numbers = {
        name: getattr(model, name)
        for name in (
            "loss_",
            "complexity_",
            "feature_cost_",
            "objective_",
            # NaN says that nothing was proven.
            *(() if np.isnan(model.gap_) else ("lower_bound_", "gap_")),
            "feature_importances_",
        )
    }
    return numbers | {
        "impurity": tree.impurity,
        "value": tree.value,
        "weight": tree.weighted_n_node_samples,
        "importances": tree.compute_feature_importances(normalize=False),
    }


def fitted(model: Any, X: Any, y: Any, sample_weight: Any) -> Any | None:
    """The model, or None if the fit is refused by the name of an argument."""
    with warnings.catch_warnings(), np.errstate(over="raise", invalid="raise"):
        warnings.simplefilter("error")
        try:
            model.fit(X, y, sample_weight=sample_weight)
        except ValueError as error:
            assert ARGUMENTS.search(str(error)), error  # noqa: PT017
            return None
        for name, numbers in reported(model).items():
            assert np.isfinite(numbers).all(), name
    return model


@settings(max_examples=300)
@given(st.data())
def test_regression(data: Any) -> None:
    n = data.draw(st.integers(2, 9))
    strategy = data.draw(st.sampled_from(STRATEGIES))
    losses = ("squared_error", "absolute_error", "quantile", "poisson")
    criteria = ("squared_error", "absolute_error", "poisson")
    proof = strategy == "optimal"
    loss = "squared_error" if proof else data.draw(st.sampled_from(losses))
    criterion = data.draw(st.sampled_from(criteria))
    positive = "poisson" in (loss, criterion)
    y = data.draw(columns(n, (1.0,) if positive else (1.0, -1.0)))
    weight = data.draw(st.none() | columns(n, (1.0,)))
    X = np.arange(float(n))[:, np.newaxis]
    model = DPDTreeRegressor(
        strategy=strategy, loss=loss, criterion=criterion, max_depth=2
    )
    if fitted(model, X, y, weight) is None:
        return
    rows = slice(None) if weight is None else weight > 0.0
    low, high = y[rows].min(), y[rows].max()
    rounding = 1e-12 * max(abs(low), abs(high))
    predicted = model.predict(X)
    assert (low - predicted <= rounding).all()
    assert (predicted - high <= rounding).all()


@settings(max_examples=100)
@given(st.data())
def test_several_outputs(data: Any) -> None:
    n = data.draw(st.integers(2, 6))
    y = np.column_stack([data.draw(columns(n, (1.0, -1.0))) for _ in range(3)])
    X = np.arange(float(n))[:, np.newaxis]
    strategy = data.draw(st.sampled_from(STRATEGIES[:3]))
    model = fitted(DPDTreeRegressor(strategy=strategy, max_depth=2), X, y, None)
    if model is not None:
        assert np.isfinite(model.predict(X)).all()


@settings(max_examples=200)
@given(st.data())
def test_classification(data: Any) -> None:
    n = data.draw(st.integers(3, 9))
    y = np.array([0, 1, 2, *(data.draw(st.integers(0, 2)) for _ in range(n - 3))])
    weight = data.draw(st.none() | columns(n, (1.0,)))
    strategy = data.draw(st.sampled_from(STRATEGIES))
    losses = ("zero_one", "gini", "log_loss", "cost_matrix")
    loss = "zero_one" if strategy == "optimal" else data.draw(st.sampled_from(losses))
    costs = None
    if loss == "cost_matrix":
        costs = data.draw(columns(9, (1.0,))).reshape(3, 3)
    classes = data.draw(st.none() | columns(3, (1.0,)))
    weights = None if classes is None else dict(enumerate(classes.tolist()))
    X = np.arange(float(n))[:, np.newaxis]
    model = DPDTreeClassifier(
        strategy=strategy,
        loss=loss,
        cost_matrix=costs,
        class_weight=weights,
        max_depth=2,
    )
    if fitted(model, X, y, weight) is None:
        return
    shares = model.predict_proba(X)
    assert ((shares >= 0.0) & (shares <= 1.0)).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert set(model.predict(X)) <= {0, 1, 2}


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        ([LARGEST, -LARGEST], None, "y holds targets from"),
        ([1.7e308, -1.7e308], None, "y holds targets from"),
        ([1e155, 0.0], None, "y holds targets from"),
        ([1.0, 0.0], [1e-310, 1e-310], "sample_weight must have a sum"),
        ([1.0, 0.0], [1e308, 1e308], "sample_weight must have a finite sum"),
        ([1.0, 0.0], [1e-310, 1.0], "sample_weight .* must be 0 or at least 1e-290"),
        ([1.0, 0.0], [1e-150, 1e150], "sample_weight .* must be 0 or at least 1e-140"),
    ],
)
def test_refused(strategy: str, y: Any, weight: Any, message: str) -> None:
    model = DPDTreeRegressor(strategy=strategy)
    with pytest.raises(ValueError, match=message):
        model.fit([[0.0], [1.0]], y, sample_weight=weight)


def test_costs_without_a_finite_sum() -> None:
    model = DPDTreeClassifier(loss="cost_matrix", cost_matrix=[[0, 1e308], [1e308, 0]])
    with pytest.raises(ValueError, match="'cost_matrix' parameter"):
        model.fit(np.eye(4), [0, 1, 0, 1])


@pytest.mark.parametrize("loss", ["absolute_error", "quantile"])
def test_losses_without_squares_take_more(loss: str) -> None:
    y = np.repeat([-1e300, 1e300], 5)
    model = DPDTreeRegressor(strategy="balanced", loss=loss, criterion="absolute_error")
    X = np.arange(10.0)[:, np.newaxis]
    np.testing.assert_array_equal(model.fit(X, y).predict(X), y)


def test_impurity_of_counts_that_are_all_zero() -> None:
    model = DPDTreeRegressor(strategy="optimal", criterion="poisson", max_depth=2)
    model.fit([[0.0], [1.0]], [0, 1])
    assert model.tree_.impurity[1:].tolist() == [0.0, 0.0]
    assert model.feature_importances_.tolist() == [1.0]


def test_importances_of_heavy_rows() -> None:
    X, y = np.arange(12.0)[:, np.newaxis], np.arange(12.0) * 1e100
    model = DPDTreeRegressor(strategy="balanced", alpha=0.0)
    heavy = clone(model).fit(X, y, sample_weight=np.full(12, 2.0**1000))
    plain = model.fit(X, y)
    for normalize in (False, True):
        np.testing.assert_allclose(
            heavy.tree_.compute_feature_importances(normalize),
            plain.tree_.compute_feature_importances(normalize),
        )
