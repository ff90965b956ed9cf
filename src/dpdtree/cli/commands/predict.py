"""`dpdtree predict`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from dpdtree.cli._click import click
from dpdtree.cli.columns import ModelColumns, check_columns
from dpdtree.cli.errors import UsageError
from dpdtree.cli.models import load
from dpdtree.cli.options import (
    FILE,
    column_option,
    dialect_of,
    text_options,
)
from dpdtree.cli.output import open_writer, table_format
from dpdtree.cli.tables import TableSource, open_table
from dpdtree.cli.talk import Talk

_HELP = """Predict the rows of a table.

Rows are read, predicted and written piece by piece: memory does not grow with the
file. Columns that the model does not know are ignored.

\b
Examples:
  dpdtree predict model.json new.csv -o out.csv
  dpdtree predict model.json new.parquet -o out.parquet --proba --keep id
  cat new.csv | dpdtree predict model.json - | head
"""


@click.command(help=_HELP, short_help="Predict the rows of a table.")
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@click.option(
    "-o",
    "--output",
    type=FILE,
    default="-",
    help="CSV, TSV, Parquet or JSON lines by its ending, .gz and .zst as well."
    " [default: CSV on standard output]",
)
@click.option("--proba", is_flag=True, help="Add a column of probabilities per class.")
@click.option("--leaf", is_flag=True, help="Add the leaf of a tree: it is the reason.")
@column_option("--keep", multiple=True, help="Copy a column; may be repeated.")
@click.option("--keep-all", is_flag=True, help="Copy all columns.")
@text_options
@click.option("--json", "as_json", is_flag=True, help="Write JSON lines.")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
def predict(model: str, data: str, output: str, **settings: Any) -> None:
    """Predict the rows of a table: see _HELP."""
    if model == data == "-":
        raise UsageError("Only one of model and data can be standard input.")
    dialect = dialect_of(settings)
    kind = "json" if settings["as_json"] else table_format(output)
    predictor = Predictor(load(model), proba=settings["proba"], leaf=settings["leaf"])
    talk = Talk(quiet=settings["quiet"])
    with open_table(data, dialect) as source:
        keep = source.names if settings["keep_all"] else list(settings["keep"])
        check_columns(keep, source.names, source.where)
        n_rows = _stream(predictor, source, keep, output, kind, dialect.decimal)
    for name, n in predictor.unseen.items():
        values = "1 value" if n == 1 else f"{n:,} values"
        talk.say(f"{name!r}: {values} unknown to the model, treated as missing.")
    if output != "-":
        rows = "1 row" if n_rows == 1 else f"{n_rows:,} rows"
        talk.say(f"Predicted {rows}: {output}")


def _stream(
    predictor: Predictor,
    source: TableSource,
    keep: list[str],
    output: str,
    kind: str,
    decimal: str,
) -> int:
    """Write the predictions of all batches; return the number of rows."""
    columns = predictor.columns
    columns.bind(source.names, source.where)
    predictor.check(keep)
    wanted = list(dict.fromkeys([*keep, *columns.names]))
    # What is copied stays the text it is; numbers are made of it afterwards.
    kept = [n for n in keep if decimal == "." or n not in columns.names]
    types = {**columns.types, **dict.fromkeys(kept, pa.string())}
    tables = (
        predictor.table(batch, keep, source.where)
        for batch in source.batches(wanted, types)
    )
    first = next(tables, None)
    schema = predictor.empty(keep, types) if first is None else first.schema
    n_rows = 0
    with open_writer(output, schema, kind) as writer:
        while first is not None:
            writer.write(first)
            n_rows += first.num_rows
            first = next(tables, None)
    return n_rows


class Predictor:
    """A model as a function from tables to tables of predictions."""

    def __init__(self, model: Any, *, proba: bool, leaf: bool) -> None:
        self.columns = ModelColumns(model)
        self.unseen: Counter[str] = Counter()
        self._model = model
        self._outputs = getattr(model, "n_outputs_", 1)
        self._proba, self._leaf = proba, leaf
        if proba and not hasattr(model, "classes_"):
            raise UsageError(
                "--proba needs a classifier, and the model predicts numbers."
            )
        if leaf and not hasattr(model, "tree_"):
            raise UsageError("--leaf needs a single tree.")

    def names(self) -> list[str]:
        """Return the columns that are added to those kept."""
        return [name for name, _ in self._types()]

    def check(self, keep: list[str]) -> None:
        """Raise if a column that is kept has the name of one that is added."""
        for name in self.names():
            if name in keep:
                raise UsageError(f"--keep {name!r}: the predictions have this name.")

    def table(self, batch: Any, keep: list[str], where: str) -> Any:
        """Return the kept columns of a batch and its predictions."""
        rows = self.columns.rows(batch, where)
        self.unseen.update({n: k for n, k in self.columns.unseen(rows) if k})
        columns = [batch[name] for name in keep]
        columns += [
            pa.array(values, type=kind)
            for values, (_, kind) in zip(self._values(rows), self._types(), strict=True)
        ]
        return pa.table(columns, names=[*keep, *self.names()])

    def empty(self, keep: list[str], types: dict[str, Any]) -> Any:
        """Return the schema of a table without rows."""
        return pa.schema([*((name, types[name]) for name in keep), *self._types()])

    def _classes(self) -> list[Any]:
        classes = getattr(self._model, "classes_", None)
        if classes is None:
            return []
        return [classes] if self._outputs == 1 else list(classes)

    def _types(self) -> list[tuple[str, Any]]:
        several = self._outputs > 1
        ends = [f"_{k}" if several else "" for k in range(self._outputs)]
        labels = self._classes()
        types = [
            (f"prediction{end}", _type_of(labels[k]) if labels else pa.float64())
            for k, end in enumerate(ends)
        ]
        if self._proba:
            types += [
                (f"probability{end}_{label}", pa.float64())
                for end, of_output in zip(ends, labels, strict=True)
                for label in of_output.tolist()
            ]
        return [*types, *([("leaf", pa.int64())] if self._leaf else [])]

    def _values(self, rows: Any) -> Iterator[Any]:
        said = self._model.predict(rows)
        yield from said.T if said.ndim == 2 else [said]
        if self._proba:
            shares = self._model.predict_proba(rows)
            for of_output in shares if self._outputs > 1 else [shares]:
                yield from np.asarray(of_output).T
        if self._leaf:
            yield self._model.apply(rows)


def _type_of(labels: Any) -> Any:
    kinds = {"i": pa.int64(), "u": pa.int64(), "b": pa.bool_(), "f": pa.float64()}
    return kinds.get(labels.dtype.kind, pa.string())
