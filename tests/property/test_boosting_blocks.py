"""What a block of columns is told of others leaves the best split as it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import _core
from dpdtree._core import stages

pytestmark = pytest.mark.native

INSTRUCTION_SETS = ("portable", "sse2", "avx2")


def best(splits):
    """Return the split with the largest gain, of equals that of the first feature."""
    found = [s for s in splits if s is not None]
    return min(found, key=lambda s: (-s[2], s[0])) if found else None


def by_every_path(params, X, gradient, hessian):
    """Return what blocks find on their own and when told of others, path by path."""

    def found(tell):
        return stages.boosting_best_splits(params, X, gradient, hessian, tell)

    try:
        return [
            (found(False), found(True))
            for _ in filter(stages.force_instruction_set, INSTRUCTION_SETS)
        ]
    finally:
        stages.force_instruction_set("best")


@st.composite
def problems(draw):
    """Few values, so that splits tie within columns, lanes and blocks."""
    n = draw(st.integers(2, 60))
    n_columns = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**20)))
    X = rng.integers(0, draw(st.integers(2, 12)), (n, n_columns)).astype(float)
    if draw(st.booleans()):
        X = X[:, rng.integers(0, n_columns, n_columns)]  # some columns twice
    if draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    few = draw(st.booleans())
    gradient = rng.integers(-2, 3, n) if few else rng.normal(size=n)
    hessian = np.ones(n) if few else rng.uniform(0, 1, n)
    params = _core.BoostingParams()
    params.l2_regularization = draw(st.sampled_from([0.0, 1.0]))
    params.gamma = draw(st.sampled_from([0.0, 0.5]))
    params.min_samples_leaf = draw(st.sampled_from([1, 5]))
    params.min_child_weight = draw(st.sampled_from([0.0, 2.0]))
    return params, X, gradient.astype(np.float32), hessian.astype(np.float32)


@given(problems())
def test_the_best_split_stays(problem):
    paths = by_every_path(*problem)
    for alone, told in paths:
        assert best(told) == best(alone)
        assert alone == paths[0][0] or best(alone) == best(paths[0][0])


def test_weaker_blocks_are_left_out():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 24))
    gradient = (-np.sign(X[:, 1]) + rng.normal(size=2000)).astype(np.float32)
    paths = by_every_path(_core.BoostingParams(), X, gradient, np.ones_like(gradient))
    for alone, told in paths:
        assert None not in alone
        assert [s is None for s in told] == [False, True, True]
        assert told[0] == alone[0]
        assert told[0][0] == 1


@pytest.mark.parametrize("copies", [(2, 13), (13, 2), (3, 19), (0, 1)])
def test_of_equal_columns_the_first_is_split(copies):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(500, 20))
    X[:, copies[1]] = X[:, copies[0]]
    gradient = X[:, copies[0]].astype(np.float32)
    # Columns with fewer values come in later blocks.
    X[:, min(copies)] = np.where(X[:, min(copies)] > 0, 1.0, -1.0)
    X[:, max(copies)] = X[:, min(copies)]
    for alone, told in by_every_path(
        _core.BoostingParams(), X, gradient, np.ones(500, np.float32)
    ):
        assert best(alone)[0] == best(told)[0] == min(copies)
