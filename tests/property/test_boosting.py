"""Guarantees of the boosting engine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdtree import DPDTBoostingRegressor, _core
from dpdtree._core import stages

pytestmark = pytest.mark.native

INSTRUCTION_SETS = ("portable", "sse2", "avx2")
LOOKAHEADS = ["none", "light", "strong", "full"]
# With 10 000 rows or fewer, "light" is "strong"; some tests draw 70 % of them.
ROWS = {"light": 15_000}


def params(**changes) -> _core.BoostingParams:
    p = _core.BoostingParams()
    p.loss = "log_loss"
    for name, value in changes.items():
        setattr(p, name, value)
    if p.lookahead == "full" and p.max_depth == 0:
        p.max_depth = 3
    return p


def data(n=3000, p=11, seed=0, n_classes=2):
    """Numbers, few values, an exclusive group, missing values, interactions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[:, 2] = rng.integers(0, 5, n)
    X[:, 3:6] = rng.integers(0, 4, n)[:, None] == np.arange(3)
    X[rng.random(n) < 0.1, 1] = np.nan
    z = np.sign(X[:, 0]) * np.nan_to_num(X[:, 1]) + X[:, 3] + rng.normal(size=n)
    y = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))
    return X, y.astype(float)


def fitted(X, y, p, n=8, n_classes=2, **kwargs):
    session = _core.BoostingSession(X, y, None, n_classes, p, **kwargs)
    session.run(n)
    return session


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_change_nothing(lookahead, n_classes):
    X, y = data(50_000, n_classes=n_classes)  # the root is divided by all threads
    models = [
        fitted(X, y, params(lookahead=lookahead, n_threads=k), 3, n_classes)
        for k in (1, 2, 4)
    ]
    for other in models[1:]:
        assert other.model.to_bytes() == models[0].model.to_bytes()
        np.testing.assert_array_equal(other.raw_train, models[0].raw_train)


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize("n_features", [7, 20, 60])
def test_threads_share_any_number_of_columns(lookahead, n_features):
    X, y = data(12_000, n_features)
    models = [
        fitted(X, y, params(lookahead=lookahead, n_threads=k), 3).model.to_bytes()
        for k in (1, 2, 3)
    ]
    assert models[1:] == models[:1] * 2


def test_threads_without_a_column_to_share():
    X, y = np.ones((20_000, 3)), np.arange(20_000) % 2.0
    assert (
        fitted(X, y, params(lookahead="none", n_threads=2), 2).model.n_iterations == 2
    )


def test_rows_keep_their_order():
    # Sums of floating-point numbers, over the rows of a leaf, would tell.
    X, y = data(50_000)
    found = set()
    try:
        for _ in filter(stages.force_instruction_set, INSTRUCTION_SETS):
            for k in (1, 2, 4):
                p = params(lookahead="none", newton=False, n_threads=k)
                found.add(fitted(X, y, p, 3).model.to_bytes())
    finally:
        stages.force_instruction_set("best")
    assert len(found) == 1


@pytest.mark.parametrize(("n", "same"), [(10_000, True), (10_001, False)])
def test_light_looks_at_all_of_few_rows(n, same):
    X, y = data(n)
    light, strong = (
        fitted(X, y, params(lookahead=name), 3).model.to_bytes()
        for name in ("light", "strong")
    )
    assert (light == strong) is same


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_instruction_sets_change_nothing(lookahead):
    X, y = data(ROWS.get(lookahead, 3000))
    found = set()
    try:
        for _ in filter(stages.force_instruction_set, INSTRUCTION_SETS):
            found.add(fitted(X, y, params(lookahead=lookahead)).model.to_bytes())
    finally:
        stages.force_instruction_set("best")
    assert len(found) == 1


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize(
    "changes", [{}, {"subsample": 0.7, "max_features": 0.5}, {"loss": "absolute_error"}]
)
def test_going_on_is_never_having_stopped(lookahead, changes):
    X, y = data(ROWS.get(lookahead, 3000))
    p = params(lookahead=lookahead, seed=3, **changes)
    n_classes = 2 if p.loss == "log_loss" else 0
    whole = fitted(X, y, p, 7, n_classes)
    part = fitted(X, y, p, 3, n_classes)
    rest = fitted(X, y, p, 4, n_classes, model=part.model)
    assert rest.model.to_bytes() == whole.model.to_bytes()
    np.testing.assert_array_equal(rest.raw_train, whole.raw_train)


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_scores_are_those_of_the_model(lookahead):
    X, y = data(ROWS.get(lookahead, 3000))
    X_val, y_val = data(500, seed=1)
    p = params(lookahead=lookahead, subsample=0.8)
    session = fitted(X, y, p, X_val=X_val, y_val=y_val)
    np.testing.assert_array_equal(session.raw_train, session.model.predict_raw(X))
    np.testing.assert_array_equal(session.raw_val, session.model.predict_raw(X_val, 2))


def total_gain(tree) -> float:
    return float(tree.gain.sum())


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 300),
    p=st.integers(1, 9),
    values=st.integers(2, 40),
    depth=st.integers(1, 4),
    candidates=st.lists(st.integers(1, 8), min_size=1, max_size=3),
    gamma=st.sampled_from([0.0, 0.3]),
    min_leaf=st.integers(1, 5),
)
def test_full_is_never_worse_than_greedy(
    seed, n, p, values, depth, candidates, gamma, min_leaf
):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, p)).astype(float)
    y = rng.integers(0, 2, n).astype(float)
    common = {"max_depth": depth, "gamma": gamma, "min_samples_leaf": min_leaf}
    greedy = params(lookahead="none", max_leaf_nodes=0, **common)
    full = params(lookahead="full", n_candidates=candidates, **common)
    a = fitted(X, y, greedy, 1).model.tree(0, 0)
    b = fitted(X, y, full, 1).model.tree(0, 0)
    assert total_gain(b) >= total_gain(a) * (1 - 1e-12) - 1e-12


@st.composite
def weighted_problems(draw):
    """Many ties: few values, columns that cut alike, more columns than rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(5, 120)), draw(st.integers(1, 30))
    values = draw(st.sampled_from([2, 4, 1000]))
    X = rng.integers(0, values, (n, p)).astype(float)
    loss = draw(st.sampled_from(["squared_error", "absolute_error", "log_loss"]))
    n_classes = draw(st.sampled_from([2, 3])) if loss == "log_loss" else 0
    y = rng.integers(0, n_classes or 9, n).astype(float)
    weight = rng.integers(0, draw(st.integers(2, 16)), n).astype(float)
    weight[rng.integers(n)] = 1.0
    return X, y, weight, loss, n_classes


@settings(max_examples=150, deadline=None)
@given(
    weighted_problems(),
    st.sampled_from(LOOKAHEADS),
    st.sampled_from([0.0, 1.0]),
    st.booleans(),
    st.sampled_from([1.0, 0.4]),
)
def test_integer_weights_are_repeated_rows(
    problem, lookahead, l2, newton, max_features
):
    X, y, weight, loss, n_classes = problem
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    p = params(
        lookahead=lookahead, loss=loss, min_samples_leaf=1, l2_regularization=l2,
        newton=newton, max_features=max_features, max_bins=16, seed=1,
    )  # fmt: skip
    a = _core.BoostingSession(X, y, weight, n_classes, p)
    b = _core.BoostingSession(X[rows], y[rows], None, n_classes, p)
    a.run(4)
    b.run(4)
    for mine, other in zip(a.edges, b.edges, strict=True):
        np.testing.assert_array_equal(mine, other)
    assert a.train_loss() == pytest.approx(b.train_loss(), rel=1e-12)
    np.testing.assert_allclose(a.raw_train[rows], b.raw_train, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(a.raw_train, b.model.predict_raw(X), rtol=1e-9)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), sign=st.sampled_from([-1, 1]))
def test_monotonic_constraints_hold_everywhere(seed, sign):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (400, 3))
    y = np.sin(4 * X[:, 0]) + X[:, 1] * X[:, 0] + rng.normal(0, 0.2, 400)
    p = params(
        loss="squared_error", monotonic_cst=[sign, 0, 0], min_samples_leaf=3,
        lookahead=["none", "light", "strong", "full"][seed % 4],
    )  # fmt: skip
    model = fitted(X, y, p, 10, 0).model
    grid = np.repeat(X[:20], 30, axis=0)
    grid[:, 0] = np.tile(np.linspace(-1.2, 1.2, 30), 20)
    raw = model.predict_raw(grid)[:, 0].reshape(20, 30)
    assert (sign * np.diff(raw, axis=1) >= -1e-12).all()


def features_on_paths(tree):
    stack, paths = [(0, frozenset())], []
    while stack:
        node, seen = stack.pop()
        if tree.children_left[node] < 0:
            paths.append(seen)
            continue
        below = seen | {int(tree.feature[node])}
        stack += [(tree.children_left[node], below), (tree.children_right[node], below)]
    return paths


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
def test_interaction_constraints_hold_on_every_path(lookahead):
    X, y = data()
    groups = [[0, 2, 3], [1, 2], list(range(4, 11))]
    p = params(lookahead=lookahead, interaction_cst=groups)
    model = fitted(X, y, p).model
    for i in range(model.n_iterations):
        for path in features_on_paths(model.tree(i, 0)):
            assert any(path <= set(group) for group in groups)


def test_limits_hold_in_every_leaf():
    X, y = data()
    for lookahead in LOOKAHEADS:
        p = params(
            lookahead=lookahead, min_samples_leaf=37, min_child_weight=9.0,
            max_leaf_nodes=13,
        )  # fmt: skip
        model = fitted(X, y, p).model
        for i in range(model.n_iterations):
            tree = model.tree(i, 0)
            leaf = tree.children_left < 0
            assert leaf.sum() <= 13
            assert tree.n_node_samples[leaf].min() >= 37
            assert tree.sum_hessian[leaf].min() >= 9.0


@st.composite
def close_values(draw):
    """Doubles of which many are equal, or neighbours, in single precision."""
    centre = draw(st.sampled_from([0.0, 1.0, -1.0, 2.0**-20, 0.1, 1e-30, 1e10, -3e37]))
    n = draw(st.integers(2, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**31)))
    step = np.spacing(np.float32(centre)) if centre else 1e-37
    near = rng.integers(-20, 20, n) / draw(st.sampled_from([1.0, 4.0, 7.0]))
    X = np.column_stack([centre + near * float(step), rng.normal(size=n)])
    return X, rng.normal(size=n)


@settings(max_examples=200, deadline=None)
@given(close_values(), st.booleans())
def test_rounding_to_single_precision_changes_no_prediction(problem, set_aside):
    X, y = problem
    held_out = {"X_val": X[::2], "y_val": y[::2]} if set_aside else {}
    train = slice(1, None, 2) if set_aside else slice(None)
    p = params(loss="squared_error", min_samples_leaf=1)
    session = _core.BoostingSession(X[train], y[train], None, 0, p, **held_out)
    session.run(8)
    single = X.astype(np.float32)
    np.testing.assert_array_equal(
        session.model.predict_raw(X), session.model.predict_raw(single)
    )


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["squared_error", "absolute_error", "poisson", "gamma"]),
    st.lists(st.floats(0.0, 1.7e308), min_size=2, max_size=8),
    st.sampled_from([None, 5e-324, 1e-300, 1e-30, 1.0, 1e30, 1e300]),
    st.booleans(),
)
def test_finite_predictions_or_an_error_that_names_the_cause(
    loss, targets, weight, early_stopping
):
    y = np.array(targets)
    X = np.arange(len(y))[:, None] % 3
    model = DPDTBoostingRegressor(
        loss=loss, max_iter=3, min_child_weight=0.0, early_stopping=early_stopping
    )
    weights = None if weight is None else np.full(len(y), weight)
    try:
        model.fit(X, y, weights)
    except ValueError:
        with pytest.raises(ValueError, match=r"\by\b|sample_weight|validation_frac"):
            model.fit(X, y, weights)
        return
    assert np.isfinite(model.predict(X)).all()
    assert np.isfinite(model.train_score_).all()
    assert np.isfinite(model.validation_score_).all()
    assert np.isfinite(model.feature_importances_).all()
