"""The rows behind the nodes: who goes where, and what is counted of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._input.rows import Rows

Array = NDArray[Any]
Floats = NDArray[np.float64]

#: Losses whose leaves predict a median or a quantile.
PINBALL = ("absolute_error", "quantile")


class Split(NamedTuple):
    """What a split asks: hashable, so that equal splits are found again."""

    feature: int
    threshold: float | None  # None for a set of categories
    missing_left: bool
    categories: tuple[int, ...] | None  # places that go left


class EncodedRows(Rows):
    """Rows with categories as places and labels as codes."""

    def all(self) -> Array:
        """Return the positions of all rows."""
        return np.arange(len(self))

    def sides(self, rows: Array, split: Split) -> tuple[Array, Array]:
        """Return the rows that go left and those that go right."""
        left = self.goes_left(rows, split)
        return rows[left], rows[~left]

    def goes_left(self, rows: Array, split: Split) -> NDArray[np.bool_]:
        """Return which of these rows go left."""
        column = self.X[rows, split.feature]
        missing = np.isnan(column) if column.dtype.kind == "f" else None
        if split.categories is None:
            left: NDArray[np.bool_] = column <= split.threshold
        else:
            left = np.isin(column, split.categories)
        if missing is not None and split.missing_left:
            left |= missing
        return left

    def weights(self, rows: Array) -> Floats:
        """Return the weights of these rows."""
        return np.ones(len(rows)) if self.weight is None else self.weight[rows]


@dataclass(frozen=True)
class Loss:
    """What a leaf costs, times the weight of its rows.

    Of classes all follows from their weights; of numbers from their sums, except
    where a median or quantile is predicted.
    """

    name: str
    n_classes: int  # 0 for regression
    quantile: float = 0.5
    costs: Floats | None = None

    @property
    def from_sums(self) -> bool:
        """Whether sums over rows are enough."""
        return self.name not in PINBALL

    def columns(self, rows: EncodedRows) -> Floats:
        """Return what is to be summed up, a line per row: weights come first."""
        assert rows.y is not None
        weight = rows.weights(rows.all())
        if self.n_classes:
            hot = np.zeros((len(rows), self.n_classes))
            hot[np.arange(len(rows)), rows.y] = weight
            return hot
        y = rows.y.astype(float)
        if self.name == "poisson":
            logs = y * np.log(np.where(y > 0, y, 1.0))
            return np.column_stack([weight, weight * y, weight * logs])
        return np.column_stack([weight, weight * y, weight * y * y])

    def of_sums(self, sums: Floats) -> Floats:
        """Return the cost of leaves with these sums, along the last axis."""
        if self.n_classes:
            return self._of_classes(sums)
        total, first, second = sums[..., 0], sums[..., 1], sums[..., 2]
        some = np.where(total > 0, total, 1.0)
        mean = first / some
        if self.name == "poisson":
            logs = np.log(np.where(mean > 0, mean, 1.0))
            cost = np.maximum(second - first * logs, 0.0)
            # No leaf may predict 0: what comes after all would cost infinitely much.
            return np.where((total > 0) & (first == 0), np.inf, cost)
        return np.asarray(np.maximum(second - first * mean, 0.0))

    def _of_classes(self, sums: Floats) -> Floats:
        total = sums.sum(axis=-1)
        if self.name == "zero_one":
            return np.asarray(total - sums.max(axis=-1))
        if self.costs is not None:
            return np.asarray((sums @ self.costs).min(axis=-1))
        shares = sums / np.where(total > 0, total, 1.0)[..., np.newaxis]
        if self.name == "gini":
            return np.asarray(total * (1.0 - np.square(shares).sum(axis=-1)))
        logs = np.log(np.where(shares > 0, shares, 1.0))
        return np.asarray(-total * (shares * logs).sum(axis=-1))

    def of_rows(self, y: Floats, weight: Floats) -> float:
        """Return the cost of one leaf of these numbers, by a median or quantile."""
        if not len(y) or weight.sum() == 0:
            return 0.0
        level = 0.5 if self.name == "absolute_error" else self.quantile
        order = np.argsort(y, kind="stable")
        below = np.cumsum(weight[order])
        at = min(int(np.searchsorted(below, level * below[-1])), len(y) - 1)
        return float(weight @ self.of_predictions(y, y[order[at]]))

    def of_predictions(self, y: Floats, said: Any) -> Floats:
        """Return the loss of each number about what was predicted."""
        if self.name == "squared_error":
            return np.asarray((y - said) ** 2)
        if self.name == "absolute_error":
            return np.asarray(np.abs(y - said))
        if self.name == "quantile":
            over, under = np.maximum(y - said, 0.0), np.maximum(said - y, 0.0)
            return np.asarray(self.quantile * over + (1 - self.quantile) * under)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(y > 0, y, 1.0) / said
            return np.asarray(y * np.log(ratio) - y + said)


def mean_and_spread(y: Floats, weight: Floats) -> tuple[float, float]:
    """Return mean and standard deviation (divided by the weight); NaN of nothing."""
    total = float(weight.sum())
    if total <= 0.0:
        return math.nan, math.nan
    mean = float(weight @ y) / total
    return mean, math.sqrt(max(0.0, float(weight @ np.square(y - mean)) / total))


def some_rows(n: int, most: int) -> Array:
    """Return the rows that go into the file: all, or evenly spaced ones."""
    if n <= most:
        return np.arange(n)
    return (np.arange(most) * n) // most
