"""From labels and targets to what the core takes: class codes, float64, weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite

from dpdtree._input.validation import check_total_weight

#: One byte each where that is enough: less to write and to read.
ClassCodes: TypeAlias = NDArray[np.integer[Any]]


def encode_labels(y: NDArray[Any]) -> tuple[NDArray[Any], ClassCodes]:
    """Return the sorted distinct labels and the code of each label."""
    kind = y.dtype.kind
    if kind in "ib" or (kind == "u" and y.dtype != np.uint64):
        low, high = int(y.min()), int(y.max())
        if high - low < 4 * y.size + 1024:
            return _count_integers(y, low, high)
    if kind in "fc":
        assert_all_finite(y, input_name="y")
    elif kind in "mM" and np.isnat(y).any():
        raise ValueError("Input y contains NaT.")
    elif kind == "O":
        _check_no_missing(y)
    classes, codes = _sort_labels(y)
    _check_discrete(classes)
    return classes, _narrow(codes, len(classes))


def encode_outputs(
    y: NDArray[Any],
) -> tuple[list[NDArray[Any]], ClassCodes]:
    """Return the labels of each column and the codes, column by column."""
    encoded = [encode_labels(np.ascontiguousarray(column)) for column in y.T]
    codes = np.column_stack([codes for _, codes in encoded])
    return [classes for classes, _ in encoded], np.ascontiguousarray(codes)


def _count_integers(
    y: NDArray[Any], low: int, high: int
) -> tuple[NDArray[Any], ClassCodes]:
    """Counting instead of sorting, for labels that span a small range."""
    offsets = y if low == 0 else _less(y, low, high)
    seen = _present(offsets, high - low)
    classes = (seen + low).astype(y.dtype)
    if seen.size == high - low + 1:  # no gaps: each offset is its own code
        return classes, _narrow(offsets, seen.size)
    code_of = np.zeros(high - low + 1, dtype=_dtype_of_codes(seen.size))
    code_of[seen] = np.arange(seen.size)
    return classes, code_of[offsets.astype(np.intp, copy=False)]


def _dtype_of_codes(n_classes: int) -> type[np.integer[Any]]:
    return np.uint8 if n_classes <= 256 else np.int32


def _narrow(codes: NDArray[Any], n_classes: int) -> ClassCodes:
    """Return the codes as the core takes them; short integers stay where they are."""
    dtype = _dtype_of_codes(n_classes)
    as_wide = codes.itemsize == np.dtype(dtype).itemsize and codes.dtype.isnative
    return np.ascontiguousarray(codes.view(dtype) if as_wide else codes, dtype=dtype)


def _less(y: NDArray[Any], low: int, high: int) -> NDArray[Any]:
    """Return y - low, which is small, in one pass if 32 bits are enough for y."""
    short = low >= -(2**31) and high < 2**31
    dtype = np.int32 if short else np.int64
    return np.asarray(np.subtract(y, low, dtype=dtype, casting="unsafe"))


def _present(offsets: NDArray[Any], highest: int) -> NDArray[np.intp]:
    """Which of 0 to `highest` occur; both ends do."""
    if highest >= 8:
        return np.flatnonzero(np.bincount(offsets))
    inner = [k for k in range(1, highest) if (offsets == k).any()]
    ends = (0, highest) if highest > 0 else (0,)
    return np.array([ends[0], *inner, *ends[1:]], dtype=np.intp)


def _sort_labels(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    try:
        return np.unique(y, return_inverse=True)
    except TypeError as error:
        raise TypeError(f"y mixes labels that have no order: {error}") from error


def _check_discrete(classes: NDArray[Any]) -> None:
    """Reject continuous targets; integers stored as floats are labels."""
    if classes.dtype.kind == "O":
        classes = np.array([c for c in classes.tolist() if isinstance(c, float)])
    if classes.dtype.kind == "f" and np.all(classes == np.floor(classes)):
        return
    if classes.dtype.kind in "fc":
        check_classification_targets(classes)


def _check_no_missing(y: NDArray[Any]) -> None:
    """Reject None, NaN and pandas' NA among labels, which would be a class else."""
    try:
        labels = set(y.tolist())
    except TypeError as error:
        raise TypeError(f"y holds values that cannot be labels: {error}") from error
    # Only missing values differ from themselves; pandas' NA has no truth value.
    if any(label is None or not _equals_itself(label) for label in labels):
        raise ValueError("Input y contains NaN or None.")


def _equals_itself(label: object) -> bool:
    try:
        return bool(label == label)
    except TypeError:
        return False


def encode_targets(y: NDArray[Any]) -> NDArray[np.float64]:
    """Return regression targets as contiguous, finite float64."""
    if y.dtype.kind not in "fiub":
        if y.dtype.kind == "c":
            raise ValueError("Complex data not supported: y must be real.")
        if y.dtype.kind in "mM":  # NaT would be a large negative number
            raise TypeError(f"y must be numeric, got an array of dtype {y.dtype}.")
        try:
            y = y.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError(f"y must be numeric: {error}") from error
    y = np.ascontiguousarray(y, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # its sum may be inf - inf
        assert_all_finite(y, input_name="y")
    return y


def without_weightless(
    y: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return y with other targets for rows without weight, if y is far from 1.

    The core divides targets by the largest; one that does not count must not make the
    others vanish.
    """
    if sample_weight is None or 1e-30 < np.abs(y).max() < 1e30:
        return y
    counted = sample_weight > 0.0
    y = y.copy()
    y[~counted] = y[counted.argmax()]
    return y


def check_range(y: NDArray[np.float64], losses: set[str]) -> None:
    """Raise if losses of these targets would be no finite numbers."""
    squared = "squared_error" in losses
    with np.errstate(over="ignore"):
        if squared and len(losses) > 1:  # the core squares targets as they are
            largest = 2.0 * np.abs(y).max(axis=0)
        else:
            largest = y.max(axis=0) - y.min(axis=0)
        total = np.sum(largest**2 if squared else largest)
    if not np.isfinite(total):
        which = "squares" if squared else "differences"
        raise ValueError(
            f"y holds targets from {y.min():.3g} to {y.max():.3g}, and their {which}"
            " are too large for float64: rescale y."
        )


def encode_costs(cost_matrix: Any, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the cost matrix as an array that has a row and a column per class."""
    costs = np.array(cost_matrix, dtype=np.float64)
    if len(costs) != len(classes):
        raise ValueError(
            f"cost_matrix must have a row and a column for each of the {len(classes)}"
            f" classes of y, got shape {costs.shape}."
        )
    return costs


def check_counts(y: NDArray[np.float64], sample_weight: Any) -> None:
    """Raise unless targets can be those of a Poisson deviance."""
    if (y < 0.0).any():
        raise ValueError(
            "y must not contain negative targets with loss or criterion 'poisson'."
        )
    counted = y if sample_weight is None else y[sample_weight > 0.0]
    if not np.all((counted > 0.0).any(axis=0)):
        raise ValueError(
            "y must have a positive sum (of each output) with loss or criterion"
            " 'poisson'."
        )


def weigh_outputs(
    class_weight: Any, y: NDArray[Any], sample_weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """Return sample weights multiplied by the weights of all labels of each row."""
    if not isinstance(class_weight, list) and class_weight != "balanced":
        raise ValueError(
            "class_weight must be a list of dicts or 'balanced' for several outputs,"
            f" got {class_weight!r}."
        )
    if isinstance(class_weight, list) and len(class_weight) != y.shape[1]:
        raise ValueError(
            f"class_weight must list {y.shape[1]} dicts, one per output, got"
            f" {len(class_weight)}."
        )
    weight = np.asarray(compute_sample_weight(class_weight, y), dtype=np.float64)
    return _combined(weight, sample_weight)


def weigh_classes(
    class_weight: str | list[Any] | Mapping[Any, float],
    classes: NDArray[Any],
    codes: ClassCodes,
    sample_weight: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """Return sample weights multiplied by the weight of each row's class."""
    weight = class_factors(class_weight, classes, codes)[codes]
    return _combined(weight, sample_weight)


def class_factors(
    class_weight: str | list[Any] | Mapping[Any, float],
    classes: NDArray[Any],
    codes: ClassCodes,
) -> NDArray[np.float64]:
    """Return the weight of each class."""
    return factors_by_counts(
        class_weight, classes, np.bincount(codes, minlength=len(classes))
    )


def factors_by_counts(
    class_weight: str | list[Any] | Mapping[Any, float],
    classes: NDArray[Any],
    counts: NDArray[np.integer[Any]],
) -> NDArray[np.float64]:
    """Return the weight of each class, by its number of rows."""
    if isinstance(class_weight, list):
        raise ValueError(
            "class_weight is a list of dicts for several outputs only; y has one."
        )
    if isinstance(class_weight, str):
        per_class: NDArray[np.float64] = counts.sum() / (len(classes) * counts)
        return per_class
    return _listed_weights(class_weight, classes)


def _combined(
    weight: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    if sample_weight is not None:
        with np.errstate(over="ignore"):
            weight = weight * sample_weight
    check_total_weight(weight, "class_weight with sample_weight")
    return weight


def _listed_weights(
    class_weight: Mapping[Any, float], classes: NDArray[Any]
) -> NDArray[np.float64]:
    """Weights of a dict; labels it does not list weigh 1.

    A listed label that does not occur is fine (a fold may lack a class), but if a
    label that occurs is missing from the dict at the same time, it is a slip.
    """
    labels = classes.tolist()
    missing = [label for label in labels if label not in class_weight]
    unknown = [label for label in class_weight if label not in labels]
    if missing and unknown:
        raise ValueError(
            f"class_weight lists {unknown}, which y does not contain, but not"
            f" {missing}, which it does."
        )
    return np.array([class_weight.get(label, 1.0) for label in labels], dtype=float)
