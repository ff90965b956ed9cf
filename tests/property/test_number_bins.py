"""Sums of numbers in bins, for squared errors: the same trees, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree._core import stages
from tests.property import native
from tests.property.problems import Sample, examples

pytestmark = pytest.mark.native


def numbers(
    seed: int,
    most: int,
    noise: float,
    kind: str,
    copies: float,
    holes: float,
    weighted: bool,
) -> Sample:
    """Features of two values up to as many as rows, some of them with holes.

    Targets are whole numbers, numbers with many digits, those with a far larger one
    among them, or mostly the same; some rows repeat, and of some features so does a
    value. Weights are small whole numbers, some of them zero.
    """
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(most // 2, most)), int(rng.integers(1, 11))
    X = rng.normal(size=(n, p))
    for f in range(p):
        step = rng.choice([1e-9, 0.0005, 0.01, 0.05, 0.5, 3.0])
        X[:, f] = np.round(X[:, f] / step) * step
    y = np.sin(2 * X) @ (rng.normal(size=p) * (rng.random(p) < 0.6))
    y += (y.std() + 0.1) * noise * rng.normal(size=n)
    if kind == "whole":
        y = np.round(5 * y)
    if kind == "far":
        y[rng.integers(n)] = 1e9
    if kind == "rare":
        y[y < np.quantile(y, 0.98)] = 100.0
    some = rng.random(n) < copies
    X[some], y[some] = X[0], y[0]
    X[rng.random(n) < 0.4, :: rng.integers(1, 5)] = rng.choice([-9.0, 0.0, 9.0])
    X[:, ::3][rng.random((n, X[:, ::3].shape[1])) < holes] = np.nan
    w = rng.integers(0, 5, n).astype(np.float64) if weighted else None
    return Sample(X, y, w, "squared_error")


samples = st.builds(
    numbers,
    st.integers(0, 10**6),
    st.sampled_from([400, 6000, 20_000]),
    st.sampled_from([0.0, 0.5, 5.0]),
    st.sampled_from(["whole", "many digits", "far", "rare"]),
    st.sampled_from([0.0, 0.0, 0.3]),
    st.sampled_from([0.0, 0.0, 0.1]),
    st.booleans(),
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


@pytest.mark.parametrize("weighted", [False, True])
def test_searches_go_by_way_of_bins(weighted: bool) -> None:
    """Of each node they close the bins of most features, and open a few of the rest."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 8))
    X[:, :3] = np.round(X[:, :3], 1)  # the others have a value per row
    y = np.sign(X[:, 0]) + np.sign(X[:, 7]) + 0.5 * rng.normal(size=20_000)
    w = rng.integers(1, 5, 20_000).astype(np.float64) if weighted else None
    sample = Sample(X, y, w, "squared_error")

    def by_bins(**more: Any) -> list[int]:
        params = native.tree_params(sample, **more)
        found = stages.counted_features(*native.arguments(sample), params)
        return [n for n, _ in found]

    assert by_bins() == [8, 8, 8]
    assert by_bins(use_bins=False) == [0, 0, 0]
