"""Cells of few values that are what the sibling leaves of the parent's: same trees."""

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


def few_values(seed: int, n_classes: int, missing: bool) -> Sample:
    """Columns of 2 … 300 values, some with missing ones; labels that follow a few."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(3000, 12_000)), int(rng.integers(3, 9))
    n_values = rng.choice([2, 3, 17, 90, 300], p)
    X = np.floor(rng.random((n, p)) ** 2 * n_values)
    score = np.sin(X / n_values * 7) @ rng.normal(size=p)
    score += score.std() * rng.choice([0, 0.5]) * rng.normal(size=n)
    cuts = np.quantile(score, np.sort(rng.random(n_classes - 1)))
    if missing:
        X[rng.random((n, p)) < 0.1 * (rng.random(p) < 0.5)] = np.nan
    return Sample(X, (score > cuts[:, np.newaxis]).sum(axis=0), None, "zero_one")


samples = st.builds(
    few_values, st.integers(0, 10**6), st.sampled_from([2, 3, 8]), st.booleans()
)


def fits(sample: Sample, **more: Any) -> list[Any]:
    return [native.fit(sample, use_bins=on, **more) for on in (True, False)]


@given(
    sample=samples, criterion=st.sampled_from(["gini", "entropy"]),
    counts=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    deep=st.integers(3, 6), least=st.sampled_from([1, 40]),
    threads=st.sampled_from([1, 2]), sets=st.booleans(),
)  # fmt: skip
@examples(100)
def test_differences_change_nothing(
    sample: Sample, criterion: str, counts: list[int], deep: int, least: int,
    threads: int, sets: bool,
) -> None:  # fmt: skip
    more = {"criterion": criterion, "max_depth": deep, "min_samples_leaf": least}
    more |= {"n_candidates": counts, "n_threads": threads}
    if sets:
        more["categorical"] = [0]
    one, other = fits(sample, strategy="paper", **more)
    assert one.tree.to_bytes() == other.tree.to_bytes()
    assert one.objective == other.objective
    if threads == 1:
        assert one.splits_searched == other.splits_searched


@given(
    sample=samples, loss=st.sampled_from(["zero_one", "log_loss"]), mdl=st.booleans()
)
@examples(30)
def test_balanced_trees(sample: Sample, loss: str, mdl: bool) -> None:
    more = {"max_depth": 3, "loss": loss, "mdl": mdl}
    one, other = fits(sample, strategy="balanced", **more)
    assert one.objective == other.objective
    assert one.tree.to_bytes() == other.tree.to_bytes()


@pytest.mark.parametrize("seed", range(6))
def test_features_that_are_allowed_at_some_depths_only(seed: int) -> None:
    """The parent's cells help only if it has all that are wanted."""
    sample = few_values(seed, 4, missing=False)
    p = sample.X.shape[1]
    rng = np.random.default_rng(seed)
    by_depth = [rng.choice(p, (p + 1) // 2, replace=False).tolist() for _ in range(3)]
    more = {"max_depth": 3, "n_candidates": [4, 3, 2], "allowed_features": by_depth}
    one, other = fits(sample, strategy="paper", **more)
    assert one.tree.to_bytes() == other.tree.to_bytes()
    assert one.splits_searched == other.splits_searched


@pytest.mark.parametrize("n_classes", [3, 8])
def test_searches_take_known_cells(n_classes: int) -> None:
    """What the smaller sides did not count; without them all rows are looked at."""
    few = few_values(1, n_classes, missing=False)
    sample = Sample(np.tile(few.X, (8, 1)), np.tile(few.y, 8), None, "zero_one")
    n_known = []
    for on in (True, False):
        params = native.tree_params(sample, use_bins=on)
        found = stages.counted_features(*native.arguments(sample), params)
        n_known.append([n for _, n in found])
    assert n_known[0][0] == sample.X.shape[1]
    assert sum(n_known[0][1:]) >= sample.X.shape[1]
    assert n_known[1] == [0, 0, 0]
