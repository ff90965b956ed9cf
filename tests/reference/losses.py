"""Every loss by its definition: what a leaf costs, and what predictions cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from dpdtree import DPDTreeClassifier, DPDTreeRegressor

Array = npt.NDArray[Any]
CLASS_LOSSES = ("zero_one", "gini", "log_loss", "cost_matrix")


@dataclass(frozen=True)
class Task:
    """Data and a loss; y has one dimension or, with several outputs, two."""

    X: Array
    y: Array
    w: Array | None
    loss: str
    quantile: float = 0.5
    costs: Array | None = None

    @property
    def labels(self) -> bool:
        """Whether y holds labels."""
        return self.loss in CLASS_LOSSES

    @property
    def weights(self) -> Array:
        """The weights, ones where there are none."""
        return np.ones(len(self.y)) if self.w is None else self.w

    @property
    def outputs(self) -> list[Array]:
        """The targets, output by output."""
        return [self.y] if self.y.ndim == 1 else list(self.y.T)

    def model(self, **parameters: Any) -> Any:
        """An estimator with this loss."""
        parameters = {"strategy": "balanced", **parameters}
        if self.labels:
            return DPDTreeClassifier(
                loss=self.loss, cost_matrix=self.costs, **parameters
            )
        parameters = {"criterion": self.loss, **parameters}
        return DPDTreeRegressor(loss=self.loss, quantile=self.quantile, **parameters)

    def fit(self, **parameters: Any) -> Any:
        """The same, fitted."""
        return self.model(**parameters).fit(self.X, self.y, self.w)

    def leaf_cost(self, rows: Array) -> float:
        """The least that one leaf of these rows can cost, times their weight."""
        w = self.weights[rows]
        if w.sum() == 0:
            return 0.0
        return float(sum(self._of_output(y, y[rows], w) for y in self.outputs))

    def _of_output(self, everything: Array, y: Array, w: Array) -> float:
        if not self.labels:
            return _least_of_numbers(self, y, w)
        names = np.unique(everything)
        shares = np.array([w[y == name].sum() for name in names]) / w.sum()
        if self.loss == "zero_one":
            return float(w.sum() * (1 - shares.max()))
        if self.loss == "gini":
            return float(w.sum() * (1 - (shares**2).sum()))
        if self.loss == "log_loss":
            some = shares[shares > 0]
            return float(-w.sum() * (some * np.log(some)).sum())
        assert self.costs is not None
        return float(w.sum() * (shares @ self.costs).min())

    def cost_of(self, model: Any) -> float:
        """The mean loss of a model's predictions, or of the shares in its leaves."""
        if self.loss in ("gini", "log_loss"):
            leaves = model.apply(self.X)
            parts = [np.flatnonzero(leaves == leaf) for leaf in np.unique(leaves)]
            return sum(map(self.leaf_cost, parts)) / float(self.weights.sum())
        predicted = model.predict(self.X)
        columns = [predicted] if predicted.ndim == 1 else predicted.T
        total = 0.0
        for y, said in zip(self.outputs, columns, strict=True):
            total += float(self.weights @ self._of_rows(y, said))
        return total / float(self.weights.sum())

    def _of_rows(self, y: Array, said: Array) -> Array:
        if self.loss == "cost_matrix":
            assert self.costs is not None
            names = np.unique(y)
            places = np.searchsorted(names, y), np.searchsorted(names, said)
            return np.asarray(self.costs[places])
        return y != said if self.labels else number_costs(self, y, said)


def number_costs(task: Task, y: Array, said: Any) -> Array:
    """The loss of each target about its prediction."""
    if task.loss == "squared_error":
        return np.asarray((y - said) ** 2)
    if task.loss == "absolute_error":
        return np.abs(y - said)
    if task.loss == "quantile":
        over = np.maximum(y - said, 0.0), np.maximum(said - y, 0.0)
        return np.asarray(task.quantile * over[0] + (1 - task.quantile) * over[1])
    ratio = np.where(y > 0, y, 1.0) / said
    return np.asarray(y * np.log(ratio) - y + said)


def _least_of_numbers(task: Task, y: Array, w: Array) -> float:
    """A mean, or for the convex, piecewise linear losses one of the targets."""
    if task.loss in ("squared_error", "poisson"):
        mean = float(w @ y / w.sum())
        if task.loss == "poisson" and mean == 0:
            return np.inf
        return float(w @ number_costs(task, y, mean))
    return min(float(w @ number_costs(task, y, said)) for said in np.unique(y))


def make_task(
    seed: int,
    loss: str,
    *,
    outputs: int = 1,
    n: int = 40,
    p: int = 3,
    levels: int = 8,
    missing: float = 0.0,
    weighting: str = "none",
) -> Task:
    """Random data whose targets depend on some features; sums of them are exact."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, levels, (n, p)) / 4.0
    columns = []
    for _ in range(outputs):
        score = X[:, 0] * (X[:, -1] > levels / 8) + rng.normal(scale=levels / 8, size=n)
        if loss in CLASS_LOSSES:
            y = np.floor(np.abs(score) * 2).astype(int) % int(rng.integers(1, 5))
        elif loss == "poisson":
            y = np.floor(np.abs(score) * 2)
            y[0] += 1.0
        else:
            y = np.round(8 * score) / 8
        columns.append(y)
    X[rng.random((n, p)) < missing] = np.nan
    w = None
    if weighting == "integer":
        w = rng.integers(1, 4, n).astype(float)
    elif weighting == "zeros":
        w = rng.integers(1, 128, n) / 64
        w[1:][rng.random(n - 1) < 0.3] = 0.0
    y = columns[0] if outputs == 1 else np.column_stack(columns)
    k = len(np.unique(columns[0]))
    costs = rng.integers(0, 9, (k, k)) / 4 if loss == "cost_matrix" else None
    level = float(rng.choice([0.1, 0.25, 0.5, 0.8])) if loss == "quantile" else 0.5
    return Task(X, y, w, loss, level, costs)
