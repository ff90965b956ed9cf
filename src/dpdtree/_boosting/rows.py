"""The rows of a boosted fit, checked and encoded: training, validation, watched."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._boosting.aside import rows_aside
from dpdtree._boosting.raw import check_scores
from dpdtree._boosting.sample import Array, Sample, Target
from dpdtree._boosting.targets import encode_more, encode_target
from dpdtree._boosting.watch import read_sets
from dpdtree._input.validation import check_sample_weight, check_X, check_y_shape
from dpdtree._params.estimators import record_of


class Arguments(NamedTuple):
    """What `fit` was given beside the parameters."""

    X: Any
    y: Any
    sample_weight: Any
    init_score: Any
    validation: tuple[Any, Any, Any]
    eval_set: Any
    eval_names: Any
    eval_metric: Any
    eval_sample_weight: Any
    eval_init_score: Any
    callbacks: Iterable[Callable[..., object]] | None


def check_training(
    estimator: Any, given: Arguments, before: dict[str, Any]
) -> tuple[Sample, Target]:
    """Return the training rows and what encoding their targets has found."""
    X = (
        _check_more(estimator, given.X)
        if before
        else check_X(estimator, given.X, reset=True)
    )
    y, weight = _check_rows(estimator, X, given.y, given.sample_weight)
    target = encode_target(estimator, y, weight)
    if before:
        _check_warm_start(estimator, target, before)
    init = given.init_score
    if init is not None:
        init = check_scores("init_score", init, len(y), target.n_scores)
    return Sample(X, target.y, target.weight, init), target


def _check_rows(
    estimator: Any, X: NDArray[Any], y: Any, weight: Any
) -> tuple[NDArray[Any], Array | None]:
    y = check_y_shape(
        estimator, y, X.shape[0], several=record_of(estimator).several_outputs
    )
    if weight is not None:
        weight = check_sample_weight(weight, X.shape[0])
    return y, weight


def _check_more(estimator: Any, X: Any) -> NDArray[Any]:
    try:
        return check_X(estimator, X, reset=False)
    except ValueError as error:
        raise ValueError(
            f"With warm_start=True, X must be like that of the last fit: {error}"
        ) from error


def _check_warm_start(estimator: Any, target: Target, before: dict[str, Any]) -> None:
    if estimator.max_iter < before["n_iter_"]:
        raise ValueError(
            f"max_iter={estimator.max_iter} must not be below the"
            f" {before['n_iter_']} iterations made before, with warm_start=True."
        )
    for name, value in target.fitted.items():
        if not np.array_equal(before[name], value):
            raise ValueError(
                f"With warm_start=True the labels must stay the same: {name} was"
                f" {before[name]!r} and would be {value!r}."
            )
    if before["n_trees_per_iteration_"] != target.n_scores:
        raise ValueError(
            "With warm_start=True y must have as many outputs as in the last fit:"
            f" {before['n_trees_per_iteration_']}, not {target.n_scores}."
        )


def check_validation(
    estimator: Any, validation: tuple[Any, Any, Any], target: Target
) -> Sample | None:
    """Return the validation rows, if there are any."""
    X, y, weight = validation
    if (X is None) != (y is None):
        missing, given = ("y_val", "X_val") if y is None else ("X_val", "y_val")
        raise ValueError(f"{given} is given, but {missing} is not.")
    if X is not None:
        return _check_sample(estimator, (X, y, weight, None), target, "y_val")
    if weight is not None:
        raise ValueError("sample_weight_val is given, but X_val is not.")
    return None


def check_sets(estimator: Any, given: Arguments, target: Target) -> dict[str, Sample]:
    """Return the sets to watch by their names."""
    if given.eval_set is None:
        for name in ("names", "metric", "sample_weight", "init_score"):
            if getattr(given, f"eval_{name}") is not None:
                raise ValueError(f"eval_{name} is given, but eval_set is not.")
        return {}
    sets = read_sets(
        given.eval_set,
        given.eval_names,
        given.eval_sample_weight,
        given.eval_init_score,
    )
    return {
        name: _check_sample(estimator, rows, target, f"y of eval_set {name!r}")
        for name, rows in sets.items()
    }


def _check_sample(
    estimator: Any, given: tuple[Any, Any, Any, Any], target: Target, name: str
) -> Sample:
    X = check_X(estimator, given[0], reset=False)
    y, weight = _check_rows(estimator, X, *given[1:3])
    if y.ndim != target.y.ndim or y.shape[1:] != target.y.shape[1:]:
        raise ValueError(f"{name} must have as many outputs as y.")
    init = given[3]
    if init is not None:
        init = check_scores("eval_init_score", init, len(y), target.n_scores)
    return Sample(X, encode_more(estimator, y, weight, target, name), weight, init)


def set_aside(
    estimator: Any, train: Sample, seed: int, target: Target
) -> tuple[Sample, Sample]:
    """Divide the rows: to train on, and to stop early by."""
    labels = train.y if target.are_classes else np.zeros(len(train.y))
    chosen = rows_aside(estimator.validation_fraction, labels, train.weight, seed)
    return train.take(~chosen), train.take(chosen)


def refuse_in_memory(given: Arguments) -> None:
    """Raise for what needs X in memory."""
    for name in ("init_score", "eval_set", "eval_metric"):
        if getattr(given, name) is not None:
            raise ValueError(
                f"{name} needs X in memory: it cannot be combined with RowBlocks."
            )
