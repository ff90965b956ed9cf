"""Fits on Dask clusters of real processes, some of which are killed."""

import gc
import itertools
import os
import pickle
import signal
import threading
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

pytest.importorskip("distributed", reason="Dask is not installed: pip install dask")

import dask.array as da
import dask.dataframe as dd
from distributed import Client, LocalCluster

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
)
from dpdtree.dask import (
    DaskDPDTBoostingClassifier,
    DaskDPDTBoostingRegressor,
    DaskDPDTreeClassifier,
    DaskDPDTreeRegressor,
)
from dpdtree.dask import _engine as engine_module
from dpdtree.dask import _estimators as estimators_module

pytestmark = [
    pytest.mark.cluster,
    # Workers that are killed leave sockets and futures behind.
    pytest.mark.filterwarnings("ignore"),
]


#: Nothing waits for ever: a worker that does not come back fails a test.
PATIENCE = 120


@contextmanager
def two_workers():
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=50,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def doomed_client():
    """A cluster of its own: whoever kills workers leaves none to the next test."""
    with two_workers() as client:
        yield client


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    n = 600
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 300, n),
            "kind": rng.choice(["x", "y", "z"], n),
        }
    )
    X.loc[:50, "a"] = np.nan
    X["w"] = rng.choice([0.5, 1.0, 2.0], n)
    score = X["a"].fillna(0) + (X["kind"] == "x") + rng.normal(size=n) / 2
    X["label"] = np.where(score > 0.5, "yes", "no")
    X["number"] = score
    return X


FEATURES = ["a", "b", "kind"]
CASES = {
    "tree": (
        DaskDPDTreeClassifier,
        DPDTreeClassifier,
        {"max_bins": 32, "strategy": "paper", "max_depth": 3},
        "label",
    ),
    "default tree": (
        DaskDPDTreeClassifier,
        DPDTreeClassifier,
        {"max_bins": 32},
        "label",
    ),
    "balanced": (
        DaskDPDTreeClassifier,
        DPDTreeClassifier,
        {"max_bins": 32, "strategy": "balanced", "max_depth": 3},
        "label",
    ),
    "default numbers": (
        DaskDPDTreeRegressor,
        DPDTreeRegressor,
        {"max_bins": 32},
        "number",
    ),
    "numbers": (
        DaskDPDTreeRegressor,
        DPDTreeRegressor,
        {"max_bins": 32, "strategy": "greedy", "max_depth": 3},
        "number",
    ),
    "medians": (
        DaskDPDTreeRegressor,
        DPDTreeRegressor,
        {"max_bins": 32, "strategy": "greedy", "loss": "absolute_error"},
        "number",
    ),
    "boosting": (
        DaskDPDTBoostingClassifier,
        DPDTBoostingClassifier,
        {"max_iter": 5, "early_stopping": True},
        "label",
    ),
    "boosted numbers": (
        DaskDPDTBoostingRegressor,
        DPDTBoostingRegressor,
        {"max_iter": 5, "loss": "absolute_error"},
        "number",
    ),
}


def core_of(model):
    if hasattr(model, "booster_"):
        return model.booster_.to_bytes()
    return pickle.dumps([model.tree_.feature, model.tree_.threshold, model.tree_.value])


def fits(name, client, table, npartitions=3, search="distributed"):
    distributed, ordinary, parameters, target = CASES[name]
    frame = dd.from_pandas(table, npartitions=npartitions)
    model = distributed(client=client, search=search, **parameters)
    model.fit(frame[FEATURES], frame[target], frame["w"])
    whole = ordinary(**parameters).fit(table[FEATURES], table[target], table["w"])
    return model, whole, frame


@pytest.mark.parametrize("search", ["distributed", "one_worker"])
@pytest.mark.parametrize("name", CASES)
def test_the_model_of_one_machine(name, search, client, table):
    if (name, search) == ("medians", "distributed"):
        with pytest.raises(ValueError, match="each of its rows"):
            fits(name, client, table, search=search)
        return
    model, whole, frame = fits(name, client, table, search=search)
    assert core_of(model) == core_of(whole)
    assert_array_equal(model.feature_names_in_, whole.feature_names_in_)
    lazy = model.predict(frame[FEATURES])
    assert isinstance(lazy, da.Array)
    assert_array_equal(lazy.compute(), whole.predict(table[FEATURES]))
    if hasattr(model, "predict_proba"):
        shares = model.predict_proba(frame[FEATURES]).compute()
        assert_array_equal(shares, whole.predict_proba(table[FEATURES]))
    assert_array_equal(model.predict(table[FEATURES]), whole.predict(table[FEATURES]))
    local = model.to_local()
    assert type(local) is type(whole)
    assert model.report_.blocks == 3
    if search == "distributed":
        assert model.report_.rounds > 5
        assert model.report_.code_bytes == 0
    else:
        assert model.report_.rounds <= 5
        assert model.report_.code_bytes == 600 * 3
    assert model.report_.lost_workers == 0
    assert pickle.loads(pickle.dumps(model)).client is None


def test_arrays_and_validation_data(client, table):
    X, y = table[["a", "b"]].to_numpy(), table["number"].to_numpy()
    parts = da.from_array(X[:400], chunks=(130, 2)), da.from_array(y[:400], chunks=130)
    more = da.from_array(X[400:], chunks=(99, 2)), da.from_array(y[400:], chunks=99)
    model = DaskDPDTBoostingRegressor(client=client, search="distributed", max_iter=4)
    model.fit(*parts, X_val=more[0], y_val=more[1])
    whole = DPDTBoostingRegressor(max_iter=4)
    whole.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    assert core_of(model) == core_of(whole)
    assert_array_equal(model.validation_score_, whole.validation_score_)
    assert_array_equal(model.predict(parts[0]).compute(), whole.predict(X[:400]))


def kill_one(client):
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)


@pytest.mark.parametrize(
    ("name", "round_"),
    [
        ("boosting", 1),
        ("boosting", 3),
        ("boosting", 15),
        ("default tree", 14),
        ("balanced", 8),
        ("balanced", 30),
    ],
)
def test_a_worker_is_killed(name, round_, doomed_client, table, monkeypatch):
    engine = deadly(doomed_client, round_, 0.02)
    monkeypatch.setattr(estimators_module, "DaskEngine", engine)
    model, whole, _ = fits(name, doomed_client, table, npartitions=4)
    assert core_of(model) == core_of(whole)


def deadly(client, round_, delay):
    """Kills a worker before a round, or while its answers are on their way."""

    class Deadly(engine_module.DaskEngine):
        waits = 0

        def gather(self, futures):
            self.waits += 1
            if self.waits == round_:
                threading.Timer(delay, kill_one, [client]).start()
                if delay == 0:
                    time.sleep(0.05)
            return super().gather(futures)

    return Deadly


def wait_for_two(client):
    """Wait for workers; LocalCluster gives up those that were killed once too often."""
    try:
        client.wait_for_workers(2, timeout=10)
    except TimeoutError:
        client.cluster.scale(len(client.cluster.worker_spec) + 1)
        client.wait_for_workers(2, timeout=PATIENCE)


def test_a_worker_is_killed_in_any_round_of_a_tree(doomed_client, table, monkeypatch):
    client = doomed_client
    whole = fits("tree", client, table, npartitions=4)[1]
    for round_, delay in itertools.product(range(1, 11), (0, 0.01)):
        wait_for_two(client)
        engine = deadly(client, round_, delay)
        monkeypatch.setattr(estimators_module, "DaskEngine", engine)
        model, _, _ = fits("tree", client, table, npartitions=4)
        assert core_of(model) == core_of(whole)


def test_one_worker_more_and_one_less(doomed_client, table):
    client = doomed_client
    cluster = client.cluster
    cluster.scale(3)
    client.wait_for_workers(3, timeout=PATIENCE)
    for name in ("boosting", "tree"):  # a worker has no data
        model, whole, _ = fits(name, client, table, npartitions=2)
        assert core_of(model) == core_of(whole)
    cluster.scale(1)
    for name in ("boosting", "default tree"):
        model, whole, _ = fits(name, client, table, npartitions=5)
        assert core_of(model) == core_of(whole)
    cluster.scale(2)
    client.wait_for_workers(2, timeout=PATIENCE)


def own_loss(y, raw):
    return raw - y, np.ones_like(y)


def test_a_loss_of_ones_own_is_searched_by_one_worker(client, table):
    X, y = table[["a", "b"]].to_numpy(), table["number"].to_numpy()
    parts = da.from_array(X, chunks=(300, 2)), da.from_array(y, chunks=300)
    with pytest.raises(ValueError, match="scores of all rows"):
        DaskDPDTBoostingRegressor(
            client=client, search="distributed", loss=own_loss
        ).fit(*parts)
    model = DaskDPDTBoostingRegressor(client=client, max_iter=3, loss=own_loss)
    model.fit(da.from_array(X, chunks=(300, 2)), da.from_array(y, chunks=300))
    whole = DPDTBoostingRegressor(max_iter=3, loss=own_loss).fit(X, y)
    assert core_of(model) == core_of(whole)
    assert model.report_.code_bytes == 600 * 2


def test_two_fits_at_once(client, table):
    found = {}

    def fit(name):
        found[name] = fits(name, client, table)[:2]

    names = ("tree", "default tree", "boosting")
    threads = [threading.Thread(target=fit, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for model, whole in found.values():
        assert core_of(model) == core_of(whole)


def test_what_is_refused(client, table):
    frame = dd.from_pandas(table, npartitions=3)
    X, y = frame[FEATURES], frame["label"]
    with pytest.raises(ValueError, match="max_bins"):
        DaskDPDTreeClassifier(client=client).fit(X, y)
    with pytest.raises(ValueError, match="partitioned alike"):
        DaskDPDTBoostingClassifier(client=client).fit(X, y.repartition(npartitions=2))
    with pytest.raises(TypeError, match="Dask DataFrame"):
        DaskDPDTBoostingClassifier(client=client).fit(table[FEATURES], y)
    cut = da.zeros((10, 4), chunks=(5, 2))
    with pytest.raises(ValueError, match=r"rechunk"):
        DaskDPDTBoostingClassifier(client=client).fit(cut, cut[:, 0])
    bad = table.assign(a=np.where(table.index == 599, np.inf, table["a"]))
    bad = dd.from_pandas(bad, npartitions=3)
    with pytest.raises(ValueError, match="partition 2: X contains infinity"):
        DaskDPDTBoostingClassifier(client=client).fit(bad[FEATURES], y)
    with pytest.raises(TypeError, match="no parameter 'max_bin'"):
        DaskDPDTreeClassifier(max_bin=3)
    assert clone(DaskDPDTreeClassifier(max_bins=9)).max_bins == 9


def test_search_by_size(client, table, monkeypatch):
    model, whole, _ = fits("default tree", client, table, search="auto")
    assert core_of(model) == core_of(whole)
    assert model.report_.code_bytes == 600 * 3
    monkeypatch.setattr(
        engine_module.DaskEngine, "memory_limit", lambda _: 2 * 600 * (3 * 3 + 96) - 1
    )
    for name in ("default tree", "balanced", "boosting"):
        model, whole, _ = fits(name, client, table, search="auto")
        assert core_of(model) == core_of(whole)
        assert model.report_.code_bytes == 0
    model, whole, _ = fits("medians", client, table, search="auto")
    assert core_of(model) == core_of(whole)
    assert model.report_.code_bytes == 600 * 3
    with pytest.raises(ValueError, match="search must be one of"):
        fits("tree", client, table, search="here")


@pytest.mark.parametrize("name", ["tree", "boosting"])
def test_no_task_is_left_after_an_interruption(name, client, table, monkeypatch):
    class Interrupted(engine_module.DaskEngine):
        def gather(self, futures):
            if self.rounds == 8:  # in the middle of a tree
                raise KeyboardInterrupt
            return super().gather(futures)

    monkeypatch.setattr(estimators_module, "DaskEngine", Interrupted)
    gc.collect()  # other tests may have left cycles that keep futures
    with pytest.raises(KeyboardInterrupt):
        fits(name, client, table)
    for _ in range(100):
        left = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks))
        if left == 0:
            break
        time.sleep(0.1)
    assert left == 0


def test_all_workers_gone(table, monkeypatch):
    monkeypatch.setattr(engine_module, "NO_WORKERS_TIMEOUT", 1.0)
    with (
        LocalCluster(
            n_workers=0, processes=True, dashboard_address=None, silence_logs=50
        ) as cluster,
        Client(cluster) as client,
        pytest.raises(RuntimeError, match="no worker"),
    ):
        fits("boosting", client, table)


def test_all_workers_go_when_all_is_done(doomed_client, table, monkeypatch):
    client = doomed_client

    class Closing(engine_module.DaskEngine):
        def _wait(self, futures):
            super()._wait(futures)
            if self.rounds == 7 and client.scheduler_info()["workers"]:
                client.cluster.scale(0)
                while client.scheduler_info()["workers"]:
                    time.sleep(0.05)

    monkeypatch.setattr(engine_module, "NO_WORKERS_TIMEOUT", 1.0)
    monkeypatch.setattr(estimators_module, "DaskEngine", Closing)
    with pytest.raises(RuntimeError, match="no worker"):
        fits("tree", client, table)


def test_all_workers_go_in_the_middle_of_a_tree(doomed_client, table, monkeypatch):
    client = doomed_client

    class Closing(engine_module.DaskEngine):
        def gather(self, futures):
            if self.rounds == 7:
                client.cluster.scale(0)
            return super().gather(futures)

    monkeypatch.setattr(engine_module, "NO_WORKERS_TIMEOUT", 1.0)
    monkeypatch.setattr(estimators_module, "DaskEngine", Closing)
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="no worker"):
        fits("tree", client, table)
    assert time.monotonic() - start < PATIENCE
