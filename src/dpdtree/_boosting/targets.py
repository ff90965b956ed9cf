"""Labels and targets of a boosted fit: encoded as the core takes them, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._boosting.sample import Array, Target
from dpdtree._input.labels import encode_labels, encode_targets, weigh_classes
from dpdtree._losses import LOSSES, domain_of
from dpdtree._params.estimators import record_of

# Squares of larger numbers, or sums of their products with weights, may overflow.
_LARGEST_SUM = 1e300


def encode_target(estimator: Any, y: NDArray[Any], weight: Array | None) -> Target:
    """Check and encode labels or targets; the estimator stays as it is."""
    encode = _classes if record_of(estimator).classifies else _numbers
    return encode(estimator, y, weight)


def encode_more(
    estimator: Any,
    y: NDArray[Any],
    weight: Array | None,
    target: Target,
    name: str = "y_val",
) -> Array:
    """Encode labels or targets of validation rows like those of the fit."""
    if target.are_classes:
        return _known_classes(y, target.fitted["classes_"], name)
    y = encode_targets(y)
    for of_output in _columns(y):
        _check_domain(of_output, weight, estimator.loss, name)
    return y


def decode_target(estimator: Any, y: Array) -> NDArray[Any]:
    """Turn encoded targets back into what scorers compare with."""
    if not record_of(estimator).classifies:
        return y
    labels: NDArray[Any] = estimator.classes_[y.astype(np.intp)]
    return labels


def _classes(estimator: Any, y: NDArray[Any], weight: Array | None) -> Target:
    classes, codes = encode_labels(y)
    if estimator.class_weight is not None:
        weight = weigh_classes(estimator.class_weight, classes, codes, weight)
    n_classes = len(classes)
    n_outputs = 1 if callable(estimator.loss) and n_classes <= 2 else n_classes
    fitted = {"classes_": classes, "n_classes_": n_classes}
    return Target(codes.astype(np.float64), n_outputs, weight, fitted)


def _numbers(estimator: Any, y: NDArray[Any], weight: Array | None) -> Target:
    loss = estimator.loss
    if loss == "quantile" and estimator.quantile is None:
        raise ValueError("loss='quantile' needs the 'quantile' parameter.")
    y = encode_targets(y)
    for of_output in _columns(y):
        _check_domain(of_output, weight, loss, "y")
        total = of_output if weight is None else of_output * weight
        if loss == "poisson" and not np.any(total):
            raise ValueError(
                "loss='poisson' requires a positive sum of y (of each output)."
            )
    return Target(y, 1 if callable(loss) else 0, weight, {})


def _known_classes(y: NDArray[Any], classes: NDArray[Any], name: str) -> Array:
    places = np.searchsorted(classes, y)
    known = classes[np.minimum(places, len(classes) - 1)] == y
    if not known.all():
        raise ValueError(
            f"{name} contains labels that y does not: {np.unique(y[~known])}."
        )
    return places.astype(np.float64)


def _columns(y: Array) -> Iterator[Array]:
    """Yield the targets of each output."""
    yield from [y] if y.ndim == 1 else y.T


def _check_domain(y: Array, weight: Array | None, loss: object, name: str) -> None:
    """Raise for targets that the loss, or the sums it makes of them, cannot take."""
    domain = domain_of(loss)
    if domain == "non_negative" and y.min() < 0.0:
        raise ValueError(f"loss={loss!r} requires non-negative {name}.")
    if domain == "positive" and y.min() <= 0.0:
        raise ValueError(f"loss={loss!r} requires strictly positive {name}.")
    if isinstance(loss, str):
        _check_sum(np.abs(y), weight, LOSSES[loss].degree, name)


def _check_sum(size: Array, weight: Array | None, degree: int, name: str) -> None:
    most = _LARGEST_SUM ** (1 / degree)
    if size.max() > most:
        raise ValueError(
            f"{name} must lie between {-most:g} and {most:g}, got a target of size"
            f" {size.max():g}."
        )
    with np.errstate(over="ignore"):
        terms = size**degree
        total = terms.sum() if weight is None else terms @ weight
    if not total <= _LARGEST_SUM:
        by_weight = f" times sample_weight{'_val' * (name == 'y_val')}"
        raise ValueError(
            f"{name}{by_weight * (weight is not None)} is too large: the sum of losses"
            " would overflow."
        )
