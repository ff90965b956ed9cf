"""Partitions of a single tree: pure answers, few rounds, and what one worker does."""

import pickle

import numpy as np
import pytest

from dpdtree import DPDTBoostingRegressor, DPDTreeClassifier, DPDTreeRegressor
from dpdtree.dask import _boosting_fit
from dpdtree.dask._collections import block_of
from dpdtree.dask._engine import LocalEngine
from dpdtree.dask._tree_fit import fit_tree_blocks


def table(n=400, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[::7, 1] = np.nan
    return X, X[:, 0] * X[:, 2] + rng.normal(size=n)


def blocks_of(X, y, n_blocks, weight=None):
    cuts = np.array_split(np.arange(len(y)), n_blocks)
    return [
        block_of(k, X[rows], y[rows], None if weight is None else weight[rows])
        for k, rows in enumerate(cuts)
    ]


class Watched(LocalEngine):
    """Holds every answer against those of the same rows elsewhere, and later."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def ask(self, question, handles, request):
        for partition in handles:
            copy = pickle.loads(pickle.dumps(partition))
            first = question.function(partition, request)
            assert question.function(partition, request) == first
            assert question.function(copy, request) == first
            self.asked.append((partition, request, first))
        return super().ask(question, handles, request)


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
@pytest.mark.parametrize("strategy", ["auto", "balanced"])
def test_answers_are_pure(kind, strategy):
    X, y = table()
    y = y if kind is DPDTreeRegressor else y > 0
    make = {"max_bins": 20, "strategy": strategy}
    if strategy == "balanced":
        make["max_depth"] = 3
    fitted = fit_tree_blocks(Watched(), blocks_of(X, y, 3), kind(**make)).estimator
    whole = kind(**make).fit(X, y)
    assert pickle.dumps(fitted.tree_) == pickle.dumps(whole.tree_)


def test_what_is_cut_short_is_an_error():
    from dpdtree._core import merge_tree_answers

    X, y = table()
    engine = Watched()
    model = DPDTreeRegressor(max_bins=20, strategy="balanced", max_depth=3)
    fit_tree_blocks(engine, blocks_of(X, y, 2), model)
    for partition, request, answer in engine.asked:
        for size in (0, 5, 16, 24, len(request) // 2, len(request) - 1):
            with pytest.raises(ValueError, match="cut short"):
                partition.answer(request[:size])
        for size in (0, 7, 40, len(answer) // 2, len(answer) - 1):
            with pytest.raises(ValueError, match=r"cut short|too long"):
                merge_tree_answers([answer[:size], answer])


@pytest.mark.parametrize(
    ("candidates", "most"), [((4, 1, 1), 8), ((15, 5, 1), 25)], ids=str
)
def test_rounds_and_bytes(candidates, most):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(20_000, 28))
    y = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) > 0
    engine = LocalEngine()
    model = DPDTreeClassifier(
        strategy="paper", max_depth=3, max_bins=255, n_candidates=candidates
    )
    fitted = fit_tree_blocks(engine, blocks_of(X, y, 2), model)
    assert 0 < fitted.search_rounds < engine.rounds <= most
    assert 0 < fitted.search_bytes / 2 <= 5e6


def test_bytes_of_the_default_tree():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60_000, 28)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=len(X)) > 0
    model = DPDTreeClassifier(max_bins=255)
    fitted = fit_tree_blocks(LocalEngine(), blocks_of(X, y, 2), model)
    assert fitted.estimator.tree_.node_count > 50
    assert 0 < fitted.search_bytes / 2 <= 5e6


def test_a_time_limit_ends_a_fit():
    X, y = table()
    model = DPDTreeRegressor(max_bins=20, time_limit=1e-9)
    fitted = fit_tree_blocks(LocalEngine(), blocks_of(X, y, 2), model).estimator
    assert fitted.report_.stop_reason == "time_limit"
    assert fitted.tree_.node_count == 1


@pytest.mark.parametrize(
    ("parameters", "weight", "reason"),
    [
        ({"loss": "absolute_error", "strategy": "greedy"}, None, "each of its rows"),
        ({"max_features": 2, "strategy": "greedy"}, None, "max_features"),
        ({"strategy": "greedy"}, "far apart", "too far apart"),
        ({}, "copies", "copies of rows"),
    ],
)
def test_what_one_worker_has_to_search(parameters, weight, reason, monkeypatch):
    X, y = table()
    weights = {
        None: None,
        "far apart": np.where(np.arange(len(y)) % 2, 1.0, 1.7e-9),
        "copies": np.arange(len(y)) % 3 + 1.0,
    }[weight]
    make = {"max_bins": 20, "random_state": 0, **parameters}
    with pytest.raises(ValueError, match=reason):
        fit_tree_blocks(
            LocalEngine(), blocks_of(X, y, 3, weights), DPDTreeRegressor(**make)
        )
    monkeypatch.setattr(LocalEngine, "memory_limit", lambda _: 1)
    model = DPDTreeRegressor(**make)
    found = fit_tree_blocks(LocalEngine(), blocks_of(X, y, 3, weights), model, "auto")
    whole = DPDTreeRegressor(**make).fit(X, y, weights)
    assert pickle.dumps(found.estimator.tree_) == pickle.dumps(whole.tree_)
    assert found.code_bytes == X.size


@pytest.mark.parametrize("strategy", ["balanced", "optimal"])
def test_exact_searches_are_for_one_worker(strategy):
    X, y = table()
    X = np.nan_to_num(X)
    make = {"strategy": strategy, "alpha": 0.0, "max_depth": 2, "max_bins": 20}
    blocks = blocks_of(X, y > 0, 3)
    with pytest.raises(ValueError, match="row by row"):
        fit_tree_blocks(LocalEngine(), blocks, DPDTreeClassifier(**make))
    blocks = blocks_of(X, y > 0, 3)
    model = DPDTreeClassifier(**make)
    found = fit_tree_blocks(LocalEngine(), blocks, model, "one_worker")
    whole = DPDTreeClassifier(**make).fit(X, y > 0)
    assert pickle.dumps(found.estimator.tree_) == pickle.dumps(whole.tree_)


@pytest.mark.parametrize("most", [0, 1999, 2000])
@pytest.mark.parametrize("alpha", [0.0, 0.002])
def test_more_rows_than_are_solved_exactly(most, alpha):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(2300, 6))
    X[::9, 3] = np.nan
    y = X[:, 0] * X[:, 2] + X[:, 1] * (X[:, 4] > 0.3) + rng.normal(size=len(X)) > 0
    weight = np.repeat([1.0, 2.0, 0.0], [1200, 800, 300])

    def model():
        out = DPDTreeClassifier(
            strategy="balanced", max_depth=3, max_bins=255, alpha=alpha
        )
        out._core_switches = {"most_exact_rows": most}
        return out

    whole = model().fit(X, y, weight)
    blocks = blocks_of(X, y, 3, weight)
    if most == 2000:  # as many as have a weight
        with pytest.raises(ValueError, match="row by row"):
            fit_tree_blocks(LocalEngine(), blocks, model())
        return
    found = fit_tree_blocks(LocalEngine(), blocks, model())
    assert found.code_bytes == 0
    assert pickle.dumps(found.estimator.tree_) == pickle.dumps(whole.tree_)


def test_exact_searches_may_not_be_forgotten():
    # Few questions, or few features: the core asks pairs of them, however many rows.
    X, y = table(p=6)
    for parameters in (
        {"max_bins": 20},
        {"max_bins": 255, "allowed_features": [[0, 2]] * 2},
    ):
        model = DPDTreeClassifier(
            strategy="balanced", max_depth=2, alpha=0.0, **parameters
        )
        model._core_switches = {"most_exact_rows": 0}
        with pytest.raises(ValueError, match="row by row"):
            fit_tree_blocks(LocalEngine(), blocks_of(np.nan_to_num(X), y > 0, 2), model)


def test_boosting_with_too_many_features(monkeypatch):
    X, y = table()
    monkeypatch.setattr(_boosting_fit, "MOST_FEATURES", 3)
    fit = _boosting_fit.fit_boosting_blocks
    with pytest.raises(ValueError, match="histograms of 4 features"):
        fit(LocalEngine(), blocks_of(X, y, 2), None, DPDTBoostingRegressor(max_iter=2))
    monkeypatch.setattr(LocalEngine, "memory_limit", lambda _: 1)
    model = DPDTBoostingRegressor(max_iter=2)
    found = fit(LocalEngine(), blocks_of(X, y, 2), None, model, "auto")
    assert found.code_bytes == X.size
