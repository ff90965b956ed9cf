"""Boosted fits on blocks that are elsewhere: no worker sees all rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from dpdtree._blocks.passes import BoostingBins, shape_only
from dpdtree._boosting.blocks import check_scoring
from dpdtree._boosting.core_params import checked_params
from dpdtree._boosting.defaults import paced, resolved
from dpdtree._boosting.run import run_iterations
from dpdtree._boosting.sample import Opened, Sample
from dpdtree._boosting.stopping import seed_of, stops_early
from dpdtree._boosting.targets import class_target, number_target
from dpdtree._clock import Clock
from dpdtree._core import ROWS_FOR_QUANTILES, RemoteBoostingSession, boosting_edges
from dpdtree._fitted import set_attributes
from dpdtree._input.parameter_checks import check_parameters
from dpdtree.dask._boosting_one_worker import search_forest
from dpdtree.dask._boosting_targets import (
    AsideFacts,
    TargetFacts,
    TrainingColumns,
    WeightSum,
    ask_aside,
    ask_training,
    ask_training_columns,
    ask_validation,
)
from dpdtree.dask._engine import Engine
from dpdtree.dask._fit import Fitted, encoded, on_one_worker
from dpdtree.dask._partition import (
    FitRecipe,
    Rounds,
    as_dict,
    groups_of,
    make_partition,
)
from dpdtree.dask._search import fits_one_worker, needs_one_worker
from dpdtree.dask._tasks import CodeTable, targets_of


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
    setup = _RemoteSetup(engine, estimator, blocks, more)
    learned = setup.ask_columns(engine, blocks)
    edges = boosting_edges(
        learned.columns.sample,
        learned.sample_weight,
        setup.params(),
        setup.is_validated or setup.n_train > ROWS_FOR_QUANTILES,
    )
    schema = learned.columns.schema
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
    if _one_worker(engine, estimator, setup.n_rows, len(edges), search):
        sources = (setup.seed, bins, targets, codes, more_targets, more_codes)
        every = [*codes, *more_codes]
        return on_one_worker(engine, every, search_forest, estimator, *sources)
    validation = None if more is None else _Rows(more_codes, more_targets)
    held.clear()
    return _Search(engine, estimator, setup, bins, clock).run(
        _Rows(codes, targets), validation
    )


#: The client keeps the histograms of all open leaves, 4 KB a feature and leaf.
MOST_FEATURES = 8000


def _one_worker(
    engine: Engine,
    estimator: Any,
    n_rows: int,
    n_features: int,
    search: str,
) -> bool:
    """Whether all codes are to be brought to one worker."""
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

    codes: list[Any]
    targets: list[Any]

    def some(self, group: slice) -> tuple[list[Any], list[Any]]:
        return self.codes[group], self.targets[group]


class _Search:
    """Boosting here, on histograms; rows and scores there."""

    def __init__(
        self,
        engine: Engine,
        estimator: Any,
        setup: _RemoteSetup,
        bins: Any,
        clock: Clock,
    ) -> None:
        self._engine = engine
        self._estimator = estimator
        self._setup = setup
        self._bins = bins
        self._clock = clock

    def run(self, rows: _Rows, validation: _Rows | None) -> Fitted:
        setup, estimator, target = self._setup, self._estimator, self._setup.target
        params = setup.params()
        params.time_limit = self._clock.left()
        rounds = Rounds(self._engine)
        session = RemoteBoostingSession(
            self._bins.edges,
            self._bins.n_categories,
            target.n_classes,
            params,
            rounds,
        )
        recipe = FitRecipe(
            self._bins, target.n_classes, as_dict(params), estimator.n_jobs
        )
        before = self._engine.rounds, self._engine.n_bytes
        try:
            rounds.session = session
            rounds.partitions = self._partitions(recipe, rows, validation)
            session.begin()
            opened = setup.opened(session)
            fitted = run_iterations(estimator, opened, None, {}, self._clock)
            set_attributes(estimator, **fitted)
        finally:
            rounds.close()
        asked = self._engine.rounds - before[0]
        return Fitted(estimator, 0, asked, self._engine.n_bytes - before[1])

    def _partitions(
        self, recipe: FitRecipe, rows: _Rows, validation: _Rows | None
    ) -> list[Any]:
        """Put neighbouring blocks together, one partition for each worker."""
        engine, setup, facts = self._engine, self._setup, self._setup.facts
        more_sizes = [] if setup.more is None else setup.more.sizes
        n = engine.n_places(max(len(facts.sizes), len(more_sizes)))
        groups = groups_of(facts.sizes, n)
        more = groups_of(more_sizes, n)
        starts = [*facts.starts, facts.n_rows]
        aside_before = np.cumsum([0, *setup.aside.n_aside]).tolist()
        handles = []
        for k, group in enumerate(groups):
            start = starts[group.start]
            handles.append(
                engine.put(
                    make_partition,
                    recipe,
                    facts.recipe,
                    setup.weighted,
                    (start, start - aside_before[group.start]),
                    rows.some(group),
                    None if validation is None else validation.some(more[k]),
                    setup.aside.rule,
                    place=k,
                )
            )
        return handles


class _RemoteSetup:
    """What follows from targets that are elsewhere; some rounds."""

    def __init__(
        self, engine: Engine, estimator: Any, blocks: list[Any], more: list[Any] | None
    ) -> None:
        self._estimator = estimator
        self.facts = ask_training(engine, blocks, estimator)
        self.more: TargetFacts | None = None
        if more is not None:
            self.more = ask_validation(engine, more, estimator, self.facts)
        classes, nothing = self.facts.recipe.classes, np.empty(0)
        if classes is None:
            self.target = number_target(estimator, nothing, None)
        else:
            self.target = class_target(estimator, classes, nothing, None)
        self.seed = seed_of(estimator, {})
        self._settings = resolved(
            estimator, self.facts.n_counted(), {}, classes=self.target.are_classes
        )
        given = more is not None
        self._stops_early = stops_early(estimator, self.facts.n_rows, given=given)
        self.aside = AsideFacts(None, [0] * len(blocks))
        self._weights: WeightSum | None = None  # of the rows for training
        wanted = estimator.validation_fraction is not None
        if self._stops_early and not given and wanted:
            self.aside = ask_aside(engine, blocks, estimator, self.facts, self.seed)

    def ask_columns(self, engine: Engine, blocks: list[Any]) -> TrainingColumns:
        """Learn what the rows for training know of their columns."""
        found = ask_training_columns(
            engine, blocks, self._estimator, self.facts, self.aside
        )
        self._weights = found.weights
        return found

    @property
    def is_validated(self) -> bool:
        """Whether there are rows that are not for training."""
        return self.more is not None or self.aside.rule is not None

    @property
    def n_rows(self) -> int:
        """All rows, also those for validation."""
        return self.facts.n_rows + (0 if self.more is None else self.more.n_rows)

    @property
    def n_train(self) -> int:
        """The number of rows for training."""
        return self.facts.n_rows - sum(self.aside.n_aside)

    @property
    def weighted(self) -> tuple[bool, bool]:
        """Whether there are weights of the rows for training, and for validation."""
        of_training = self.facts.weights is not None
        if self.more is not None:
            return of_training, self.more.weights is not None
        return of_training, of_training and self.is_validated

    def opened(self, session: Any) -> Opened:
        """Return the session with its settings, by the noise of the targets."""
        weights = self._weights
        counted = self.n_train if weights is None else weights.n_rows()
        settings = paced(
            self._estimator,
            session,
            self._settings,
            (self.facts.n_counted(), counted),
            classes=self.target.are_classes,
        )
        nothing = Sample(shape_only(0, 1), np.empty(0), None)
        return Opened(
            session,
            nothing,
            nothing if self.is_validated else None,
            self.target,
            self._stops_early,
            self.seed,
            settings,
        )

    def params(self) -> Any:
        """Return the parameters of the core, checked."""
        return checked_params(self._estimator, self._settings, self.target, self.seed)


def _boosting_table(bins: BoostingBins) -> CodeTable:
    table = CodeTable([], [], extremes=False)
    for edges, n in zip(*bins, strict=True):
        table.limits.append(None if n else edges)
        table.n_codes.append(n or len(edges) + 1)
    return table
