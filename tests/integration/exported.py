"""Runs exported code: each runner returns what a model's `predict` would."""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import quickjs

from dpdtree import export_c, export_excel, export_javascript, export_python, export_sql

KEY = "the key"


class Answers:
    """Labels or numbers and, of a classifier, probabilities, row by row."""

    def __init__(self, labels: list[Any], shares: list[list[float]] | None) -> None:
        self.labels = labels
        self.shares = shares


def cell(value: Any) -> Any:
    """A value of a frame as plain Python; None if missing."""
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else float(value)
    return value.item() if isinstance(value, np.generic) else value


def rows_of(X: pd.DataFrame) -> list[dict[str, Any]]:
    columns = {name: [cell(v) for v in X[name].tolist()] for name in X.columns}
    return [
        {name: values[i] for name, values in columns.items()} for i in range(len(X))
    ]


def is_classifier(model: Any) -> bool:
    return hasattr(model, "classes_")


def run_sqlite(model: Any, X: pd.DataFrame) -> Answers:
    with sqlite3.connect(":memory:") as connection:
        connection.create_function("exp", 1, math.exp, deterministic=True)
        named = [name.replace("`", "``") for name in X.columns]
        columns = ", ".join(f"`{name}`" for name in named)
        connection.execute(f"CREATE TABLE data (`{KEY}`, {columns})")
        holes = ", ".join("?" * (len(named) + 1))
        table = [(i, *row.values()) for i, row in enumerate(rows_of(X))]
        connection.executemany(f"INSERT INTO data VALUES ({holes})", table)
        return _queried(
            model, "sqlite", lambda query: connection.execute(query).fetchall()
        )


def run_duckdb(model: Any, X: pd.DataFrame) -> Answers:
    with duckdb.connect() as connection:
        quoted = {name: name.replace('"', '""') for name in X.columns}
        kinds = {name: _duckdb_type(model, j) for j, name in enumerate(X.columns)}
        columns = ", ".join(f'"{quoted[name]}" {kinds[name]}' for name in X.columns)
        connection.execute(f'CREATE TABLE data ("{KEY}" INTEGER, {columns})')
        holes = ", ".join("?" * (X.shape[1] + 1))
        table = [(i, *row.values()) for i, row in enumerate(rows_of(X))]
        connection.executemany(f"INSERT INTO data VALUES ({holes})", table)
        return _queried(
            model, "duckdb", lambda query: connection.execute(query).fetchall()
        )


def _duckdb_type(model: Any, feature: int) -> str:
    known = model.categories_[feature]
    if known is None or not len(known):
        return "DOUBLE"
    if isinstance(known[0], str):
        return "VARCHAR"
    return "BOOLEAN" if known.dtype.kind == "b" else "DOUBLE"


def _queried(model: Any, dialect: str, fetch: Callable[[str], list[Any]]) -> Answers:
    def asked(method: str) -> list[Any]:
        query = export_sql(model, dialect=dialect, method=method, keep=[KEY])
        return [list(row[1:]) for row in sorted(fetch(query))]

    labels = [row[0] for row in asked("predict")]
    return Answers(labels, asked("predict_proba") if is_classifier(model) else None)


def run_python(model: Any, X: pd.DataFrame) -> Answers:
    module: dict[str, Any] = {}
    exec(export_python(model), module)
    rows = rows_of(X)
    labels = [module["predict"](row) for row in rows]
    if not is_classifier(model):
        return Answers(labels, None)
    return Answers(labels, [module["predict_proba"](row) for row in rows])


def run_quickjs(model: Any, X: pd.DataFrame) -> Answers:
    context = quickjs.Context()
    context.eval(export_javascript(model))
    asked = context.eval(_ASK_ALL)
    return _from_json(asked(json.dumps(rows_of(X))), model)


def run_node(model: Any, X: pd.DataFrame) -> Answers:
    """As a module of Node."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.js").write_text(export_javascript(model))
        asker = f"const model = require('./model.js');\nconst ask = {_ASK_ALL};\n"
        Path(folder, "ask.js").write_text(
            asker + "console.log(ask(require('fs').readFileSync(0, 'utf8')));"
        )
        done = subprocess.run(
            [str(shutil.which("node")), "ask.js"],
            input=json.dumps(rows_of(X)),
            cwd=folder,
            capture_output=True,
            text=True,
            check=True,
        )
    return _from_json(done.stdout, model)


_ASK_ALL = """(text) => JSON.stringify(JSON.parse(text).map((row) =>
  [model.predict(row), model.predictProba ? model.predictProba(row) : null]))"""


def _from_json(text: str, model: Any) -> Answers:
    pairs = json.loads(text)
    shares = [pair[1] for pair in pairs] if is_classifier(model) else None
    return Answers([pair[0] for pair in pairs], shares)


def compiled_c(source: str, folder: str) -> ctypes.CDLL:
    """Compile strictly as C99; return the library."""
    path = Path(folder, "model.c")
    path.write_text(source)
    library = Path(folder, "model.so")
    strict = [
        "-std=c99",
        "-pedantic",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O1",
        "-shared",
        "-fPIC",
    ]
    subprocess.run(
        ["cc", *strict, str(path), "-o", str(library), "-lm"], check=True, text=True
    )
    return ctypes.CDLL(str(library))


def run_c(model: Any, X: pd.DataFrame) -> Answers:
    with tempfile.TemporaryDirectory() as folder:
        library = compiled_c(export_c(model, name="it"), folder)
        predict = library.it_predict
        predict.restype = ctypes.c_int if is_classifier(model) else ctypes.c_double
        coded = [_coded(library, model, list(row.values())) for row in rows_of(X)]
        labels: list[Any] = [predict(row) for row in coded]
        if not is_classifier(model):
            return Answers(labels, None)
        shares = []
        for row in coded:
            out = (ctypes.c_double * len(model.classes_))()
            library.it_predict_proba(row, out)
            shares.append(list(out))
        names = (ctypes.c_char_p * len(model.classes_)).in_dll(library, "it_classes")
        assert [n.decode() for n in names] == [str(c) for c in model.classes_]
        return Answers([model.classes_[code] for code in labels], shares)


def _coded(library: ctypes.CDLL, model: Any, row: list[Any]) -> Any:
    """A row as C takes it: places of categories, as the library finds them."""
    values = (ctypes.c_double * len(row))()
    for j, value in enumerate(row):
        if value is None:
            values[j] = math.nan
        elif model.categories_[j] is None:
            values[j] = value
        elif isinstance(value, str):
            library.it_category.restype = ctypes.c_double
            values[j] = library.it_category(j, value.encode())
        else:
            library.it_category_number.restype = ctypes.c_double
            values[j] = library.it_category_number(j, ctypes.c_double(value))
    return values


def run_excel(model: Any, X: pd.DataFrame) -> Answers:
    labels = _filled_down(export_excel(model), X)
    if not is_classifier(model):
        return Answers(labels, None)
    columns = [
        _filled_down(export_excel(model, label=label), X)
        for label in model.classes_.tolist()
    ]
    return Answers(labels, [list(row) for row in zip(*columns, strict=True)])


def _filled_down(formula: str, X: pd.DataFrame) -> list[Any]:
    """Evaluate a formula for each row, by a spreadsheet engine of its own."""
    import formulas
    import schedula

    compiled = formulas.Parser().ast(formula)[1].compile()
    letters = [chr(ord("A") + j) + "2" for j in range(X.shape[1])]
    filled = []
    for row in rows_of(X):
        values = dict(zip(letters, row.values(), strict=True))
        given = (values[name] for name in compiled.inputs)
        answer = compiled(*(schedula.EMPTY if v is None else v for v in given))
        filled.append(np.asarray(answer).reshape(-1)[0])
    return filled


def assert_agrees(run: Callable[..., Answers], model: Any, X: pd.DataFrame) -> None:
    """Check labels exactly and numbers up to the rounding of links."""
    answers = run(model, X)
    expected = model.predict(X)
    if not is_classifier(model):
        np.testing.assert_allclose(answers.labels, expected, rtol=1e-13, atol=1e-300)
        return
    assert list(answers.labels) == expected.tolist()
    np.testing.assert_allclose(
        np.array(answers.shares, dtype=float), model.predict_proba(X), rtol=1e-12
    )
