"""Writers of SQL, C, Python, JavaScript and formulas: golden files and refusals."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import sqlglot
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sqlglot import expressions

import dpdtree
from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTreeClassifier,
    DPDTreeRegressor,
    export_c,
    export_excel,
    export_javascript,
    export_python,
    export_sql,
)
from dpdtree.export._sql_dialects import DIALECTS
from dpdtree.export.excel import threshold_text
from tests.unit import exported

GOLDEN = Path(__file__).parents[1] / "golden" / "exports"
HOSTILE = ['it\'s "so"', "</script>\n*/ `x` [y] \\ {x}"]
WRITERS = [export_c, export_excel, export_javascript, export_python, export_sql]

GOLDEN_FILES = {
    "tree.sql": lambda: export_sql(exported.classifier(), keep=["id"]),
    "tree_proba.sql": lambda: export_sql(
        exported.classifier(), method="predict_proba", dialect="postgres"
    ),
    "booster.sql": lambda: export_sql(
        exported.boosted_classes(), method="predict_proba", dialect="duckdb"
    ),
    "booster_label.sql": lambda: export_sql(
        exported.boosted_classes(), dialect="sqlite"
    ),
    "tree.c": lambda: export_c(exported.classifier()),
    "booster.c": lambda: export_c(exported.boosted_classifier(), name="risk"),
    "tree.py.txt": lambda: export_python(exported.classifier()),
    "booster.py.txt": lambda: export_python(exported.boosted_counts()),
    "tree.js": lambda: export_javascript(exported.classifier()),
    "booster.js": lambda: export_javascript(exported.boosted_classes()),
    "tree.xlsx.txt": lambda: export_excel(exported.classifier()) + "\n",
    "regression.xlsx.txt": lambda: (
        export_excel(
            exported.regressor(), cells={"age": "$D$7", "favourite color": "E7"}
        )
        + "\n"
    ),
}


@pytest.mark.parametrize("name", GOLDEN_FILES)
def test_golden_file(name: str) -> None:
    assert GOLDEN_FILES[name]() == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
@pytest.mark.parametrize("made", ["classifier", "boosted_classifier"])
def test_dialects_parse_and_names_survive(dialect, method, made) -> None:
    model = getattr(exported, made)()
    model.categories_ = [None, np.array([*HOSTILE, "c"], dtype=object)]
    model.feature_names_in_ = np.array(HOSTILE, dtype=object)
    query = export_sql(model, dialect=dialect, method=method, keep=["k"])
    known = None if dialect == "ansi" else dialect
    tree = sqlglot.parse_one(query, read=known)
    names = {column.name for column in tree.find_all(expressions.Column)}
    assert set(HOSTILE) <= names
    texts = {e.this for e in tree.find_all(expressions.Literal) if e.is_string}
    texts |= {e.this for e in tree.find_all(expressions.National)}
    end = "." if dialect == "tsql" else ""
    assert HOSTILE[0] + end in {_unescaped(text, dialect) for text in texts}


def _unescaped(text: str, dialect: str) -> str:
    return text.replace("\\'", "'") if dialect in ("bigquery", "spark") else text


def test_a_table_in_a_schema() -> None:
    query = export_sql(exported.regressor(), table='main.the "data"')
    assert 'FROM "main"."the ""data"""' in query


@pytest.mark.parametrize("write", WRITERS)
def test_unfitted_and_foreign_models_are_refused(write) -> None:
    with pytest.raises(NotFittedError):
        write(DPDTreeClassifier())
    foreign = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    with pytest.raises(TypeError, match="a fitted tree or boosting estimator"):
        write(foreign)


@pytest.mark.parametrize("write", WRITERS)
def test_adaboost_is_refused(write) -> None:
    X, y = np.arange(8.0)[:, None], np.arange(8) % 3
    model = DPDTAdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="its trees vote"):
        write(model)
    assert write(model.estimators_[0])


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize(
    "strange", [2**60, np.inf, datetime.date(2020, 1, 1), "nul\0", "\ud800"]
)
def test_strange_categories_are_refused(write, strange) -> None:
    model = exported.regressor()
    model.categories_ = [None, np.array([strange] * 3, dtype=object)]
    with pytest.raises(ValueError, match="categories_"):
        write(model)


@pytest.mark.parametrize("write", WRITERS)
def test_feature_names_are_checked(write) -> None:
    for wrong in (["a"], ["a", "a"]):
        with pytest.raises(ValueError, match="feature_names must list 2 different"):
            write(exported.regressor(), feature_names=wrong)
    assert "another" in export_sql(exported.regressor(), feature_names=["another", "b"])


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        ({"dialect": "dbase"}, "dialect must be one of"),
        ({"method": "score"}, "method must be one of"),
        ({"method": "predict_proba"}, "for classifiers only"),
        ({"method": "decision_function"}, "for boosted trees only"),
        ({"keep": ["\0"]}, "NUL"),
    ],
)
def test_arguments_of_sql(argument, message) -> None:
    with pytest.raises(ValueError, match=message):
        export_sql(exported.regressor(), **argument)
    with pytest.raises(TypeError, match="keep must be a sequence of names"):
        export_sql(exported.regressor(), keep="id")


@pytest.mark.parametrize("write", [export_c, export_javascript])
def test_names_of_functions_are_checked(write) -> None:
    with pytest.raises(ValueError, match="name must be an identifier"):
        write(exported.regressor(), name="my model")


def test_what_a_cell_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="cannot hold boosted"):
        export_excel(exported.boosted_counts())
    with pytest.raises(ValueError, match=r"cells must name the cell of each of \['age"):
        export_excel(exported.regressor(), cells={})
    with pytest.raises(ValueError, match="references such as"):
        export_excel(exported.regressor(), cells=["B2", "=1"])
    with pytest.raises(ValueError, match="one per feature"):
        export_excel(exported.regressor(), cells=["B2"])
    with pytest.raises(ValueError, match="label must be None or one of"):
        export_excel(exported.classifier(), label="maybe")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 3)), rng.normal(size=500)
    deep = DPDTreeRegressor(
        strategy="greedy", max_depth=None, alpha=0.0, min_samples_leaf=1
    )
    with pytest.raises(ValueError, match="and a cell holds 8192"):
        export_excel(deep.fit(X, y))
    monkeypatch.setattr("dpdtree.export.excel._MOST_NESTED", 3)
    with pytest.raises(ValueError, match=r"levels, and formulas can have"):
        export_excel(deep.fit(X[:40], y[:40]))


def test_several_outputs_have_columns_or_are_refused() -> None:
    X = np.arange(12.0)[:, None]
    y = np.column_stack([np.arange(12) % 2, np.arange(12) // 4])
    model = DPDTreeClassifier(max_depth=3, alpha=0.0).fit(X, y)
    query = export_sql(model)
    assert '"prediction_0"' in query
    assert '"prediction_1"' in query
    assert '"probability_1_2"' in export_sql(model, method="predict_proba")
    for write in (export_c, export_excel):
        with pytest.raises(ValueError, match="one output, and this tree has 2"):
            write(model)


def test_a_threshold_of_fifteen_digits_separates_like_the_double() -> None:
    rng = np.random.default_rng(0)
    for cut in [0.3, 0.1 + 0.2, 1e22, 123456789012345.6, *rng.normal(size=500)]:
        written = float(threshold_text(cut))
        assert written <= cut
        near = {float(f"{x:.15g}") for x in cut * (1 + np.arange(-8, 9) * 2e-16)}
        assert all((x <= cut) == (x <= written) for x in near)


def test_public_names() -> None:
    for write in WRITERS:
        assert write.__name__ in dpdtree.__all__


def test_a_tree_without_splits() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0]})
    model = DPDTreeClassifier().fit(X, ["a", "a"])
    assert export_excel(model) == '="a"'
    assert "'a' AS \"prediction\"" in export_sql(model)
    module: dict = {}
    exec(export_python(model), module)
    assert module["predict"]({}) == "a"
