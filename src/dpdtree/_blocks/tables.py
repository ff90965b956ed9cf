"""One block of rows: features, targets and weights of a table of any library."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._input.frames import frame_of


class Columns(NamedTuple):
    """Which columns of a table are what; None: there is none, or all others."""

    target: str | int | Sequence[str] | None = None
    weight: str | int | None = None
    features: Sequence[str] | None = None

    @property
    def targets(self) -> list[Any]:
        """The columns of targets."""
        if self.target is None:
            return []
        single = isinstance(self.target, str | int | np.integer)
        return [self.target] if single else list(self.target)  # type: ignore[arg-type]

    @property
    def taken(self) -> list[Any]:
        """All columns that are no features."""
        return [*self.targets, *([] if self.weight is None else [self.weight])]

    @property
    def all(self) -> list[Any]:
        """All columns that are named."""
        return [*(self.features or ()), *self.taken]


class Block(NamedTuple):
    """Some rows; X is None where only targets were asked for."""

    X: Any
    y: NDArray[Any] | None
    weight: NDArray[Any] | None
    name: str
    n_rows: int


def divided(batch: Any, columns: Columns, name: str) -> Block:
    """Divide a batch into features, targets and weights."""
    batch = _as_table(batch)
    if isinstance(batch, tuple):
        return _from_tuple(batch, columns, name)
    if columns.target is None and columns.weight is None and columns.features is None:
        return Block(batch, None, None, name, len_of(batch, name))
    if frame_of(batch) is None:
        return _from_array(batch, columns, name)
    return from_table(batch, columns, name)


def from_table(
    table: Any, columns: Columns, name: str, *, targets_only: bool = False
) -> Block:
    """Divide a frame by the names of its columns."""
    table = _as_table(table)
    frame = frame_of(table)
    assert frame is not None
    names = list(frame.names or ())
    check_columns(columns.all, names, name)
    rest = [n for n in names if n not in columns.taken]
    features = list(columns.features) if columns.features is not None else rest
    y = [_values(table, n) for n in columns.targets]
    weight = None if columns.weight is None else _values(table, columns.weight)
    target = None
    if y:
        target = y[0] if isinstance(columns.target, str) else np.column_stack(y)
    X = None if targets_only else _select(table, features)
    return Block(X, target, weight, name, frame.n_rows)


def check_columns(wanted: Sequence[Any], names: Sequence[Any], where: str) -> None:
    """Raise if a table lacks a column that is asked for."""
    missing = [n for n in wanted if n not in names]
    if missing:
        shown = ", ".join(map(repr, names[:20])) + ", ..." * (len(names) > 20)
        raise ValueError(
            f"{where} has no column {', '.join(map(repr, missing))}; its columns are"
            f" {shown}."
        )


def len_of(X: Any, name: str) -> int:
    """Return the number of rows of a table or array of two dimensions."""
    shape = getattr(X, "shape", None)
    if shape is None:
        shape = np.shape(X)
    if len(shape) != 2:
        raise ValueError(f"{name} must have two dimensions, got {len(shape)}.")
    return int(shape[0])


def _from_tuple(batch: tuple[Any, ...], columns: Columns, name: str) -> Block:
    if columns.all:
        raise ValueError(
            f"{name} is a tuple (X, y): leave target, weight and columns out."
        )
    if not 1 <= len(batch) <= 3:
        raise ValueError(
            f"{name} must be a tuple (X, y) or (X, y, sample_weight), got {len(batch)}"
            " entries."
        )
    X, y, weight = (*batch, None, None)[:3]
    X = _as_table(X)
    n_rows = len_of(X, name)
    arrays = []
    for values, what in ((y, "y"), (weight, "sample_weight")):
        array = None if values is None else np.asarray(values)
        if array is not None and (array.ndim == 0 or array.shape[0] != n_rows):
            raise ValueError(
                f"{name}: {what} has shape {array.shape}, X has {n_rows} rows."
            )
        arrays.append(array)
    return Block(X, arrays[0], arrays[1], name, n_rows)


def _from_array(batch: Any, columns: Columns, name: str) -> Block:
    array = np.asarray(batch)
    n_rows = len_of(array, name)
    n_columns = array.shape[1]
    for column in columns.all:
        if isinstance(column, str) or not -n_columns <= column < n_columns:
            raise ValueError(
                f"{name} is an array of {n_columns} columns: {column!r} is none of"
                " their indices."
            )
    targets: list[int] = columns.targets
    taken: list[int] = [column % n_columns for column in columns.taken]
    rest = [j for j in range(n_columns) if j not in taken]
    features: list[Any] = rest if columns.features is None else [*columns.features]
    y = array[:, targets] if targets else None
    if y is not None and isinstance(columns.target, int | np.integer):
        y = y[:, 0]
    weight = None if columns.weight is None else array[:, taken[-1]]
    return Block(array[:, features], y, weight, name, n_rows)


def _library(table: Any) -> str:
    return type(table).__module__.partition(".")[0]


def _values(table: Any, name: Any) -> NDArray[Any]:
    """Return a column of a frame as an array."""
    if _library(table) == "pyarrow":
        column = table.column(name)
        if str(column.type).startswith("dictionary"):
            column = column.cast(column.type.value_type)
        values = column.to_numpy(zero_copy_only=False)
    else:
        values = table[name].to_numpy()
    return np.asarray(values)


def _select(table: Any, names: list[Any]) -> Any:
    return table.select(names) if _library(table) != "pandas" else table[names]


def _as_table(batch: Any) -> Any:
    """Make a table of a record batch: scikit-learn knows the names of tables only."""
    if _library(batch) == "pyarrow" and type(batch).__name__ == "RecordBatch":
        return sys.modules["pyarrow"].Table.from_batches([batch])
    return batch
