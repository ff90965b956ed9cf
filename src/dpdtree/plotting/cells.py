"""The cells of a plane of two features, and the rows that lie in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree.export._boosted import trees
from dpdtree.plotting.nodes import clean, feature_names

Array = NDArray[Any]

#: More points hide each other.
MOST_POINTS = 3000


class AxisCells(NamedTuple):
    """Where a feature is cut: between two edges the model says the same."""

    name: str
    edges: Array  # ascending, one more than cells
    values: list[Any]  # one of each cell
    categories: tuple[str, ...] | None  # one per cell, if it is categorical


class Table:
    """X as a frame, whatever it was, with what the model knows of its columns."""

    def __init__(self, estimator: Any, X: Any) -> None:
        self.estimator = estimator
        self.names = feature_names(estimator, None)
        self.named = hasattr(estimator, "feature_names_in_")
        self.columns = list(_columns(X, self.names, self.named))
        if len(self.columns) != estimator.n_features_in_:
            raise ValueError(
                f"X must have {estimator.n_features_in_} columns as in fit, got"
                f" {len(self.columns)}."
            )

    def cells(self, feature: int) -> AxisCells:
        """Return the cells of a feature, between the thresholds of the model."""
        known = getattr(self.estimator, "categories_", None)
        name = clean(self.names[feature])
        if known is not None and known[feature] is not None:
            values = list(known[feature])
            if not values:
                raise ValueError(f"feature {name!r} had no values in fit.")
            edges = np.arange(len(values) + 1) - 0.5
            return AxisCells(name, edges, values, tuple(clean(v) for v in values))
        low, high = _span(self.columns[feature], name)
        cuts = np.unique(list(_thresholds(self.estimator, feature)))
        edges = np.array([low, *cuts[(cuts > low) & (cuts < high)], high])
        # A cell holds its upper edge and not its lower one.
        middles = [
            m if a < m <= b else b for a, b in pairwise(edges) for m in [a / 2 + b / 2]
        ]
        return AxisCells(name, edges, middles, None)

    def product(
        self,
        pair: tuple[int, int],
        cells: tuple[AxisCells, AxisCells],
        at: Mapping[Any, Any],
    ) -> Any:
        """Return a row for each cell, the first feature running fastest."""
        x, y = cells
        n = len(x.values) * len(y.values)
        fixed = {_feature(self.names, key): value for key, value in at.items()}
        columns: list[Any] = []
        for feature, column in enumerate(self.columns):
            if feature == pair[0]:
                columns.append(x.values * len(y.values))
            elif feature == pair[1]:
                columns.append([v for v in y.values for _ in x.values])
            else:
                value = fixed[feature] if feature in fixed else self._typical(column)
                columns.append([value] * n)
        return self._frame(columns)

    def _typical(self, column: Array) -> Any:
        feature = next(i for i, c in enumerate(self.columns) if c is column)
        known = getattr(self.estimator, "categories_", None)
        if known is not None and known[feature] is not None:
            kept = [v for v in column.tolist() if v is not None and v == v]
            values, counts = np.unique(
                np.array(kept, object).astype(str), return_counts=True
            )
            if not len(values):
                return None
            most = values[counts.argmax()]
            return next(v for v in kept if str(v) == most)
        numbers = column.astype(float)
        return float(np.nanmedian(numbers)) if not np.isnan(numbers).all() else np.nan

    def _frame(self, columns: list[Any]) -> Any:
        has_categories = any(
            c is not None for c in getattr(self.estimator, "categories_", None) or ()
        )
        if not self.named and not has_categories:
            return np.column_stack([np.asarray(c, float) for c in columns])
        import pandas as pd  # type: ignore[import-untyped,unused-ignore]

        known = getattr(self.estimator, "categories_", None) or [None] * len(columns)
        data = {
            name if self.named else str(j): (
                pd.Series(column)
                if known[j] is None
                else pd.Series(pd.Categorical(column, categories=list(known[j])))
            )
            for j, (name, column) in enumerate(zip(self.names, columns, strict=True))
        }
        frame = pd.DataFrame(data)
        if not self.named:
            frame.columns = range(len(columns))
        return frame

    def points(
        self,
        pair: tuple[int, int],
        said: Array | None,
        cells: tuple[AxisCells, AxisCells],
    ) -> tuple[Array, Array, Array | None] | None:
        """Return where some rows lie, and their responses."""
        n = len(self.columns[0])
        if said is not None and len(said) != n:
            raise ValueError(f"y must have {n} entries like X, got {len(said)}.")
        chosen = np.unique(np.linspace(0, n - 1, min(n, MOST_POINTS)).astype(int))
        rng = np.random.default_rng(0)
        places = []
        for feature, axis in zip(pair, cells, strict=True):
            column = self.columns[feature][chosen]
            if axis.categories is None:
                places.append(column.astype(float))
                continue
            codes = {str(v): i for i, v in enumerate(axis.values)}
            at = np.array([codes.get(str(v), np.nan) for v in column.tolist()], float)
            places.append(at + rng.uniform(-0.3, 0.3, len(at)))
        return places[0], places[1], None if said is None else said[chosen]


def _columns(X: Any, names: Sequence[str], named: bool) -> Iterator[Array]:
    """Yield the columns of X as arrays, in the order of the fit."""
    if hasattr(X, "columns"):
        order = list(names) if named else list(X.columns)
        for name in order:
            if name not in list(X.columns):
                raise ValueError(f"X has no column {name!r}, which the fit had.")
            yield np.asarray(X[name])
        return
    if hasattr(X, "toarray"):
        X = X.toarray()
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X must be two-dimensional, got {X.ndim} dimensions.")
    yield from X.T


def _span(column: Array, name: str) -> tuple[float, float]:
    values = column.astype(float)
    known = values[np.isfinite(values)]
    if not len(known):
        raise ValueError(f"feature {name!r} has no values in X.")
    low, high = float(known.min()), float(known.max())
    margin = 0.04 * (high - low) or max(1.0, abs(low)) * 0.04
    return low - margin, high + margin


def _thresholds(estimator: Any, feature: int) -> Iterator[float]:
    if hasattr(estimator, "booster_"):
        structures = [tree for _, tree in trees(estimator.booster_)]
    elif hasattr(estimator, "estimators_"):
        structures = [one.tree_ for one in estimator.estimators_]
    else:
        structures = [estimator.tree_]
    for tree in structures:
        cuts = tree.threshold[(tree.feature == feature) & (tree.children_left >= 0)]
        yield from (float(t) for t in cuts if np.isfinite(t))


def two_features(
    estimator: Any, names: Sequence[str], given: Sequence[Any] | None
) -> tuple[int, int]:
    """Return the features of the axes: those given, or the most important ones."""
    if given is not None:
        if isinstance(given, str) or len(given) != 2:
            raise ValueError(f"features must be two names or indices, got {given!r}.")
        first, second = (_feature(names, one) for one in given)
        if first == second:
            raise ValueError(f"features must be two different ones, got {given!r}.")
        return first, second
    if estimator.n_features_in_ < 2:
        raise ValueError("plot_boundary needs a model of at least two features.")
    if estimator.n_features_in_ == 2:
        return 0, 1
    order = np.argsort(-_importances(estimator), kind="stable")
    return int(order[0]), int(order[1])


def _importances(estimator: Any) -> Array:
    if hasattr(estimator, "estimators_") or not hasattr(
        estimator, "feature_importances_"
    ):
        n = estimator.n_features_in_
        asked = [len(list(_thresholds(estimator, j))) for j in range(n)]
        return np.array(asked, float)
    importances: Array = np.asarray(estimator.feature_importances_, float)
    return importances


def _feature(names: Sequence[str], one: Any) -> int:
    if isinstance(one, str):
        if one not in names:
            raise ValueError(f"features: {one!r} is not a feature of the model.")
        return list(names).index(one)
    whole = isinstance(one, int | np.integer) and not isinstance(one, bool)
    if not whole or not -len(names) <= one < len(names):
        raise ValueError(f"features must be names or lie in 0 ... {len(names) - 1}.")
    return int(one) % len(names)
