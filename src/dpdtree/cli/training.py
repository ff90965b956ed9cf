"""From a table to a training set and an estimator: what `fit` and `path` share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpdtree.cli.columns import (
    Features,
    as_target,
    check_columns,
    guess_target,
    guess_task,
    infer_features,
    is_number,
)
from dpdtree.cli.errors import CommandError, UsageError
from dpdtree.cli.parameters import MODELS, Model, parsed
from dpdtree.cli.tables import Dialect, TableSource, open_table
from dpdtree.cli.talk import Talk, aligned, put, put_json

#: Boosted trees keep the sets of categories in a byte.
_MOST_BOOSTED = 255
_MOST_SHOWN = 30
_LEAST_HELD_OUT = 10


@dataclass(frozen=True)
class Request:
    """What the options of a command say about the data."""

    data: str
    target: str | None
    task: str | None
    kind: str
    cv: int | None
    weights: str | None
    drop: tuple[str, ...]
    features: tuple[str, ...]
    categorical: tuple[str, ...]
    dialect: Dialect


@dataclass(frozen=True)
class TrainingSet:
    """Rows for a fit."""

    X: Any
    y: Any
    weight: Any
    features: Features
    task: str
    model: Model

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.y)

    def take(self, rows: Any) -> tuple[Any, Any, Any]:
        """Return some rows, their labels and weights."""
        weight = None if self.weight is None else self.weight[rows]
        return self.X.take(rows), self.y[rows], weight


def read_training_set(request: Request, talk: Talk) -> TrainingSet:
    """Read a table, infer what its columns are, and show it."""
    return inferred(_read(request), request, talk)


def inferred(table: Any, request: Request, talk: Talk) -> TrainingSet:
    """Infer what the columns of a table are, and show it."""
    assert request.target is not None
    table = _with_target(table, request.target, talk)
    target, weight = table[request.target], _weights(table, request.weights)
    guessed, why = guess_task(target)
    task = request.task or guessed
    model = _model(request, task)
    others = [name for name in table.column_names if _is_feature(name, request)]
    features = infer_features(
        table.select(others),
        categorical=request.categorical,
        most_categories=_MOST_BOOSTED if request.kind == "boosting" else None,
    )
    _show_columns(features, table.num_rows, talk)
    reason = "as told" if request.task else f"{why}; --task overrides"
    talk.say(f"Target {request.target!r}: {task} ({reason}).")
    y = as_target(target, task, request.target)
    return TrainingSet(features.table, y, weight, features, task, model)


def _read(request: Request) -> Any:
    with open_table(request.data, request.dialect) as source:
        checked_columns(request, source)
        # Zeros in front of a code are part of it.
        types = dict.fromkeys(request.categorical, pa.string())
        table = source.read(types=types)
        if table.num_rows == 0:
            raise CommandError(f"{source.where} has no rows.")
    return table


def checked_columns(request: Request, source: TableSource) -> None:
    """Raise if the command names a column that the table lacks."""
    named = [request.target, request.weights, *request.drop, *request.features]
    wanted = [name for name in (*named, *request.categorical) if name is not None]
    check_columns(wanted, source.names, source.where)


def _with_target(table: Any, target: str, talk: Talk) -> Any:
    values = table[target]
    missing = pc.is_null(values, nan_is_null=pa.types.is_floating(values.type))
    n = int(pc.sum(missing).as_py())
    if n == len(table):
        raise CommandError(f"The target {target!r} has no values.")
    if n:
        rows = "1 row" if n == 1 else f"{n:,} rows"
        talk.say(f"Left out {rows} without a value of {target!r}.")
        table = table.filter(pc.invert(missing))
    return table


def _weights(table: Any, name: str | None) -> Any:
    if name is None:
        return None
    values = table[name]
    if not is_number(values.type) or values.null_count:
        raise CommandError(f"The weights {name!r} must be numbers, none missing.")
    return values.cast(pa.float64(), safe=False).to_numpy()


def _is_feature(name: str, request: Request) -> bool:
    if name in (request.target, request.weights) or name in request.drop:
        return False
    return not request.features or name in request.features


def _model(request: Request, task: str) -> Model:
    key: tuple[str, ...] = (request.kind, task)
    if key not in MODELS:
        raise UsageError(f"--model {request.kind} is for classification only.")
    if request.cv is not None and (*key, "cv") in MODELS:
        key = (*key, "cv")
    return MODELS[key]


def _show_columns(features: Features, n_rows: int, talk: Talk) -> None:
    talk.heading(f"{n_rows:,} rows, {len(features.columns)} features")
    rows: list[list[Any]] = []
    for column in features.columns[:_MOST_SHOWN]:
        missing = f"{column.missing:,} missing" if column.missing else ""
        rows.append(["", column.name or "''", column.kind, missing, column.detail])
    talk.table(rows, right="lllr")
    if len(features.columns) > _MOST_SHOWN:
        talk.say(f"  ... and {len(features.columns) - _MOST_SHOWN} more")
    for name, why in features.left_out.items():
        talk.say(f"Left out {name or 'a column'!r}: {why}.")


def list_columns(request: Request, talk: Talk, command: str, *, as_json: bool) -> None:
    """Print the columns of a table and which of them may be the target."""
    table = _read(request)
    features = infer_features(table, categorical=request.categorical)
    guess = guess_target(table.column_names)
    known = {column.name: column for column in features.columns}
    rows = []
    for name in table.column_names:
        column, why = known.get(name), features.left_out.get(name, "")
        if column is None:
            rows.append([name, "left out", "", why])
        else:
            missing = f"{column.missing:,}" if column.missing else ""
            rows.append([name, column.kind, missing, column.detail])
    if as_json:
        keys = ("name", "type", "missing", "detail")
        entries = [dict(zip(keys, row, strict=True)) for row in rows]
        put_json({"columns": entries, "guessed_target": guess})
    else:
        put("\n".join(aligned([["column", "type", "missing", "values"], *rows], "llr")))
    talk.say()
    talk.say(f"Which column is to be predicted? {guess!r}, perhaps:")
    talk.say(f"  dpdtree {command} {request.data} --target {_quoted(guess)}")


def _quoted(name: str) -> str:
    from shlex import quote

    return quote(name)


def make_estimator(training: Any, given: Mapping[str, Any], cv: Any) -> Any:
    """Return the unfitted estimator with the parameters that were given."""
    import dpdtree

    values = parsed(given, training.model)
    if isinstance(values.get("class_weight"), dict):
        values["class_weight"] = _by_label(values["class_weight"], training.y)
    if training.model.kind.endswith("--cv"):
        values["cv"] = cv
    values.setdefault("n_jobs", -1)
    return getattr(dpdtree, training.model.estimator)(**values)


def _by_label(weights: Mapping[Any, float], y: Any) -> dict[Any, float]:
    """Find the labels that the names stand for: 1 may be a number or a text."""
    labels = {str(label): label for label in np.unique(y).tolist()}
    unknown = [name for name in weights if str(name) not in labels]
    if unknown:
        raise UsageError(
            f"--class-weight names {unknown[0]!r}; the labels are {', '.join(labels)}."
        )
    return {labels[str(name)]: weight for name, weight in weights.items()}


def fitted(estimator: Any, rows: tuple[Any, Any, Any], talk: Talk) -> Any:
    """Fit an estimator; a terminal sees how far it is."""
    X, y, weight = rows
    talk.say(f"Fitting {len(y):,} rows")
    with talk.progress() as shown:
        estimator.set_params(verbose=int(shown))
        estimator.fit(X, y, **({} if weight is None else {"sample_weight": weight}))
    return estimator.set_params(verbose=0)


def hold_out(y: Any, share: float, *, labels: bool) -> tuple[Any, Any] | None:
    """Return the rows to fit and to hold out, or None if there are too few."""
    from sklearn.model_selection import train_test_split

    rows = np.arange(len(y))
    if share <= 0 or len(y) * share < 1 or len(y) < _LEAST_HELD_OUT:
        return None
    if labels:
        counts = np.unique(y, return_counts=True)[1]
        fits = counts.min() > 1 and len(counts) <= len(y) * min(share, 1 - share)
        if fits:
            return tuple(
                train_test_split(rows, test_size=share, random_state=0, stratify=y)
            )
    return tuple(train_test_split(rows, test_size=share, random_state=0))
