"""Partitions of a boosted fit: pure answers, and what becomes of them."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor
from dpdtree.dask._boosting_fit import fit_boosting_blocks
from dpdtree.dask._collections import block_of
from dpdtree.dask._engine import LocalEngine
from dpdtree.dask._partition import groups_of


def table(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[::7, 1] = np.nan
    return X, X[:, 0] * X[:, 2] + rng.normal(size=n)


def blocks_of(X, y, n_blocks):
    cuts = np.array_split(np.arange(len(y)), n_blocks)
    return [block_of(k, X[rows], y[rows]) for k, rows in enumerate(cuts)]


class Watched(LocalEngine):
    """Holds every answer against those of the same rows elsewhere, and later."""

    def __init__(self):
        super().__init__()
        self.lost = 0
        self.requests = []

    def ask(self, question, handles, request):
        self.requests.append(request)
        for partition in handles:
            copy = pickle.loads(pickle.dumps(partition))
            first = question.function(partition, request)
            assert question.function(partition, request) == first
            moved = question.function(copy, request)
            assert moved in (first, b"")  # the same, or it needs the history
            self.lost += moved == b""
        return super().ask(question, handles, request)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error"])
def test_answers_are_pure(loss):
    X, y = table()
    engine = Watched()
    model = DPDTBoostingRegressor(loss=loss, max_iter=3, subsample=0.8)
    fitted = fit_boosting_blocks(engine, blocks_of(X, y, 3), None, model).estimator
    whole = DPDTBoostingRegressor(loss=loss, max_iter=3, subsample=0.8).fit(X, y)
    assert fitted.booster_.to_bytes() == whole.booster_.to_bytes()
    assert engine.lost > 0


def test_a_request_that_is_cut_short_is_an_error():
    X, y = table()
    model = DPDTBoostingRegressor(max_iter=2)
    kept = []

    class Keeping(Watched):
        def ask(self, question, handles, request):
            kept.append(handles[0])
            return super().ask(question, handles, request)

    engine = Keeping()
    fit_boosting_blocks(engine, blocks_of(X, y, 2), None, model)
    request = engine.requests[-1]
    for size in (0, 5, 16, 24, len(request) // 2, len(request) - 1):
        with pytest.raises(ValueError, match="cut short"):
            kept[-1].answer(request[:size])


def test_classes_share_their_rounds():
    X, score = table(400)
    rounds = []
    for n_classes in (2, 6):
        y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
        engine = LocalEngine()
        make = {"max_iter": 4, "learning_rate": 0.1, "max_leaf_nodes": 8}
        model = DPDTBoostingClassifier(**make)
        fitted = fit_boosting_blocks(engine, blocks_of(X, y, 2), None, model).estimator
        whole = DPDTBoostingClassifier(**make).fit(X, y)
        assert fitted.booster_.to_bytes() == whole.booster_.to_bytes()
        assert_array_equal(fitted.train_score_, whole.train_score_)
        rounds.append(engine.rounds)
    assert rounds[1] < 2 * rounds[0]


def test_a_time_limit_ends_a_fit():
    X, y = table()
    model = DPDTBoostingRegressor(max_iter=50, time_limit=1e-9)
    fitted = fit_boosting_blocks(LocalEngine(), blocks_of(X, y, 2), None, model)
    assert fitted.estimator.stop_reason_ == "time_limit"
    assert fitted.estimator.n_iter_ == 0


@pytest.mark.parametrize("n_groups", [1, 2, 3, 7])
def test_groups_are_neighbours_and_complete(n_groups):
    sizes = [5, 0, 1, 100, 3, 50]
    groups = groups_of(sizes, n_groups)
    assert len(groups) == n_groups
    taken = [k for group in groups for k in range(len(sizes))[group]]
    assert taken == list(range(len(sizes)))
