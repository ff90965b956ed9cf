"""The explorer's tree and front in a browser: the numbers of Python, splits swapped."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, mean_squared_error

from dpdtree import load_model
from dpdtree._params.estimators import resolved

from .seen import counts_of, data_of, shown_loss


def loss_on_test_rows(case):
    """The loss of what the model says of the test rows, by scikit-learn."""
    X, y = case.X_test, case.y_test
    name = resolved(case.model, "loss")
    if name == "log_loss":
        return log_loss(y, case.model.predict_proba(X), labels=case.model.classes_)
    if name == "squared_error":
        return mean_squared_error(y, case.model.predict(X))
    assert name == "zero_one"
    return 1.0 - case.model.score(X, y)


def test_it_opens_without_complaints_and_shows_the_fitted_tree(case, visit):
    v = visit(case.file)
    tree = case.model.tree_
    assert counts_of(v.labels()) == tree.n_node_samples.tolist()
    figures = v.texts("#figures dd")
    assert figures[:2] == [str(tree.n_leaves), str(tree.max_depth)]
    assert float(figures[2]) == pytest.approx(case.model.loss_, rel=1e-3)
    assert float(figures[3]) == pytest.approx(loss_on_test_rows(case), rel=1e-3)
    v.check()


def test_test_rows_are_counted_by_apply(case, visit):
    v = visit(case.file)
    v.page.click("text=Test rows")
    passed = np.asarray(case.model.decision_path(case.X_test).sum(axis=0)).ravel()
    assert counts_of(v.labels()) == passed.tolist()
    v.check()


def test_each_point_of_the_front_is_that_tree(classes, visit, tmp_path):
    v = visit(classes.file)
    path = classes.model.leaf_path(classes.X, classes.y)
    picks = v.page.locator("#front .pick")
    assert picks.count() in (len(path) + 1, len(path) + 2)  # CART, the chosen tree
    for i in (0, len(path) // 2, len(path) - 1):
        picks.nth(i).click()
        assert counts_of(v.labels()) == path[i].tree_.n_node_samples.tolist()
        loaded = load_model(v.exported("json", tmp_path))
        for X in (classes.X, classes.X_test):
            assert np.array_equal(loaded.predict(X), path[i].predict(X))
            got, wanted = loaded.predict_proba(X), path[i].predict_proba(X)
            np.testing.assert_allclose(got, wanted, rtol=1e-12)
        assert loaded.loss_ == pytest.approx(path[i].loss_, rel=1e-12)
    v.check()


def test_the_front_shows_cart_and_the_band(folds, visit):
    v = visit(folds.file)
    assert v.page.locator("#front .band").count() == 1
    cart = v.page.locator("#front .pick").last
    assert cart.get_attribute("aria-label").startswith("CART")
    cart.click()
    assert "CART" in v.text("#live")
    v.check()


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_splits_that_could_stand_there_are_the_alternatives(name, request, visit):
    case = request.getfixturevalue(name)
    v = visit(case.file)
    data = data_of(v)
    found = case.model.alternatives(case.X, case.y)
    for path, node in [("", ()), ("L", ((0, "left"),))]:
        v.node(path)
        rows = v.page.locator("#node .splits tbody tr:not(:has(.tag))")
        table = found.table(node)
        assert rows.count() == len(table)
        for row, wanted in zip(rows.all(), table, strict=True):
            cells = row.locator("td").all_inner_texts()
            assert cells[1] == shown_loss(data, wanted.tree_loss)
            assert cells[3] == str(wanted.tree_n_leaves)
    v.check()


@pytest.mark.parametrize("name", ["classes", "numbers"])
def test_nested_swaps_can_be_undone_and_leave_as_models(name, request, visit, tmp_path):
    case = request.getfixturevalue(name)
    v = visit(case.file)
    # As the page has them: half as many where only a swap leads to.
    found = case.model.alternatives(case.X, case.y, k_elsewhere=(3, 2, 2, 1))
    first = found.actions(0)[1]
    second = found.actions(int(found.right[first]))[1]
    before = v.labels()
    v.node("")
    v.swap(first)
    once = v.labels()
    v.node("R")
    v.swap(second)
    twice = v.labels()
    assert len({tuple(before), tuple(once), tuple(twice)}) == 3
    wanted = found.tree({(): 1, ("right",): 1})
    assert counts_of(twice) == wanted.tree_.n_node_samples.tolist()
    loaded = load_model(v.exported("json", tmp_path))
    assert_same_model(loaded, wanted, case)
    again = clone(loaded).fit(case.X, case.y)  # its splits are forced
    assert np.array_equal(again.predict(case.X_test), loaded.predict(case.X_test))
    v.page.click("#undo")
    assert v.labels() == once
    v.page.keyboard.press("Control+z")
    assert v.labels() == before
    v.page.click("#redo")
    v.page.click("#redo")
    assert v.labels() == twice
    v.page.reload()  # the address tells it all
    assert v.labels() == twice
    v.page.click("#reset")
    assert v.labels() == before
    assert v.complaints == []


def assert_same_model(loaded, wanted, case):
    for name in ("children_left", "feature", "threshold", "n_node_samples", "value"):
        np.testing.assert_array_equal(
            getattr(loaded.tree_, name), getattr(wanted.tree_, name), name
        )
    np.testing.assert_allclose(loaded.tree_.impurity, wanted.tree_.impurity, atol=1e-12)
    for name in ("loss_", "complexity_", "feature_cost_", "objective_"):
        assert getattr(loaded, name) == pytest.approx(getattr(wanted, name)), name
    for X in (case.X, case.X_test):
        assert np.array_equal(loaded.predict(X), wanted.predict(X))
        if hasattr(loaded, "classes_"):
            got, shares = loaded.predict_proba(X), wanted.predict_proba(X)
            np.testing.assert_allclose(got, shares, rtol=1e-12)


def test_a_leaf_instead_of_a_split(classes, visit, tmp_path):
    v = visit(classes.file)
    v.node("L")
    v.swap(-1)
    loaded = load_model(v.exported("json", tmp_path))
    assert loaded.tree_.children_left[1] == -1
    assert loaded.get_n_leaves() == int(v.texts("#figures dd")[0])
    v.check()


def test_rounder_thresholds(numbers, visit, tmp_path):
    v = visit(numbers.file)
    data = data_of(v)
    offers = [
        (int(action), offer)
        for action, curve in data["curves"].items()
        for offer in curve["rounder"]
        if int(action) in data["chosen"]
    ]
    assert offers
    action, offer = max(offers, key=lambda found: found[1]["rows"])
    place = _place(data, action)
    v.node(place)
    assert v.page.locator("#node svg.curve").count() == 1
    v.page.click(f'#node .offers [data-action="{offer["action"]}"]')
    loaded = load_model(v.exported("json", tmp_path))
    node = data["chosen"].index(action)
    assert loaded.tree_.threshold[node] == offer["t"]
    predicted = loaded.tree_.node_values[loaded.apply(numbers.X), 0]
    # Leaves were fitted anew: the loss is that of the leaves' own means.
    assert np.mean((numbers.y - predicted) ** 2) == pytest.approx(loaded.loss_)
    passed = np.asarray(loaded.decision_path(numbers.X).sum(axis=0)).ravel()
    assert passed.tolist() == loaded.tree_.n_node_samples.tolist()
    v.check()


def _place(data, action):
    """The sides on the way to a split of the chosen tree."""
    actions, todo = data["actions"], [""]
    for choice in data["chosen"]:
        path = todo.pop()
        if choice == action:
            return path
        if choice >= 0:
            todo += [path + "R", path + "L"]
    raise AssertionError(actions)


def test_stability(classes, visit):
    v = visit(classes.file)
    v.node("")
    assert "of 3 fits" in v.text("#node .splits thead")
    table = v.page.locator("#node .splits")
    room = table.locator("xpath=..").bounding_box()
    assert table.bounding_box()["width"] <= room["width"] + 0.5
    data = data_of(v)
    assert data["stability"]["fits"] == 3
    assert sum(entry[1] for entry in data["stability"]["places"][""]) == 3


def test_a_path_without_data(classes, visit, tmp_path):
    path = classes.model.regularization_path(classes.X, classes.y)
    file = path.explore(tmp_path / "path.html", n_leaves=path.n_leaves[-1])
    v = visit(file)
    assert counts_of(v.labels()) == path[-1].tree_.n_node_samples.tolist()
    loaded = load_model(v.exported("json", tmp_path))
    assert np.array_equal(loaded.predict(classes.X), path[-1].predict(classes.X))
    for tab in ("rules", "errors", "trace", "ask", "compare"):
        v.tab(tab)
    v.check()
