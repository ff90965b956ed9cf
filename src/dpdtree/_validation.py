"""Checks of user input. Every user error is raised here or in `_encoding`."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from dpdtree._params import Parameter

_CORE_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class InvalidParameterError(ValueError, TypeError):
    """A constructor parameter has a value that is not allowed."""


def check_parameters(estimator: object, table: Iterable[Parameter]) -> None:
    """Raise an error that names the first parameter with a value out of its range."""
    for parameter in table:
        value = getattr(estimator, parameter.name)
        if not parameter.accepts(value):
            raise InvalidParameterError(
                f"The {parameter.name!r} parameter of {type(estimator).__name__} must"
                f" be {parameter.allowed}. Got {value!r} instead."
            )


def check_X(estimator: object, X: Any, *, reset: bool) -> NDArray[Any]:
    """Return X as a 2-D array the core reads as it is; copies only if it has to.

    The values are not looked at: the core meets each of them anyway and reports
    infinities itself.
    """
    ready = type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and _is_native(X)
    X = validate_data(
        estimator,
        X,
        reset=reset,
        skip_check_array=ready,
        **({} if ready else {"dtype": "numeric", "ensure_all_finite": False}),
    )
    return X if ready or _is_native(X) else _to_native(X)


def _is_native(X: NDArray[Any]) -> bool:
    dtype = X.dtype
    return dtype.isnative and (dtype in _CORE_FLOATS or dtype.kind in "iub")


def _to_native(X: NDArray[Any]) -> NDArray[Any]:
    if X.dtype.kind in "iub":
        return X.astype(X.dtype.newbyteorder("="))
    if X.dtype.kind != "f":
        raise TypeError(f"X must be numeric, got an array of dtype {X.dtype}.")
    wide = X.dtype.itemsize > np.dtype(np.float32).itemsize
    return X.astype(np.float64 if wide else np.float32)


def check_y_shape(estimator: object, y: Any, n_samples: int) -> NDArray[Any]:
    """Return y as a 1-D array of n_samples labels or targets, values unchecked."""
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is"
            " None."
        )
    if type(y) is not np.ndarray or y.ndim != 1:
        y = _as_column(y)
    if y.shape[0] != n_samples:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: X has"
            f" {n_samples} rows, y has {y.shape[0]}."
        )
    return np.asarray(y)


def _as_column(y: Any) -> NDArray[Any]:
    y = check_array(
        y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y"
    )
    if y.ndim == 2 and y.shape[1] > 1:
        raise ValueError(
            "y must be one-dimensional: multi-output targets are not supported, got"
            f" an array of shape {y.shape}."
        )
    return np.asarray(column_or_1d(y, warn=True))


def check_sample_weight(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Return sample_weight as float64: finite, non-negative and not all zero."""
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, sample_weight, dtype=np.float64)
    weight = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        order="C",
        input_name="sample_weight",
    )
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have shape ({n_samples},), got {weight.shape}."
        )
    if weight.min() < 0.0:
        raise ValueError("sample_weight must not contain negative weights.")
    check_total_weight(weight, "sample_weight")
    return np.asarray(weight)


def check_total_weight(weight: NDArray[np.float64], name: str) -> None:
    """Raise unless the weights have a positive and finite sum to divide by."""
    with np.errstate(over="ignore"):
        total = weight.sum()
    if total <= 0.0:
        raise ValueError(f"{name} must contain at least one non-zero weight.")
    if not np.isfinite(total):
        raise ValueError(f"{name} must have a finite sum.")
