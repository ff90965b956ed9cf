"""Shrunk values: between those of the path, monotone, and the same for weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier, DPDTreeRegressor

seeds = st.integers(0, 2**32 - 1)


def problem(seed: int, classes: bool, n_most: int = 120):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(20, n_most)), int(rng.integers(1, 4))
    X = rng.integers(0, 12, (n, p)).astype(float)
    signal = X[:, 0] + rng.normal(0, 3, n)
    y = np.digitize(signal, [4, 9]) if classes else signal.round(1)
    return X, y, rng


def paths(tree):
    """The way from the root to each node."""
    ways = {0: [0]}
    for node in range(tree.node_count):
        for child in (tree.children_left[node], tree.children_right[node]):
            if child >= 0:
                ways[int(child)] = [*ways[node], int(child)]
    return ways


@given(seeds, st.booleans(), st.sampled_from([0.0, 0.3, 7.0, 1e3, 1e12]))
@settings(max_examples=40)
def test_values_stay_between_those_of_their_path(seed, classes, strength):
    X, y, rng = problem(seed, classes)
    kind = DPDTreeClassifier if classes else DPDTreeRegressor
    weight = rng.random(len(y)) + 0.1 if seed % 2 else None
    model = kind(shrinkage=strength, alpha=0.0, max_depth=4).fit(X, y, weight)
    raw, shrunk = model.tree_.value, model.tree_.shrunk(strength)
    assert model.shrinkage_ == strength
    for node, way in paths(model.tree_).items():
        slack = 1e-9 * (1 + np.abs(raw[way]).max())
        assert (shrunk[node] >= raw[way].min(axis=0) - slack).all()
        assert (shrunk[node] <= raw[way].max(axis=0) + slack).all()
    if strength == 0.0:
        np.testing.assert_array_equal(shrunk, raw)
    if strength == 1e12:
        np.testing.assert_allclose(shrunk, np.broadcast_to(raw[:1], raw.shape))


@given(seeds, st.booleans())
@settings(max_examples=25)
def test_the_objective_is_that_of_the_unshrunk_leaves(seed, classes):
    X, y, _ = problem(seed, classes)
    kind = DPDTreeClassifier if classes else DPDTreeRegressor
    plain, shrunk = (kind(alpha="mdl", shrinkage=s).fit(X, y) for s in (0.0, 30.0))
    assert plain.objective_ == shrunk.objective_
    np.testing.assert_array_equal(plain.tree_.value, shrunk.tree_.value)
    rows = shrunk.tree_.value[shrunk.apply(X), 0]
    if classes:
        loss = -np.log(rows[np.arange(len(y)), np.searchsorted(shrunk.classes_, y)])
    else:
        loss = np.square(rows[:, 0] - y)
    assert shrunk.loss_ == pytest.approx(loss.mean())


@given(seeds, st.booleans())
@settings(max_examples=25)
def test_shrunk_predictions_stay_monotone(seed, classes):
    X, y, rng = problem(seed, False)
    y = (y > np.median(y)).astype(int) if classes else y
    kind = DPDTreeClassifier if classes else DPDTreeRegressor
    model = kind(monotonic_cst=[1] + [0] * (X.shape[1] - 1), alpha=0.0, shrinkage=15.0)
    model.fit(X, y)
    rows = np.repeat(X[rng.integers(0, len(X), 10)], 14, axis=0)
    rows[:, 0] = np.tile(np.arange(-1.0, 13.0), 10)
    said = model.predict_proba(rows)[:, -1] if classes else model.predict(rows)
    steps = np.diff(said.reshape(10, 14), axis=1)
    assert steps.min() >= -1e-12


@given(seeds, st.booleans())
@settings(max_examples=30)
def test_a_default_fit_takes_weights_for_copies_in_any_order(seed, classes):
    X, y, rng = problem(seed, classes, 60)
    if not classes:  # splits of two features that are the same tie up to rounding
        X, y = X[:, :1], y + rng.normal(0, 0.1, len(y))
    times = rng.integers(0, 4, len(y))
    times[rng.integers(len(y))] = 3
    rows = rng.permutation(np.repeat(np.arange(len(y)), times))
    kind = DPDTreeClassifier if classes else DPDTreeRegressor
    weighted = kind().fit(X, y, times)
    repeated = kind(n_jobs=2).fit(X[rows], y[rows])
    assert weighted.price_scale_ == repeated.price_scale_
    assert weighted.shrinkage_ == repeated.shrinkage_
    assert weighted.objective_ == pytest.approx(repeated.objective_)
    if weighted.get_n_leaves() == 1:
        assert repeated.get_n_leaves() == 1


#: (rows, features, classes); 0 classes: numbers.
NOISE = [(40, 3, 2), (200, 10, 2), (200, 4, 5), (1000, 5, 3), (60, 30, 2)]
NOISE += [(40, 3, 0), (200, 10, 0), (1000, 4, 0)]
DRAWS = 200


def draw(n: int, p: int, k: int, seed: int):
    rng = np.random.default_rng([n, p, k, seed])
    X = rng.normal(size=(n, p))
    X[:, 0] = rng.integers(0, 3, n)
    return X, rng.integers(0, k, n) if k else rng.normal(size=n)


@pytest.mark.parametrize(("n", "p", "k"), NOISE)
def test_noise_gives_one_leaf(n, p, k):
    kind = DPDTreeClassifier if k else DPDTreeRegressor
    sizes = [kind().fit(*draw(n, p, k, i)).get_n_leaves() for i in range(DRAWS)]
    assert np.mean(np.array(sizes) == 1) >= 0.95


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_the_gate_lets_signals_pass(kind):
    X, _ = draw(300, 5, 2, 0)
    model = kind().fit(X, (X[:, 1] > 0.3).astype(int))
    assert model.get_n_leaves() > 1
    assert np.isfinite(model.price_scale_)


def test_splits_may_tell_something_together_alone():
    """No split of the greedy tree is more than noise, and look-ahead sees it."""
    rng = np.random.default_rng(0)
    found = 0
    for _ in range(10):
        X = rng.normal(size=(300, 5))
        y = ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)
        model = DPDTreeClassifier().fit(X, y)
        found += model.score(X, y) > 0.95
    assert found >= 8
