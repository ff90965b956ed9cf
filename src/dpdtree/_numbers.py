"""What counts as a number, or as a list, in an argument."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import TypeGuard


def is_int(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Integral)


def is_real(value: object) -> TypeGuard[float]:
    """Whether a value is a real number of Python or NumPy; a bool is none here."""
    return not isinstance(value, bool) and isinstance(value, Real)


def clipped(number: int) -> int:
    """Return a limit as the core takes it: beyond 32 bits it is as good as none."""
    return min(int(number), 2**31 - 1)


def is_list(value: object) -> TypeGuard[Iterable[object]]:
    """Whether a value is a sequence, a 1-D array or an index of pandas; no string."""
    if hasattr(value, "tolist"):
        return getattr(value, "ndim", 1) == 1
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)
