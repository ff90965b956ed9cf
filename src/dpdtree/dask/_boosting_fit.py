"""Boosted fits on blocks that are elsewhere: no worker sees all rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpdtree._blocks.passes import BoostingBins, sampled_rows, shape_only
from dpdtree._boosting.blocks import aside_of, check_scoring, divided, open_session
from dpdtree._boosting.core_params import checked_params
from dpdtree._boosting.defaults import paced, resolved
from dpdtree._boosting.run import run_iterations
from dpdtree._boosting.sample import Opened, Sample
from dpdtree._boosting.stopping import seed_of, stops_early
from dpdtree._boosting.targets import encode_more, encode_target
from dpdtree._clock import Clock
from dpdtree._core import (
    ROWS_FOR_QUANTILES,
    BoostingCodes,
    RemoteBoostingSession,
    boosting_edges,
)
from dpdtree._fitted import set_attributes
from dpdtree._input.labels import class_factors
from dpdtree._input.parameter_checks import check_parameters
from dpdtree._input.validation import check_sample_weight, check_y_shape
from dpdtree.dask._engine import Engine
from dpdtree.dask._fit import (
    Fitted,
    ask_columns,
    ask_targets,
    encoded,
    on_one_worker,
    values_behind,
)
from dpdtree.dask._partition import (
    Aside,
    FitRecipe,
    Rounds,
    TargetRecipe,
    as_dict,
    groups_of,
    make_partition,
)
from dpdtree.dask._search import fits_one_worker, needs_one_worker
from dpdtree.dask._tasks import (
    BlockTargets,
    Coded,
    CodeTable,
    Table,
    table_of,
    targets_of,
)


def fit_boosting_blocks(
    engine: Engine,
    blocks: list[Any],
    more: list[Any] | None,
    estimator: Any,
    search: str = "distributed",
) -> Fitted:
    """Fit a boosted model. The blocks are let go once they are encoded."""
    clock = Clock(estimator.time_limit)
    check_parameters(estimator)
    check_scoring(estimator)
    table = ask_targets(engine, blocks)
    more_table = None if more is None else ask_targets(engine, more)
    setup = _Setup(estimator, table, given=more is not None)
    weight = setup.target.weight
    n_train, sampled = sampled_rows(table.n_rows, weight, setup.aside)
    columns = ask_columns(
        engine, blocks, estimator, table.sizes, sampled, setup.marked(table)
    )
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
    held = []
    for some in (blocks, more or []):
        codes = encoded(engine, some, schema, _boosting_table(bins))
        held.append((codes, [engine.put(targets_of, block) for block in some]))
        some.clear()
    (codes, targets), (more_codes, more_targets) = held
    if _one_worker(engine, estimator, (table, more_table), len(edges), search):
        sources = (bins, targets, codes, more_targets, more_codes)
        every = [*codes, *more_codes]
        return on_one_worker(engine, every, search_forest, estimator, *sources)
    validation = None
    if more_table is not None:
        validation = _Rows(more_table, more_codes, more_targets)
    held.clear()
    return _Search(engine, estimator, setup, bins, clock).run(
        _Rows(table, codes, targets), validation
    )


#: The client keeps the histograms of all open leaves, 4 KB a feature and leaf.
MOST_FEATURES = 8000


def _one_worker(
    engine: Engine,
    estimator: Any,
    tables: tuple[Table, Table | None],
    n_features: int,
    search: str,
) -> bool:
    """Whether all codes are to be brought to one worker."""
    n_rows = sum(table.n_rows for table in tables if table is not None)
    if fits_one_worker(engine, search, (n_rows, n_features)):
        return True
    reason = ""
    if callable(estimator.loss):
        reason = "a loss of one's own wants the scores of all rows"
    elif n_features > MOST_FEATURES:
        reason = (
            f"the client would keep histograms of {n_features} features, and"
            f" {MOST_FEATURES} are the most"
        )
    return needs_one_worker(search, reason)


class _Rows(NamedTuple):
    """Handles of the codes and targets of blocks."""

    table: Table
    codes: list[Any]
    targets: list[Any]

    def some(self, group: slice) -> tuple[list[Any], list[Any]]:
        return self.codes[group], self.targets[group]


class _Search:
    """Boosting here, on histograms; rows and scores there."""

    def __init__(
        self, engine: Engine, estimator: Any, setup: _Setup, bins: Any, clock: Clock
    ) -> None:
        self._engine = engine
        self._estimator = estimator
        self._setup = setup
        self._bins = bins
        self._clock = clock

    def run(self, rows: _Rows, validation: _Rows | None) -> Fitted:
        setup, estimator, target = self._setup, self._estimator, self._setup.target
        train, held_out = divided(target, len(self._bins.edges), setup.aside)
        if validation is not None:
            held_out = setup.held_out(validation.table, len(self._bins.edges))
        params = setup.params()
        params.time_limit = self._clock.left()
        rounds = Rounds(self._engine)
        session = RemoteBoostingSession(
            self._bins.edges,
            self._bins.n_categories,
            train.y,
            train.weight,
            None if held_out is None else held_out.y,
            None if held_out is None else held_out.weight,
            target.n_classes,
            params,
            rounds,
        )
        recipe = FitRecipe(
            self._bins,
            target.n_classes,
            as_dict(params),
            estimator.n_jobs,
            session.baseline,
        )
        weighted = (
            train.weight is not None,
            held_out is not None and held_out.weight is not None,
        )
        before = self._engine.rounds, self._engine.n_bytes
        try:
            rounds.session = session
            rounds.partitions = self._partitions(recipe, weighted, rows, validation)
            session.begin()
            opened = setup.opened(session, train, held_out)
            fitted = run_iterations(estimator, opened, None, {}, self._clock)
            set_attributes(estimator, **fitted)
        finally:
            rounds.close()
        asked = self._engine.rounds - before[0]
        return Fitted(estimator, 0, asked, self._engine.n_bytes - before[1])

    def _partitions(
        self,
        recipe: FitRecipe,
        weighted: tuple[bool, bool],
        rows: _Rows,
        validation: _Rows | None,
    ) -> list[Any]:
        """Put neighbouring blocks together, one partition for each worker."""
        engine, setup, table = self._engine, self._setup, rows.table
        more_sizes = [] if validation is None else validation.table.sizes
        n = engine.n_places(max(len(table.sizes), len(more_sizes)))
        groups = groups_of(table.sizes, n)
        more = groups_of(more_sizes, n)
        starts = [*table.starts, table.n_rows]
        handles = []
        for k, group in enumerate(groups):
            start, end = starts[group.start], starts[group.stop]
            first_row, aside = start, None
            if setup.aside is not None:
                first_row -= int(np.count_nonzero(setup.aside[:start]))
                bits = np.packbits(setup.aside[start:end])
                aside = Aside(bits, end - start)
            handles.append(
                engine.put(
                    make_partition,
                    recipe,
                    setup.target_recipe(),
                    weighted,
                    first_row,
                    rows.some(group),
                    None if validation is None else validation.some(more[k]),
                    aside,
                    place=k,
                )
            )
        return handles


class _Setup:
    """What follows from the targets of a boosted fit, here and where it is run."""

    def __init__(self, estimator: Any, table: Table, *, given: bool) -> None:
        y = check_y_shape(estimator, table.y, table.n_rows)
        weight = table.weight
        if weight is not None:
            weight = check_sample_weight(weight, table.n_rows)
        self._estimator = estimator
        self.target = encode_target(estimator, y, weight)
        self.seed = seed_of(estimator, {})
        whole = Sample(shape_only(table.n_rows, 1), self.target.y, self.target.weight)
        self.n_rows = whole.n_rows()
        self.settings = resolved(
            estimator, self.n_rows, {}, classes=self.target.are_classes
        )
        self.stops_early = stops_early(estimator, table.n_rows, given=given)
        wanted = estimator.validation_fraction is not None
        self.aside = None
        if self.stops_early and not given and wanted:
            self.aside = aside_of(estimator, self.target, self.seed)

    def marked(self, table: Table) -> list[Any]:
        """Return which rows of each block are for training, as packed bits."""
        if self.aside is None:
            return [None] * len(table.sizes)
        return [
            np.packbits(~self.aside[start : start + size])
            for start, size in zip(table.starts, table.sizes, strict=True)
        ]

    def held_out(self, more: Table, n_features: int) -> Sample:
        """Return validation rows that were given; X is a mere shape."""
        y = check_y_shape(self._estimator, more.y, more.n_rows)
        weight = more.weight
        if weight is not None:
            weight = check_sample_weight(weight, more.n_rows)
        y = encode_more(self._estimator, y, weight, self.target)
        return Sample(shape_only(len(y), n_features), y, weight)

    def target_recipe(self) -> TargetRecipe:
        """Return how the targets of any rows are encoded."""
        classes = self.target.fitted.get("classes_")
        wanted = getattr(self._estimator, "class_weight", None)
        factors = None
        if classes is not None and wanted is not None:
            codes = self.target.y.astype(np.intp)
            factors = class_factors(wanted, classes, codes)
        return TargetRecipe(classes, factors)

    def opened(self, session: Any, train: Sample, held_out: Sample | None) -> Opened:
        """Return the session with its settings, by the noise of the targets."""
        settings = paced(
            self._estimator,
            session,
            self.settings,
            (self.n_rows, train.n_rows()),
            classes=self.target.are_classes,
        )
        return Opened(
            session,
            train,
            held_out,
            self.target,
            self.stops_early,
            self.seed,
            settings,
        )

    def params(self) -> Any:
        """Return the parameters of the core, checked."""
        return checked_params(self._estimator, self.settings, self.target, self.seed)


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
        held_out = setup.held_out(more, len(bins.edges))
    params = setup.params()
    params.time_limit = clock.left()
    session = open_session(codes, train, setup.target, params, codes_val, held_out)
    opened = setup.opened(session, train, held_out)
    set_attributes(estimator, **run_iterations(estimator, opened, None, {}, clock))
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
    for X, start in values_behind(blocks, table.starts, values):
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
