"""The numbers that stand for categories outside of a model."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray


def are_numbers(categories: NDArray[Any]) -> bool:
    """Whether the categories of a feature are numbers."""
    if categories.dtype.kind != "O":
        return categories.dtype.kind in "fiub"
    return all(isinstance(value, Real | Decimal) for value in categories.tolist())


def codes_of(categories: NDArray[Any]) -> NDArray[np.float64]:
    """Return the code of each category: numbers are their own, others their place.

    That way numbers may be given to an exported model as they are, or encoded: it makes
    no difference.
    """
    if not are_numbers(categories):
        return np.arange(len(categories), dtype=np.float64)
    codes = categories.astype(np.float64)
    if len(np.unique(codes)) < len(codes):
        raise ValueError(
            "categories_ holds numbers that are equal as float64, so that they cannot"
            " stand for themselves: make them strings before the fit."
        )
    return codes
