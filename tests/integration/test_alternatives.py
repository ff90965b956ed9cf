"""`alternatives`: what the table of states and actions holds, and what it makes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

from dpdtree import Alternatives, DPDTreeClassifier, DPDTreeRegressor


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, Any]:
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def found(cancer: tuple[Any, Any]) -> Alternatives:
    return DPDTreeClassifier(max_depth=4, strategy="paper", alpha=0.01).alternatives(
        *cancer
    )


def test_arrays_fit_together(found: Alternatives, cancer: tuple[Any, Any]) -> None:
    a = found
    _, y = cancer
    assert a.root == 0
    assert a.n_rows[0] == len(y)
    assert np.array_equal(a.value[0], np.bincount(y))
    assert a.action_start[0] == 0
    assert a.action_start[-1] == a.n_actions == len(a.left) == len(a.categories_left)
    per_state = np.diff(a.action_start)
    most = np.array([6, 4, 3, 2])[np.minimum(a.depth, 3)]
    assert np.all(per_state <= most)
    assert per_state[0] == 6
    state = np.repeat(np.arange(a.n_states), per_state)
    for side in (a.left, a.right):
        assert np.all(a.depth[side] == a.depth[state] + 1)
        assert np.all(side > state)
    assert np.array_equal(a.n_rows[a.left] + a.n_rows[a.right], a.n_rows[state])
    assert np.allclose(a.value[a.left] + a.value[a.right], a.value[state])
    assert np.allclose(a.loss, a.state_loss[a.left] + a.state_loss[a.right])
    own = a.weight[state] / a.weight[0]
    below = a.state_complexity[a.left] + a.state_complexity[a.right]
    assert np.allclose(a.complexity, own + below)
    assert np.allclose(a.objective, a.loss + 0.01 * a.complexity)
    assert a.task == "classification"
    assert list(a.classes) == [0, 1]
    assert a.feature_names == list(cancer[0].columns)


def test_states_are_shared(found: Alternatives) -> None:
    reached = np.concatenate([found.left, found.right])
    assert len(np.unique(reached)) == found.n_states - 1
    assert len(reached) > found.n_states - 1


def test_own_action_first_then_by_objective(found: Alternatives) -> None:
    for state in range(found.n_states):
        actions = list(found.actions(state))
        others = actions if found.stops[state] else actions[1:]
        assert np.all(np.diff(found.objective[others]) >= 0)
        best = (
            found.leaf_objective[state]
            if found.stops[state]
            else found.objective[actions[0]]
        )
        assert found.state_objective[state] == best
        assert found.stops[state] == (found.state_n_leaves[state] == 1)


@pytest.mark.parametrize("complexity", ["path_length", "n_leaves"])
def test_the_own_action_of_a_proof_is_the_best(complexity: str) -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3)).round(1)
    y = rng.integers(0, 2, 60)
    a = DPDTreeClassifier(
        max_depth=3, strategy="optimal", alpha=0.01, complexity=complexity
    ).alternatives(X, y)
    for state in range(a.n_states):
        least = min([a.leaf_objective[state], *a.objective[list(a.actions(state))]])
        assert a.state_objective[state] == pytest.approx(least)


def test_alternatives_differ(found: Alternatives) -> None:
    root = list(found.actions(0))
    splits = {(found.feature[a], found.threshold[a]) for a in root}
    assert len(splits) == len(root)
    assert len({found.feature[a] for a in root}) > 2


def test_tables(found: Alternatives) -> None:
    rows = found.table()
    assert [row.action for row in rows] == [0, 1, 2, 3, 4, 5, -1]
    assert rows[0].tree_objective == rows[0].objective == found.state_objective[0]
    assert rows[-1].split == "stop"
    assert rows[-1].objective == found.leaf_objective[0]
    below = found.table([(1, "left")])
    assert below[0].tree_objective == pytest.approx(rows[1].objective)
    assert below[2].tree_objective >= below[1].tree_objective
    for row in below[:-1]:
        tree = found.tree({(): 1, ("left",): row.action})
        assert tree.objective_ == pytest.approx(row.tree_objective)
        assert tree.loss_ == pytest.approx(row.tree_loss)
        assert tree.get_n_leaves() == row.tree_n_leaves


def test_trees_of_choices(found: Alternatives, cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    own = DPDTreeClassifier(max_depth=4, strategy="paper", alpha=0.01).fit(X, y)
    first = found.tree()
    assert first.forced_splits is None
    for name in ("feature", "threshold", "value", "impurity", "n_node_samples"):
        assert np.array_equal(getattr(first.tree_, name), getattr(own.tree_, name))
    assert np.array_equal(first.predict_proba(X), own.predict_proba(X))
    other = found.tree({(): 2, ("right",): 1})
    assert other.fit(X, y).objective_ == pytest.approx(
        found.table([(2, "right")])[1].tree_objective
    )
    stump = found.tree({("left",): -1, ("right",): -1})
    assert stump.get_n_leaves() == 2
    assert 1 - stump.score(X, y) == pytest.approx(stump.loss_)
    whole = found.splits(whole=True)
    forced = DPDTreeClassifier(
        max_depth=4, strategy="paper", alpha=0.01, forced_splits=whole
    ).fit(X, y)
    assert np.array_equal(forced.tree_.threshold, own.tree_.threshold)


def test_wrong_choices(found: Alternatives) -> None:
    with pytest.raises(ValueError, match="from 0 to 5"):
        found.tree({(): 6})
    with pytest.raises(ValueError, match='tuples of "left" and "right"'):
        found.tree({"L": 1})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="rank of an action or -1"):
        found.tree({(): -2})
    with pytest.raises(ValueError, match="does not have"):
        found.tree({(): -1, ("left",): 0})
    with pytest.raises(ValueError, match="step of node"):
        found.table([(0, "up")])
    with pytest.raises(ValueError, match="from 0 to 5"):
        found.table([(-1, "left")])
    with pytest.raises(ValueError, match="cannot force a leaf"):
        found.splits({(): -1})


def test_frame_and_text(found: Alternatives) -> None:
    frame = found.to_frame()
    assert len(frame) == found.n_actions
    assert list(frame["action"][:7]) == [0, 1, 2, 3, 4, 5, 0]
    text = repr(found)
    assert "(paper)" in text
    assert found.split_text(0) in text
    assert "and 3 more" in text


def test_plot(found: Alternatives) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    ax = found.plot(depth=2, most=2)
    texts = [t.get_text() for t in ax.texts]
    assert len(texts) == 1 + 2 + 4 + 4 + 8
    assert any(t.startswith(f"n = {found.n_rows[0]}") for t in texts)
    plt.close(ax.figure)
    with pytest.raises(ValueError, match="depth must be an int >= 1"):
        found.plot(depth=0)


def test_categories_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue", "grey"], 300)
    size = np.where(rng.random(300) < 0.2, np.nan, rng.normal(size=300))
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    y = np.isin(colour, ["red", "grey"]) * 2.0 + np.nan_to_num(size, nan=-1.0)
    model = DPDTreeRegressor(max_depth=3)
    a = model.alternatives(X, y)
    assert a.task == "regression"
    assert a.classes is None
    assert a.value[0, 0] == pytest.approx(y.mean())
    by_category = np.array([left is not None for left in a.categories_left])
    assert by_category.any()
    assert np.array_equal(by_category, np.isnan(a.threshold))
    fitted = model.fit(X, y)
    assert np.array_equal(a.tree().predict(X), fitted.predict(X))
    for rank in range(1, len(a.actions(0))):
        tree = a.tree({(): rank})
        again = tree.predict(X)
        assert np.array_equal(again, tree.fit(X, y).predict(X))


def test_forced_splits_are_the_first_actions(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    splits = {"feature": "mean area", "threshold": 650.0}
    model = DPDTreeClassifier(max_depth=2, forced_splits=splits)
    a = model.alternatives(X, y, k=(3, 2))
    assert a.split_text(0) == "mean area <= 650"
    assert a.tree().objective_ == pytest.approx(model.fit(X, y).objective_)


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced"])
def test_a_budget_of_leaves(cancer: tuple[Any, Any], strategy: str) -> None:
    X, y = cancer
    model = DPDTreeClassifier(
        max_depth=3, strategy=strategy, max_leaf_nodes=5, alpha=0.0
    )
    a = model.alternatives(X, y, k=(3, 2))
    assert a.tree().objective_ == pytest.approx(model.fit(X, y).objective_)
    for row in a.table():
        assert row.n_leaves <= 5
        if row.action >= 0:
            other = a.tree({(): row.action})
            forced = clone(model).set_params(forced_splits=a.splits({(): row.action}))
            assert other.objective_ == pytest.approx(row.objective)
            assert forced.fit(X, y).objective_ == pytest.approx(row.objective)


def test_any_depth(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    model = DPDTreeClassifier(max_depth=None, strategy="greedy", alpha=0.0)
    a = model.alternatives(X, y, k=(2,))
    assert a.tree().get_n_leaves() == model.fit(X, y).get_n_leaves()


def test_noise_is_one_leaf_first() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 2, 200)
    model = DPDTreeClassifier().fit(X, y)
    assert model.get_n_leaves() == 1
    a = model.alternatives(X, y)
    assert a.table()[0].action == -1
    assert len(a.table()) > 1
    assert a.tree().get_n_leaves() == 1


def test_fewer_splits_off_the_tree(cancer: tuple[Any, Any]) -> None:
    model = DPDTreeClassifier(max_depth=3)
    a = model.alternatives(*cancer, k=(3, 3), k_elsewhere=(1,))
    assert len(a.actions(int(a.left[0]))) == 3
    assert len(a.actions(int(a.left[1]))) == 1


def test_what_cannot_be_asked(cancer: tuple[Any, Any]) -> None:
    for k in ((), (0,), 3, "ab", (2.5,)):
        with pytest.raises(ValueError, match="k must be"):
            DPDTreeClassifier().alternatives(*cancer, k=k)  # type: ignore[arg-type]


def test_a_clock_that_is_up(cancer: tuple[Any, Any]) -> None:
    model = DPDTreeClassifier(max_depth=4, time_limit=0.0)
    a = model.alternatives(*cancer)
    assert a.report.stop_reason == "time_limit"
    assert a.tree().get_n_leaves() == 1


def test_the_estimator_is_left_as_it_is(cancer: tuple[Any, Any]) -> None:
    model = DPDTreeClassifier(max_depth=2)
    model.alternatives(*cancer, k=(2,))
    assert not hasattr(model, "tree_")
    assert not hasattr(model, "n_features_in_")


def test_several_outputs() -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DPDTreeRegressor(max_depth=2, strategy="paper")
    both = np.column_stack([y, X[:, 3]])
    a = model.alternatives(X, both, k=(3, 2))
    assert a.value.shape[1] == 2
    assert np.array_equal(a.tree().predict(X), model.fit(X, both).predict(X))
