"""The engine without look-ahead against histogram boosting written plainly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdtree import _core
from dpdtree._core import stages
from tests.reference.boosting import Settings, boost

pytestmark = pytest.mark.native


def native_params(s: Settings, loss: str) -> _core.BoostingParams:
    p = _core.BoostingParams()
    p.loss = loss
    p.lookahead = "none"
    p.learning_rate = s.learning_rate
    p.max_leaf_nodes = s.max_leaf_nodes
    p.max_depth = s.max_depth
    p.min_samples_leaf = s.min_samples_leaf
    p.min_child_weight = s.min_child_weight
    p.l2_regularization = s.l2
    p.reg_alpha = s.alpha
    p.gamma = s.gamma
    return p


def compare(X, y, weight, s: Settings, loss: str, n_iterations: int) -> None:
    params = native_params(s, loss)
    n_classes = 2 if loss == "log_loss" else 0
    session = _core.BoostingSession(X, y, weight, n_classes, params)

    def derivatives(raw):
        return *stages.boosting_gradients(params, n_classes, y, raw), weight

    trees, raw = boost(
        X, y, session.edges, derivatives, n_iterations, s, session.baseline[0]
    )
    session.run(n_iterations)
    for i, expected in enumerate(trees):
        nodes = expected.preorder()
        tree = session.model.tree(i, 0)
        inner = [n for n in nodes if n.children]
        assert list(tree.feature) == [n.split[1] if n.children else -2 for n in nodes]
        assert list(tree.n_node_samples) == [len(n.rows) for n in nodes]
        at = tree.feature >= 0
        edges = [session.edges[n.split[1]][n.split[2]] for n in inner]
        assert list(tree.threshold[at]) == edges
        assert list(tree.gain[at]) == [n.split[0] for n in inner]
        assert list(tree.value) == [n.value for n in nodes]
    np.testing.assert_array_equal(session.raw_train[:, 0], raw)


@pytest.mark.parametrize("loss", ["squared_error", "log_loss", "poisson", "gamma"])
def test_same_trees_to_the_last_bit(loss):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(600, 11))
    X[:, 3] = rng.integers(0, 4, 600)
    X[:, 4:8] = rng.integers(0, 4, 600)[:, None] == np.arange(4)  # a bundle
    y = X[:, 0] * X[:, 1] + X[:, 3] + X[:, 5] + rng.normal(size=600)
    y = (y > 0).astype(float) if loss == "log_loss" else np.exp(y / 4)
    compare(X, y, None, Settings(), loss, 6)
    compare(X, y, rng.uniform(0.1, 3, 600), Settings(l2=1.0, gamma=0.1), loss, 4)


@st.composite
def problems(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, p = draw(st.integers(2, 80)), draw(st.integers(1, 10))
    X = rng.integers(0, draw(st.integers(2, 12)), (n, p)).astype(float)
    y = rng.integers(0, 2, n).astype(float)
    weight = rng.integers(1, 4, n).astype(float) if draw(st.booleans()) else None
    s = Settings(
        learning_rate=draw(st.sampled_from([0.1, 1.0])),
        max_leaf_nodes=draw(st.sampled_from([0, 2, 5, 31])),
        max_depth=draw(st.integers(0, 3)),
        min_samples_leaf=draw(st.integers(1, 6)),
        min_child_weight=draw(st.sampled_from([0.0, 1.0])),
        l2=draw(st.sampled_from([0.0, 1.0])),
        alpha=draw(st.sampled_from([0.0, 0.5])),
        gamma=draw(st.sampled_from([0.0, 0.2])),
    )
    return X, y, weight, s


@settings(max_examples=60, deadline=None)
@given(problems(), st.sampled_from(["squared_error", "log_loss"]))
def test_same_trees_on_small_problems(problem, loss):
    compare(*problem, loss, 3)
