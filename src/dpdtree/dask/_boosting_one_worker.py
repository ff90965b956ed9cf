"""A boosted fit where one worker has the codes and targets of all blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpdtree._blocks.passes import BoostingBins, shape_only
from dpdtree._boosting.blocks import aside_of, divided, open_session
from dpdtree._boosting.core_params import checked_params
from dpdtree._boosting.defaults import paced, resolved
from dpdtree._boosting.run import run_iterations
from dpdtree._boosting.sample import Opened, Sample
from dpdtree._boosting.stopping import stops_early
from dpdtree._boosting.targets import encode_more, encode_target
from dpdtree._clock import Clock
from dpdtree._core import BoostingCodes
from dpdtree._fitted import set_attributes
from dpdtree._input.validation import check_sample_weight, check_y_shape
from dpdtree.dask._fit import values_behind
from dpdtree.dask._tasks import BlockTargets, Coded, Table, table_of


def search_forest(
    estimator: Any,
    seed: int,
    bins: BoostingBins,
    targets: list[BlockTargets],
    blocks: list[Coded],
    more_targets: list[BlockTargets],
    more_blocks: list[Coded],
) -> Any:
    """Return the estimator, fitted on the codes of all blocks.

    The seed is the client's: drawn once more from a generator it would be another.
    """
    clock = Clock(estimator.time_limit)
    table = table_of(targets)
    setup = _Setup(estimator, seed, table, given=bool(more_blocks))
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


class _Setup:
    """What follows from the targets of a boosted fit, where all of them are."""

    def __init__(self, estimator: Any, seed: int, table: Table, *, given: bool) -> None:
        y = check_y_shape(estimator, table.y, table.n_rows)
        weight = table.weight
        if weight is not None:
            weight = check_sample_weight(weight, table.n_rows)
        self._estimator = estimator
        self.target = encode_target(estimator, y, weight)
        self.seed = seed
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

    def held_out(self, more: Table, n_features: int) -> Sample:
        """Return validation rows that were given; X is a mere shape."""
        y = check_y_shape(self._estimator, more.y, more.n_rows)
        weight = more.weight
        if weight is not None:
            weight = check_sample_weight(weight, more.n_rows)
        y = encode_more(self._estimator, y, weight, self.target)
        return Sample(shape_only(len(y), n_features), y, weight)

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
