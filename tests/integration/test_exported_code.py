"""Exported code where it meets a database or a compiler: the special cases."""

from __future__ import annotations

import ctypes
import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest
import quickjs

from dpdtree import (
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
    export_c,
    export_javascript,
    export_python,
    export_sql,
)
from dpdtree._core import TreeData
from dpdtree._structure import TreeStructure
from tests.integration.data import make_classes, with_missing
from tests.integration.exported import (
    assert_agrees,
    compiled_c,
    run_c,
    run_duckdb,
    run_python,
    run_quickjs,
    run_sqlite,
)

ALL = [run_c, run_duckdb, run_python, run_quickjs, run_sqlite]


def a_column(values) -> pd.DataFrame:
    return pd.DataFrame({"x": values})


def staircase(n_steps: int) -> TreeStructure:
    """A tree whose left children are leaves, or whose right ones are."""
    n = 2 * n_steps + 1
    inner = np.arange(0, n - 1, 2)
    left, right = np.full(n, -1), np.full(n, -1)
    feature, threshold = np.full(n, -2), np.full(n, -2.0)
    left[inner], right[inner] = inner + 1, inner + 2
    feature[inner], threshold[inner] = 0, np.arange(n_steps)
    ones = np.ones(n)
    return TreeStructure(
        TreeData.from_arrays(
            1,
            left,
            right,
            feature,
            threshold,
            np.zeros(n, np.uint8),
            np.arange(n, dtype=float)[:, None],
            ones,
            np.ones(n, np.int64),
            ones,
        )
    )


@pytest.mark.parametrize("run", [*ALL])
def test_a_tree_deeper_than_compilers_nest(run) -> None:
    X = a_column(np.arange(-1.0, 300.5, 0.5))
    model = DPDTreeRegressor(max_depth=1).fit(X, X["x"])
    model.tree_ = staircase(300)
    assert_agrees(run, model, X)


@pytest.mark.parametrize("run", ALL)
def test_more_trees_than_a_query_has_columns(run) -> None:
    rng = np.random.default_rng(0)
    X = a_column(rng.normal(size=60))
    model = DPDTBoostingRegressor(
        max_iter=2100, max_leaf_nodes=2, learning_rate=0.01, early_stopping=False
    ).fit(X, np.sin(3 * X["x"]))
    assert_agrees(run, model, X)


def test_nan_in_a_database_is_missing() -> None:
    X = a_column([1.0, 2.0, 3.0, 4.0, np.nan, np.nan])
    model = DPDTreeRegressor(max_depth=2, min_samples_leaf=1, alpha=0.0)
    model.fit(X, [0.0, 0, 5, 5, 0, 0])
    assert model.tree_.missing_go_to_left[0] == 1
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE data AS SELECT CAST('NaN' AS DOUBLE) AS x")
        query = export_sql(model, dialect="duckdb")
        assert connection.execute(query).fetchall() == [(0.0,)]


def test_blanks_of_an_imported_file_are_missing_in_sqlite() -> None:
    X = a_column([-1.0, -2.0, 3.0, 4.0, np.nan, np.nan])
    model = DPDTreeRegressor(max_depth=2, min_samples_leaf=1, alpha=0.0)
    model.fit(X, [0.0, 0, 5, 5, 7, 7])
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE data (x)")
        connection.executemany("INSERT INTO data VALUES (?)", [("",), ("-1.5",)])
        query = export_sql(model, dialect="sqlite")
        assert connection.execute(query).fetchall() == [(7.0,), (0.0,)]


def test_a_missing_column_is_an_error_in_sqlite() -> None:
    model = DPDTreeRegressor(strategy="greedy").fit(a_column([1.0, 2.0]), [0.0, 1.0])
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE data (y)")
        with pytest.raises(sqlite3.OperationalError, match="no such column"):
            connection.execute(export_sql(model, dialect="sqlite", feature_names=["x"]))


def test_integers_are_compared_as_doubles() -> None:
    large = 2**53
    X = np.array([[0.0], [float(large)]])
    model = DPDTreeRegressor(max_depth=1, min_samples_leaf=1, alpha=0.0)
    model.fit(X, [0.0, 1.0])
    cut = float(model.tree_.threshold[0])
    beyond = int(cut) * 2 + 1
    module: dict = {}
    exec(export_python(model), module)
    assert module["predict"]([beyond]) == model.predict(np.array([[beyond]]))[0]


def test_columns_that_differ_in_case_only() -> None:
    """A case-sensitive database can have them; the query keeps them apart."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 2)), columns=["Age", "age"])
    model = DPDTreeRegressor(max_depth=2, min_samples_leaf=1, alpha=0.0)
    model.fit(X, X["Age"] - 2 * np.sign(X["age"]))
    for run in (run_c, run_python, run_quickjs):
        assert_agrees(run, model, X)
    query = export_sql(model, dialect="postgres")
    assert '"_age" > ' in query or '"_age" <= ' in query
    assert 'CAST("Age" AS DOUBLE PRECISION)' in query


@pytest.mark.parametrize("run", ALL)
def test_least_cost_decides(run) -> None:
    X, y = make_classes()
    X = pd.DataFrame(with_missing(X), columns=list("abcde"))
    costs = [[0, 5, 1], [1, 0, 9], [2, 1, 0]]
    model = DPDTreeClassifier(loss="cost_matrix", cost_matrix=costs).fit(X, y)
    assert_agrees(run, model, X)


@pytest.mark.parametrize("run", [run_duckdb, run_python, run_quickjs, run_sqlite])
def test_single_precision_is_widened(run) -> None:
    X, y = make_classes()
    X = pd.DataFrame((X / 3).astype(np.float32), columns=list("abcde"))
    assert_agrees(run, DPDTreeClassifier(alpha=0.0).fit(X, y), X)


def test_several_outputs() -> None:
    X, y = make_classes()
    Y = np.column_stack([y, y % 2])
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = DPDTreeClassifier(alpha=0.0).fit(frame, Y)
    expected = model.predict(frame).tolist()
    rows = frame.to_dict("records")
    module: dict = {}
    exec(export_python(model), module)
    assert [module["predict"](row) for row in rows] == expected
    shares = [module["predict_proba"](row) for row in rows]
    for output, of_output in enumerate(model.predict_proba(frame)):
        np.testing.assert_array_equal([row[output] for row in shares], of_output)
    context = quickjs.Context()
    context.eval(export_javascript(model))
    ask = context.eval("(t) => JSON.stringify(JSON.parse(t).map(model.predict))")
    assert json.loads(ask(json.dumps(rows))) == expected
    with duckdb.connect() as connection:
        connection.register("data", frame.assign(key=np.arange(len(frame))))
        query = export_sql(model, dialect="duckdb", keep=["key"])
        found = sorted(connection.execute(query).fetchall())
    assert [list(row[1:]) for row in found] == expected


def test_names_of_features_in_c(tmp_path) -> None:
    names = ["MODEL", 'ü ?? \\ "q"']
    X = pd.DataFrame(np.eye(2), columns=names)
    model = DPDTreeRegressor(max_depth=1).fit(X, [0.0, 1.0])
    library = compiled_c(export_c(model, name="my_model"), str(tmp_path))
    kept = (ctypes.c_char_p * 2).in_dll(library, "my_model_features")
    assert [name.decode() for name in kept] == names


@pytest.mark.parametrize("write", [export_python, export_javascript])
def test_values_of_another_type_are_refused(write) -> None:
    X = pd.DataFrame({"c": pd.Categorical(["a", "b", "c", "a"] * 10), "x": 1.0})
    model = DPDTreeRegressor(min_samples_leaf=1, alpha=0.0, max_depth=2)
    model.fit(X, [1.0, 2, 3, 1] * 10)
    if write is export_python:
        module: dict = {}
        exec(write(model), module)
        with pytest.raises(TypeError, match="another type"):
            module["predict"]({"c": 3, "x": 1.0})
        return
    context = quickjs.Context()
    context.eval(write(model))
    with pytest.raises(quickjs.JSException, match="is not a string"):
        context.eval('model.predict({"c": 3, "x": 1})')
