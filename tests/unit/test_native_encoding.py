"""Values to codes: exact ranks and quantile bins of one column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpdtree._core import stages

pytestmark = pytest.mark.native


def test_ranks_of_distinct_values() -> None:
    x = np.array([3.0, -1.0, 2.0, 10.0])
    codes, values = stages.encode_column(x)
    assert codes.tolist() == [2, 0, 1, 3]
    assert values.tolist() == [-1.0, 2.0, 3.0, 10.0]


def test_equal_values_share_a_rank() -> None:
    codes, values = stages.encode_column(np.array([2.0, 1.0, 2.0, 2.0]))
    assert codes.tolist() == [1, 0, 1, 1]
    assert values.tolist() == [1.0, 2.0]


def test_both_zeros_are_equal() -> None:
    codes, values = stages.encode_column(np.array([0.0, -0.0, 1.0]))
    assert codes.tolist() == [0, 0, 1]
    assert len(values) == 2


@pytest.mark.parametrize("max_bins", [0, 2])
def test_missing_values_get_the_code_after_the_last(max_bins: int) -> None:
    x = np.array([np.nan, 5.0, 4.0, -np.nan])
    codes, values = stages.encode_column(x, max_bins)
    assert codes.tolist() == [2, 1, 0, 2]
    assert len(values) == 2


def test_a_column_of_missing_values() -> None:
    codes, values = stages.encode_column(np.full(3, np.nan))
    assert codes.tolist() == [0, 0, 0]
    assert len(values) == 0


def test_a_constant_column() -> None:
    codes, values = stages.encode_column(np.full(4, 1.5))
    assert codes.tolist() == [0] * 4
    assert values.tolist() == [1.5]


@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 5000, 65_535, 65_537])
def test_ranks_equal_numpy(n: int) -> None:
    rng = np.random.default_rng(n)
    x = np.round(rng.normal(scale=1e3, size=n), 1) * rng.choice([1e-300, 1.0, 1e300], n)
    expected, inverse = np.unique(x, return_inverse=True)
    codes, values = stages.encode_column(x)
    np.testing.assert_array_equal(values, expected)
    np.testing.assert_array_equal(codes, inverse)


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.2])
def test_columns_with_some_ties_and_missing_values(share: float, single: bool) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=5000)
    if single:
        x = x.astype(np.float32).astype(np.float64)
    repeated = rng.random(5000) < share
    x[repeated] = x[rng.integers(0, 5000, repeated.sum())]
    x[rng.random(5000) < share / 2] = np.nan
    values, inverse = np.unique(x, return_inverse=True)  # NaN comes last
    codes, found = stages.encode_column(x)
    np.testing.assert_array_equal(codes, inverse)
    np.testing.assert_array_equal(found, values[~np.isnan(values)])


KINDS: dict[str, Callable[[np.random.Generator, int], Any]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "single precision": lambda rng, n: rng.normal(size=n).astype(np.float32),
    "many magnitudes": lambda rng, n: np.exp(9 * rng.normal(size=n)),
    "whole": lambda rng, n: rng.integers(-2000, 2000, n),
    "large and whole": lambda rng, n: rng.integers(-(2**50), 2**50, n),
    "outlier": lambda rng, n: np.append(rng.normal(size=n - 1), 1e12),
    "close": lambda rng, n: 1000 + 1e-11 * rng.normal(size=n),
    "huge": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
    "denormal": lambda rng, n: rng.integers(-(10**6), 10**6, n) * 5e-324,
    "one side denormal": lambda rng, n: np.abs(rng.normal(size=n)) * 1e-310,
    "equal but one": lambda rng, n: np.append(np.full(n - 1, 0.1), 7.0),
}


@pytest.mark.parametrize("n", [300, 5000, 140_000])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("kind", KINDS)
def test_order_of_all_kinds_of_values(kind: str, missing: float, n: int) -> None:
    """Above 131 072 rows they are divided into buckets first."""
    rng = np.random.default_rng(n)
    x = np.asarray(KINDS[kind](rng, n), dtype=float)
    x[rng.random(n) < missing] = np.nan
    expected, inverse = np.unique(x, return_inverse=True)  # NaN comes last
    codes, values = stages.encode_column(x)
    np.testing.assert_array_equal(values, expected[~np.isnan(expected)])
    np.testing.assert_array_equal(codes, inverse)


def test_256_values_with_and_without_missing_ones() -> None:
    x = np.random.default_rng(0).permutation(np.arange(256.0).repeat(20))
    codes, values = stages.encode_column(x)
    np.testing.assert_array_equal(codes, x)
    x[7] = np.nan
    codes, values = stages.encode_column(x)
    assert codes[7] == len(values) == 256


def test_extreme_values_keep_their_order() -> None:
    x = np.array([1.7e308, -1.7e308, 5e-324, -5e-324, 0.0, 1.0, np.nextafter(1.0, 2)])
    codes, _ = stages.encode_column(x)
    np.testing.assert_array_equal(codes, np.argsort(np.argsort(x)))


@pytest.mark.parametrize("max_bins", [2, 3, 17, 255])
def test_bins_are_few_ordered_and_even(max_bins: int) -> None:
    x = np.random.default_rng(0).normal(size=10_000)
    codes, values = stages.encode_column(x, max_bins)
    assert len(values) == max_bins
    order = np.argsort(x)
    assert (np.diff(codes[order].astype(int)) >= 0).all()
    sizes = np.bincount(codes)
    assert sizes.min() > 0
    assert sizes.max() <= 1.1 * len(x) / max_bins + 1


def test_bins_of_few_values_are_exact() -> None:
    x = np.repeat([1.0, 5.0, 9.0], [1, 1000, 1])
    codes, _ = stages.encode_column(x, 255)
    assert codes.tolist() == np.repeat([0, 1, 2], [1, 1000, 1]).tolist()


def test_weights_move_the_bins() -> None:
    x = np.arange(100.0)
    w = np.where(x < 50, 9.0, 1.0)
    codes, _ = stages.encode_column(x, 2, w)
    repeated, _ = stages.encode_column(np.repeat(x, w.astype(int)), 2)
    first = np.flatnonzero(codes == 1)[0]
    assert x[first] == np.repeat(x, w.astype(int))[np.flatnonzero(repeated == 1)[0]]
    assert 20 <= first <= 35
