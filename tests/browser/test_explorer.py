"""The explorer in a browser: every feature, and the numbers of Python."""

from __future__ import annotations

import json
import re
import sqlite3

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss, mean_squared_error

from dpdtree import export_rules, load_model
from dpdtree._params.estimators import resolved
from dpdtree._smoothing import node_probabilities

from .conftest import HOSTILE


def counts_of(labels):
    """The numbers of rows that screen readers say, by node in preorder."""
    found = [
        re.search(r"([\d\u202f]+) (?:training|test) rows?", text) for text in labels
    ]
    return [int(match[1].replace("\u202f", "")) for match in found]


def data_of(visit):
    return json.loads(visit.page.inner_text("#data"))


def shown_loss(data, value):
    """A loss with as many decimals as the page gives it."""
    root = data["states"]["loss"][0]
    return f"{value:.{min(10, max(1, 4 - int(np.floor(np.log10(root)))))}f}"


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


def rows_for_code(case, X):
    """Rows as dicts with None for missing values."""
    records = X.astype(object).where(X.notna(), None).to_dict("records")
    return [{str(k): v for k, v in record.items()} for record in records]


@pytest.fixture(params=["classes", "numbers", "folds", "shrunk"])
def case(request):
    return request.getfixturevalue(request.param)


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


def test_the_way_of_a_row(classes, visit):
    v = visit(classes.file)
    v.tab("trace")
    v.page.click('#panel-trace button:text-is("Show")')
    explanation = classes.model.explain(classes.X[:1])[0]
    label = classes.model.predict(classes.X[:1])[0]
    k = list(classes.model.classes_).index(label)
    steps = v.texts("#trace-result .steps li")
    assert len(steps) == len(explanation.steps) + 2
    for text, step in zip(steps[1:-1], explanation.steps, strict=True):
        points = 100 * step.contribution[k]
        assert f"{abs(points):.1f} points" in text
    assert label in steps[-1]
    assert v.page.locator(".item.on-way").count() == len(explanation.steps) + 1
    line = classes.X.iloc[[5]].to_csv(index=False)
    v.page.fill("#panel-trace textarea", line)
    v.page.click("text=Trace it")
    label = classes.model.predict(classes.X.iloc[[5]])[0]
    assert label in v.texts("#trace-result .steps li")[-1]
    v.page.fill('#panel-trace input[data-feature="0"]', "61")
    v.page.keyboard.press("Tab")
    assert "typed row" in v.text("#trace-result h3")
    v.check()


def test_the_questionnaire(classes, visit):
    v = visit(classes.file)
    v.tab("ask")
    tree = classes.model.tree_
    shares = node_probabilities(classes.model)
    # Nothing is known: every leaf, as the training rows are spread.
    leaves = np.flatnonzero(tree.children_left == -1)
    weights = tree.weighted_n_node_samples[leaves] / tree.weighted_n_node_samples[0]
    expected = weights @ shares[leaves]
    for name, share in zip(classes.model.classes_, expected, strict=True):
        assert f"{name} {100 * share:.1f}" in v.text("#ask-verdict")
    for _ in range(12):
        if not v.page.locator(".chips button").count():
            break
        v.page.locator(".chips button").first.click()
    assert "No further questions" in v.text("#panel-ask")
    assert v.page.locator("#panel-ask .bars li").count() == 1
    v.page.click("#panel-ask .given button >> nth=0")
    v.page.click(".chips button.quiet")
    assert "averaged" in v.text("#panel-ask")
    v.check()


def test_confusion_is_that_of_predict(classes, visit):
    from sklearn.metrics import confusion_matrix

    v = visit(classes.file)
    v.tab("errors")
    for button, X, y in [
        ("Training rows", classes.X, classes.y),
        ("Test rows", classes.X_test, classes.y_test),
    ]:
        v.page.click(f"text={button}")
        cells = v.texts("#panel-errors .confusion td.hit, .confusion td.miss")
        found = np.array([int(c.replace("\u202f", "")) for c in cells])
        table = confusion_matrix(y, classes.model.predict(X))
        assert np.array_equal(found.reshape(table.shape), table)
    v.check()


def test_residuals(numbers, visit):
    v = visit(numbers.file)
    v.tab("errors")
    rules = v.page.locator("#panel-errors td.rule").all()
    assert min(cell.bounding_box()["width"] for cell in rules) >= 200
    for set_name, X, y in [
        ("training", numbers.X, numbers.y),
        ("test", numbers.X_test, numbers.y_test),
    ]:
        score = numbers.model.score(X, y)
        assert re.search(
            rf"{set_name}: root mean squared error [\d.]+, R² {score:.3f}",
            v.text("#panel-errors .verdict"),
        )
    assert v.page.locator("#panel-errors .cloud").count() == 600
    v.check()


def test_rules_can_be_sorted_and_filtered(classes, visit):
    v = visit(classes.file)
    rows = v.page.locator("#panel-rules tbody tr")
    n = rows.count()
    assert n == classes.model.get_n_leaves()
    sizes = [int(t) for t in v.texts("#panel-rules tbody td:nth-child(6)")]
    assert sizes == sorted(sizes, reverse=True)
    v.page.click('#panel-rules th button:has-text("rows")')
    sizes = [int(t) for t in v.texts("#panel-rules tbody td:nth-child(6)")]
    assert sizes == sorted(sizes)
    v.page.select_option("#filters select >> nth=1", "high")
    assert set(v.texts("#panel-rules tbody td:nth-child(2)")) == {"high"}
    assert v.page.locator(".item.faint").count() > 0
    v.check()


def test_two_trees_and_the_rows_that_change(classes, visit):
    v = visit(classes.file)
    v.tab("compare")
    v.page.select_option("#panel-compare select", "front:1")
    path = classes.model.leaf_path(classes.X, classes.y)
    changed = path[1].predict(classes.X) != classes.model.predict(classes.X)
    assert v.text("#changed-rows").startswith(f"{changed.sum()} row")
    assert v.page.locator(".miniature svg").count() == 2
    chosen = v.page.locator("#panel-compare select")
    assert chosen.input_value() == "front:1"
    v.page.click("text=Keep the shown tree as A")
    assert chosen.input_value() == "chosen:0"
    v.check()


def test_exported_rules_are_those_of_python(case, visit, tmp_path):
    v = visit(case.file)
    text = v.exported("rules", tmp_path).read_text()
    assert text.rstrip("\n") == export_rules(case.model)
    v.check()


def test_exported_python_predicts_the_same(case, visit, tmp_path):
    v = visit(case.file)
    module = {}
    exec(v.exported("python", tmp_path).read_text(), module)
    predicted = case.model.predict(case.X_test)
    rows = rows_for_code(case, case.X_test)
    assert [module["predict"](row) for row in rows] == predicted.tolist()
    if "predict_proba" in module:
        shares = np.array([module["predict_proba"](row) for row in rows])
        wanted = case.model.predict_proba(case.X_test)
        np.testing.assert_allclose(shares, wanted, rtol=1e-12)


def test_exported_sql_predicts_the_same(case, visit, tmp_path):
    v = visit(case.file)
    query = v.exported("sql", tmp_path).read_text()
    base = sqlite3.connect(":memory:")
    columns = ", ".join('"' + c.replace('"', '""') + '"' for c in case.X_test.columns)
    base.execute(f"CREATE TABLE rows_to_score ({columns})")
    rows = [tuple(r.values()) for r in rows_for_code(case, case.X_test)]
    base.executemany("INSERT INTO rows_to_score VALUES (?, ?, ?, ?)", rows)
    said = [line[4] for line in base.execute(query)]
    base.close()
    assert said == case.model.predict(case.X_test).tolist()


def test_long_questions_take_two_lines_and_boxes_do_not_overlap(classes, visit):
    v = visit(classes.file)
    questions = v.page.locator("#tree [role=treeitem]").all()
    lines = [item.locator("text.question").count() for item in questions]
    assert max(lines) == 2
    boxes = [item.locator(".box, .leaf").first.bounding_box() for item in questions]
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            apart_x = a["x"] >= b["x"] + b["width"] or b["x"] >= a["x"] + a["width"]
            apart_y = a["y"] >= b["y"] + b["height"] or b["y"] >= a["y"] + a["height"]
            assert apart_x or apart_y
    v.check()


def test_the_picture_stands_alone(classes, visit, tmp_path):
    import xml.etree.ElementTree as ET

    v = visit(classes.file)
    root = ET.fromstring(v.exported("svg", tmp_path).read_text())
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) > classes.model.tree_.node_count
    assert not root.findall(".//*[@class]")
    v.check()


def test_notes_stay_in_the_address(classes, visit):
    v = visit(classes.file)
    v.node("L")
    v.page.fill("#node textarea", f"ask the lab {HOSTILE}")
    v.node("R")
    v.node("L")
    assert v.page.input_value("#node textarea").startswith("ask the lab")
    v.page.reload()
    assert v.page.input_value("#node textarea").startswith("ask the lab")
    assert v.complaints == []


def test_hostile_names_are_text(classes, visit):
    v = visit(classes.file)
    assert v.text("#title") == HOSTILE
    for tab in ("rules", "errors", "trace", "ask", "compare", "leave"):
        v.tab(tab)
    assert v.page.locator("img").count() == 0
    assert v.page.locator("script").count() == 2
    v.check()


def test_the_tree_answers_to_the_keyboard(classes, visit):
    v = visit(classes.file)
    v.node("")
    n = len(v.labels())
    focused = "document.activeElement.getAttribute('data-path')"
    v.page.keyboard.press("ArrowRight")
    assert v.page.evaluate(focused) == "L"
    v.page.keyboard.press("ArrowLeft")  # close
    assert len(v.labels()) < n
    assert v.page.locator('[data-path="L"]').get_attribute("aria-expanded") == "false"
    v.page.keyboard.press("ArrowLeft")
    assert v.page.evaluate(focused) == "root"
    v.page.keyboard.press("End")
    assert v.page.evaluate(focused).endswith("R")
    v.page.keyboard.press("*")
    assert len(v.labels()) == n
    v.page.keyboard.press("Home")
    v.page.keyboard.press("ArrowDown")
    assert v.page.evaluate(focused) == "L"
    assert v.page.locator('[role="treeitem"][tabindex="0"]').count() == 1
    v.check()


def test_tabs_answer_to_the_keyboard(classes, visit):
    v = visit(classes.file)
    v.page.focus("#tab-rules")
    v.page.keyboard.press("ArrowRight")
    assert v.page.locator("#panel-errors").is_visible()
    v.page.keyboard.press("End")
    assert v.page.locator("#panel-leave").is_visible()


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


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_sticks_out(classes, visit, width):
    v = visit(classes.file, viewport={"width": width, "height": 800})
    for tab in ("rules", "errors", "trace", "ask", "compare", "leave"):
        v.tab(tab)
        wide = v.page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width, tab
    v.check()


def test_print_shows_tree_and_rules(classes, visit):
    v = visit(classes.file)
    v.page.emulate_media(media="print")
    assert v.page.locator("#tree").is_visible()
    assert v.page.locator("#panel-rules table").is_visible()
    assert not v.page.locator("#undo").is_visible()
    assert not v.page.locator("#filters").is_visible()


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(classes, visit, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    v = visit(classes.file, color_scheme=scheme)
    for tab in ("rules", "errors", "trace", "ask", "compare", "leave"):
        v.tab(tab)
        if tab == "compare":
            v.page.select_option("#panel-compare select", "front:1")
        found = axe.Axe().run(v.page).response["violations"]
        serious = [
            (x["id"], [n["html"][:120] for n in x["nodes"][:3]])
            for x in found
            if x["impact"] in ("serious", "critical")
        ]
        assert serious == [], tab
