"""`dpdtree evaluate`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpdtree.cli._click import click
from dpdtree.cli.columns import ModelColumns, as_target, check_columns
from dpdtree.cli.errors import CommandError, UsageError, listed
from dpdtree.cli.models import load
from dpdtree.cli.options import (
    FILE,
    column_option,
    dialect_of,
    talk_options,
    text_options,
)
from dpdtree.cli.scores import confusion, score_rows, scores_of
from dpdtree.cli.tables import open_table
from dpdtree.cli.talk import Talk, aligned, put, put_json

_HELP = """Score a saved model on a table with known answers.

\b
Examples:
  dpdtree evaluate model.json test.csv --target y
  dpdtree evaluate model.json test.csv --target y --leaves     drift, leaf by leaf
"""


@click.command(help=_HELP, short_help="Score a saved model on a table.")
@click.argument("model", type=FILE)
@click.argument("data", type=FILE)
@column_option(
    "-t", "--target", help="The answers. [default: the column that is no feature]"
)
@column_option("--weights", help="Weights of the rows.")
@click.option(
    "--leaves", is_flag=True, help="Compare each leaf of a tree with its training rows."
)
@text_options
@talk_options
def evaluate(model: str, data: str, **settings: Any) -> None:
    """Score a saved model: see _HELP."""
    dialect = dialect_of(settings)
    talk = Talk(quiet=settings["quiet"])
    fitted = load(model)
    if getattr(fitted, "n_outputs_", 1) > 1:
        raise CommandError("evaluate is for models of one output.")
    if settings["leaves"] and not hasattr(fitted, "tree_"):
        raise UsageError("--leaves needs a single tree.")
    columns = ModelColumns(fitted)
    with open_table(data, dialect) as source:
        target = settings["target"] or _only_other(columns, source.names, source.where)
        weights = settings["weights"]
        named = [name for name in (target, weights) if name is not None]
        check_columns(named, source.names, source.where)
        columns.bind(source.names, source.where, besides=named)
        types = {**columns.types, **_target_type(fitted, target)}
        table = source.read(list(dict.fromkeys([*columns.names, *named])), types)
        table = _answered(table, target, source.where, talk)
        X = columns.rows(table, source.where)
    task = "classification" if hasattr(fitted, "classes_") else "regression"
    y = as_target(table[target], task, target)
    weight = None if weights is None else table[weights].to_numpy().astype(float)
    _show(fitted, X, y, weight, leaves=settings["leaves"], as_json=settings["as_json"])


def _only_other(columns: ModelColumns, names: list[str], where: str) -> str:
    others = [name for name in names if name not in columns.names]
    if len(others) != 1:
        raise UsageError(
            f"Which column has the answers? Give --target; {where} has"
            f" {listed(others) or 'no other columns'} beside the features."
        )
    return others[0]


def _target_type(model: Any, target: str) -> dict[str, Any]:
    """Labels that were text are read as text, also if these here are numbers."""
    classes = getattr(model, "classes_", None)
    if classes is not None and classes.dtype.kind in "OUS":
        return {target: pa.string()}
    return {}


def _answered(table: Any, target: str, where: str, talk: Talk) -> Any:
    known = pc.is_valid(table[target])
    n = table.num_rows - int(pc.sum(known).as_py() or 0)
    if n:
        talk.say(f"Left out {n:,} rows without a value of {target!r}.")
        table = table.filter(known)
    if table.num_rows == 0:
        raise CommandError(f"{where} has no rows with a value of {target!r}.")
    return table


def _show(
    model: Any, X: Any, y: Any, weight: Any, *, leaves: bool, as_json: bool
) -> None:
    if hasattr(model, "classes_"):
        _check_labels(model, y)
    scores = scores_of(model, X, y, weight)
    matrix = confusion(model, y, model.predict(X)) if hasattr(model, "classes_") else []
    table = model.leaf_table(X, y) if leaves else None
    if as_json:
        report: dict[str, Any] = {"rows": len(y), "scores": scores}
        if matrix:
            report["labels"] = matrix[0][1:]
            report["confusion"] = [row[1:] for row in matrix[1:]]
        if table is not None:
            report["leaves"] = table.to_dict("records")
        put_json(report)
        return
    lines = aligned(score_rows({f"{len(y):,} rows": scores}), "lr")
    if matrix:
        lines += ["", *aligned(matrix, "l" + "r" * len(matrix))]
    if table is not None:
        lines += ["", *_leaf_lines(table)]
    put("\n".join(lines))


def _leaf_lines(table: Any) -> list[str]:
    """Return the numbers of each leaf side by side, and then its whole rule."""
    numbers = [name for name in table.columns if name not in ("rule", "weight")]
    rows = [numbers, *table[numbers].itertuples(index=False)]
    lines = aligned(rows, "r" * len(numbers))
    rules = ["rule", *table["rule"]]
    return [f"{line}  {rule}" for line, rule in zip(lines, rules, strict=True)]


def _check_labels(model: Any, y: Any) -> None:
    if not np.isin(y, model.classes_).any():
        labels = listed([str(label) for label in model.classes_])
        raise CommandError(
            f"No answer is one of the model's classes, {labels}: the first one is"
            f" {y[0]!r}."
        )
