"""Fits by questions to blocks are, to the last bit, those of one machine."""

import itertools
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
)
from dpdtree.dask._boosting_fit import fit_boosting_blocks
from dpdtree.dask._collections import block_of
from dpdtree.dask._engine import LocalEngine
from dpdtree.dask._tree_fit import fit_tree_blocks

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


def tree_of(model, rows, ends, search="distributed"):
    engine = LocalEngine()
    fitted = fit_tree_blocks(engine, handles(*rows, ends), model, search)
    if search == "distributed":  # no worker has seen all codes
        assert fitted.code_bytes == 0
    return fitted.estimator


def assert_same_model(a, b):
    assert_same_tree(a, b)
    assert pickle.dumps(a.tree_) == pickle.dumps(b.tree_)
    for name in ("loss_", "complexity_", "feature_cost_", "price_scale_", "shrinkage_"):
        assert getattr(a, name) == getattr(b, name)
    assert a.is_optimal_ == b.is_optimal_


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "auto"])
@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    weighted=st.booleans(),
    classes=st.sampled_from([2, 3]),
    max_bins=st.sampled_from([5, 40, 255]),
)
def test_classifier_trees(strategy, data, weighted, classes, max_bins):
    rows = data.draw(tables(classes=classes, weighted=weighted))
    make = {"strategy": strategy, "max_bins": max_bins}
    make["class_weight"] = data.draw(st.sampled_from([None, "balanced"]))
    if strategy != "auto":
        make["max_depth"] = data.draw(st.sampled_from([1, 2, 4]))
        make["loss"] = data.draw(st.sampled_from(["zero_one", "log_loss", "gini"]))
        make["alpha"] = data.draw(st.sampled_from([0.0, 0.01, "mdl"]))
    if strategy == "paper":
        make["n_candidates"] = (4, 3, 1, 1)
    ends = data.draw(partitions())
    fitted = tree_of(DPDTreeClassifier(**make), rows, ends)
    assert_same_model(fitted, DPDTreeClassifier(**make).fit(*rows))


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "auto"])
@settings(max_examples=120, deadline=None)
@given(data=st.data(), weighted=st.booleans(), max_bins=st.sampled_from([5, 255]))
def test_regressor_trees(strategy, data, weighted, max_bins):
    X, y, weight = data.draw(tables(classes=0, weighted=weighted))
    if data.draw(st.booleans()):  # many nodes of one value
        y = np.round(y)
    make = {"strategy": strategy, "max_bins": max_bins}
    if strategy != "auto":
        make["max_depth"] = data.draw(st.sampled_from([1, 2, 4]))
        make["alpha"] = data.draw(st.sampled_from([0.0, 0.01, "mdl"]))
        make["loss"] = data.draw(st.sampled_from(["squared_error", "poisson"]))
        y = np.abs(y) if make["loss"] == "poisson" else y
    if strategy == "paper":
        make["n_candidates"] = (4, 3, 1, 1)
    ends = data.draw(partitions())
    fitted = tree_of(DPDTreeRegressor(**make), (X, y, weight), ends)
    assert_same_model(fitted, DPDTreeRegressor(**make).fit(X, y, weight))


@settings(max_examples=250, deadline=None)
@given(data=st.data(), weighted=st.booleans(), numbers=st.booleans())
def test_trees_with_less_common_parameters(data, weighted, numbers):
    classes = 0 if numbers else 2
    X, y, weight = data.draw(tables(classes=classes, weighted=weighted))
    draw = data.draw
    make = {
        "strategy": draw(st.sampled_from(["greedy", "paper", "balanced"])),
        "max_depth": draw(st.sampled_from([2, 3])),
        "max_bins": 30,
        "complexity": draw(st.sampled_from(["path_length", "n_leaves"])),
        "max_leaf_nodes": draw(st.sampled_from([None, 3])),
        "min_samples_leaf": draw(st.sampled_from([1, 7])),
        "min_weight_fraction_leaf": draw(st.sampled_from([0.0, 0.1])),
        "min_impurity_decrease": draw(st.sampled_from([0.0, 0.01])),
        "interaction_cst": draw(st.sampled_from([None, [[0, 1], [2, 3, 4]]])),
        "feature_costs": draw(st.sampled_from([None, [0.01, 0, 0, 0.02, 0]])),
    }
    if make["strategy"] == "paper":
        make["n_candidates"] = (3, 2, 1)
        kinds = ["cart", "top_b", "top_b_per_feature", "exhaustive"]
        make["generator"] = draw(st.sampled_from(kinds))
    if draw(st.booleans()):
        make["monotonic_cst"] = {"real": 1, "few": -1}
    kind = DPDTreeRegressor if numbers else DPDTreeClassifier
    if not numbers:
        make["criterion"] = draw(st.sampled_from(["gini", "entropy"]))
    fitted = tree_of(kind(**make), (X, y, weight), draw(partitions()))
    assert_same_model(fitted, kind(**make).fit(X, y, weight))


@settings(max_examples=60, deadline=None)
@given(data=st.data(), weighted=st.booleans(), numbers=st.booleans())
def test_trees_of_several_outputs(data, weighted, numbers):
    X, y, weight = data.draw(tables(classes=0 if numbers else 3, weighted=weighted))
    y = np.column_stack([y, np.roll(y, 1) if numbers else np.roll(y > 1, 3)])
    strategy = data.draw(st.sampled_from(["paper", "balanced"]))
    make = {"strategy": strategy, "max_depth": 2, "max_bins": 30}
    kind = DPDTreeRegressor if numbers else DPDTreeClassifier
    fitted = tree_of(kind(**make), (X, y, weight), data.draw(partitions()))
    assert_same_model(fitted, kind(**make).fit(X, y, weight))


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "auto"])
@settings(max_examples=25, deadline=None)
@given(data=st.data(), weighted=st.booleans(), max_bins=st.sampled_from([5, 255]))
def test_trees_that_one_worker_searches(strategy, data, weighted, max_bins):
    rows = data.draw(tables(classes=3, weighted=weighted))
    make = {"strategy": strategy, "max_depth": 2, "max_bins": max_bins}
    if strategy == "auto":
        del make["max_depth"]
    ends = data.draw(partitions())
    fitted = tree_of(DPDTreeClassifier(**make), rows, ends, "one_worker")
    assert_same_model(fitted, DPDTreeClassifier(**make).fit(*rows))


@pytest.mark.parametrize("kind", [DPDTreeRegressor, DPDTreeClassifier])
@pytest.mark.parametrize("weights", [None, "whole", "real", "copies"])
@pytest.mark.parametrize("alpha", [0.0, 0.003, "mdl"])
def test_balanced_trees_of_many_rows(kind, weights, alpha):
    # Looks ahead see some of the rows: 2000 to choose, 32000 to propose.
    rng = np.random.default_rng(3)
    n = 36_000
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    X.loc[rng.random(n) < 0.1, "b"] = np.nan
    X["kind"] = rng.choice(["u", "v", "w", "x", "y"], n)
    score = X["a"] * X["c"] + (X["kind"] == "v") * X["d"] + rng.normal(size=n)
    y = score.to_numpy() if kind is DPDTreeRegressor else (score > 0).to_numpy()
    weight = {
        None: None,
        "whole": rng.integers(0, 4, n).astype(float),
        "real": rng.integers(1, 64, n) / 64,
        "copies": None,
    }[weights]
    if weights == "copies":  # all rows twice, next to each other
        X, y = X.loc[np.repeat(X.index, 2)], np.repeat(y, 2)
    make = {"strategy": "balanced", "max_depth": 3, "max_bins": 60, "alpha": alpha}
    ends = [0, 1, 9001, 9001, 30_000, len(y)]
    fitted = tree_of(kind(**make), (X, y, weight), ends)
    whole = kind(**make).fit(X, y, weight)
    assert whole.tree_.node_count > 3
    assert_same_model(fitted, whole)


class Forgetful(LocalEngine):
    """Loses what partitions keep, now and then: as if their worker had been killed."""

    def __init__(self, lost):
        super().__init__()
        self._lost = lost

    def ask(self, question, handles, request):
        if self.rounds in self._lost:
            lost = slice(0, len(handles), 2)
            handles[lost] = [pickle.loads(pickle.dumps(one)) for one in handles[lost]]
        return super().ask(question, handles, request)


def boosted(model, X, y, weight, ends, more=None, lost=frozenset()):
    blocks = handles(X, y, weight, ends)
    return fit_boosting_blocks(Forgetful(lost), blocks, more, model).estimator


lost_rounds = st.frozensets(st.integers(3, 60), max_size=4)


@pytest.mark.parametrize("lookahead", [None, "strong", "full"])
@settings(max_examples=100, deadline=None)
@given(
    data=st.data(),
    weighted=st.booleans(),
    classes=st.sampled_from([2, 3]),
    early=st.booleans(),
    lost=lost_rounds,
)
def test_boosted_classes(lookahead, data, weighted, classes, early, lost):
    X, y, weight = data.draw(tables(classes=classes, weighted=weighted))
    make = {"lookahead": lookahead, "max_iter": 3, "early_stopping": early}
    make["class_weight"] = data.draw(st.sampled_from([None, "balanced"]))
    make["max_leaf_nodes"] = data.draw(st.sampled_from([2, 3, 8, 31]))
    make["min_samples_leaf"] = data.draw(st.sampled_from([1, 20]))
    model = DPDTBoostingClassifier(**make)
    ends = data.draw(partitions())
    fitted = boosted(model, X, y, weight, ends, lost=lost)
    assert_same_forest(fitted, DPDTBoostingClassifier(**make).fit(X, y, weight))


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "quantile", "poisson", "gamma"]
)
@settings(max_examples=80, deadline=None)
@given(
    data=st.data(),
    weighted=st.booleans(),
    split=st.integers(40, N_ROWS - 1),
    lost=lost_rounds,
)
def test_boosted_numbers_with_validation_rows(loss, data, weighted, split, lost):
    X, y, weight = data.draw(tables(classes=0, weighted=weighted))
    y = np.exp(y) if loss in ("poisson", "gamma") else y
    w = None if weight is None else weight[:split]
    make = {"loss": loss, "max_iter": 3, "early_stopping": True}
    make["quantile"] = 0.8 if loss == "quantile" else None
    ends = data.draw(partitions(n_rows=split))
    more = data.draw(partitions(n_rows=N_ROWS - split, most=4))
    train, val = slice(0, split), slice(split, None)
    blocks = handles(X[val], y[val], None, more)
    model = DPDTBoostingRegressor(**make)
    fitted = boosted(model, X[train], y[train], w, ends, blocks, lost)
    whole = DPDTBoostingRegressor(**make)
    whole.fit(X[train], y[train], w, X_val=X[val], y_val=y[val])
    assert_same_forest(fitted, whole)


@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    weighted=st.booleans(),
    subsample=st.sampled_from([1.0, 0.7, 0.004]),
    newton=st.booleans(),
)
def test_boosted_with_less_common_parameters(data, weighted, subsample, newton):
    X, y, weight = data.draw(tables(classes=2, weighted=weighted))
    make = {
        "max_iter": 3,
        "subsample": subsample,
        "newton": newton,
        "lookahead": data.draw(st.sampled_from([None, "strong"])),
        "max_features": data.draw(st.sampled_from([1.0, 0.5])),
        "reg_alpha": data.draw(st.sampled_from([0.0, 0.3])),
        "monotonic_cst": data.draw(st.sampled_from([None, {"real": 1, "few": -1}])),
        "interaction_cst": data.draw(st.sampled_from([None, [[0, 1], [2, 3, 4]]])),
        "max_depth": data.draw(st.sampled_from([None, 2])),
        "min_samples_leaf": 5,
    }
    ends = data.draw(partitions())
    fitted = boosted(DPDTBoostingClassifier(**make), X, y, weight, ends)
    assert_same_forest(fitted, DPDTBoostingClassifier(**make).fit(X, y, weight))


@pytest.mark.parametrize("lookahead", ["light", None])
def test_boosted_from_many_rows(lookahead):
    rng = np.random.default_rng(0)
    n = 13_000
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=list("abcd"))
    X["kind"] = rng.choice(["x", "y", "z"], n)
    y = (X["a"] * X["b"] + (X["kind"] == "x") + rng.normal(size=n) > 0.5).to_numpy()
    make = {"lookahead": lookahead, "max_iter": 4, "subsample": 0.9}
    fitted = boosted(
        DPDTBoostingClassifier(**make), X, y, None, [0, 7, 5000, n], lost={20}
    )
    assert_same_forest(fitted, DPDTBoostingClassifier(**make).fit(X, y))


@pytest.mark.parametrize("search", ["distributed", "one_worker"])
def test_a_generator_is_asked_for_a_seed_once(search):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=list("abc"))
    y = (X["a"] * X["b"] + rng.normal(size=400) > 0).to_numpy()
    make = {"max_iter": 3, "subsample": 0.7, "early_stopping": True}
    here, there = np.random.RandomState(4), np.random.RandomState(4)
    for _ in range(2):  # the second fit draws other rows than the first
        whole = DPDTBoostingClassifier(random_state=here, **make).fit(X, y)
        model = DPDTBoostingClassifier(random_state=there, **make)
        blocks = handles(X, y, None, [0, 150, 400])
        fit_boosting_blocks(LocalEngine(), blocks, None, model, search)
        assert_same_forest(model, whole)


def test_rounds_and_bytes_of_a_tree():
    rng = np.random.default_rng(1)
    n, p = 9000, 28
    X = pd.DataFrame(rng.normal(size=(n, p))).rename(columns=str)
    y = (X["0"] * X["1"] + X["2"] + rng.normal(size=n) > 0).to_numpy()
    make = {"lookahead": None, "max_leaf_nodes": 31, "early_stopping": False}
    counted = []
    for max_iter in (2, 12):
        engine = LocalEngine()
        blocks = handles(X, y, None, [0, 4000, n])
        model = DPDTBoostingClassifier(max_iter=max_iter, **make)
        fit_boosting_blocks(engine, blocks, None, model)
        counted.append((engine.rounds, engine.n_bytes))
    (few, few_bytes), (many, many_bytes) = counted
    assert (many - few) / 10 <= 16
    assert (many_bytes - few_bytes) / 10 / 2 <= 5e6
