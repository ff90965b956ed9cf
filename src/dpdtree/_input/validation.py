"""Checks of X, y and weights. Errors about values stand here or in `columns`."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from dpdtree._input.columns import (
    Categories,
    check_names,
    choose_categorical,
    encode_frame,
    learn_categories,
)
from dpdtree._input.few_rows import few_rows
from dpdtree._input.frames import Frame, array_frame, frame_of, without_none
from dpdtree._numbers import as_float
from dpdtree._params.estimators import record_of

_CORE_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
#: Rows have numbers of 31 bits.
MOST_ROWS = 2**31 - 1
#: Of the largest weight, what others weigh at least: products of them do not vanish.
_LEAST_SHARE = 1e-290


def check_X(estimator: Any, X: Any, *, reset: bool) -> NDArray[Any]:
    """Return X as a 2-D array the core reads as it is; copies only if it has to.

    Categories become their places in `categories_`, which is learnt with `reset`.
    Numbers are not looked at: the core meets each of them anyway and reports
    infinities itself.
    """
    if type(X) is np.ndarray and X.ndim == 2 and X.size > 0 and is_native(X):
        _note_shape(estimator, X, reset=reset)
        if _numbers_only(estimator, X, reset=reset):
            return X
        return _encode_columns(estimator, array_frame(X), reset=reset)
    if not reset and (rows := few_rows(estimator, X)) is not None:
        return rows
    if isinstance(X, np.ma.MaskedArray):
        X = _missing_where_masked(X)
    if type(X).__name__ == "RowBlocks":
        raise TypeError(
            f"{type(estimator).__name__} does not take RowBlocks here: trees with"
            " max_bins and boosting take them in fit, predict and predict_proba."
        )
    frame = frame_of(X)
    if frame is None and issparse(X):
        X = _densify(estimator, X, reset=reset)
    if frame is not None:
        check_names(frame)
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        _check_shape(estimator, X.shape)
        return _encode_columns(estimator, frame, reset=reset)
    return _check_array(estimator, X, reset=reset)


def _note_shape(estimator: Any, X: NDArray[Any], *, reset: bool) -> None:
    """What scikit-learn's own check comes to for a plain array.

    That one asks every library of frames whether it knows X; the first time, this
    takes longer than many a fit. It is left to report what does not match.
    """
    known = vars(estimator)
    if reset:
        check_row_count(X.shape[0])
        known.pop("feature_names_in_", None)
        estimator.n_features_in_ = X.shape[1]
    elif "feature_names_in_" in known or known.get("n_features_in_") != X.shape[1]:
        validate_data(estimator, X, reset=False, skip_check_array=True)


def _check_array(estimator: Any, X: Any, *, reset: bool) -> NDArray[Any]:
    """Arrays of other types and nested lists."""
    categories = _has_categories(estimator, reset=reset)
    if not categories:
        X = _objects_without_none(X)
    X = validate_data(
        estimator,
        X,
        reset=reset,
        dtype=None if categories else "numeric",
        ensure_all_finite=False,
    )
    if not _numbers_only(estimator, X, reset=reset):
        return _encode_columns(estimator, array_frame(X), reset=reset)
    return X if is_native(X) else _to_native(X)


def _objects_without_none(X: Any) -> Any:
    if isinstance(X, list | tuple):
        rows = [list(row) if isinstance(row, list | tuple) else row for row in X]
        if any(isinstance(row, list) and None in row for row in rows):
            X = np.array(rows, dtype=object)
    if isinstance(X, np.ndarray) and X.dtype.kind == "O":
        return without_none(X)
    return X


def _missing_where_masked(X: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    if not np.ma.is_masked(X):
        return np.ma.getdata(X)
    kind = X.dtype.kind
    wider = X.dtype if kind == "f" else np.float64 if kind in "iub" else object
    return np.asarray(np.ma.filled(X.astype(wider), np.nan))


def _has_categories(estimator: Any, *, reset: bool) -> bool:
    """Whether an array has categorical columns: its dtype says nothing about them."""
    if not reset:
        return bool(np.any(getattr(estimator, "is_categorical_", False)))
    wanted = getattr(estimator, "categorical_features", None)
    return wanted is not None and not isinstance(wanted, str) and len(wanted) > 0


def _numbers_only(estimator: Any, X: NDArray[Any], *, reset: bool) -> bool:
    """Whether an array has no categorical column; notes that with `reset`."""
    if _has_categories(estimator, reset=reset):
        return False
    if reset:
        n_features = X.shape[1]
        keep_categories(estimator, np.zeros(n_features, bool), [None] * n_features)
    return True


def keep_categories(
    estimator: Any, mask: NDArray[np.bool_], categories: Categories
) -> None:
    """Set what is known of the columns, if the estimator has categories."""
    if hasattr(estimator, "categorical_features"):
        estimator.is_categorical_ = mask
        estimator.categories_ = categories


def _encode_columns(estimator: Any, frame: Frame, *, reset: bool) -> NDArray[Any]:
    wanted = getattr(estimator, "categorical_features", None)
    if reset:
        mask = choose_categorical(wanted, frame)
        most = record_of(estimator).most_categories
        keep_categories(estimator, mask, learn_categories(frame, mask, most))
    categories = getattr(estimator, "categories_", [None] * len(frame.columns))
    advice = advice_on_strings(estimator) if reset else ", which were numbers in fit"
    return encode_frame(frame, categories, advice)


def advice_on_strings(estimator: Any) -> str:
    """What to do about strings that are no categories."""
    if not hasattr(estimator, "categorical_features"):
        name = type(estimator).__name__
        return f", which {name} does not take: encode them as numbers"
    if estimator.categorical_features == "from_dtype":
        return (
            ", most of them in too few rows to be categories: leave the columns out,"
            " list them in categorical_features, or encode them as numbers"
        )
    return (
        ": list them in categorical_features, give them a categorical dtype, or encode"
        " them as numbers"
    )


def _densify(estimator: Any, X: Any, *, reset: bool) -> NDArray[Any]:
    """Sparse matrices are searched as dense ones, column after column."""
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported: X must be real.")
    if X.dtype.kind not in "fiub":
        X = X.astype(np.float64)
    return np.asarray(X.toarray(order="F") if X.ndim == 2 else X.toarray())


def check_row_count(n_rows: int) -> None:
    """Raise for more rows than the core can number."""
    if n_rows > MOST_ROWS:
        raise ValueError(
            f"X has {n_rows} rows, but at most {MOST_ROWS} are supported: fit a sample."
        )


def _check_shape(estimator: object, shape: tuple[int, ...]) -> None:
    check_row_count(shape[0])
    for size, what in zip(shape, ("sample(s)", "feature(s)"), strict=True):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what} (shape={shape}) while a minimum of 1 is"
                f" required by {type(estimator).__name__}."
            )


def is_native(X: NDArray[Any]) -> bool:
    """Whether the core reads an array as it is."""
    dtype = X.dtype
    return dtype.isnative and (dtype in _CORE_FLOATS or dtype.kind in "iub")


def _to_native(X: NDArray[Any]) -> NDArray[Any]:
    if X.dtype.kind in "iub":
        return X.astype(X.dtype.newbyteorder("="))
    if X.dtype.kind != "f":
        raise TypeError(f"X must be numeric, got an array of dtype {X.dtype}.")
    wide = X.dtype.itemsize > np.dtype(np.float32).itemsize
    return X.astype(np.float64 if wide else np.float32)


def check_y_shape(
    estimator: object, y: Any, n_samples: int, *, several: bool = False
) -> NDArray[Any]:
    """Return y as an array of n_samples labels or targets, values unchecked.

    It has two dimensions where `several` outputs are welcome and there are several.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is"
            " None."
        )
    if type(y) is not np.ndarray or y.ndim != 1:
        y = _as_columns(y) if several else _as_column(estimator, y)
    if y.shape[0] != n_samples:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: X has"
            f" {n_samples} rows, y has {y.shape[0]}."
        )
    return np.asarray(y)


def _as_columns(y: Any) -> NDArray[Any]:
    """One column for each output; a single one is as good as none."""
    y = _as_array(y)
    one = y.ndim == 2 and y.shape[1] == 1
    return np.asarray(y[:, 0] if one else y)


def _as_array(y: Any) -> NDArray[Any]:
    if np.ma.is_masked(y):
        raise ValueError("Input y contains masked values.")
    if not isinstance(y, list | tuple) and np.asarray(y).ndim == 0:
        raise TypeError(
            "y must be array-like, with an entry for each row of X, got an object of"
            f" type {type(y).__name__}."
        )
    return np.asarray(
        check_array(
            y, ensure_2d=False, dtype=None, ensure_all_finite=False, input_name="y"
        )
    )


def _as_column(estimator: object, y: Any) -> NDArray[Any]:
    y = _as_array(y)
    if y.ndim == 2 and y.shape[1] > 1:
        proof = getattr(estimator, "strategy", None) == "optimal"
        raise ValueError(
            "y must be one-dimensional: multi-output targets are not supported by"
            f" {type(estimator).__name__}{' with strategy=optimal' * proof}, got an"
            f" array of shape {y.shape}."
        )
    return np.asarray(column_or_1d(y, warn=True))


def check_sample_weight(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Return sample_weight as float64: finite, non-negative and not all zero."""
    weight = check_some_weights(sample_weight, n_samples)
    check_total_weight(weight, "sample_weight")
    return weight


def check_some_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64]:
    """Return weights as float64: finite and non-negative, perhaps all zero."""
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n_samples, as_float(sample_weight))
    if np.ma.is_masked(sample_weight):
        raise ValueError("Input sample_weight contains masked values.")
    if np.asarray(sample_weight).dtype.kind not in "fiubO":
        raise ValueError(
            "sample_weight must hold numbers, got an array of dtype"
            f" {np.asarray(sample_weight).dtype}."
        )
    try:
        weight = check_array(
            sample_weight,
            ensure_2d=False,
            dtype=np.float64,
            order="C",
            input_name="sample_weight",
        )
    except OverflowError as error:
        raise ValueError(f"sample_weight must hold finite numbers: {error}.") from error
    if weight.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have shape ({n_samples},), got {weight.shape}."
        )
    if weight.min() < 0.0:
        raise ValueError("sample_weight must not contain negative weights.")
    return np.asarray(weight)


def check_weight_span(weight: NDArray[np.float64]) -> None:
    """Raise if some rows weigh so little that a leaf of them would weigh nothing."""
    largest = float(weight.max())
    least = float(np.min(weight, where=weight > 0.0, initial=largest))
    limit = max(float(np.finfo(np.float64).tiny), _LEAST_SHARE * largest)
    if least < limit:
        raise ValueError(
            "sample_weight (times class_weight, if given) must be 0 or at least"
            f" {limit:.3g} where the largest weight is {largest:.3g}, got {least:.3g}."
        )


def check_total_weight(weight: NDArray[np.float64], name: str) -> None:
    """Raise unless the weights have a sum to divide by: positive, finite, exact."""
    with np.errstate(over="ignore"):
        check_weight_sum(float(weight.sum()), name)


def check_weight_sum(total: float, name: str) -> None:
    """Raise unless a sum of weights is one to divide by."""
    if total <= 0.0:
        raise ValueError(f"{name} must contain at least one non-zero weight.")
    if not np.isfinite(total):
        raise ValueError(f"{name} must have a finite sum.")
    least = np.finfo(np.float64).tiny  # what is smaller has fewer digits, or none
    if total < least:
        raise ValueError(
            f"{name} must have a sum of at least {least:.3g}, got {total:.3g}."
        )
