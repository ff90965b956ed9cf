"""Rows counted in bins before bins are looked into: the same trees, bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree._core import stages
from tests.property import native
from tests.property.problems import Array, Sample, examples

pytestmark = pytest.mark.native


def long_sample(
    seed: int,
    quantile: float,
    noise: float,
    ties: float,
    n_classes: int,
    most: int,
    weights: str,
) -> Sample:
    """Strong and weak features of many values, and one of few.

    Some values of each are equal, those of a few wide runs first of all; every third
    feature is rounded, so that most of its values are.
    """
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(most // 2, most)), int(rng.integers(2, 10))
    X = rng.normal(size=(n, p))
    X[:, 0] = np.round(2 * X[:, 0])
    for f in range(1, p):
        X[:, f] = with_ties(X[:, f], ties / 16 * rng.random(), rng)
        X[:, f] = np.round(X[:, f], 3 if ties and f % 3 == 0 else 15)
    X = X[:, rng.permutation(p)]
    score = np.sin(2 * X) @ (rng.normal(size=p) * (rng.random(p) < 0.5))
    score += score.std() * noise * rng.normal(size=n)
    shares = np.append(quantile, np.sort(rng.random(n_classes - 2)))
    y = (score > np.quantile(score, shares)[:, np.newaxis]).sum(axis=0)
    y = rng.permutation(n_classes)[y]
    return Sample(X, y, weights_of(y, weights, rng), "zero_one")


def weights_of(y: Array, kind: str, rng: np.random.Generator) -> Array | None:
    """None, small whole numbers, numbers, or one per class; some of them are zero.

    Those of boosting are large for few rows, and next to nothing for many.
    """
    n = len(y)
    kinds = {
        "none": None,
        "whole": rng.integers(0, 5, n),
        "real": rng.random(n) + 0.1,
        "boosted": np.exp(rng.normal(scale=3, size=n)),
        "by class": (rng.random(int(y.max()) + 1) + 0.1)[y],
    }
    found = kinds[kind]
    return None if found is None else np.asarray(found, dtype=np.float64)


def with_ties(x: Array, share: float, rng: np.random.Generator) -> Array:
    """Up to this share of the values becomes one of a few."""
    order = np.argsort(x)
    x = x.copy()
    n_runs = int(rng.integers(1, 6))
    length = int(share * len(x) / n_runs)
    for start in rng.integers(0, len(x) - length, n_runs):
        x[order[start : start + length]] = x[order[start]]
    return x


def with_gaps(sample: Sample, share: float, of_columns: float) -> Sample:
    """Values are missing at random, and in one column rather at one of its ends."""
    rng = np.random.default_rng(len(sample.y))
    X = sample.X.copy()
    gaps = (rng.random(X.shape) < share) & (rng.random(X.shape[1]) < of_columns)
    gaps[:, -1] |= rng.random(len(X)) < 4 * share * (rng.choice([-1, 1]) * X[:, -1] > 1)
    X[gaps] = np.nan
    return Sample(X, sample.y, sample.w, sample.loss)


def fits(sample: Sample, **more: Any) -> list[Any]:
    return [native.fit(sample, use_bins=on, **more) for on in (True, False)]


complete = st.builds(
    long_sample,
    st.integers(0, 10**6),
    st.sampled_from([0.03, 0.5, 0.8]),
    st.sampled_from([0.0, 0.5, 5.0]),
    st.sampled_from([0.0, 1.0]),
    st.sampled_from([2, 2, 3, 6, 11]),
    st.sampled_from([500, 8000]),  # rows of small nodes are counted in blocks
    st.sampled_from(["none", "none", "whole", "real", "boosted", "by class"]),
)
gaps = st.sampled_from([0.001, 0.05, 0.6])
samples = complete | st.builds(with_gaps, complete, gaps, st.sampled_from([0.3, 1.0]))
limits = st.fixed_dictionaries(
    {
        "min_samples_leaf": st.sampled_from([1, 40]),
        "min_weight_leaf": st.sampled_from([0.0, 0.0, 60.0]),
    }
)


criteria = st.sampled_from(["gini", "entropy"])


@given(
    sample=samples, criterion=criteria, limits=limits,
    counts=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    threads=st.sampled_from([1, 2]),
)  # fmt: skip
@examples(150)
def test_bins_change_nothing(
    sample: Sample, criterion: str, limits: dict[str, Any], counts: list[int],
    threads: int,
) -> None:  # fmt: skip
    more = {"criterion": criterion, "n_candidates": counts, "max_depth": 3, **limits}
    more["n_threads"] = threads
    one, other = fits(sample, strategy="paper", **more)
    assert one.tree.to_bytes() == other.tree.to_bytes()
    assert one.objective == other.objective
    if threads == 1:  # all bounds are the same, too
        assert one.splits_searched == other.splits_searched
        assert one.pruned == other.pruned


@given(sample=samples, criterion=criteria, deep=st.integers(1, 8))
@examples(100)
def test_greedy_trees(sample: Sample, criterion: str, deep: int) -> None:
    more = {"criterion": criterion, "max_depth": deep}
    one, other = fits(sample, strategy="greedy", **more)
    assert one.tree.to_bytes() == other.tree.to_bytes()


@given(
    sample=samples, criterion=criteria, deep=st.integers(1, 4),
    loss=st.sampled_from(["zero_one", "zero_one", "log_loss"]), mdl=st.booleans(),
    limits=limits,
)  # fmt: skip
@examples(80)
def test_balanced_trees(
    sample: Sample, criterion: str, deep: int, loss: str, mdl: bool,
    limits: dict[str, Any],
) -> None:  # fmt: skip
    """They look for splits by the other criterion and by the loss as well."""
    more = {"criterion": criterion, "max_depth": deep, "loss": loss, "mdl": mdl}
    more |= limits
    one, other = fits(sample, strategy="balanced", **more)
    assert one.objective == other.objective
    assert one.tree.to_bytes() == other.tree.to_bytes()


@pytest.mark.parametrize("seed", range(6))
def test_features_that_are_allowed_at_some_depths_only(seed: int) -> None:
    """A node's counts come from its parent's and its sibling's, if these have them."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(5000, 12))
    y = np.sin(2 * X[:, ::3]).sum(axis=1) + np.abs(X[:, 5]) > rng.normal(size=5000)
    sample = Sample(X, y.astype(np.int64), None, "zero_one")
    by_depth = [rng.choice(12, 6, replace=False).tolist() for _ in range(3)]
    more = {"max_depth": 3, "n_candidates": [4, 3, 2], "allowed_features": by_depth}
    one, other = fits(sample, strategy="paper", **more)
    assert one.tree.to_bytes() == other.tree.to_bytes()
    assert one.splits_searched == other.splits_searched


def counted(sample: Sample, **more: Any) -> list[list[int]]:
    """Features by bins, and by known cells, at the root and both sides of its split."""
    params = native.tree_params(sample, **more)
    found: list[list[int]] = stages.counted_features(*native.arguments(sample), params)
    return found


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["none", "whole", "real"])
def test_searches_go_by_way_of_bins(
    criterion: str, n_classes: int, weights: str
) -> None:
    sample = long_sample(3, 0.5, 0.1, 0.0, n_classes, 40_000, weights)
    features = sample.X.shape[1]
    by_bins = [n for n, _ in counted(sample, criterion=criterion)]
    assert len(by_bins) == 3
    assert by_bins[0] >= features - 2
    assert sum(by_bins) > features
    off = counted(sample, criterion=criterion, use_bins=False)
    assert [n for n, _ in off] == [0, 0, 0]


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["none", "whole"])
@pytest.mark.parametrize("gaps", ["at random", "often", "telling"])
def test_features_with_missing_values_are_skipped_by_their_bounds(
    criterion: str, n_classes: int, gaps: str, weights: str
) -> None:
    """All but the one of few values, which is searched by its cells, and the best."""
    complete = long_sample(4, 0.5, 0.1, 0.0, n_classes, 40_000, weights)
    shares = {"at random": 0.05, "often": 0.4, "telling": 0.001}
    sample = with_gaps(complete, shares[gaps], 1.0)
    if gaps == "telling":
        sample.X[(sample.y == 1) & (sample.X[:, 3] > 0), 0] = np.nan
    by_bins = [n for n, _ in counted(sample, criterion=criterion)]
    assert min(by_bins) >= sample.X.shape[1] - 3
    one, other = fits(sample, criterion=criterion, n_candidates=[3, 3, 2])
    assert one.tree.to_bytes() == other.tree.to_bytes()
    assert [n for n, _ in counted(sample, use_bins=False)] == [0, 0, 0]


def test_weights_that_do_not_add_up_exactly_are_searched_row_by_row() -> None:
    sample = long_sample(3, 0.5, 0.1, 0.0, 2, 40_000, "real")
    assert sample.w is not None
    sample.w[0] = 1e30
    assert [n for n, _ in counted(sample)] == [0, 0, 0]
