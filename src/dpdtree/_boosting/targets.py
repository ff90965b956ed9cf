"""Labels and targets of a boosted fit: encoded as the core takes them, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

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
        return known_classes(y, target.fitted["classes_"], name)
    y = encode_targets(y)
    for of_output in _columns(y):
        check_range(range_of(of_output, weight, estimator.loss), estimator.loss, name)
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
    return class_target(estimator, classes, codes.astype(np.float64), weight)


def class_target(
    estimator: Any, classes: NDArray[Any], codes: Array, weight: Array | None
) -> Target:
    """Return labels that are encoded, and what a fit notes of them."""
    n_classes = len(classes)
    n_outputs = 1 if callable(estimator.loss) and n_classes <= 2 else n_classes
    fitted = {"classes_": classes, "n_classes_": n_classes}
    return Target(codes, n_outputs, weight, fitted)


def _numbers(estimator: Any, y: NDArray[Any], weight: Array | None) -> Target:
    check_quantile(estimator)
    y = encode_targets(y)
    for of_output in _columns(y):
        check_range(range_of(of_output, weight, estimator.loss), estimator.loss, "y")
    return number_target(estimator, y, weight)


def number_target(estimator: Any, y: Array, weight: Array | None) -> Target:
    """Return numbers that are encoded."""
    return Target(y, 1 if callable(estimator.loss) else 0, weight, {})


def check_quantile(estimator: Any) -> None:
    """Raise unless a loss of quantiles knows which."""
    if estimator.loss == "quantile" and estimator.quantile is None:
        raise ValueError("loss='quantile' needs the 'quantile' parameter.")


def known_classes(y: NDArray[Any], classes: NDArray[Any], name: str) -> Array:
    """Return the codes of labels; raise for those that are none of the classes."""
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


class TargetRange(NamedTuple):
    """What decides whether a loss can take some targets; they merge over blocks."""

    least: float
    size: float  # the largest, without its sign
    total: float  # of what the loss sums up
    counted: bool  # whether any that counts is not 0
    weighted: bool

    def __or__(self, other: TargetRange) -> TargetRange:
        return TargetRange(
            min(self.least, other.least),
            max(self.size, other.size),
            self.total + other.total,
            self.counted or other.counted,
            self.weighted or other.weighted,
        )


def range_of(y: Array, weight: Array | None, loss: object) -> TargetRange:
    """Return the range of some targets."""
    size = np.abs(y)
    with np.errstate(over="ignore", invalid="ignore"):
        terms = size ** (LOSSES[loss].degree if isinstance(loss, str) else 1)
        total = terms.sum() if weight is None else terms @ weight
        counted = np.any(y if weight is None else y * weight)
    return TargetRange(
        float(y.min()),
        float(size.max()),
        float(total),
        bool(counted),
        weight is not None,
    )


def check_range(found: TargetRange, loss: object, name: str) -> None:
    """Raise for targets that the loss, or the sums it makes of them, cannot take."""
    domain = domain_of(loss)
    if domain == "non_negative" and found.least < 0.0:
        raise ValueError(f"loss={loss!r} requires non-negative {name}.")
    if domain == "positive" and found.least <= 0.0:
        raise ValueError(f"loss={loss!r} requires strictly positive {name}.")
    if not isinstance(loss, str):
        return
    most = _LARGEST_SUM ** (1 / LOSSES[loss].degree)
    if found.size > most:
        raise ValueError(
            f"{name} must lie between {-most:g} and {most:g}, got a target of size"
            f" {found.size:g}."
        )
    if not found.total <= _LARGEST_SUM:
        by_weight = f" times sample_weight{'_val' * (name == 'y_val')}"
        raise ValueError(
            f"{name}{by_weight * found.weighted} is too large: the sum of losses"
            " would overflow."
        )
    if loss == "poisson" and name == "y" and not found.counted:
        raise ValueError(
            "loss='poisson' requires a positive sum of y (of each output)."
        )
