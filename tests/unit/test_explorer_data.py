"""The stages behind the explorer's page, each on small input."""

from __future__ import annotations

import numpy as np
import pytest

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree._input.problem import encode_problem
from dpdtree.explorer.counting import count, rows_of_states
from dpdtree.explorer.curves import curve_of, flat_offers, round_action
from dpdtree.explorer.folds import band_by_folds
from dpdtree.explorer.front import loss_of, mean_loss
from dpdtree.explorer.graph import Graph, splits_of
from dpdtree.explorer.rows import EncodedRows, Loss, Split, some_rows
from tests.reference.losses import make_task

LOSSES = ["zero_one", "gini", "log_loss", "cost_matrix"]
LOSSES += ["squared_error", "absolute_error", "poisson", "quantile"]


def rows_of(task, model):
    problem = encode_problem(model, task.y, task.w)
    return EncodedRows(task.X, problem.y, problem.sample_weight)


def fitted(loss, seed=0, **options):
    task = make_task(seed, loss, n=80, missing=0.1, **options)
    return task, task.fit(max_depth=3, min_samples_leaf=1, alpha=0.0)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighting", ["none", "integer"])
def test_leaves_cost_what_the_definition_says(loss, weighting):
    task = make_task(1, loss, weighting=weighting)
    model = task.fit(max_depth=1)
    rows, own = rows_of(task, model), loss_of(model)
    some = np.arange(0, 40, 3)
    if own.from_sums:
        found = float(own.of_sums(own.columns(rows)[some].sum(axis=0)))
    else:
        found = own.of_rows(rows.y[some].astype(float), rows.weights(some))
    assert found == pytest.approx(task.leaf_cost(some), abs=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_placed_tree_is_counted_as_it_was_fitted(loss):
    task, model = fitted(loss, weighting="integer")
    graph = Graph()
    choices = graph.place(model.tree_)
    counts = count(graph, rows_of(task, model), loss_of(model))
    nodes = graph.nodes(choices)
    tree = model.tree_
    assert [counts.n[s] for s, _ in nodes] == tree.n_node_samples.tolist()
    weights = [counts.weight[s] for s, _ in nodes]
    np.testing.assert_allclose(weights, tree.weighted_n_node_samples)
    total = sum(counts.loss[s] for s, action in nodes if action < 0)
    assert total == pytest.approx(model.loss_, abs=1e-12)


def test_equal_splits_share_their_states():
    _, model = fitted("zero_one")
    graph = Graph()
    first = graph.place(model.tree_)
    size = len(graph.depth)
    assert graph.place(model.tree_) == first
    assert len(graph.depth) == size
    assert graph.completed(0) == first


def test_splits_send_rows_where_the_tree_does():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    X[rng.random(X.shape) < 0.2] = np.nan
    X[:, 1] = rng.integers(0, 4, 200)
    y = (np.nan_to_num(X[:, 0]) > 0) ^ (X[:, 1] == 2)
    model = DPDTreeClassifier(max_depth=3, categorical_features=[1]).fit(X, y)
    graph = Graph()
    choices = graph.place(model.tree_)
    rows = EncodedRows(X, y.astype(int), None)
    found = dict(rows_of_states(graph, rows))
    paths = model.decision_path(X).tocsc()
    for node, (state, _) in enumerate(graph.nodes(choices)):
        wanted = paths.indices[paths.indptr[node] : paths.indptr[node + 1]]
        assert sorted(found[state].tolist()) == sorted(wanted.tolist())
    assert any(split and split.categories for split in splits_of(model.tree_))


def test_only_wanted_states_are_divided():
    task, model = fitted("zero_one")
    graph = Graph()
    graph.place(model.tree_)
    last = len(graph.depth) - 1
    found = dict(rows_of_states(graph, rows_of(task, model), [last]))
    assert last in found
    assert len(found) <= graph.depth[last] + 1


def moved(model, node, threshold):
    """Which leaf each row gets to if a threshold is moved, by brute force."""
    splits = splits_of(model.tree_)
    tree = model.tree_
    splits[node] = splits[node]._replace(threshold=threshold)

    def leaf(row):
        at = 0
        while splits[at] is not None:
            one = EncodedRows(row[np.newaxis], None, None)
            left = one.goes_left(np.array([0]), splits[at])[0]
            at = int((tree.children_left if left else tree.children_right)[at])
        return at

    return leaf


@pytest.mark.parametrize("loss", LOSSES)
def test_curves_are_the_loss_of_the_tree_with_that_threshold(loss):
    task, model = fitted(loss, seed=5, weighting="integer")
    graph = Graph()
    choices = graph.place(model.tree_)
    rows, own = rows_of(task, model), loss_of(model)
    sums = own.columns(rows) if own.from_sums else np.zeros((80, 0))
    states = dict(rows_of_states(graph, rows))
    total = rows.weights(rows.all()).sum()
    checked = 0
    for node, (state, action) in enumerate(graph.nodes(choices)):
        if action < 0:
            continue
        curve = curve_of(graph, action, rows, states[state], sums, own)
        if curve is None:
            continue
        inside = states[state]
        for threshold, cost in list(zip(curve.thresholds, curve.losses, strict=True))[
            ::3
        ]:
            leaf = moved(model, node, threshold)
            leaves = np.array([leaf(task.X[i]) for i in inside])
            parts = [inside[leaves == one] for one in np.unique(leaves)]
            wanted = sum(map(task.leaf_cost, parts))
            assert cost / total == pytest.approx(wanted / total, abs=1e-9)
            checked += 1
    assert checked > 5


def test_round_numbers_in_the_flat_part():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 100, size=(2000, 1)).round(2)
    y = (X[:, 0] > 41.7).astype(int)
    y[rng.random(2000) < 0.2] ^= 1
    model = DPDTreeClassifier(max_depth=1, alpha=0.0).fit(X, y)
    graph = Graph()
    [action, *_] = graph.place(model.tree_)
    rows, own = EncodedRows(X, y, None), Loss("zero_one", 2)
    curve = curve_of(graph, action, rows, rows.all(), own.columns(rows), own)
    threshold = float(model.tree_.threshold[0])
    offers = flat_offers(curve, threshold, slack=40.0)
    assert offers
    for number, cost, changed in offers:
        assert len(f"{number:g}") < len(f"{threshold!r}")
        assert changed == np.count_nonzero((number >= X) != (threshold >= X))
        assert cost <= (y != model.predict(X)).sum() + 40.0
    number, cost, changed = max(offers, key=lambda offer: offer[2])
    twin = round_action(graph, action, number, [(rows, rows.all())], may_move=True)
    counts = count(graph, rows, own)
    children = graph.actions[twin]
    both = counts.loss[children.left] + counts.loss[children.right]
    assert both == pytest.approx(cost / 2000)
    refused = round_action(
        graph, action, number + 0.5, [(rows, rows.all())], may_move=False
    )
    assert refused == -1


def test_no_rows_move_and_states_stay():
    X = np.array([[1.0], [2.0], [5.0], [7.0]] * 5)
    y = np.array([0, 0, 1, 1] * 5)
    model = DPDTreeClassifier(max_depth=1, alpha=0.0).fit(X, y)
    graph = Graph()
    [action, *_] = graph.place(model.tree_)
    rows = EncodedRows(X, y, None)
    twin = round_action(graph, action, 4.25, [(rows, rows.all())], may_move=False)
    assert graph.actions[twin].left == graph.actions[action].left
    assert graph.actions[twin].right == graph.actions[action].right


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_of_predictions_on_training_rows_is_the_loss(loss):
    task, model = fitted(loss)
    if loss in ("gini", "log_loss"):
        model.set_params(leaf_smoothing=None)
    rows = rows_of(task, model)
    assert mean_loss(model, loss_of(model), rows) == pytest.approx(model.loss_)


def test_rows_in_the_file_are_evenly_spaced():
    assert some_rows(5, 10).tolist() == [0, 1, 2, 3, 4]
    assert some_rows(10, 4).tolist() == [0, 2, 5, 7]
    assert some_rows(10, 0).tolist() == []


def test_missing_values_take_their_side():
    rows = EncodedRows(np.array([[1.0], [np.nan], [3.0]]), None, None)
    left = Split(0, 2.0, True, None)
    assert rows.goes_left(rows.all(), left).tolist() == [True, True, False]
    right = left._replace(missing_left=False)
    assert rows.goes_left(rows.all(), right).tolist() == [True, False, False]
    some = Split(0, None, True, (3,))
    assert rows.goes_left(rows.all(), some).tolist() == [False, True, True]


@pytest.fixture
def model():
    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) // 10
    return DPDTreeClassifier(max_depth=2).fit(X, y), X, y


def test_what_is_wrong_is_named(model, tmp_path):
    tree, X, y = model
    file = tmp_path / "page.html"
    for message, change in [
        ("X has 10 rows, but the tree was fitted on 20", {"X": X[:10], "y": y[:10]}),
        ("explore needs X and y", {"X": None}),
        ("X_test is given, but y_test is not", {"X_test": X}),
        ("y_test is given, but X_test is not", {"y_test": y}),
        ("y_test has the label 7", {"X_test": X, "y_test": y + 7}),
        ("max_rows must be an int >= 0, got -1", {"max_rows": -1}),
        ("stability must be an int >= 0, got 0.5", {"stability": 0.5}),
        ("cv must be 0 or at least 2, got 1", {"cv": 1}),
        ("feature_names must list 2 names", {"feature_names": ["a"]}),
        ("y has labels that differ", {"y": y + 1}),
    ]:
        arguments = {"X": X, "y": y, "path": file} | change
        with pytest.raises(ValueError, match=message):
            tree.explore(**arguments)
    assert not file.exists()


def test_several_outputs_are_refused(tmp_path):
    X = np.arange(40.0).reshape(20, 2)
    y = np.column_stack([X[:, 0], X[:, 1]])
    tree = DPDTreeRegressor(max_depth=1).fit(X, y)
    with pytest.raises(ValueError, match="one output, and this one has 2"):
        tree.explore(X, y, path=tmp_path / "page.html")


@pytest.mark.parametrize("kind", ["alpha", "n_leaves"])
def test_the_band_of_folds_is_cross_validation(kind):
    from sklearn.model_selection import StratifiedKFold

    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0.3) ^ (rng.random(240) < 0.1)
    tree = DPDTreeClassifier(
        max_depth=3, strategy="balanced", loss="zero_one", alpha=0.0
    ).fit(X, y)
    name = {"alpha": "regularization_path", "n_leaves": "leaf_path"}[kind]
    path = getattr(tree, name)(X, y)
    band = band_by_folds(tree, path, X, y, None, 4)
    assert band["leaves"] == path.n_leaves.tolist()
    last = []
    for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(X, y):
        rest = getattr(tree, name)(X[train], y[train])
        best = {"alpha": path.alphas[-1]} if kind == "alpha" else {}
        model = rest.select(**best or {"n_leaves": int(path.n_leaves[-1])})
        last.append(1.0 - model.score(X[test], y[test]))
    assert band["loss"][-1] == pytest.approx(np.mean(last))
    assert band["error"][-1] == pytest.approx(np.std(last, ddof=1) / 2)
    assert len(band["loss"]) == len(band["error"]) == len(path)
