"""The explorer's page for every kind of tree: its data are the model's numbers."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from tests.integration.data import make_classes, make_targets, with_missing

ROWS = 160


def data_of(file):
    [text] = re.findall(r'id="data">(.*?)</script>', file.read_text(), re.DOTALL)
    return json.loads(text)


def nodes_of(data, choices):
    """States and actions of a tree, in preorder."""
    found, todo = [], [0]
    for action in choices:
        state = todo.pop()
        found.append((state, action))
        if action >= 0:
            todo += [data["actions"]["right"][action], data["actions"]["left"][action]]
    assert not todo
    return found


def check(model, X, y, file, sample_weight=None, X_test=None, y_test=None, **options):
    model.explore(
        X, y, sample_weight, X_test=X_test, y_test=y_test, path=file, **options
    )
    data = data_of(file)
    nodes = nodes_of(data, data["chosen"])
    states, tree = data["states"], model.tree_
    assert [states["n"][s] for s, _ in nodes] == tree.n_node_samples.tolist()
    weights = [states["weight"][s] for s, _ in nodes]
    np.testing.assert_allclose(weights, tree.weighted_n_node_samples)
    total = sum(states["loss"][s] for s, action in nodes if action < 0)
    assert total == pytest.approx(model.loss_, abs=1e-9)
    if hasattr(model, "classes_"):
        k = len(model.classes_)
        shares = [states["classes"][s * k : s * k + k] for s, _ in nodes]
        shares = np.array(shares) / np.array(weights)[:, np.newaxis]
        np.testing.assert_allclose(shares, tree.value[:, 0], atol=1e-12)
    else:
        values = [states["value"][s] for s, _ in nodes]
        np.testing.assert_allclose(values, tree.node_values[:, 0])
        impurities = [states["impurity"][s] for s, _ in nodes]
        np.testing.assert_allclose(impurities, tree.impurity, atol=1e-9)
    for point in data["front"]:
        of_point = nodes_of(data, point["tree"])
        loss = sum(states["loss"][s] for s, action in of_point if action < 0)
        assert loss == pytest.approx(point["loss"], abs=1e-9)
    if X_test is not None:
        passed = np.asarray(model.decision_path(X_test).sum(axis=0)).ravel().tolist()
        assert [data["tested"]["n"][s] for s, _ in nodes] == passed
    return data


@pytest.fixture
def file(tmp_path):
    return tmp_path / "page.html"


@pytest.mark.parametrize("strategy", ["auto", "greedy", "paper", "balanced", "optimal"])
def test_strategies(strategy, file):
    X, y = make_classes(ROWS)
    loss = {"loss": "zero_one"} if strategy == "optimal" else {}
    model = DPDTreeClassifier(strategy=strategy, max_depth=2, **loss).fit(X, y)
    data = check(model, X, y, file, X_test=X[:50], y_test=y[:50])
    assert data["cart"]["leaves"] >= 1


@pytest.mark.parametrize("loss", ["zero_one", "gini", "log_loss", "cost_matrix"])
@pytest.mark.parametrize("weighting", ["none", "shares", "balanced"])
def test_losses_of_classes(loss, weighting, file):
    X, y = make_classes(ROWS)
    X = with_missing(X)
    costs = [[0, 1, 4], [2, 0, 1], [1, 3, 0]] if loss == "cost_matrix" else None
    weight = np.random.default_rng(0).random(ROWS) if weighting == "shares" else None
    model = DPDTreeClassifier(
        loss=loss,
        cost_matrix=costs,
        max_depth=3,
        class_weight="balanced" if weighting == "balanced" else None,
    ).fit(X, y, weight)
    data = check(model, X, y, file, weight, X_test=X[:40], y_test=y[:40])
    if loss == "cost_matrix":
        said = [
            data["states"]["decision"][s] for s, _ in nodes_of(data, data["chosen"])
        ]
        assert said == model.tree_.decisions(model.cost_matrix_)[:, 0].tolist()


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "poisson", "quantile"]
)
@pytest.mark.parametrize("criterion", ["same", "squared_error"])
def test_losses_of_numbers(loss, criterion, file):
    X, y = make_targets(ROWS)
    X = with_missing(X)
    y = np.round(np.abs(y) * 2) / 2 + 0.5
    criterion = loss if criterion == "same" else criterion
    model = DPDTreeRegressor(
        loss=loss,
        criterion=criterion,
        quantile=0.3,
        max_depth=2,
        strategy="paper",
        n_candidates=2,
    ).fit(X, y)
    data = check(model, X, y, file, X_test=X[:40], y_test=y[:40])
    leaves = [s for s, action in nodes_of(data, data["chosen"]) if action < 0]
    found = sum(data["tested"]["loss"][s] or 0 for s in leaves)
    assert found > 0


@pytest.mark.parametrize(
    "limits",
    [
        {"max_leaf_nodes": 4},
        {"strategy": "greedy", "max_depth": None},
        {"alpha": 0.01, "complexity": "n_leaves"},
        {"feature_costs": [0.01, 0.02, 0.0, 0.1, 0.0]},
        {"monotonic_cst": [1, 0, 0, 0, 0]},
        {"interaction_cst": "pairwise"},
        {"min_samples_leaf": 20},
        {"max_bins": 16},
        {"leaf_smoothing": "laplace", "loss": "zero_one"},
        {"shrinkage": 10.0},
    ],
    ids=str,
)
def test_limits_and_constraints(limits, file):
    X, y = make_classes(ROWS)
    y = (y > 0).astype(int)
    parameters = {"max_depth": 3, "strategy": "balanced"} | limits
    model = DPDTreeClassifier(**parameters).fit(X, y)
    check(model, X, y, file)


@pytest.mark.parametrize("by", ["n_leaves", "alpha", "min_samples_leaf"])
def test_cross_validated_trees(by, file):
    X, y = make_classes(ROWS)
    model = DPDTreeClassifierCV(by=by, max_depth=3, cv=3, loss="zero_one").fit(X, y)
    data = check(model, X, y, file)
    assert data["band"]["folds"] == 3
    assert data["model"]["estimator"] == "DPDTreeClassifier"
    X, y = make_targets(ROWS)
    model = DPDTreeRegressorCV(by=by, max_depth=2, cv=3).fit(X, y)
    assert check(model, X, y, file)["band"]["folds"] == 3


def test_folds_on_request(file):
    X, y = make_classes(ROWS)
    model = DPDTreeClassifier(max_depth=2).fit(X, y)
    data = check(model, X, y, file, cv=3)
    assert data["band"]["folds"] == 3
    assert len(data["band"]["loss"]) == len(data["front"])
    # One leaf says the shares of the other folds: as bad as on the training rows.
    assert data["band"]["loss"][0] == pytest.approx(data["front"][0]["loss"], rel=0.05)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_with_categories(library, file):
    X, y = make_classes(ROWS)
    kinds = np.array(["a", "b", "c", None], dtype=object)[np.arange(ROWS) % 4]
    y = np.where(kinds == "b", 2, y)
    frame = library.DataFrame({"size": X[:, 0], "kind": kinds, "third": X[:, 2]})
    model = DPDTreeClassifier(max_depth=3, categorical_features=["kind"]).fit(frame, y)
    data = check(model, frame, y, file, X_test=frame[:30], y_test=y[:30])
    assert data["features"][1]["categories"] == ["a", "b", "c"]
    assert data["features"][1]["missing"]


def test_a_single_leaf(file):
    X, _ = make_classes(ROWS)
    data = check(DPDTreeClassifier().fit(X, np.zeros(ROWS)), X, np.zeros(ROWS), file)
    assert data["chosen"] == [-1]


def test_paths_with_and_without_data(file):
    X, y = make_classes(ROWS)
    tree = DPDTreeClassifier(max_depth=3, loss="zero_one")
    for path in (tree.leaf_path(X, y), tree.regularization_path(X, y)):
        data = data_of(path.explore(file))
        assert data["rows"] == {}
        assert len(data["front"]) == len(path)
        chosen = path.n_leaves[path._knee()]
        assert sum(action < 0 for action in data["chosen"]) == chosen
        data = data_of(path.explore(file, X, y, n_leaves=3))
        assert sum(action < 0 for action in data["chosen"]) <= 3
        assert data["cart"] is not None
        assert 0 in data["actions"]["kind"]
    with pytest.raises(ValueError, match="X is given, but y is not"):
        path.explore(file, X)


def test_a_path_of_numbers_without_data(file):
    X, y = make_targets(ROWS)
    path = DPDTreeRegressor(max_depth=3).leaf_path(X, y)
    data = data_of(path.explore(file))
    loss = [
        data["states"]["loss"][s] for s, a in nodes_of(data, data["chosen"]) if a < 0
    ]
    assert sum(loss) == pytest.approx(path.losses[path._knee()])
