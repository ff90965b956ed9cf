"""Fits on blocks that are elsewhere: rounds of questions, then one search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.passes import (
    BoostingBins,
    bin_weights,
    sampled_rows,
    shape_only,
)
from dpdtree._blocks.schema import Schema
from dpdtree._blocks.sources import joined
from dpdtree._boosting.blocks import aside_of, check_scoring, divided, open_session
from dpdtree._boosting.defaults import paced, resolved
from dpdtree._boosting.loop import Opened, Sample
from dpdtree._clock import Clock
from dpdtree._core import (
    ROWS_FOR_QUANTILES,
    BoostingCodes,
    DistinctValues,
    TreeCodes,
    boosting_edges,
    fit_tree,
    quantile_bins,
    rows_for_quantiles,
)
from dpdtree._input.validation import (
    check_parameters,
    check_row_count,
    check_sample_weight,
    check_strategy,
    check_y_shape,
)
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


def _ask_targets(engine: Engine, blocks: list[Any]) -> Table:
    return table_of(engine.call(targets_of, blocks, [None] * len(blocks)))


class _Columns(NamedTuple):
    schema: Schema
    sample: Floats
    distinct: DistinctValues | None


def _ask_columns(
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


def _encoded(
    engine: Engine, blocks: list[Any], schema: Schema, table: CodeTable
) -> list[Any]:
    return [engine.put(encode, block, schema, table) for block in blocks]


class TreeBins(NamedTuple):
    """Of each column: limits, distinct values or the order of its categories."""

    cuts: list[Floats | None]
    values: list[Floats | None]
    categories: list[list[int] | None]


def fit_tree_blocks(engine: Engine, blocks: list[Any], estimator: Any) -> Any:
    """Return a handle of the fitted tree, and handles of the codes."""
    check_parameters(estimator, estimator._parameters)
    check_strategy(estimator)
    if estimator.max_bins is None:
        raise ValueError(
            "Fits on Dask collections need max_bins, such as max_bins=255: thresholds"
            " between any two values need all rows in one place."
        )
    table = _ask_targets(engine, blocks)
    problem = estimator._prepare_targets(table.y, table.weight, table.n_rows)
    weight = problem.sample_weight
    sampled = np.asarray(rows_for_quantiles(table.n_rows, None), dtype=np.intp)
    marked = None if weight is None else weight > 0
    max_bins = int(estimator.max_bins)
    columns = _ask_columns(engine, blocks, estimator, table, sampled, marked, max_bins)
    bins = _tree_bins(columns, bin_weights(estimator, weight, sampled), max_bins)
    codes = _encoded(engine, blocks, columns.schema, _tree_table(bins))
    targets = [engine.put(targets_of, block) for block in blocks]
    return engine.put(search_tree, estimator, bins, targets, codes), codes


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
    problem = estimator._prepare_targets(table.y, table.weight, table.n_rows)
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
    for X, start in _values_behind(blocks, table.starts, values):
        codes.append(X, start, estimator._n_threads())
    X = shape_only(table.n_rows, p)
    encoded = codes.columns(X)
    params = core_params(estimator, X.shape, problem.sample_weight)
    data = (X, problem.y, problem.sample_weight, problem.n_classes)
    estimator._keep(fit_tree(*data, params, encoded=encoded), problem.fitted)
    return estimator


def _values_behind(
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


def fit_boosting_blocks(
    engine: Engine, blocks: list[Any], more: list[Any] | None, estimator: Any
) -> Any:
    """Return a handle of the fitted model, and handles of the codes."""
    check_parameters(estimator, estimator._parameters)
    check_scoring(estimator)
    table = _ask_targets(engine, blocks)
    setup = _Setup(estimator, table, given=more is not None)
    weight = setup.target.weight
    n_train, sampled = sampled_rows(table.n_rows, weight, setup.aside)
    marked = None if setup.aside is None else ~setup.aside
    columns = _ask_columns(engine, blocks, estimator, table, sampled, marked)
    unseen = more is not None or setup.aside is not None
    edges = boosting_edges(
        columns.sample,
        None if weight is None else weight[sampled],
        setup.params(),
        unseen or n_train > ROWS_FOR_QUANTILES,
    )
    schema = columns.schema
    n_categories = [
        0 if known is None else schema.counts[j].n_marked(known)
        for j, known in enumerate(estimator.categories_)
    ]
    bins = BoostingBins(list(edges), n_categories)
    codes = _encoded(engine, blocks, schema, _boosting_table(bins))
    more_codes = _encoded(engine, more or [], schema, _boosting_table(bins))
    model = engine.put(
        search_forest,
        estimator,
        bins,
        [engine.put(targets_of, block) for block in blocks],
        codes,
        [engine.put(targets_of, block) for block in more or []],
        more_codes,
    )
    return model, [*codes, *more_codes]


class _Setup:
    """What follows from the targets of a boosted fit, here and where it is run."""

    def __init__(self, estimator: Any, table: Table, *, given: bool) -> None:
        y = check_y_shape(estimator, table.y, table.n_rows)
        weight = table.weight
        if weight is not None:
            weight = check_sample_weight(weight, table.n_rows)
        self._estimator = estimator
        self.target = estimator._encode(y, weight)
        self.seed = estimator._seed({})
        whole = Sample(shape_only(table.n_rows, 1), self.target.y, self.target.weight)
        self.n_rows = whole.n_rows()
        self.settings = resolved(
            estimator, self.n_rows, {}, classes=self.target.are_classes
        )
        self.stops_early = estimator._stops_early(table.n_rows, given=given)
        wanted = estimator.validation_fraction is not None
        self.aside = None
        if self.stops_early and not given and wanted:
            self.aside = aside_of(estimator, self.target, self.seed)

    def params(self) -> Any:
        """Return the parameters of the core, checked."""
        return self._estimator._checked_params(self.settings, self.target, self.seed)


def _boosting_table(bins: BoostingBins) -> CodeTable:
    table = CodeTable([], [], extremes=False)
    for edges, n in zip(*bins, strict=True):
        table.limits.append(None if n else edges)
        table.n_codes.append(n or len(edges) + 1)
    return table


def search_forest(
    estimator: Any,
    bins: BoostingBins,
    targets: list[BlockTargets],
    blocks: list[Coded],
    more_targets: list[BlockTargets],
    more_blocks: list[Coded],
) -> Any:
    """Return the estimator, fitted on the codes of all blocks."""
    clock = Clock(estimator.time_limit)
    table = table_of(targets)
    setup = _Setup(estimator, table, given=bool(more_blocks))
    train, held_out = divided(setup.target, len(bins.edges), setup.aside)
    codes, codes_val = _boosting_codes(bins, table, blocks, setup.aside)
    if more_blocks:
        more = table_of(more_targets)
        codes_val, _ = _boosting_codes(bins, more, more_blocks, None)
        y = check_y_shape(estimator, more.y, more.n_rows)
        weight = more.weight
        if weight is not None:
            weight = check_sample_weight(weight, more.n_rows)
        y = estimator._encode_more(y, weight, setup.target)
        held_out = Sample(shape_only(len(y), len(bins.edges)), y, weight)
    params = setup.params()
    params.time_limit = clock.left()
    session = open_session(codes, train, setup.target, params, codes_val, held_out)
    settings = paced(
        estimator,
        session,
        setup.settings,
        (setup.n_rows, train.n_rows()),
        classes=setup.target.are_classes,
    )
    opened = Opened(
        session,
        train,
        held_out,
        setup.target,
        setup.stops_early,
        setup.seed,
        settings,
    )
    estimator._set(**estimator._run(opened, None, {}, clock))
    return estimator


def _boosting_codes(
    bins: BoostingBins, table: Table, blocks: list[Coded], aside: Any
) -> tuple[BoostingCodes, BoostingCodes | None]:
    values = []
    for edges, n in zip(*bins, strict=True):
        behind = np.append(edges, np.nextafter(edges[-1], np.inf) if len(edges) else 0)
        values.append(np.arange(n) if n else behind)
    n_aside = 0 if aside is None else int(aside.sum())
    train = BoostingCodes(*bins, table.n_rows - n_aside)
    held_out = BoostingCodes(*bins, n_aside) if n_aside else None
    passed = 0  # rows set aside so far
    for X, start in _values_behind(blocks, table.starts, values):
        if held_out is None:
            train.append(X, start)
            continue
        here = aside[start : start + len(X)]
        if not here.all():
            train.append(X[~here], start - passed)
        if here.any():
            held_out.append(X[here], passed)
        passed += int(here.sum())
    return train, held_out


def code_bytes(engine: Engine, codes: list[Any]) -> int:
    """Return how many bytes the codes of all blocks take."""
    return sum(engine.call(nbytes, codes, [None] * len(codes)))
