"""Paths as users meet them: a sequence of fitted estimators that explains itself."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from dpdtree import DPDTreeClassifier, DPDTreeRegressor, RegularizationPath
from tests.integration.data import assert_same_tree, make_classes, make_targets

STRATEGIES = ["greedy", "paper", "balanced"]


@pytest.fixture
def data():
    return make_classes()


@pytest.fixture
def model():
    return DPDTreeClassifier(max_depth=3, min_samples_leaf=1)


@pytest.mark.parametrize("method", ["regularization_path", "leaf_path"])
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("estimator", [DPDTreeClassifier, DPDTreeRegressor])
def test_arrays_describe_the_trees(estimator, strategy, method):
    X, y = make_classes() if estimator is DPDTreeClassifier else make_targets()
    model = estimator(max_depth=3, strategy=strategy)
    path = getattr(model, method)(X, y)
    assert len(path) == len(path.trees) > 1
    assert path.report.strategy == strategy
    for i, tree in enumerate(path):
        assert type(tree) is estimator
        assert tree.get_n_leaves() == path.n_leaves[i]
        assert tree.get_depth() == path.depths[i]
        assert tree.loss_ == path.losses[i]
        assert tree.complexity_ == path.complexities[i]
        predicted = tree.predict(X)
        errors = predicted != y if estimator is DPDTreeClassifier else (predicted - y)
        assert np.mean(errors * errors) == pytest.approx(path.losses[i])
    assert path.n_leaves[0] == 1
    assert (np.diff(path.losses) < 0.0).all()


def greedy_objective(data, alpha, complexity):
    """The best pruning of the greedy tree."""
    greedy = DPDTreeClassifier(max_depth=3, strategy="greedy", complexity=complexity)
    return greedy.regularization_path(*data).select(alpha=alpha).objective_ + 1e-12


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("complexity", ["path_length", "n_leaves"])
def test_selected_alpha_is_as_good_as_a_fit(data, strategy, complexity):
    model = DPDTreeClassifier(max_depth=3, strategy=strategy, complexity=complexity)
    path = model.regularization_path(*data)
    between = np.sqrt(path.alphas[:-1] * path.alphas[1:])
    for alpha in [*path.alphas, *between, 10.0]:
        selected = path.select(alpha=alpha)
        fitted = model.set_params(alpha=alpha).fit(*data)
        assert selected.alpha == alpha
        assert selected.objective_ == pytest.approx(
            selected.loss_ + alpha * selected.complexity_
        )
        if strategy == "paper":
            assert selected.objective_ == pytest.approx(fitted.objective_)
        elif strategy == "greedy":  # which grows without a look at alpha
            assert selected.objective_ <= fitted.objective_ + 1e-12
        else:  # whose descent goes on from there
            assert selected.objective_ <= greedy_objective(data, alpha, complexity)


def test_front_is_convex(data, model):
    path = model.regularization_path(*data)
    slopes = -np.diff(path.losses) / np.diff(path.complexities)
    assert (np.diff(slopes) < 0.0).all()
    np.testing.assert_allclose(path.alphas, [*slopes, 0.0])


def test_selected_number_of_leaves(data, model):
    path = model.leaf_path(*data)
    for budget in range(1, 12):
        tree = path.select(n_leaves=budget)
        assert tree.get_n_leaves() <= budget
        within = path.losses[path.n_leaves <= budget]
        assert tree.loss_ == within.min()
    assert path.select(n_leaves=4).max_leaf_nodes == 4


def test_sequence(data, model):
    path = model.leaf_path(*data)
    assert_same_tree(path[-1], path.trees[-1])
    assert [t.get_n_leaves() for t in path[1:3]] == path.n_leaves[1:3].tolist()
    assert path.index_of(n_leaves=1) == 0
    with pytest.raises(IndexError):
        path[len(path)]


def test_trees_are_complete_estimators(data, model):
    X, y = data
    frame = pd.DataFrame(X, columns=list("abcde"))
    labels = np.array(["x", "y", "z"])[y]
    path = model.regularization_path(frame, labels)
    fitted = model.set_params(alpha=0.0).fit(frame, labels)
    tree = path.select(alpha=0.0)
    assert set(vars(tree)) == set(vars(fitted))
    assert tree.get_params() == fitted.get_params()
    np.testing.assert_array_equal(tree.classes_, fitted.classes_)
    np.testing.assert_array_equal(tree.feature_names_in_, fitted.feature_names_in_)
    assert tree.to_sklearn().score(frame, labels) == tree.score(frame, labels)
    assert not hasattr(path.select(alpha=1.0), "coef_")


def test_estimator_stays_as_it_is(data):
    model = DPDTreeClassifier(max_depth=2, alpha=0.25)
    before = dict(vars(model))
    model.leaf_path(*data)
    assert vars(model) == before


def test_pickled_path_holds_no_data():
    X, y = make_classes(20_000)
    path = DPDTreeClassifier(max_depth=2).leaf_path(X, y)
    dump = pickle.dumps(path)
    assert len(dump) < 20_000
    again = pickle.loads(dump)
    np.testing.assert_array_equal(again.losses, path.losses)
    assert_same_tree(again[-1], path[-1])
    assert repr(again) == repr(path)


def test_weights_and_limits(data):
    X, y = data
    weight = np.arange(len(y)) % 4
    model = DPDTreeClassifier(max_depth=3, strategy="paper")
    weighted = model.regularization_path(X, y, sample_weight=weight)
    repeated = model.regularization_path(X.repeat(weight, 0), y.repeat(weight))
    np.testing.assert_allclose(weighted.losses, repeated.losses)
    np.testing.assert_allclose(weighted.complexities, repeated.complexities)
    for tree in DPDTreeClassifier(min_samples_leaf=30, max_depth=3).leaf_path(X, y):
        assert tree.tree_.n_node_samples.min() >= 30
    short = DPDTreeClassifier(max_leaf_nodes=3).leaf_path(X, y)
    assert short.n_leaves.max() <= 3


@pytest.mark.parametrize("method", ["regularization_path", "leaf_path"])
@pytest.mark.parametrize(
    ("X", "y"),
    [
        (np.arange(6.0)[:, np.newaxis], np.zeros(6, dtype=int)),
        (np.ones((6, 2)), np.arange(6) % 2),
        (np.ones((3, 1)), np.arange(3)),
        (np.zeros((1, 1)), np.zeros(1, dtype=int)),
    ],
)
def test_degenerate_data_give_one_tree(method, X, y):
    path = getattr(DPDTreeClassifier(alpha=0.0), method)(X, y)
    assert len(path) == 1
    assert path.n_leaves.tolist() == [1]
    assert path.select(n_leaves=7).get_depth() == 0
    assert "1 tree " in repr(path)
    assert "<svg" not in path._repr_html_()


def test_errors_name_what_is_wrong(data, model):
    path = model.regularization_path(*data)
    for arguments in ({}, {"alpha": 1.0, "n_leaves": 2}):
        with pytest.raises(TypeError, match="either alpha or n_leaves"):
            path.select(**arguments)
    for alpha in (-1.0, np.inf, np.nan, "mdl"):
        with pytest.raises(ValueError, match="alpha must be a finite float >= 0"):
            path.select(alpha=alpha)
    for leaves in (0, 2.5, "3"):
        with pytest.raises(ValueError, match="n_leaves must be an int >= 1"):
            path.select(n_leaves=leaves)
    with pytest.raises(ValueError, match=r"use select\(n_leaves"):
        model.leaf_path(*data).select(alpha=0.1)
    with pytest.raises(ValueError, match="strategy"):
        DPDTreeClassifier(strategy="optimal").leaf_path(*data)


def test_text_and_html(data, model):
    path = model.regularization_path(*data)
    lines = repr(path).splitlines()
    assert lines[0].startswith("RegularizationPath over alpha: ")
    assert lines[1].split() == ["n_leaves", "depth", "loss", "complexity", "alpha"]
    assert len(lines) == 2 + len(path)
    assert len({len(line) for line in lines[1:]}) == 1
    html = path._repr_html_()
    assert html.count("<tr>") == 1 + len(path)
    assert html.count("<circle") == len(path)
    assert "alpha" not in repr(model.leaf_path(*data)).splitlines()[1]


def test_a_long_table_leaves_out_the_middle():
    X, y = make_classes(2000, seed=3)
    path = DPDTreeClassifier(strategy="greedy", max_depth=8).leaf_path(X, y)
    assert len(path) > 21
    assert repr(path).count("\n") == 1 + 21
    assert "…" in repr(path)


def test_frame(data, model):
    path = model.regularization_path(*data)
    frame = path.to_frame()
    assert list(frame) == ["n_leaves", "depth", "loss", "complexity", "alpha"]
    np.testing.assert_array_equal(frame["loss"], path.losses)
    assert "alpha" not in model.leaf_path(*data).to_frame()


def test_frame_without_pandas(data, model, monkeypatch):
    path = model.leaf_path(*data)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="needs pandas"):
        path.to_frame()


def test_path_is_public():
    script = "import dpdtree, sys; print('matplotlib' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"
    assert issubclass(RegularizationPath, object)
