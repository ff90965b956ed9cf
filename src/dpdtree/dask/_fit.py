"""Fits on blocks that are elsewhere: rounds of questions; trees on one worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.passes import (
    bin_weights,
    shape_only,
)
from dpdtree._blocks.schema import Schema
from dpdtree._blocks.sources import joined
from dpdtree._core import (
    DistinctValues,
    TreeCodes,
    fit_tree,
    quantile_bins,
    rows_for_quantiles,
)
from dpdtree._input.parameter_checks import check_parameters, check_strategy
from dpdtree._input.problem import prepare_targets
from dpdtree._input.validation import check_row_count
from dpdtree._threads import n_threads
from dpdtree._tree_attributes import keep_result
from dpdtree._tree_params import core_params
from dpdtree.dask._engine import Engine
from dpdtree.dask._tasks import (
    BlockTargets,
    Coded,
    CodeTable,
    Floats,
    LearnRequest,
    encode,
    learn,
    nbytes,
    targets_of,
)


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
        return [0, *np.cumsum(self.sizes)[:-1].tolist()]


def table_of(parts: Sequence[BlockTargets]) -> Table:
    """Put the targets of blocks together."""
    y = joined([part.y for part in parts if part.y is not None])
    weight = joined([part.weight for part in parts if part.weight is not None])
    table = Table(y, weight, [part.n_rows for part in parts])
    check_row_count(table.n_rows)
    if table.n_rows == 0:
        raise ValueError("X has no rows.")
    return table


def ask_targets(engine: Engine, blocks: list[Any]) -> Table:
    """Fetch the targets and weights of all blocks."""
    return table_of(engine.call(targets_of, blocks, [None] * len(blocks)))


class _Columns(NamedTuple):
    schema: Schema
    sample: Floats
    distinct: DistinctValues | None


def ask_columns(
    engine: Engine,
    blocks: list[Any],
    estimator: Any,
    table: Table,
    sampled: NDArray[np.intp],
    marked: NDArray[np.bool_] | None,
    most_values: int = 0,
) -> _Columns:
    """Learn names, categories, samples and distinct values in one round."""
    requests = []
    for start, size in zip(table.starts, table.sizes, strict=True):
        low, high = np.searchsorted(sampled, [start, start + size])
        bits = None if marked is None else np.packbits(marked[start : start + size])
        rows = sampled[low:high] - start
        requests.append(LearnRequest(estimator, start, rows, bits, most_values))
    learned = engine.call(learn, blocks, requests)
    found = [(k, one) for k, one in enumerate(learned) if one is not None]
    schema = found[0][1].schema
    for k, one in found[1:]:
        schema.absorb(one.schema, f"partition {k}")
    schema.hand_over(estimator)
    schema.keep()
    distinct = None
    if most_values:
        p = len(found[0][1].distinct)
        distinct = DistinctValues(p, most_values)
        for _, one in found:
            for j, values in enumerate(one.distinct):
                distinct.merge(j, values)
    return _Columns(schema, np.concatenate([one.sample for _, one in found]), distinct)


def encoded(
    engine: Engine, blocks: list[Any], schema: Schema, table: CodeTable
) -> list[Any]:
    """Return handles of the codes of each block."""
    return [engine.put(encode, block, schema, table) for block in blocks]


class TreeBins(NamedTuple):
    """Of each column: limits, distinct values or the order of its categories."""

    cuts: list[Floats | None]
    values: list[Floats | None]
    categories: list[list[int] | None]


class Fitted(NamedTuple):
    """A fitted estimator, and the bytes of codes that one worker got for it."""

    estimator: Any
    code_bytes: int


def fit_tree_blocks(engine: Engine, blocks: list[Any], estimator: Any) -> Fitted:
    """Fit a tree. The blocks are let go once they are encoded."""
    check_parameters(estimator)
    check_strategy(estimator)
    if estimator.max_bins is None:
        raise ValueError(
            "Fits on Dask collections need max_bins, such as max_bins=255: thresholds"
            " between any two values need all rows in one place."
        )
    table = ask_targets(engine, blocks)
    problem = prepare_targets(estimator, table.y, table.weight, table.n_rows)
    weight = problem.sample_weight
    sampled = np.asarray(rows_for_quantiles(table.n_rows, None), dtype=np.intp)
    marked = None if weight is None else weight > 0
    max_bins = int(estimator.max_bins)
    columns = ask_columns(engine, blocks, estimator, table, sampled, marked, max_bins)
    bins = _tree_bins(columns, bin_weights(estimator, weight, sampled), max_bins)
    codes = encoded(engine, blocks, columns.schema, _tree_table(bins))
    targets = [engine.put(targets_of, block) for block in blocks]
    blocks.clear()
    return on_one_worker(engine, codes, search_tree, estimator, bins, targets, codes)


def on_one_worker(
    engine: Engine, codes: list[Any], search: Any, *sources: Any
) -> Fitted:
    """Search where all codes are brought together."""
    engine.rounds += 1
    (fitted,) = engine.gather([engine.put(search, *sources)])
    return Fitted(fitted, code_bytes(engine, codes))


def _tree_bins(columns: _Columns, weight: Floats | None, max_bins: int) -> TreeBins:
    bins = TreeBins([], [], [])
    assert columns.distinct is not None
    for j, known in enumerate(columns.schema.estimator.categories_):
        cuts = values = order = None
        if known is not None:
            order = columns.schema.counts[j].by_appearance(known)
        elif (few := columns.distinct.values(j)) is not None:
            values = np.asarray(few, dtype=np.float64)
        else:
            sample = np.ascontiguousarray(columns.sample[:, j])
            cuts = quantile_bins(sample, weight, max_bins)[0]
        bins.cuts.append(cuts)
        bins.values.append(values)
        bins.categories.append(order)
    return bins


def _tree_table(bins: TreeBins) -> CodeTable:
    table = CodeTable([], [], extremes=True)
    for cuts, values, order in zip(*bins, strict=True):
        if order is not None:
            table.limits.append(None)
            table.n_codes.append(len(order))
        else:
            limits = cuts if values is None else values[:-1]
            assert limits is not None
            table.limits.append(limits)
            table.n_codes.append(len(limits) + 1)
    return table


def search_tree(
    estimator: Any, bins: TreeBins, targets: list[BlockTargets], blocks: list[Coded]
) -> Any:
    """Return the estimator, fitted on the codes of all blocks."""
    table = table_of(targets)
    problem = prepare_targets(estimator, table.y, table.weight, table.n_rows)
    p = len(bins.cuts)
    codes = TreeCodes(table.n_rows)
    values: list[NDArray[Any]] = []  # behind the codes
    for j, (cuts, few, order) in enumerate(zip(*bins, strict=True)):
        if order is not None:
            codes.add_categories(j, order)
            values.append(np.arange(len(order)))
        elif few is not None:
            codes.add_few(j, few)
            values.append(few if len(few) else np.zeros(1))
        else:
            assert cuts is not None
            lower = np.min([x for b in blocks if (x := b.lower[j]) is not None], axis=0)
            upper = np.max([x for b in blocks if (x := b.upper[j]) is not None], axis=0)
            codes.add_bins(j, cuts, lower, upper)
            values.append(upper)
    for X, start in values_behind(blocks, table.starts, values):
        codes.append(X, start, n_threads(estimator.n_jobs))
    X = shape_only(table.n_rows, p)
    encoded = codes.columns(X)
    params = core_params(estimator, X.shape, problem.sample_weight)
    data = (X, problem.y, problem.sample_weight, problem.n_classes)
    result = fit_tree(*data, params, encoded=encoded)
    keep_result(estimator, result, problem.fitted)
    return estimator


def values_behind(
    blocks: list[Coded], starts: list[int], values: list[NDArray[Any]]
) -> Any:
    """Yield blocks of values that have these codes, and their first rows."""
    behind = [np.append(known, np.nan) for known in values]
    for block, start in zip(blocks, starts, strict=True):
        if len(block.codes) == 0:
            continue
        X = np.empty(block.codes.shape, order="F")
        for j, known in enumerate(behind):
            X[:, j] = known[np.minimum(block.codes[:, j], len(known) - 1)]
        yield X, start


def code_bytes(engine: Engine, codes: list[Any]) -> int:
    """Return how many bytes the codes of all blocks take."""
    return sum(engine.call(nbytes, codes, [None] * len(codes)))
