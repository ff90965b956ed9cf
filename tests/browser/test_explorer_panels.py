"""The panels beside the explorer's tree: rows, questions, errors, rules, exports."""

from __future__ import annotations

import re
import sqlite3

import numpy as np

from dpdtree import export_rules
from dpdtree._smoothing import node_probabilities


def rows_for_code(case, X):
    """Rows as dicts with None for missing values."""
    records = X.astype(object).where(X.notna(), None).to_dict("records")
    return [{str(k): v for k, v in record.items()} for record in records]


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


def test_the_picture_stands_alone(classes, visit, tmp_path):
    import xml.etree.ElementTree as ET

    v = visit(classes.file)
    root = ET.fromstring(v.exported("svg", tmp_path).read_text())
    texts = [t.text for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert len(texts) > classes.model.tree_.node_count
    assert not root.findall(".//*[@class]")
    v.check()
