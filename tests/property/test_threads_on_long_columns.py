"""Columns long enough to be cut into pieces: any number of threads, the same tree."""

from __future__ import annotations

import numpy as np
import pytest

from dpdtree import _core
from tests.property import native
from tests.property.problems import Array, Sample

pytestmark = pytest.mark.native

ROWS = 140_000  # several pieces, also of sums that round; codes of four bytes
KINDS = ("distinct", "some ties", "many ties", "few values", "missing values")


def column(kind: str, rng: np.random.Generator) -> Array:
    """One feature of that kind."""
    x = rng.normal(size=ROWS)
    if kind == "some ties":
        x = x.astype(np.float32).astype(np.float64)
    elif kind == "many ties":
        x = np.round(x, 3)
    elif kind == "few values":
        x = np.clip(np.round(40 * x), -127, 128)
    elif kind == "missing values":
        x[rng.random(ROWS) < 0.02] = np.nan
    return x


def sample_of(kind: str, target: str) -> Sample:
    """Three such features and a target of both kinds, weighted or not."""
    rng = np.random.default_rng(KINDS.index(kind))
    X = np.column_stack([column(kind, rng) for _ in range(3)])
    score = np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2]) + 0.3 * rng.normal(size=ROWS)
    w = rng.random(ROWS) if "weighted" in target else None
    if "regression" in target:
        return Sample(X, score, w, "squared_error")
    return Sample(X, np.digitize(score, [-1.0, 0.0]), w, "zero_one")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["classes", "weighted regression"])
def test_threads_do_not_change_the_tree(kind: str, target: str) -> None:
    sample = sample_of(kind, target)
    fits = [
        native.fit(sample, n_candidates=[2], max_depth=2, n_threads=n)
        for n in (1, 2, 4)
    ]
    assert len({fit.tree.to_bytes() for fit in fits}) == 1
    assert len({fit.objective for fit in fits}) == 1


@pytest.mark.parametrize("target", ["weighted classes", "regression"])
def test_threads_do_not_change_the_tree_of_bins(target: str) -> None:
    sample = sample_of("missing values", target)
    fits = [
        native.fit(sample, n_candidates=[2, 2], max_bins=50, n_threads=n)
        for n in (1, 2, 4)
    ]
    assert len({fit.tree.to_bytes() for fit in fits}) == 1


@pytest.mark.parametrize("n_features", [1, 2, 5])
def test_threads_without_a_feature_of_their_own(n_features: int) -> None:
    """Rows are shared where features or candidates are too few for all threads."""
    whole = sample_of("few values", "classes")
    X = np.column_stack([whole.X, sample_of("some ties", "classes").X])[:, -n_features:]
    sample = Sample(X, whole.y, None, whole.loss)
    for strategy in ("greedy", "paper"):
        fits = [
            native.fit(sample, strategy=strategy, n_candidates=[2, 2], n_threads=n)
            for n in (1, 2, 3)
        ]
        assert len({fit.tree.to_bytes() for fit in fits}) == 1
        assert len({fit.objective for fit in fits}) == 1


def test_codes_of_any_width_give_the_same_tree() -> None:
    sample = sample_of("distinct", "classes")
    params = native.tree_params(sample)
    trees = {
        _core.fit_tree(sample.X, sample.y.astype(t), None, 3, params).tree.to_bytes()
        for t in (np.uint8, np.int32)
    }
    assert len(trees) == 1


@pytest.mark.parametrize("dtype", [np.uint8, np.int32])
def test_a_label_out_of_range_is_found_in_any_piece(dtype: type[np.integer]) -> None:
    sample = sample_of("few values", "classes")
    codes = sample.y.astype(dtype)
    codes[100_000] = 7
    params = native.tree_params(sample, n_threads=2)
    with pytest.raises(ValueError, match="class code of y is out of range"):
        _core.fit_tree(sample.X, codes, None, 3, params)


@pytest.mark.parametrize("row", [3, ROWS // 2, ROWS - 1])
@pytest.mark.parametrize("kind", ["few values", "distinct"])
def test_an_infinity_is_found_in_any_piece(kind: str, row: int) -> None:
    sample = sample_of(kind, "classes")
    sample.X[row, 1] = -np.inf
    with pytest.raises(ValueError, match="infinity"):
        native.fit(sample, n_threads=2)


@pytest.mark.parametrize("kind", KINDS)
def test_equal_weights_are_no_weights(kind: str) -> None:
    """Classes without weights are scanned by keys, others row by row."""
    sample = sample_of(kind, "classes")
    plain = native.fit(sample, n_candidates=[3], max_depth=2)
    twice = Sample(sample.X, sample.y, np.full(ROWS, 2.0), sample.loss)
    weighted = native.fit(twice, n_candidates=[3], max_depth=2)
    for name in ("feature", "threshold", "n_node_samples", "children_right"):
        mine, other = getattr(plain.tree, name), getattr(weighted.tree, name)
        np.testing.assert_array_equal(mine, other)
