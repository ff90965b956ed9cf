"""What counts as a number in an argument."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TypeGuard


def is_int(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is a real number of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Real)
