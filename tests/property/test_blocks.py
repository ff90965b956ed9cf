"""A fit on blocks of rows is, to the last bit, the fit on the whole table."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
    RowBlocks,
)

N_ROWS = 240


@st.composite
def partitions(draw, n_rows=N_ROWS, most=50):
    """Where blocks end: also empty ones, and ones of a single row."""
    ends = draw(st.lists(st.integers(0, n_rows), max_size=most - 1))
    return [0, *sorted(ends), n_rows]


@st.composite
def tables(draw, *, classes, weighted):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = N_ROWS
    X = pd.DataFrame(
        {
            "real": rng.normal(size=n),
            "few": rng.integers(0, 6, n).astype(float),
            "int": rng.integers(-1000, 1000, n),
            "tied": np.round(rng.lognormal(size=n), 1),
            "name": rng.choice(["a", "b", "c"], n).astype(object),
        }
    )
    # NaN, and a category, in one stretch of the rows only.
    first = draw(st.integers(0, n - 20))
    X.loc[first : first + draw(st.integers(0, 20)), "real"] = np.nan
    X.loc[first : first + draw(st.integers(0, 20)), "name"] = "rare"
    X.loc[rng.random(n) < 0.05, "name"] = None
    score = X["real"].fillna(0) + (X["name"] == "b") + 0.4 * rng.normal(size=n)
    if draw(st.booleans()):  # blocks of one class, or sorted by the target
        order = np.argsort(score.to_numpy(), kind="stable")
        X, score = X.iloc[order].reset_index(drop=True), score.iloc[order]
    y = score.to_numpy()
    if classes:
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    weight = None
    if weighted:
        weight = rng.choice([0.0, 1.0, 0.3, 2.5], n, p=[0.1, 0.5, 0.2, 0.2])
    return X, y, weight


def blocks_of(X, y, weight, ends, cache_dir=None):
    parts = list(itertools.pairwise(ends))
    take = X.iloc if hasattr(X, "iloc") else X
    return RowBlocks.from_arrays(
        [take[a:b] for a, b in parts],
        [y[a:b] for a, b in parts],
        None if weight is None else [weight[a:b] for a, b in parts],
        cache_dir=cache_dir,
    )


def assert_same_tree(a, b):
    for name in (
        "feature",
        "threshold",
        "children_left",
        "children_right",
        "value",
        "impurity",
        "n_node_samples",
        "weighted_n_node_samples",
        "missing_go_to_left",
    ):
        assert_array_equal(getattr(a.tree_, name), getattr(b.tree_, name))
    assert a.objective_ == b.objective_
    assert_array_equal(a.has_missing_, b.has_missing_)
    assert_same_columns(a, b)


def assert_same_columns(a, b):
    assert_array_equal(a.feature_names_in_, b.feature_names_in_)
    assert_array_equal(a.is_categorical_, b.is_categorical_)
    for known, other in zip(a.categories_, b.categories_, strict=True):
        assert_array_equal(known, other)


def assert_same_forest(a, b):
    assert a.booster_.to_bytes() == b.booster_.to_bytes()
    assert_array_equal(a.train_score_, b.train_score_)
    assert_array_equal(a.validation_score_, b.validation_score_)
    assert_same_columns(a, b)


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "optimal"])
@settings(max_examples=60, deadline=None)
@given(data=st.data(), weighted=st.booleans(), max_bins=st.sampled_from([5, 40, 255]))
def test_classifier_trees(strategy, data, weighted, max_bins):
    X, y, weight = data.draw(tables(classes=3, weighted=weighted))
    ends = data.draw(partitions())
    if strategy == "optimal":
        X = X.drop(columns="name")
    make = {"strategy": strategy, "max_depth": 2, "max_bins": max_bins}
    whole = DPDTreeClassifier(**make).fit(X, y, weight)
    parts = DPDTreeClassifier(**make).fit(blocks_of(X, y, weight, ends))
    assert_same_tree(parts, whole)
    assert_array_equal(parts.classes_, whole.classes_)
    predicted = [*parts.predict(blocks_of(X, y, None, ends))]
    assert_array_equal(np.concatenate(predicted), whole.predict(X))


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "poisson", "quantile"]
)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), weighted=st.booleans())
def test_regressor_trees(loss, data, weighted):
    X, y, weight = data.draw(tables(classes=0, weighted=weighted))
    ends = data.draw(partitions())
    y = np.exp(y) if loss == "poisson" else y
    make = {"loss": loss, "strategy": "paper", "max_depth": 2, "max_bins": 30}
    if loss == "quantile":
        make["quantile"] = 0.3
    whole = DPDTreeRegressor(**make).fit(X, y, weight)
    parts = DPDTreeRegressor(**make).fit(blocks_of(X, y, weight, ends))
    assert_same_tree(parts, whole)


@pytest.mark.parametrize("lookahead", [None, "light", "strong", "full"])
@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    weighted=st.booleans(),
    classes=st.sampled_from([2, 3]),
    early=st.booleans(),
    subsample=st.sampled_from([0.5, 1.0]),
)
def test_boosted_classes(lookahead, data, weighted, classes, early, subsample):
    X, y, weight = data.draw(tables(classes=classes, weighted=weighted))
    ends = data.draw(partitions())
    make = {
        "lookahead": lookahead,
        "max_iter": 3,
        "early_stopping": early,
        "subsample": subsample,
        "random_state": 0,
    }
    whole = DPDTBoostingClassifier(**make).fit(X, y, weight)
    parts = DPDTBoostingClassifier(**make).fit(blocks_of(X, y, weight, ends))
    assert_same_forest(parts, whole)
    predicted = [*parts.predict_proba(blocks_of(X, y, None, ends))]
    assert_array_equal(np.concatenate(predicted), whole.predict_proba(X))


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "poisson", "gamma", "quantile"]
)
@settings(max_examples=40, deadline=None)
@given(data=st.data(), weighted=st.booleans(), newton=st.booleans())
def test_boosted_numbers(loss, data, weighted, newton):
    X, y, weight = data.draw(tables(classes=0, weighted=weighted))
    ends = data.draw(partitions())
    y = np.exp(y) if loss in ("poisson", "gamma") else y
    make = {"loss": loss, "max_iter": 3, "newton": newton, "early_stopping": True}
    if loss == "quantile":
        make["quantile"] = 0.7
    whole = DPDTBoostingRegressor(**make).fit(X, y, weight)
    parts = DPDTBoostingRegressor(**make).fit(blocks_of(X, y, weight, ends))
    assert_same_forest(parts, whole)


@settings(max_examples=30, deadline=None)
@given(data=st.data(), split=st.integers(1, N_ROWS - 1))
def test_validation_rows_in_blocks(data, split):
    X, y, _ = data.draw(tables(classes=0, weighted=False))
    train, val = slice(0, split), slice(split, None)
    model = DPDTBoostingRegressor(max_iter=3)
    whole = model.fit(X[train], y[train], X_val=X[val], y_val=y[val])
    expected = whole.booster_.to_bytes(), whole.validation_score_
    ends = data.draw(partitions(n_rows=N_ROWS - split, most=5))
    more = blocks_of(X[val].reset_index(drop=True), y[val], None, ends)
    parts = DPDTBoostingRegressor(max_iter=3).fit(
        blocks_of(X[train], y[train], None, [0, split]), X_val=more
    )
    assert parts.booster_.to_bytes() == expected[0]
    assert_array_equal(parts.validation_score_, expected[1])


@pytest.mark.parametrize("cached", [False, True])
def test_more_rows_than_quantiles_are_taken_from(cached, tmp_path):
    rng = np.random.default_rng(0)
    n = 230_000
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 300, n)])
    X[rng.random(n) < 0.01, 0] = np.nan
    score = np.nan_to_num(X[:, 0]) + (X[:, 1] > 200) + rng.normal(size=n)
    y = (score > 0.5).astype(int)
    cache_dir = tmp_path if cached else None
    blocks = blocks_of(X, y, None, [0, 7, 7, 100_000, 199_999, n], cache_dir)
    greedy = {"strategy": "greedy", "max_bins": 255, "max_depth": 4}
    whole = DPDTreeClassifier(**greedy).fit(X, y)
    parts = DPDTreeClassifier(**greedy).fit(blocks)
    for name in ("feature", "threshold", "value", "impurity"):
        assert_array_equal(getattr(parts.tree_, name), getattr(whole.tree_, name))
    whole = DPDTBoostingClassifier(max_iter=2).fit(X, y)
    parts = DPDTBoostingClassifier(max_iter=2).fit(blocks)
    assert parts.booster_.to_bytes() == whole.booster_.to_bytes()
    assert_array_equal(parts.validation_score_, whole.validation_score_)
    assert list(tmp_path.iterdir()) == []
