"""Sessions of the boosting engine: trees, predictions, bytes, and how they end."""

from __future__ import annotations

import pickle
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from dpdtree import _core
from dpdtree._core import stages
from tests.property.mutations import seal
from tests.unit.native_boosting import params, regression, session_of

pytestmark = pytest.mark.native


def walk(tree, row):
    node = 0
    while tree.children_left[node] >= 0:
        x = row[tree.feature[node]]
        if np.isnan(x):
            left = tree.missing_go_to_left[node]
        elif tree.is_categorical[node]:
            code = int(x)
            left = tree.left_categories[node, code // 32] >> (code % 32) & 1
        else:
            left = x <= tree.threshold[node]
        side = tree.children_left if left else tree.children_right
        node = side[node]
    return node


@pytest.mark.parametrize("categorical", [False, True])
def test_prediction_is_the_sum_of_leaves(categorical):
    X, y = regression(700)
    rng = np.random.default_rng(5)
    X[:, 3] = rng.integers(0, 40, 700)
    y = y + np.sin(X[:, 3])
    X[rng.random(X.shape) < 0.1] = np.nan
    flags = [False, False, False, categorical, False]
    model = session_of(X, y, 6, categorical=flags).model
    trees = [model.tree(i, 0) for i in range(6)]
    assert any(t.is_categorical.any() for t in trees) == categorical
    X = np.vstack([X[:300], np.full((1, 5), np.nan)])
    leaves = np.array([[walk(t, row) for t in trees] for row in X])
    np.testing.assert_array_equal(model.apply(X)[:, :, 0], leaves)
    staged = list(model.staged(X, 2))
    raw = np.full(len(X), model.baseline[0])
    for i, tree in enumerate(trees):
        raw = raw + tree.value[leaves[:, i]]
        np.testing.assert_array_equal(staged[i][:, 0], raw)
        np.testing.assert_array_equal(model.predict_raw(X, 1, i + 1)[:, 0], raw)
    np.testing.assert_array_equal(model.predict_raw(X)[:, 0], raw)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_any_layout_and_type(order, dtype):
    X, y = regression()
    X = np.asarray(10 * X, dtype=dtype, order=order)
    a = session_of(X, y)
    b = session_of(np.ascontiguousarray(X, dtype=np.float64), y)
    assert a.model.to_bytes() == b.model.to_bytes()
    np.testing.assert_array_equal(a.raw_train, a.model.predict_raw(X[:, :]))


def test_categories_are_split_by_their_mean():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 12, 2000).astype(float)
    codes[::9] = np.nan
    high = np.isin(codes, [1, 4, 8]) | np.isnan(codes)
    y = high.astype(float)
    tree = session_of(codes[:, None], y, 1, categorical=[True]).model.tree(0, 0)
    assert tree.node_count == 3
    left = {c for c in range(12) if tree.left_categories[0, 0] >> c & 1}
    assert left in ({1, 4, 8}, set(range(12)) - {1, 4, 8})
    assert bool(tree.missing_go_to_left[0]) == (1 in left)


def test_missing_values_go_where_they_gain_most():
    x = np.tile([0.0, 1.0, np.nan, np.nan], 50)[:, None]
    for target in (0.0, 1.0):
        y = np.where(np.isnan(x[:, 0]), target, x[:, 0])
        tree = session_of(x, y, 1, lookahead="none").model.tree(0, 0)
        assert tree.threshold[0] == 0.0
        assert tree.missing_go_to_left[0] == (target == 0.0)


def test_missing_against_the_rest():
    x = np.tile([0.0, 1.0, np.nan, np.nan], 50)[:, None]
    y = np.isnan(x[:, 0]).astype(float)
    model = session_of(x, y, 1, lookahead="none", learning_rate=1.0).model
    assert model.tree(0, 0).node_count == 3
    np.testing.assert_allclose(model.predict_raw(x)[:, 0], y, atol=1e-6)


@pytest.mark.parametrize(
    ("loss", "share"), [("absolute_error", 0.5), ("quantile", 0.8)]
)
def test_leaves_are_quantiles_of_residuals(loss, share):
    X, y = regression()
    p = {"loss": loss, "quantile": share, "learning_rate": 1.0, "max_leaf_nodes": 4}
    session = session_of(X, y, 1, **p)
    leaf = session.model.apply(X)[:, 0, 0]
    for node in np.unique(leaf):
        expected = np.quantile(y[leaf == node], share, method="inverted_cdf")
        got = session.raw_train[leaf == node, 0]
        np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_first_order_trees_take_newton_steps_in_their_leaves():
    X, y = regression()
    y = (y > 0.5).astype(float)
    session = session_of(X, y, 1, 2, loss="log_loss", newton=False, lookahead="none")
    tree = session.model.tree(0, 0)
    raw = np.full(len(y), session.baseline[0])
    g, h = stages.boosting_gradients(params(loss="log_loss"), 2, y, raw)
    leaf = session.model.apply(X)[:, 0, 0]
    for node in np.unique(leaf):
        at = leaf == node
        assert tree.sum_hessian[node] == at.sum()
        assert tree.value[node] == pytest.approx(-0.1 * g[at].sum() / h[at].sum())


def test_custom_gradients_are_those_of_a_loss():
    X, y = regression()
    known = session_of(X, y, 4)
    custom = _core.BoostingSession(X, y - y.mean(), None, 1, params(loss="custom"))
    for _ in range(4):
        assert custom.step(custom.raw_train[:, 0] - (y - y.mean()), np.ones(len(y)))
    np.testing.assert_allclose(custom.raw_train + y.mean(), known.raw_train, rtol=1e-6)


@pytest.mark.parametrize(
    ("gradient", "hessian", "message"),
    [
        ([np.nan, 0.0], [1.0, 1.0], "gradient contains NaN"),
        ([0.0, 0.0], [1.0, np.inf], "hessian contains NaN or infinity"),
        ([0.0, 0.0], [1.0, -1.0], "negative"),
        ([0.0], [1.0], "must have 2 entries"),
    ],
)
def test_bad_gradients_are_refused(gradient, hessian, message):
    X = np.array([[0.0], [1.0]])
    session = _core.BoostingSession(X, np.zeros(2), None, 1, params(loss="custom"))
    with pytest.raises(ValueError, match=message):
        session.step(np.array(gradient), np.array(hessian))
    assert session.n_iterations == 0


def test_rows_without_weight_are_as_if_absent():
    X, y = regression()
    weight = np.ones(len(y))
    weight[::3] = 0
    kept = weight > 0
    a = session_of(X, y, 4, weight=weight)
    b = session_of(np.ascontiguousarray(X[kept]), y[kept], 4, weight=weight[kept])
    assert a.model.to_bytes() == b.model.to_bytes()
    np.testing.assert_array_equal(a.raw_train, a.model.predict_raw(X))


def test_pickle_and_bytes():
    X, y = regression()
    model = session_of(X, y).model
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_raw(X), model.predict_raw(X))
    data = model.to_bytes()
    for bad in (b"", b"nonsense", data[:-1], data + b"x"):
        with pytest.raises(ValueError, match="data"):
            _core.BoostingModel.from_bytes(bad)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_bytes_with_values_that_are_no_numbers(bad):
    X, y = regression()
    model = session_of(X, y).model
    data, tree = model.to_bytes(), model.tree(2, 0)
    leaf = int(np.flatnonzero(tree.children_left < 0)[0])
    places = {
        "threshold": tree.threshold[:1],
        "value": tree.value[leaf : leaf + 1],
        "baseline": model.baseline,
    }
    for name, value in places.items():
        if name == "threshold" and np.isinf(bad):
            continue  # infinite: missing values against the rest
        at = data.find(value.tobytes())
        assert data.count(value.tobytes()) == 1 or name == "threshold"
        broken = data[:at] + np.array([bad]).tobytes() + data[at + 8 :]
        with pytest.raises(ValueError, match=r"model data|not a valid tree"):
            _core.BoostingModel.from_bytes(broken)


def thresholds_of_numbers(model):
    for i in range(model.n_iterations):
        tree = model.tree(i, 0)
        numeric = (tree.children_left >= 0) & (tree.feature == 1)
        yield from tree.threshold[numeric]


def test_a_threshold_that_is_no_number_is_no_set_of_categories():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 9, 500), rng.normal(size=500)])
    y = X[:, 1] + X[:, 0] % 2
    model = session_of(X, y, categorical=[True, False]).model
    stored = Path(__file__).parents[1] / "golden/boosting_1_categories.bin"
    sealed = model.to_bytes()  # the stored ones are of a version without a checksum
    for data, ending in ((sealed[:-8], seal), (stored.read_bytes(), bytes)):
        known = _core.BoostingModel.from_bytes(ending(data))
        values = list(thresholds_of_numbers(known))
        assert len(values) > 1
        at = data.find(values[0].tobytes())
        broken = data[:at] + np.array([np.nan]).tobytes() + data[at + 8 :]
        with pytest.raises(ValueError, match=r"threshold .* not a number"):
            _core.BoostingModel.from_bytes(ending(broken))


def test_callback_stops_and_errors_leave_whole_iterations():
    X, y = regression()
    session = _core.BoostingSession(X, y, None, 0, params())
    assert session.run(10, lambda n: n < 3) == 3
    assert session.stop_reason == "callback"

    def fail(n):
        raise RuntimeError(f"at {n}")

    with pytest.raises(RuntimeError, match="at 4"):
        session.run(10, fail)
    assert session.n_iterations == 4
    np.testing.assert_array_equal(session.raw_train, session.model.predict_raw(X))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_time_limit_leaves_whole_iterations(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = rng.integers(0, n_classes, 20_000).astype(float)
    p = params(loss="log_loss", time_limit=0.15, n_threads=2)
    session = _core.BoostingSession(X, y, None, n_classes, p)
    start = time.perf_counter()
    done = session.run(1_000_000)
    assert time.perf_counter() - start < 5
    assert session.stop_reason == "time_limit"
    assert session.n_iterations == done < 1_000_000
    np.testing.assert_array_equal(session.raw_train, session.model.predict_raw(X))


@pytest.mark.parametrize("limit", [0.0, 0.05])
def test_time_limit_counts_from_the_first_moment(limit):
    X, y = regression()
    session = _core.BoostingSession(X, y, None, 0, params(time_limit=limit))
    time.sleep(limit)
    assert session.run(3) == 0
    assert session.stop_reason == "time_limit"
    assert not session.step(y[:, None], np.ones((len(y), 1)))
    assert np.isfinite(session.train_loss())


@pytest.fixture
def ctrl_c_raises():
    """Jobs in the background ignore Ctrl-C: there Python would never notice it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.usefixtures("ctrl_c_raises")
@pytest.mark.parametrize("n_threads", [1, 2])
def test_interrupt_leaves_whole_iterations(n_threads):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 10))
    y = rng.integers(0, 3, 20_000).astype(float)
    p = params(loss="log_loss", n_threads=n_threads)
    session = _core.BoostingSession(X, y, None, 3, p)
    main = threading.main_thread().ident
    timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        session.run(1_000_000)
    timer.join()
    np.testing.assert_array_equal(session.raw_train, session.model.predict_raw(X))
    session.run(1)
    np.testing.assert_array_equal(session.raw_train, session.model.predict_raw(X))


def test_importances_add_up():
    X, y = regression()
    model = session_of(X, y).model
    trees = [model.tree(i, 0) for i in range(5)]
    assert model.feature_importances("split").sum() == sum(
        (t.feature >= 0).sum() for t in trees
    )
    gain = np.zeros(5)
    for t in trees:
        np.add.at(gain, t.feature[t.feature >= 0], t.gain[t.feature >= 0])
    np.testing.assert_allclose(model.feature_importances("gain"), gain)


@pytest.mark.parametrize("lookahead", ["none", "light", "strong", "full"])
@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_tiny_and_constant_data(lookahead, n):
    p = {"lookahead": lookahead, "max_depth": 3, "min_samples_leaf": 1}
    X = np.arange(2.0 * n).reshape(n, 2)
    y = np.arange(float(n)) % 2
    assert np.isfinite(session_of(X, y, 3, **p).raw_train).all()
    for constant in (session_of(X, np.ones(n), 3, **p), session_of(0 * X, y, 3, **p)):
        np.testing.assert_allclose(constant.raw_train, constant.baseline[0])


def _mix(x):
    mask = 2**64 - 1
    x = (x + 0x9E3779B97F4A7C15) & mask
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & mask
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & mask
    return x ^ (x >> 31)


def _drawn(n, seed, iteration, share):
    """The rows of an iteration, from the hash of each number."""
    key = _mix(seed ^ _mix(iteration ^ _mix(0x726F7773)))
    hashes = [_mix(row ^ key) for row in range(n)]
    rows = [row for row in range(n) if hashes[row] < share * 2**64]
    return rows or [int(np.argmin([h / 2**64 for h in hashes]))]


@pytest.mark.parametrize("share", [0.8, 0.3, 1e-12])
def test_rows_are_drawn_by_the_hash_of_their_number(share):
    X, y = regression(n=500)
    weight = np.ones(500)
    weight[::7] = 0
    session = session_of(X, y, 3, weight=weight, subsample=share, seed=11)
    for iteration in range(3):
        root = session.model.tree(iteration, 0).n_node_samples[0]
        if share > 1e-6:
            rows = _drawn(500, 11, iteration, share)
            assert root == sum(weight[row] > 0 for row in rows)
        else:
            assert root == 1


def test_a_drawn_row_is_drawn_whatever_the_others_are():
    """Of more rows, the first ones are the same: a part can be drawn from alone."""
    X, y = regression(n=600)
    few, many = (
        session_of(X[:n], y[:n], 1, subsample=0.5, seed=3, max_leaf_nodes=1)
        for n in (400, 600)
    )
    rows = _drawn(600, 3, 0, 0.5)
    assert few.model.tree(0, 0).n_node_samples[0] == sum(row < 400 for row in rows)
    assert many.model.tree(0, 0).n_node_samples[0] == len(rows)
