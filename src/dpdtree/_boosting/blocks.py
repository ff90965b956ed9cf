"""A boosted fit on rows that come in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.passes import (
    Passes,
    boosting_bins,
    boosting_codes,
    read_targets,
    shape_only,
)
from dpdtree._blocks.schema import Schema
from dpdtree._blocks.sources import RowBlocks
from dpdtree._blocks.streams import refuse_arrays
from dpdtree._boosting.aside import rows_aside
from dpdtree._boosting.core_params import checked_params
from dpdtree._boosting.defaults import paced, resolved
from dpdtree._boosting.sample import Array, Opened, Sample, Target
from dpdtree._boosting.stopping import seed_of, stops_early
from dpdtree._boosting.targets import encode_more, encode_target
from dpdtree._clock import Clock
from dpdtree._core import BoostingCodes, BoostingParams, BoostingSession
from dpdtree._input.validation import check_sample_weight, check_y_shape
from dpdtree._progress import StatusLine
from dpdtree._threads import n_threads


def open_blocks(
    estimator: Any,
    training: tuple[Any, Any, Any],
    validation: tuple[Any, Any, Any],
    before: dict[str, Any],
    clock: Clock,
) -> Opened:
    """Read and encode the blocks; return the session of the fit."""
    blocks, y, weight = training
    refuse_arrays(y, weight)
    if before:
        raise ValueError(
            "warm_start=True needs X in memory: it cannot be combined with RowBlocks."
        )
    targets = read_targets(blocks)
    n_rows = targets.n_rows
    y, weight = _checked(estimator, targets.y, targets.weight, n_rows)
    target = encode_target(estimator, y, weight)
    seed = seed_of(estimator, before)
    whole = Sample(shape_only(n_rows, 1), target.y, target.weight)
    classes = target.are_classes
    settings = resolved(estimator, whole.n_rows(), before, classes=classes)
    stops = stops_early(estimator, n_rows, given=validation[0] is not None)
    more = _validation_blocks(validation)
    check_scoring(estimator)
    aside = None
    if stops and more is None and estimator.validation_fraction is not None:
        aside = aside_of(estimator, target, seed)

    def params() -> BoostingParams:
        return checked_params(estimator, settings, target, seed)

    with StatusLine(type(estimator).__name__, shown=bool(estimator.verbose)) as line:
        threads = n_threads(estimator.n_jobs)
        passes = Passes(blocks, Schema(estimator), targets, line, threads)
        bins = boosting_bins(
            passes, target.weight, aside, params, more_rows=more is not None
        )
        codes, codes_val = boosting_codes(passes, bins, aside, blocks.cache_dir)
        train, held_out = divided(target, estimator.n_features_in_, aside)
        if more is not None:
            known = read_targets(more)
            y, weight = _checked(estimator, known.y, known.weight, known.n_rows)
            y = encode_more(estimator, y, weight, target)
            held_out = Sample(shape_only(len(y), estimator.n_features_in_), y, weight)
            again = Passes(more, passes.schema, known, line, threads)
            codes_val, _ = boosting_codes(again, bins, None, blocks.cache_dir)
    final = params()
    final.time_limit = clock.left()
    session = open_session(codes, train, target, final, codes_val, held_out)
    both = whole.n_rows(), train.n_rows()
    settings = paced(estimator, session, settings, both, classes=classes)
    return Opened(session, train, held_out, target, stops, seed, settings)


def _checked(
    estimator: Any, y: Any, weight: Any, n_rows: int
) -> tuple[NDArray[Any], Array | None]:
    y = check_y_shape(estimator, y, n_rows)
    return y, None if weight is None else check_sample_weight(weight, n_rows)


def _validation_blocks(validation: tuple[Any, Any, Any]) -> RowBlocks | None:
    X, y, weight = validation
    if isinstance(X, RowBlocks):
        refuse_arrays(y, weight)
        return X
    if (X is None) != (y is None):
        missing, given = ("y_val", "X_val") if y is None else ("X_val", "y_val")
        raise ValueError(f"{given} is given, but {missing} is not.")
    if X is None:
        if weight is not None:
            raise ValueError("sample_weight_val is given, but X_val is not.")
        return None
    return RowBlocks.from_arrays([X], [y], None if weight is None else [weight])


def check_scoring(estimator: Any) -> None:
    """Raise if X would be needed to score a fit."""
    if estimator.scoring != "loss":
        raise ValueError(
            f"scoring={estimator.scoring!r} needs X in memory: RowBlocks are scored by"
            " scoring='loss'."
        )


def aside_of(estimator: Any, target: Target, seed: int) -> NDArray[np.bool_]:
    """Return which rows are set aside for early stopping."""
    classes = hasattr(estimator, "predict_proba")
    labels = target.y if classes else np.zeros(len(target.y))
    return rows_aside(estimator.validation_fraction, labels, target.weight, seed)


def divided(
    target: Target, n_features: int, aside: NDArray[np.bool_] | None
) -> tuple[Sample, Sample | None]:
    """Divide the targets; X is a mere shape."""
    if aside is None:
        X = shape_only(len(target.y), n_features)
        return Sample(X, target.y, target.weight), None
    parts = []
    for rows in (~aside, aside):
        y = target.y[rows]
        weight = None if target.weight is None else target.weight[rows]
        parts.append(Sample(shape_only(len(y), n_features), y, weight))
    return parts[0], parts[1]


def open_session(
    codes: BoostingCodes,
    train: Sample,
    target: Target,
    params: BoostingParams,
    codes_val: BoostingCodes | None,
    held_out: Sample | None,
) -> BoostingSession:
    """Return the session of a fit on codes, which it takes over."""
    return BoostingSession(
        codes,
        train.y,
        train.weight,
        target.n_classes,
        params,
        codes_val,
        None if held_out is None else held_out.y,
        None if held_out is None else held_out.weight,
    )
