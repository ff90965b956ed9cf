"""From what `fit` of a boosting estimator gets to its fitted attributes.

What a fit returns are attributes; until then the estimator gets those only that
describe X and y.
"""

from __future__ import annotations

from typing import Any

from dpdtree._blocks.sources import RowBlocks
from dpdtree._boosting.blocks import open_blocks
from dpdtree._boosting.core_params import checked_params
from dpdtree._boosting.defaults import paced, resolved
from dpdtree._boosting.rows import (
    Arguments,
    check_sets,
    check_training,
    check_validation,
    refuse_in_memory,
    set_aside,
)
from dpdtree._boosting.run import heartbeat, run_iterations
from dpdtree._boosting.sample import Opened
from dpdtree._boosting.sessions import open_session
from dpdtree._boosting.stopping import seed_of, stops_early
from dpdtree._clock import Clock
from dpdtree._input.parameter_checks import check_parameters


def fit_boosting(
    estimator: Any, given: Arguments, before: dict[str, Any]
) -> dict[str, Any]:
    """Return the fitted attributes."""
    clock = Clock(estimator.time_limit)
    check_parameters(estimator)
    training = (given.X, given.y, given.sample_weight)
    if isinstance(given.X, RowBlocks):
        refuse_in_memory(given)
        opened = open_blocks(estimator, training, given.validation, before, clock)
        return run_iterations(estimator, opened, given.callbacks, before, clock)
    with heartbeat(estimator, clock) as line:
        opened = _open(estimator, given, before, clock)
        return run_iterations(
            estimator,
            opened,
            given.callbacks,
            before,
            clock,
            metric=given.eval_metric,
            line=line,
        )


def _open(
    estimator: Any, given: Arguments, before: dict[str, Any], clock: Clock
) -> Opened:
    """Check and encode the data; return the session of the fit."""
    train, target = check_training(estimator, given, before)
    n_rows, classes = train.n_rows(), target.are_classes
    settings = resolved(estimator, n_rows, before, classes=classes)
    seed = seed_of(estimator, before)
    sets = check_sets(estimator, given, target)
    held_out = check_validation(estimator, given.validation, target)
    stops = stops_early(estimator, len(train.y), given=held_out is not None)
    if held_out is None and sets:
        held_out = list(sets.values())[-1]
    if held_out is None and stops and estimator.validation_fraction is not None:
        train, held_out = set_aside(estimator, train, seed, target)
    params = checked_params(estimator, settings, target, seed)
    params.time_limit = clock.left()
    session = open_session(
        train, held_out, target.n_classes, params, before.get("booster_")
    )
    if not before:
        both = n_rows, train.n_rows()
        settings = paced(estimator, session, settings, both, classes=classes)
    return Opened(session, train, held_out, target, stops, seed, settings, sets)
