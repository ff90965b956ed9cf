"""Thresholds are the roundest numbers that divide the training rows as they should."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from dpdtree import (
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
    export_text,
)
from dpdtree._core import stages
from tests.property.problems import examples

finite = st.floats(allow_nan=False, allow_infinity=False)
TINY, HUGE = float(np.finfo(np.float32).tiny), float(np.finfo(np.float32).max)


def guarded(low: float, high: float) -> tuple[float, float]:
    """The numbers that part both values and what single precision makes of them."""
    with np.errstate(over="ignore"):
        singles = float(np.float32(low)), float(np.float32(high))
    fit = [v == 0 or TINY <= abs(v) <= HUGE for v in (low, high)]
    inner = max(low, singles[0]), min(high, singles[1])
    return inner if all(fit) and inner[0] < inner[1] else (low, high)


def digits_of(value: float) -> int:
    """Significant digits of the shortest decimal that stands for a number."""
    return (
        len(Decimal(repr(float(value))).normalize().as_tuple().digits) if value else 0
    )


def has_decimal(low: float, high: float, digits: int) -> bool:
    """Whether a decimal with so many digits lies in low <= t < high."""
    up = Context(prec=digits, rounding=ROUND_CEILING, Emax=400, Emin=-400)
    return float(up.create_decimal(Decimal(low))) < high


def neighbours(middle: float, digits: int) -> list[float]:
    """The two decimals with so many digits around a number."""
    found = []
    for rounding in (ROUND_FLOOR, ROUND_CEILING):
        context = Context(prec=digits, rounding=rounding, Emax=400, Emin=-400)
        found.append(float(context.create_decimal(Decimal(middle))))
    return found


@pytest.mark.native
@examples(300)
@given(finite, finite)
@example(3.0, 4.0)
@example(0.96, 12.0)
@example(999.0, 1019.0)
@example(-4.0, -3.0)
@example(1.7, 1.8)
@example(1.0, math.nextafter(1.0, 2.0))
@example(1.2e308, 1.6e308)
@example(5e-324, 1e-323)
@example(-1e-3, 1.0000001e-3)
@example(9.007199254740993e15, 9.007199254740995e15)
def test_no_decimal_is_shorter(one: float, other: float) -> None:
    low, high = sorted((one + 0.0, other + 0.0))
    assume(low < high)
    found = stages.round_threshold(low, high)
    low, high = guarded(low, high)
    assert low <= found < high
    if low <= 0.0 < high:
        assert found == 0.0
        return
    digits = digits_of(found)
    assert digits == 1 or not has_decimal(low, high, digits - 1)
    middle = low / 2 + high / 2
    for near in neighbours(middle, digits):
        if low <= near < high:
            assert abs(found - middle) <= abs(near - middle)


@pytest.mark.native
@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1, 2, 1.0),  # whole numbers: the value itself
        (3, 9, 6.0),
        (-5, 12, 0.0),
        (95, 123, 100.0),
        (1.234567, 1.3, 1.27),
        (1.7, 1.8, 1.75),  # 1.7 is above 1.7 in single precision
        (0.0312, 0.0319, 0.0315),
    ],
)
def test_roundest(low: float, high: float, expected: float) -> None:
    assert stages.round_threshold(low, high) == expected


def columns(rng: np.random.Generator, n: int) -> Any:
    """Columns of many kinds: smooth, rounded, whole, few values, huge, missing."""
    smooth = rng.normal(size=n)
    some = np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n).round(1))
    return np.column_stack(
        [
            smooth,
            (30 * smooth + rng.normal(size=n)).round(2),
            rng.integers(-5, 60, n),
            rng.choice([0.1, 0.2, 0.7], n),
            1e12 * rng.normal(size=n),
            some,
        ]
    )


def assert_round(tree: Any, X: Any, *, exact: bool = True) -> int:
    """Check each threshold against the rows of its node; how many there were."""
    indptr, nodes = tree.decision_path(X)
    rows = np.repeat(np.arange(len(X)), np.diff(indptr))
    checked = 0
    for node in np.flatnonzero(tree.children_left >= 0):
        here = rows[nodes == node]
        assert len(here) == tree.n_node_samples[node]
        x, t = X[here, tree.feature[node]], tree.threshold[node]
        left, right = x[x <= t], x[x > t]
        if not len(right) or not len(left):
            continue  # missing values against the rest
        low, high = left.max(), right.min()
        assert low <= t < high
        if exact:
            assert t == stages.round_threshold(low, high)
        checked += 1
    return checked


@pytest.mark.native
@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced"])
@pytest.mark.parametrize("max_bins", [None, 12])
def test_every_node_divides_its_rows_at_the_roundest(
    strategy: str, max_bins: int | None
) -> None:
    checked = 0
    for seed in range(4):
        rng = np.random.default_rng(seed)
        X = columns(rng, 400)
        y = np.nan_to_num(X[:, 0] * X[:, 2] + X[:, 5]) > rng.normal(size=400)
        model = DPDTreeClassifier(
            strategy=strategy, max_depth=4, alpha=0.0, max_bins=max_bins
        ).fit(X, y)
        # Rows of a bin are not told apart: its ends are the neighbours.
        checked += assert_round(model.tree_, X, exact=max_bins is None)
        in_single = X.astype(np.float32)
        np.testing.assert_array_equal(model.apply(X), model.apply(in_single))
    assert checked > 30


@pytest.mark.native
def test_paths_and_proofs_too() -> None:
    rng = np.random.default_rng(0)
    X = columns(rng, 150)[:, :3]
    y = X[:, 0] + X[:, 1] / 30 + rng.normal(size=150)
    for model in DPDTreeRegressor(max_depth=3).leaf_path(X, y):
        assert_round(model.tree_, X)
    proven = DPDTreeClassifier(strategy="optimal", max_depth=2).fit(X, y > 0)
    assert assert_round(proven.tree_, X) == 3


@pytest.mark.native
def test_boosted_trees_have_short_thresholds_too() -> None:
    rng = np.random.default_rng(0)
    X = columns(rng, 500)[:, :3]
    y = X[:, 0] + rng.normal(size=500)
    booster = DPDTBoostingRegressor(max_iter=5, max_bins=16).fit(X, y).booster_
    shown = []
    for i in range(5):
        tree = booster.tree(i, 0)
        shown += [digits_of(t) for t in tree.threshold[tree.children_left >= 0]]
    assert np.median(shown) <= 3


def test_text_is_exact() -> None:
    X = np.array([[0.125], [0.1251], [0.3], [7.0]])
    tree = DPDTreeClassifier(max_depth=3, alpha=0.0).fit(X, [0, 1, 0, 1])
    for cut in tree.tree_.threshold[tree.tree_.feature == 0]:
        shown = repr(float(cut)).removesuffix(".0")
        assert f"feature_0 <= {shown}\n" in export_text(tree)
