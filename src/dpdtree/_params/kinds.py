"""A parameter and the kinds of values it may have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpdtree._numbers import as_float, is_int, is_list, is_real

#: Times the weight of all rows, which is 1e40 at most in the core, it stays finite.
_MOST_COST = 1e200


class Constraint(Protocol):
    """A set of allowed values that can say what it is."""

    def accepts(self, value: object) -> bool: ...
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class IntRange:
    """Integers from low to high, both included."""

    low: int
    high: int | None = None

    def accepts(self, value: object) -> bool:
        if not is_int(value):
            return False
        return value >= self.low and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"an int >= {self.low}"
        return f"an int from {self.low} to {self.high}"


@dataclass(frozen=True)
class RealRange:
    """Finite reals from low to high; `fraction` leaves the integers to IntRange."""

    low: float
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    fraction: bool = False

    def accepts(self, value: object) -> bool:
        if not is_real(value) or (self.fraction and is_int(value)):
            return False
        x = as_float(value)
        above = x > self.low if self.open_low else x >= self.low
        below = x < self.high if self.open_high else x <= self.high
        return above and below and math.isfinite(x)

    def __str__(self) -> str:
        if math.isinf(self.high):
            return f"a finite float {'>' if self.open_low else '>='} {self.low}"
        left = "(" if self.open_low else "["
        right = ")" if self.open_high else "]"
        return f"a float in {left}{self.low}, {self.high}{right}"


@dataclass(frozen=True)
class OneOf:
    """One of a few strings."""

    options: tuple[str, ...]

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.options

    def __str__(self) -> str:
        *first, last = [f'"{option}"' for option in self.options]
        return f"{', '.join(first)} or {last}" if first else last


@dataclass(frozen=True)
class IntSequence:
    """A non-empty list, tuple or 1-D array of integers >= low."""

    low: int

    def accepts(self, value: object) -> bool:
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        item = IntRange(self.low)
        return len(value) > 0 and all(item.accepts(v) for v in value)

    def __str__(self) -> str:
        return f"a non-empty sequence of ints >= {self.low}"


@dataclass(frozen=True)
class NonzeroInt:
    """Any integer but zero (scikit-learn's and joblib's n_jobs)."""

    def accepts(self, value: object) -> bool:
        return IntRange(-(2**31), 2**31 - 1).accepts(value) and value != 0

    def __str__(self) -> str:
        return "a nonzero int"


@dataclass(frozen=True)
class ClassWeights:
    """A mapping from label to a finite weight >= 0."""

    def accepts(self, value: object) -> bool:
        weight = RealRange(0.0)
        return isinstance(value, Mapping) and all(map(weight.accepts, value.values()))

    def __str__(self) -> str:
        return "a dict of label: weight with finite weights >= 0"


@dataclass(frozen=True)
class ClassWeightList:
    """A list of such mappings, one per output."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, list) and all(map(ClassWeights().accepts, value))

    def __str__(self) -> str:
        return "a list of such dicts (one per output)"


@dataclass(frozen=True)
class CostMatrix:
    """A square matrix of numbers >= 0 whose sums over rows stay finite."""

    def accepts(self, value: object) -> bool:
        if isinstance(value, str | bytes | Mapping):
            return False
        try:
            costs = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            return False
        square = costs.ndim == 2 and costs.shape[0] == costs.shape[1] > 0
        return square and bool(((costs >= 0.0) & (costs <= _MOST_COST)).all())

    def __str__(self) -> str:
        return f"a square matrix of numbers >= 0 and <= {_MOST_COST:.0e}"


@dataclass(frozen=True)
class FeatureChoice:
    """A sequence of feature names, of indices, or a mask of bools."""

    def accepts(self, value: object) -> bool:
        if not is_list(value):
            return False
        return (
            all(isinstance(v, str) for v in value)
            or all(isinstance(v, bool | np.bool_) for v in value)
            or all(IntRange(0).accepts(v) for v in value)
        )

    def __str__(self) -> str:
        return "a sequence of feature names, of indices >= 0 or of one bool per feature"


@dataclass(frozen=True)
class RandomState:
    """A NumPy RandomState instance."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, np.random.RandomState)

    def __str__(self) -> str:
        return "a numpy.random.RandomState instance"


@dataclass(frozen=True)
class Flag:
    """A bool where an int would do as well."""

    def accepts(self, value: object) -> bool:
        return isinstance(value, bool | np.bool_)

    def __str__(self) -> str:
        return "a bool"


@dataclass(frozen=True)
class Nothing:
    """None, where it has a meaning of its own."""

    def accepts(self, value: object) -> bool:
        return value is None

    def __str__(self) -> str:
        return "None"


@dataclass(frozen=True)
class Parameter:
    """A constructor parameter: what it may be, its default and what it means."""

    name: str
    default: object
    constraints: tuple[Constraint, ...]
    doc: str
    #: What "auto" stands for, by strategy; "other" is any that is not listed.
    auto: tuple[tuple[str, object], ...] = ()

    def accepts(self, value: object) -> bool:
        """Whether any constraint holds; the default always does."""
        return value is self.default or any(c.accepts(value) for c in self.constraints)

    @property
    def allowed(self) -> str:
        """The allowed values in words."""
        *first, last = [str(c) for c in self.constraints]
        return f"{', '.join(first)} or {last}" if first else last
