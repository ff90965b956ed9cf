"""Pure functions of blocks: what workers do."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.schema import Schema
from dpdtree._blocks.sources import joined
from dpdtree._blocks.tables import Block
from dpdtree._core import DistinctValues
from dpdtree._input.validation import check_row_count

Floats = NDArray[np.float64]


class BlockTargets(NamedTuple):
    """The targets and weights of a block."""

    y: NDArray[Any] | None
    weight: NDArray[Any] | None
    n_rows: int


class LearnRequest(NamedTuple):
    """What a block needs to know to be learnt from."""

    estimator: Any
    first_row: int
    rows: NDArray[np.intp]  # to be sampled
    most_values: int  # distinct values of interest; 0: none


class Learned(NamedTuple):
    """What a block knows of its columns."""

    schema: Schema
    sample: Floats
    distinct: list[Floats | None]


class Coded(NamedTuple):
    """A block as codes, and the extreme values behind each of them."""

    codes: NDArray[Any]
    lower: list[Floats | None]
    upper: list[Floats | None]


class CodeTable(NamedTuple):
    """How values become codes: by limits, or as the numbers of categories."""

    limits: list[Floats | None]  # None: categories
    n_codes: list[int]  # without the one for missing values
    extremes: bool  # whether the least and the largest value of each code are wanted


def first_rows(sizes: Sequence[int]) -> list[int]:
    """Return the number of the first row of each block."""
    return [0, *np.cumsum(sizes)[:-1].tolist()]


class Table(NamedTuple):
    """The targets and weights of all blocks."""

    y: NDArray[Any] | None
    weight: Floats | None
    sizes: list[int]

    @property
    def n_rows(self) -> int:
        """The number of rows of all blocks."""
        return sum(self.sizes)

    @property
    def starts(self) -> list[int]:
        """The number of the first row of each block."""
        return first_rows(self.sizes)


def table_of(parts: Sequence[BlockTargets]) -> Table:
    """Put the targets of blocks together."""
    y = joined([part.y for part in parts if part.y is not None])
    weight = joined([part.weight for part in parts if part.weight is not None])
    table = Table(y, weight, [part.n_rows for part in parts])
    check_row_count(table.n_rows)
    if table.n_rows == 0:
        raise ValueError("X has no rows.")
    return table


def targets_of(block: Block, _: Any = None) -> BlockTargets:
    """Return the targets and weights of a block."""
    return BlockTargets(block.y, block.weight, block.n_rows)


class MarkedBlock(NamedTuple):
    """A block, and which of its rows count (packed bits; None: all)."""

    block: Block
    marked: NDArray[np.uint8] | None


def marked_block(block: Block, marked: NDArray[np.uint8] | None) -> MarkedBlock:
    """Put both together."""
    return MarkedBlock(block, marked)


def learn(rows: MarkedBlock, request: LearnRequest) -> Learned | None:
    """Return what is to be known of a block before it is encoded; None: no rows."""
    block = rows.block
    if block.n_rows == 0:
        return None
    schema = Schema(copy.copy(request.estimator))
    marked = None
    if rows.marked is not None:
        marked = np.unpackbits(rows.marked, count=block.n_rows).astype(bool)
    X = schema.learn(block, request.first_row, marked)
    sample = schema.finite(X[request.rows], block)
    distinct: list[Floats | None] = []
    if request.most_values:
        values = DistinctValues(X.shape[1], request.most_values)
        assert schema.categorical is not None
        values.add(X, np.flatnonzero(~schema.categorical).tolist())
        distinct = [values.values(j) for j in range(X.shape[1])]  # type: ignore[misc]
    return Learned(schema, sample, distinct)


def encode(block: Block, schema: Schema, table: CodeTable) -> Coded:
    """Return a block as codes, a byte each where that is enough."""
    dtype = np.uint8 if max(table.n_codes) <= 0xFF else np.uint32
    p = len(table.limits)
    lower: list[Floats | None] = [None] * p
    upper: list[Floats | None] = [None] * p
    codes = np.empty((block.n_rows, p), dtype=dtype)
    if block.n_rows == 0:
        return Coded(codes, lower, upper)
    X = schema.finite(schema.encode(block), block)
    for j in range(p):
        values = X[:, j]
        codes[:, j] = _column_codes(values, table.limits[j], table.n_codes[j])
        if table.extremes and table.limits[j] is not None:
            lower[j], upper[j] = _extremes(values, codes[:, j], table.n_codes[j])
    return Coded(codes, lower, upper)


def _column_codes(values: Floats, limits: Floats | None, n_codes: int) -> NDArray[Any]:
    missing = np.isnan(values)
    if limits is None:
        return np.where(missing, n_codes, np.minimum(values, n_codes)).astype(np.int64)
    return np.where(missing, n_codes, np.searchsorted(limits, values))


def _extremes(
    values: Floats, codes: NDArray[Any], n_codes: int
) -> tuple[Floats, Floats]:
    known = codes < n_codes
    low, high = np.full(n_codes, np.inf), np.full(n_codes, -np.inf)
    np.minimum.at(low, codes[known], values[known] + 0.0)
    np.maximum.at(high, codes[known], values[known] + 0.0)
    return low, high


def nbytes(coded: Coded, _: Any = None) -> int:
    """Return how many bytes the codes of a block take."""
    return int(coded.codes.nbytes)


def whatever(value: Any, request: tuple[Callable[..., Any], Any]) -> Any:
    """Return what a function makes of it: different questions in one round."""
    function, argument = request
    return function(value, argument)
