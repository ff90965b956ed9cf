"""Rules, leaf tables, graphs, cards and explanations: golden files and arguments."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import dpdtree
from dpdtree import (
    DPDTreeClassifier,
    DPDTreeRegressor,
    explain,
    export_graphviz,
    export_rules,
    export_text,
    leaf_table,
    load_model,
    model_card,
)
from dpdtree.export._leaves import t_interval, wilson
from dpdtree.export.graphviz import quoted
from dpdtree.export.rules import latex_text, markdown_text
from tests.integration.stored import EVERY_KIND, data
from tests.unit import exported

GOLDEN = Path(__file__).parents[1] / "golden"
HOSTILE = 'a|b_c $x$ {y} \\z %n #1 ~^ <script> "q" `t` *e* [l](u)\nline'


def loaded(name: str):
    return load_model(GOLDEN / "models" / f"{name}_1.json")


def hostile():
    model = exported.classifier()
    model.feature_names_in_ = np.array([HOSTILE, "x"], dtype=object)
    model.categories_ = [None, np.array([HOSTILE, "b", "c"], dtype=object)]
    model.classes_ = np.array([HOSTILE, "yes"], dtype=object)
    return model


GOLDEN_FILES = {
    "rules.txt": lambda: export_rules(exported.classifier()) + "\n",
    "rules_regression.txt": lambda: export_rules(loaded("regressor")) + "\n",
    "rules.md": lambda: export_rules(loaded("classifier"), format="markdown") + "\n",
    "rules.tex": lambda: export_rules(hostile(), format="latex") + "\n",
    "rules_hostile.md": lambda: export_rules(hostile(), format="markdown") + "\n",
    "tree.dot": lambda: export_graphviz(exported.classifier()),
    "hostile.dot": lambda: export_graphviz(hostile()),
    "card.md": lambda: model_card(loaded("classifier"), *data()[:2]),
    "card_boosting.md": lambda: model_card(loaded("boosting")),
    "explanation.txt": lambda: (
        "\n\n".join(
            str(explain(loaded(name), data()[0][:1])[0])
            for name in ("classifier", "regressor", "boosting")
        )
        + "\n"
    ),
    "boosting.txt": lambda: export_text(loaded("boosting"), trees=[0, -1]),
}


@pytest.mark.parametrize("name", GOLDEN_FILES)
def test_golden_file(name: str) -> None:
    expected = (GOLDEN / "exports" / name).read_text(encoding="utf-8")
    assert GOLDEN_FILES[name]() == expected.replace("VERSION", dpdtree.__version__)


def test_rules_as_dicts() -> None:
    first, *others = export_rules(exported.classifier(), format="dict")
    assert first["conditions"] == [
        "age <= 40.5 or missing",
        "favourite color in {blue, it's}",
    ]
    assert first["rule"].startswith("(age <= 40.5 or missing) and favourite color in")
    assert (first["leaf"], first["prediction"], first["n"]) == (2, "no", 4)
    assert first["share"] == 1.0
    assert first["interval"][1] == 1.0
    assert [rule["leaf"] for rule in others] == [3, 4]
    regression = export_rules(exported.regressor(), format="dict")
    assert [rule["mean"] for rule in regression] == [2.5, -0.125, 1e-7]
    assert all(rule["interval"] is None for rule in regression)


def test_names_and_digits() -> None:
    text = export_rules(
        exported.classifier(),
        feature_names=["years", "colour"],
        class_names=["bad", "good"],
        decimals=2,
    )
    assert "years <= 40.50" in text
    assert "class: bad" in text
    with pytest.raises(ValueError, match="class_names must have 2 entries"):
        export_rules(exported.classifier(), class_names=["one"])
    for write in (export_rules, export_graphviz):
        with pytest.raises(ValueError, match="must be None for a regression"):
            write(exported.regressor(), class_names=["one"])


@pytest.mark.parametrize("ask", [export_rules, leaf_table, export_graphviz])
def test_what_single_trees_have_only(ask) -> None:
    with pytest.raises(TypeError, match="is for single trees"):
        ask(exported.boosted_classes())
    several, _ = EVERY_KIND["outputs"]()
    with pytest.raises(ValueError, match="is for one output, and this tree has 2"):
        ask(several)


def test_arguments() -> None:
    model = exported.classifier()
    with pytest.raises(ValueError, match="format must be one of"):
        export_rules(model, format="html")
    for level in (0.0, 1.0, 95):
        with pytest.raises(ValueError, match="level must lie between 0 and 1"):
            export_rules(model, level=level)
    with pytest.raises(ValueError, match="label must be one of"):
        leaf_table(model, label="maybe")
    with pytest.raises(ValueError, match="label must be None"):
        leaf_table(exported.regressor(), label=1)
    with pytest.raises(ValueError, match="y is given, but X is not"):
        leaf_table(model, y=[1])
    with pytest.raises(ValueError, match="max_depth must be"):
        export_graphviz(model, max_depth=-1)
    with pytest.raises(ValueError, match="X and y must be given together"):
        model_card(model, X=[[1]])
    with pytest.raises(ValueError, match=r"trees must lie in 0 \.\.\. 1"):
        export_text(exported.boosted_classes(), trees=[2])
    with pytest.raises(ValueError, match="max_categories must be"):
        export_text(model, max_categories=-1)


def test_a_tree_without_splits() -> None:
    model = DPDTreeClassifier().fit([[0.0], [1.0]], ["a", "a"])
    assert export_rules(model).startswith("always class: a (100.0 %")
    assert leaf_table(model)["rule"].tolist() == ["always"]
    assert "->" not in export_graphviz(model)
    assert explain(model, [[0.5]])[0].steps == []
    assert "always" in model_card(model)


def test_all_categories_on_demand() -> None:
    model = exported.classifier()
    many = np.array([f"c{i:02}" for i in range(40)], dtype=object)
    model.categories_ = [None, many]
    assert "c00, c02" in export_text(model)
    assert "c00, ... 1 more" not in export_rules(model, max_categories=1)  # no longer
    model.tree_ = exported.small_tree(
        [[0.5, 0.5], [0.5, 0.5], [1, 0], [0, 1], [0, 1]], lefts=range(0, 40, 2)
    )
    assert "c00, c02, ... 18 more" in export_rules(model, max_categories=2)
    assert "c14, ... 12 more" in export_text(model)
    assert "more" not in export_rules(model)
    assert "more" not in export_text(model, max_categories=None)


def test_intervals_are_the_textbook_ones() -> None:
    low, high = wilson(8, 10, 0.95)
    assert (low, high) == pytest.approx((0.4901625, 0.9433178))
    assert wilson(0, 5, 0.95)[0] == 0.0
    values = np.array([1.0, 2.0, 4.0, 9.0])
    low, high = t_interval(values.mean(), values.var(), 4, 0.9)
    half = 2.3533634348 * values.std(ddof=1) / 2
    assert (low, high) == pytest.approx((4 - half, 4 + half))
    assert np.isnan(t_interval(3.0, 0.0, 1, 0.95)[0])


def test_leaf_table_counts_test_rows() -> None:
    X, y, target = data()
    model, _ = EVERY_KIND["classifier"]()
    table = model.leaf_table(X, y, label="yes")
    leaves = model.apply(X)
    for row in table.itertuples():
        mine = leaves == row.leaf
        assert row.n == row.test_n == mine.sum()
        assert row.events == row.test_events == (y[mine] == "yes").sum()
        assert row.rate == row.test_rate == pytest.approx((y[mine] == "yes").mean())
        assert row.low <= row.rate + 1e-12
        assert row.rate <= row.high + 1e-12
    assert table["share"].sum() == pytest.approx(1.0)
    tree, _ = EVERY_KIND["regressor"]()
    table = leaf_table(tree, X, target)
    np.testing.assert_allclose(table["mean"], table["test_mean"])
    np.testing.assert_allclose(table["low"], table["test_low"])
    assert "test_mean" not in leaf_table(tree, X)
    with pytest.raises(ValueError, match="X has 240 rows, y has 3"):
        leaf_table(tree, X, target[:3])


def test_only_means_have_an_interval() -> None:
    X, _, target = data()
    model = DPDTreeRegressor(loss="absolute_error", max_depth=2).fit(X, target)
    assert leaf_table(model)["low"].isna().all()


def test_quoting() -> None:
    assert quoted('a"b\\\nc') == '"a\\"b\\\\\\nc"'
    assert "\n" not in markdown_text(HOSTILE)
    assert re.sub(r"\\.", "", markdown_text(HOSTILE)).count("|") == 0
    assert "\\_" in latex_text("a_b")


def test_public_names() -> None:
    names = {"export_rules", "leaf_table", "export_graphviz", "model_card", "explain"}
    assert names <= set(dpdtree.__all__)
