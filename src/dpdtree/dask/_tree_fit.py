"""Single trees on blocks that are elsewhere: searched there, or by one worker."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from dpdtree._blocks.passes import shape_only
from dpdtree._clock import Clock
from dpdtree._core import RemoteTreeFit, fit_tree, quantile_bins, rows_for_quantiles
from dpdtree._input.parameter_checks import check_parameters, check_strategy
from dpdtree._threads import n_threads
from dpdtree._tree_attributes import keep_result
from dpdtree._tree_params import core_params
from dpdtree.dask._engine import Engine
from dpdtree.dask._fit import Columns, Fitted, ask_columns, encoded, on_one_worker
from dpdtree.dask._partition import groups_of
from dpdtree.dask._search import fits_one_worker, needs_one_worker
from dpdtree.dask._tasks import Coded, CodeTable, Floats, targets_of, whatever
from dpdtree.dask._tree_rows import (
    QUESTION,
    PartRecipe,
    PreparedTargets,
    Problem,
    TreeBins,
    cards_of,
    column_facts,
    deal,
    divide_targets,
    encoded_columns,
    make_part,
    marked_rows,
    merge_facts,
    params_of,
    part_of,
    prepare_targets,
    runs_of,
    sampled_weights,
    sizes_of,
    small_part,
    with_folds,
)


def fit_tree_blocks(
    engine: Engine, blocks: list[Any], estimator: Any, search: str = "distributed"
) -> Fitted:
    """Fit a tree. The blocks are let go once they are encoded."""
    clock = Clock(estimator.time_limit)
    check_parameters(estimator)
    check_strategy(estimator)
    if estimator.max_bins is None:
        raise ValueError(
            "Fits on Dask collections need max_bins, such as max_bins=255: thresholds"
            " between any two values need all rows in one place."
        )
    targets = [engine.put(targets_of, block) for block in blocks]
    problem = engine.put(prepare_targets, estimator, targets)
    sizes = engine.call(sizes_of, [problem], [None])[0]
    bins, schema = _ask_bins(engine, blocks, problem, estimator, sizes)
    table = _tree_table(bins)
    codes = encoded(engine, blocks, schema, table)
    blocks.clear()
    shape = (sum(sizes), len(bins.cuts))
    sources = (estimator, bins, table.n_codes, problem, codes)
    if fits_one_worker(engine, search, shape):
        return on_one_worker(engine, codes, search_tree, *sources)
    groups = groups_of(sizes, engine.n_places(len(sizes)))
    starts = [0, *np.cumsum(sizes).tolist()]
    ends = [starts[group.start] for group in groups] + [starts[-1]]
    prepared = engine.put(divide_targets, problem, estimator, table.n_codes, ends)
    wanted = [(small_part, None), *[(column_facts, table.n_codes)] * len(codes)]
    small: PreparedTargets
    small, *facts = engine.call(whatever, [prepared, *codes], wanted)
    if needs_one_worker(search, small.needs_all_rows):
        return on_one_worker(engine, codes, search_tree, *sources)
    recipe = PartRecipe(bins, merge_facts(facts), estimator.n_jobs)
    parts = []
    for k, group in enumerate(groups):
        own = engine.put(part_of, prepared, k)
        parts.append(engine.put(make_part, recipe, codes[group], own, k, place=k))
    del codes, prepared, problem, sources, targets
    before = engine.rounds, engine.n_bytes
    result = _Search(engine, parts, recipe, small).run(clock)
    keep_result(estimator, result, small.fitted)
    return Fitted(estimator, 0, engine.rounds - before[0], engine.n_bytes - before[1])


class _Search:
    """The search here, on what partitions say of nodes; the rows there."""

    def __init__(
        self,
        engine: Engine,
        parts: list[Any],
        recipe: PartRecipe,
        small: PreparedTargets,
    ) -> None:
        self._engine, self._parts = engine, parts
        self._recipe, self._small = recipe, small

    def run(self, clock: Clock) -> Any:
        params = params_of(self._small.params)
        params.time_limit = clock.left()
        recipe = self._recipe
        none = np.empty((0, len(recipe.facts.missing)), dtype=np.uint8)
        columns = encoded_columns(recipe.bins, recipe.facts, none, 1)
        fit = RemoteTreeFit(columns, recipe.facts.missing, self._small.units, params)
        try:
            if fit.wants_runs:
                none_asked = [None] * len(self._parts)
                fit.take_runs(self._engine.call(runs_of, self._parts, none_asked))
            if fit.wants_folds:
                self._deal(fit.ranks(self._ask))
            return fit.fit(self._ask)
        finally:
            self._parts = []

    def _ask(self, request: bytes) -> bytes:
        return self._engine.ask(QUESTION, self._parts, request)

    def _deal(self, ranks: list[list[int]]) -> None:
        engine = self._engine
        cards = [engine.put(cards_of, part, ranks) for part in self._parts]
        dealt = engine.put(deal, cards)
        self._parts = [
            engine.put(with_folds, part, dealt, k, place=k)
            for k, part in enumerate(self._parts)
        ]


def _ask_bins(
    engine: Engine, blocks: list[Any], problem: Any, estimator: Any, sizes: list[int]
) -> tuple[TreeBins, Any]:
    """Learn the columns, and cut them into bins."""
    n_rows, max_bins = sum(sizes), int(estimator.max_bins)
    sampled = np.asarray(rows_for_quantiles(n_rows, None), dtype=np.intp)
    weights = engine.put(sampled_weights, problem, estimator, sampled)
    ends = itertools.pairwise([0, *np.cumsum(sizes).tolist()])
    marked = [engine.put(marked_rows, problem, a, b) for a, b in ends]
    columns = ask_columns(engine, blocks, estimator, sizes, sampled, marked, max_bins)
    (weight,) = engine.gather([weights])
    return _tree_bins(columns, weight, max_bins), columns.schema


def _tree_bins(columns: Columns, weight: Floats | None, max_bins: int) -> TreeBins:
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
    estimator: Any,
    bins: TreeBins,
    n_codes: list[int],
    problem: Problem,
    blocks: list[Coded],
) -> Any:
    """Return the estimator, fitted on the codes of all blocks."""
    facts = merge_facts([column_facts(block, n_codes) for block in blocks])
    codes = np.concatenate([block.codes for block in blocks])
    columns = encoded_columns(bins, facts, codes, n_threads(estimator.n_jobs))
    X = shape_only(*codes.shape)
    del codes
    params = core_params(estimator, X.shape, problem.weight)
    data = (X, problem.y, problem.weight, problem.n_classes)
    result = fit_tree(*data, params, encoded=columns)
    keep_result(estimator, result, problem.fitted)
    return estimator
