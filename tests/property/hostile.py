"""Odd inputs: what data may legally be, at its least convenient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Input:
    """Data of one fit; y holds whole numbers, good as labels and as targets."""

    X: Array
    y: Array
    w: Array | None = None
    categorical: tuple[int, ...] | None = None


Rng = np.random.Generator
FAMILIES: dict[str, Callable[[Rng], Input]] = {}


def family(make: Callable[[Rng], Input]) -> Callable[[Rng], Input]:
    """Register a family under the name of its function."""
    FAMILIES[make.__name__] = make
    return make


def labels(rng: Rng, n: int, classes: int = 2) -> Array:
    """At least one row of each class, if there are rows enough."""
    return rng.permutation(np.arange(n) % classes)


@family
def one_row(rng: Rng) -> Input:
    return Input(rng.normal(size=(1, 3)), np.array([1]))


@family
def two_rows(rng: Rng) -> Input:
    return Input(rng.normal(size=(2, 1)), np.array([0, 1]))


@family
def constant_columns(rng: Rng) -> Input:
    return Input(np.full((30, 3), rng.normal()), labels(rng, 30))


@family
def constant_target(rng: Rng) -> Input:
    return Input(rng.normal(size=(30, 2)), np.full(30, 7))


@family
def all_missing(rng: Rng) -> Input:
    return Input(np.full((25, 2), np.nan), labels(rng, 25))


@family
def mostly_missing(rng: Rng) -> Input:
    X = np.where(rng.random((40, 4)) < 0.9, np.nan, rng.normal(size=(40, 4)))
    X[:, 1] = np.nan
    return Input(X, labels(rng, 40, 3))


@family
def duplicated_rows(rng: Rng) -> Input:
    X = np.tile(rng.normal(size=(2, 3)), (30, 1))
    return Input(X, labels(rng, 60))


@family
def duplicated_columns(rng: Rng) -> Input:
    return Input(np.repeat(rng.normal(size=(40, 1)), 6, axis=1), labels(rng, 40))


@family
def more_columns_than_rows(rng: Rng) -> Input:
    return Input(rng.integers(0, 2, (6, 200)).astype(float), labels(rng, 6))


@family
def huge_weights(rng: Rng) -> Input:
    w = 1e300 * rng.random(30)
    return Input(rng.normal(size=(30, 2)), labels(rng, 30), w)


@family
def tiny_weights(rng: Rng) -> Input:
    w = 1e-300 * (0.1 + rng.random(30))
    return Input(rng.normal(size=(30, 2)), labels(rng, 30), w)


@family
def weights_far_apart(rng: Rng) -> Input:
    w = 10.0 ** rng.uniform(-8, 8, 30)
    return Input(rng.normal(size=(30, 2)), labels(rng, 30, 3), w)


@family
def one_weight_is_not_zero(rng: Rng) -> Input:
    w = np.zeros(20)
    w[int(rng.integers(20))] = 1.0
    return Input(rng.normal(size=(20, 2)), labels(rng, 20), w)


@family
def extreme_values(rng: Rng) -> Input:
    odd = [1.7e308, -1.7e308, 5e-324, -5e-324, 0.0, -0.0, 1.0, np.nan]
    return Input(rng.choice(odd, size=(60, 3)), labels(rng, 60))


@family
def neighbouring_floats(rng: Rng) -> Input:
    x = np.nextafter(1.0, 2.0 + np.zeros(40)) + np.spacing(1.0) * np.arange(40)
    return Input(rng.permutation(x)[:, np.newaxis], labels(rng, 40))


@family
def whole_numbers(rng: Rng) -> Input:
    ends = np.iinfo(np.int64)
    X = rng.choice([ends.min, -1, 0, 1, 2**53, 2**53 + 1, ends.max], size=(50, 2))
    return Input(X, labels(rng, 50))


@family
def bytes_in_strides(rng: Rng) -> Input:
    wide = rng.integers(-128, 128, (100, 6)).astype(np.int8)
    return Input(wide[::-2, ::3], labels(rng, 50))


@family
def a_class_per_row(rng: Rng) -> Input:
    return Input(rng.normal(size=(30, 2)), rng.permutation(30))


@family
def many_categories(rng: Rng) -> Input:
    X = np.column_stack([rng.permutation(200), rng.integers(0, 3, 200)])
    return Input(X.astype(float), labels(rng, 200), categorical=(0, 1))


@family
def missing_categories(rng: Rng) -> Input:
    X = rng.integers(0, 5, (40, 2)).astype(float)
    X[rng.random((40, 2)) < 0.5] = np.nan
    return Input(X, labels(rng, 40, 3), categorical=(0,))


@family
def alternating(rng: Rng) -> Input:
    """No tree of few leaves is any good."""
    x = np.sort(rng.normal(size=64))
    return Input(x[:, np.newaxis], np.arange(64) % 2)
