"""Fits by questions to blocks are, to the last bit, those of one machine."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
)
from dpdtree.dask._collections import block_of
from dpdtree.dask._engine import LocalEngine
from dpdtree.dask._fit import fit_boosting_blocks, fit_tree_blocks

from .test_blocks import (
    N_ROWS,
    assert_same_forest,
    assert_same_tree,
    partitions,
    tables,
)


def handles(X, y, weight, ends):
    parts = []
    for k, (a, b) in enumerate(itertools.pairwise(ends)):
        w = None if weight is None else weight[a:b]
        parts.append(block_of(k, X.iloc[a:b], y[a:b], w))
    return parts


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced"])
@settings(max_examples=50, deadline=None)
@given(data=st.data(), weighted=st.booleans(), max_bins=st.sampled_from([5, 255]))
def test_classifier_trees(strategy, data, weighted, max_bins):
    X, y, weight = data.draw(tables(classes=3, weighted=weighted))
    make = {"strategy": strategy, "max_depth": 2, "max_bins": max_bins}
    blocks = handles(X, y, weight, data.draw(partitions()))
    fitted, _ = fit_tree_blocks(LocalEngine(), blocks, DPDTreeClassifier(**make))
    assert_same_tree(fitted, DPDTreeClassifier(**make).fit(X, y, weight))


@settings(max_examples=40, deadline=None)
@given(data=st.data(), weighted=st.booleans())
def test_regressor_trees(data, weighted):
    X, y, weight = data.draw(tables(classes=0, weighted=weighted))
    make = {"strategy": "paper", "max_depth": 2, "max_bins": 30}
    blocks = handles(X, y, weight, data.draw(partitions()))
    fitted, _ = fit_tree_blocks(LocalEngine(), blocks, DPDTreeRegressor(**make))
    assert_same_tree(fitted, DPDTreeRegressor(**make).fit(X, y, weight))


@pytest.mark.parametrize("lookahead", [None, "strong"])
@settings(max_examples=40, deadline=None)
@given(
    data=st.data(),
    weighted=st.booleans(),
    classes=st.sampled_from([2, 3]),
    early=st.booleans(),
)
def test_boosted_classes(lookahead, data, weighted, classes, early):
    X, y, weight = data.draw(tables(classes=classes, weighted=weighted))
    make = {"lookahead": lookahead, "max_iter": 3, "early_stopping": early}
    blocks = handles(X, y, weight, data.draw(partitions()))
    model = DPDTBoostingClassifier(**make)
    fitted, _ = fit_boosting_blocks(LocalEngine(), blocks, None, model)
    assert_same_forest(fitted, DPDTBoostingClassifier(**make).fit(X, y, weight))


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
@settings(max_examples=30, deadline=None)
@given(data=st.data(), split=st.integers(40, N_ROWS - 1))
def test_boosted_numbers_with_validation_rows(loss, data, split):
    X, y, _ = data.draw(tables(classes=0, weighted=False))
    make = {"loss": loss, "max_iter": 3}
    ends = data.draw(partitions(n_rows=split))
    more = data.draw(partitions(n_rows=N_ROWS - split, most=4))
    train, val = slice(0, split), slice(split, None)
    fitted, _ = fit_boosting_blocks(
        LocalEngine(),
        handles(X[train], y[train], None, ends),
        handles(X[val], y[val], None, more),
        DPDTBoostingRegressor(**make),
    )
    whole = DPDTBoostingRegressor(**make)
    whole.fit(X[train], y[train], X_val=X[val], y_val=y[val])
    assert_same_forest(fitted, whole)
