"""No result depends on the order of the rows, where row numbers do not matter."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
)

_SEEDS = st.integers(0, 2**32 - 1)


def _table(rng, n_rows):
    X = np.column_stack(
        [
            rng.normal(size=n_rows),
            rng.integers(0, 5, n_rows),
            rng.lognormal(size=n_rows) * 1e6,
        ]
    )
    X[rng.random(X.shape) < 0.05] = np.nan
    score = np.nan_to_num(X[:, 0]) + (X[:, 1] == 2) + 0.3 * rng.normal(size=n_rows)
    return X, score


def _arrays(tree):
    names = ("feature", "threshold", "children_left", "children_right")
    more = ("value", "impurity", "weighted_n_node_samples", "missing_go_to_left")
    return [getattr(tree, name) for name in (*names, *more)]


def _assert_same(a, b):
    for x, y in zip(_arrays(a.tree_), _arrays(b.tree_), strict=True):
        assert_array_equal(x, y)
    assert (a.loss_, a.objective_) == (b.loss_, b.objective_)


def _fits(make, seed, *, classes, weighted, n_rows=400):
    rng = np.random.default_rng(seed)
    X, y = _table(rng, n_rows)
    if classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    weight = rng.lognormal(size=n_rows) if weighted else None
    order = rng.permutation(n_rows)
    permuted = None if weight is None else weight[order]
    return make().fit(X, y, weight), make().fit(X[order], y[order], permuted)


# The look-ahead of "balanced" draws rows by their place where weights are real.
@pytest.mark.parametrize(
    ("strategy", "weighted"),
    [
        ("greedy", False),
        ("greedy", True),
        ("paper", False),
        ("paper", True),
        ("balanced", False),
    ],
)
@settings(max_examples=8, deadline=None)
@given(seed=_SEEDS, classes=st.sampled_from([2, 3]))
def test_trees_of_classes(strategy, weighted, seed, classes):
    _assert_same(
        *_fits(
            lambda: DPDTreeClassifier(
                strategy=strategy, max_depth=3, max_bins=20, alpha=1e-3
            ),
            seed,
            classes=classes,
            weighted=weighted,
        )
    )


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("strategy", ["greedy", "paper"])
@settings(max_examples=8, deadline=None)
@given(seed=_SEEDS, outputs=st.sampled_from([1, 2]))
def test_trees_of_numbers(strategy, weighted, seed, outputs):
    def make():
        return DPDTreeRegressor(strategy=strategy, max_depth=3, max_bins=20)

    rng = np.random.default_rng(seed)
    X, y = _table(rng, 400)
    if outputs == 2:
        y = np.column_stack([y, rng.normal(size=400) * 1e-3])
    weight = rng.lognormal(size=400) if weighted else None
    order = rng.permutation(400)
    permuted = None if weight is None else weight[order]
    _assert_same(make().fit(X, y, weight), make().fit(X[order], y[order], permuted))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lookahead", [None, "strong", "full"])
@settings(max_examples=5, deadline=None)
@given(seed=_SEEDS, classes=st.sampled_from([2, 3]), newton=st.booleans())
def test_boosted_classes(lookahead, weighted, seed, classes, newton):
    first, second = _fits(
        lambda: DPDTBoostingClassifier(
            lookahead=lookahead,
            max_iter=4,
            newton=newton,
            subsample=1.0,
            max_features=1.0,
            early_stopping=True,
            validation_fraction=None,
            max_leaf_nodes=6,
        ),
        seed,
        classes=classes,
        weighted=weighted,
    )
    assert first.booster_.to_bytes() == second.booster_.to_bytes()
    assert_array_equal(first.train_score_, second.train_score_)


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "poisson", "gamma"]
)
@settings(max_examples=5, deadline=None)
@given(seed=_SEEDS, weighted=st.booleans())
def test_boosted_numbers(loss, seed, weighted):
    rng = np.random.default_rng(seed)
    X, y = _table(rng, 400)
    y = np.exp(y) if loss in ("poisson", "gamma") else y
    weight = rng.lognormal(size=400) if weighted else None
    order = rng.permutation(400)

    def make():
        return DPDTBoostingRegressor(
            loss=loss,
            lookahead=None,
            max_iter=4,
            subsample=1.0,
            max_features=1.0,
            early_stopping=True,
            validation_fraction=None,
        )

    first = make().fit(X, y, weight)
    second = make().fit(X[order], y[order], None if weight is None else weight[order])
    assert first.booster_.to_bytes() == second.booster_.to_bytes()
    assert_array_equal(first.train_score_, second.train_score_)


@settings(max_examples=20, deadline=None)
@given(seed=_SEEDS)
def test_the_sum_of_losses_is_the_exact_one(seed):
    rng = np.random.default_rng(seed)
    X, y = _table(rng, 200)
    model = DPDTBoostingRegressor(
        max_iter=1, early_stopping=True, validation_fraction=None, lookahead=None
    ).fit(X, y)
    mean = math.fsum(y) / len(y)
    start = math.fsum((mean - v) ** 2 / 2 for v in y) / len(y)
    assert model.train_score_[0] == pytest.approx(-start, rel=1e-14)
