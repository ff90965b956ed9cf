"""Sums of numbers in bins, for squared errors: the same trees, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property import native
from tests.property.problems import Sample, examples

pytestmark = pytest.mark.native


def few_values(
    seed: int, most: int, noise: float, kind: str, copies: float, holes: float
) -> Sample:
    """Features of two up to more than 256 values, some of them with holes.

    Targets are whole numbers, numbers with many digits, or those with a far larger one
    among them; some rows repeat.
    """
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(most // 2, most)), int(rng.integers(1, 11))
    X = rng.normal(size=(n, p))
    for f in range(p):
        step = rng.choice([0.01, 0.05, 0.5, 3.0])
        X[:, f] = np.round(X[:, f] / step) * step
    y = np.sin(2 * X) @ (rng.normal(size=p) * (rng.random(p) < 0.6))
    y += (y.std() + 0.1) * noise * rng.normal(size=n)
    if kind == "whole":
        y = np.round(5 * y)
    if kind == "far":
        y[rng.integers(n)] = 1e9
    some = rng.random(n) < copies
    X[some], y[some] = X[0], y[0]
    X[:, ::3][rng.random((n, X[:, ::3].shape[1])) < holes] = np.nan
    return Sample(X, y, None, "squared_error")


samples = st.builds(
    few_values,
    st.integers(0, 10**6),
    st.sampled_from([400, 6000]),
    st.sampled_from([0.0, 0.5, 5.0]),
    st.sampled_from(["whole", "many digits", "far"]),
    st.sampled_from([0.0, 0.0, 0.3]),
    st.sampled_from([0.0, 0.0, 0.1]),
)
limits = st.fixed_dictionaries(
    {
        "min_samples_leaf": st.sampled_from([1, 40]),
        "min_weight_leaf": st.sampled_from([0.0, 0.0, 60.0]),
        "n_threads": st.sampled_from([1, 2]),
    }
)


def assert_same(sample: Sample, **more: Any) -> None:
    one, other = (native.fit(sample, use_bins=on, **more) for on in (True, False))
    assert one.objective == other.objective
    assert one.tree.to_bytes() == other.tree.to_bytes()


@given(sample=samples, limits=limits, deep=st.integers(1, 8), mdl=st.booleans())
@examples(60)
def test_greedy_trees(
    sample: Sample, limits: dict[str, Any], deep: int, mdl: bool
) -> None:
    assert_same(sample, strategy="greedy", max_depth=deep, mdl=mdl, **limits)


@given(sample=samples, limits=limits)
@examples(40)
def test_sizes_and_shrinkages_by_folds(sample: Sample, limits: dict[str, Any]) -> None:
    """What a fold holds out, and what all rows have, tell what the rest has."""
    grid = {"price_scales": [0.5, 1.0, 4.0], "shrinkages": [0.0, 3.0, 30.0]}
    assert_same(sample, strategy="greedy", max_depth=6, mdl=True, **grid, **limits)


@given(
    sample=samples, limits=limits,
    counts=st.lists(st.integers(1, 5), min_size=1, max_size=3),
)  # fmt: skip
@examples(40)
def test_trees_of_candidates(
    sample: Sample, limits: dict[str, Any], counts: list[int]
) -> None:
    assert_same(sample, strategy="paper", n_candidates=counts, **limits)


@given(sample=samples, limits=limits, deep=st.integers(1, 4))
@examples(25)
def test_balanced_trees(sample: Sample, limits: dict[str, Any], deep: int) -> None:
    assert_same(sample, strategy="balanced", max_depth=deep, **limits)
