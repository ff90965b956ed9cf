"""What counts as a number, or as a list, in an argument."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

#: Characters of a value in a message, at most.
_MOST_SHOWN = 200


def is_int(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is a real number of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Real)


def as_float(value: Any) -> float:
    """Return a real number as float; infinity for integers that are too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def shown(value: object) -> str:
    """Return what a message says of a value: Python writes out no longest integers."""
    try:
        text = repr(value)
    except ValueError:
        return "a number with too many digits to show"
    return text if len(text) <= _MOST_SHOWN else f"{text[: _MOST_SHOWN - 3]}..."


def relative_to_first(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights divided by the power of two that brings the first to 0.5 ... 1.

    Nothing rounds by that, and products with what is finite stay finite.
    """
    scaled: NDArray[np.float64] = np.ldexp(weights, -int(np.frexp(weights[0])[1]))
    return scaled


def clipped(number: int) -> int:
    """Return a limit as the core takes it: beyond 32 bits it is as good as none."""
    return min(int(number), 2**31 - 1)


def is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Whether a value is a sequence, a 1-D array or an index of pandas; no string."""
    if hasattr(value, "tolist"):
        return getattr(value, "ndim", 1) == 1
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def row_counts(
    weights: NDArray[np.float64], n_rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return how many rows the weight of each node stands for.

    Whole numbers count how often a row is there. Other weights are shares: a row has
    their mean, so that to multiply all of them changes nothing.
    """
    if np.array_equal(weights, np.round(weights)):
        return weights
    shares = relative_to_first(weights)
    rows: NDArray[np.float64] = shares * (n_rows[0] / shares[0])
    return rows
