"""`BoundaryDisplay` and `plot_boundary`: a model in the plane of two features."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from dpdtree.export._boosted import trees
from dpdtree.export.colors import CLASS_COLORS, class_color, mixed, value_color
from dpdtree.plotting._pyplot import pyplot
from dpdtree.plotting.nodes import clean, feature_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]

#: More points hide each other.
MOST_POINTS = 3000


class AxisCells(NamedTuple):
    """Where a feature is cut: between two edges the model says the same."""

    name: str
    edges: Array  # ascending, one more than cells
    values: list[Any]  # one of each cell
    categories: tuple[str, ...] | None  # one per cell, if it is categorical


class BoundaryDisplay:
    """What a model says in the plane of two features, cell by cell.

    Made by `from_estimator` or `plot_boundary`; `plot` draws it again.

    Parameters
    ----------
    axes : tuple of two AxisCells
        The features, with the cells between their thresholds.
    response : ndarray of shape (n_cells_y, n_cells_x)
        Predictions: numbers, or places in `classes`.
    sure : ndarray of the same shape, default=None
        Of a classifier, the probability of the class.
    classes : sequence of str, default=()
        Names of the classes; none of a regressor.
    points : tuple of (x, y, response), default=None
        Rows to draw.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of these axes.
    mesh_ : matplotlib QuadMesh
        The cells.
    points_ : matplotlib PathCollection or None
        The rows.
    """

    def __init__(
        self,
        axes: tuple[AxisCells, AxisCells],
        response: Array,
        *,
        sure: Array | None = None,
        classes: Sequence[str] = (),
        points: tuple[Array, Array, Array | None] | None = None,
    ) -> None:
        self.axes = axes
        self.response = response
        self.sure = sure
        self.classes = tuple(classes)
        self.points = points

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        features: Sequence[Any] | None = None,
        at: Mapping[Any, Any] | None = None,
        class_names: Sequence[Any] | None = None,
        ax: Axes | None = None,
    ) -> BoundaryDisplay:
        """Draw a fitted model; parameters as in `plot_boundary`.

        Parameters
        ----------
        estimator, X, y, features, at, class_names, ax : see `plot_boundary`
            The same arguments.

        Returns
        -------
        BoundaryDisplay
            What was drawn.
        """
        check_is_fitted(estimator)
        table = _Table(estimator, X)
        pair = _pair(estimator, table.names, features)
        cells = (table.cells(pair[0]), table.cells(pair[1]))
        rows = table.product(pair, cells, at or {})
        shape = len(cells[1].values), len(cells[0].values)
        classes, codes, sure = _responses(estimator, rows, class_names)
        points = table.points(pair, _coded(estimator, y), cells)
        display = cls(
            cells,
            codes.reshape(shape),
            sure=None if sure is None else sure.reshape(shape),
            classes=classes,
            points=points,
        )
        return display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> BoundaryDisplay:
        """Draw it, in these axes or a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in; None makes a figure.

        Returns
        -------
        BoundaryDisplay
            Itself.
        """
        plt = pyplot("plot_boundary")
        if ax is None:
            _, ax = plt.subplots(figsize=(5.6, 4.4), layout="constrained")
        x, y = self.axes
        self.mesh_ = ax.pcolormesh(x.edges, y.edges, self._colors(), shading="flat")
        self.mesh_.set_rasterized(True)
        self._draw_points(ax)
        for axis, cells in ((ax.xaxis, x), (ax.yaxis, y)):
            if cells.categories is not None:
                axis.set_ticks(range(len(cells.categories)), cells.categories)
        ax.set_xlim(x.edges[0], x.edges[-1])
        ax.set_ylim(y.edges[0], y.edges[-1])
        ax.set_xlabel(x.name, parse_math=False)
        ax.set_ylabel(y.name, parse_math=False)
        if x.categories is not None:
            ax.tick_params(axis="x", labelrotation=30)
        self._legend(ax)
        self.ax_ = ax
        self.figure_ = ax.figure
        return self

    def _range(self) -> tuple[float, float]:
        return float(self.response.min()), float(self.response.max())

    def _colors(self) -> Array:
        """The colour of each cell."""
        from matplotlib.colors import to_rgb

        colors = np.empty((*self.response.shape, 3))
        low, high = self._range() if not self.classes else (0.0, 1.0)
        for place in np.ndindex(*self.response.shape):
            value = self.response[place]
            if self.classes:
                least = 1.0 / len(self.classes)
                share = 1.0 if self.sure is None else float(self.sure[place])
                beyond = (share - least) / (1.0 - least) if least < 1.0 else 1.0
                strength = 0.15 + 0.4 * min(1.0, max(0.0, beyond))
                colors[place] = to_rgb(mixed(class_color(int(value)), strength))
            else:
                position = (value - low) / (high - low) if high > low else 0.5
                colors[place] = to_rgb(value_color(float(position)))
        return colors

    def _draw_points(self, ax: Axes) -> None:
        self.points_ = None
        if self.points is None:
            return
        x, y, said = self.points
        colors: Any = "#333333"
        if said is not None and self.classes:
            colors = [
                class_color(int(c)) if c >= 0 else "#FFFFFF" for c in said.tolist()
            ]
        elif said is not None:
            low, high = self._range()
            span = high - low if high > low else 1.0
            colors = [value_color((v - low) / span) for v in said.tolist()]
        self.points_ = ax.scatter(
            x, y, c=colors, s=16, edgecolors="#333333", linewidths=0.5, zorder=3
        )

    def _legend(self, ax: Axes) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import LinearSegmentedColormap, Normalize
        from matplotlib.patches import Patch

        if self.classes:
            drawn = range(min(len(self.classes), len(CLASS_COLORS)))
            patches = [
                Patch(facecolor=class_color(c), label=self.classes[c]) for c in drawn
            ]
            legend = ax.legend(
                handles=patches,
                loc="lower center",
                bbox_to_anchor=(0.5, 1.0),
                ncols=min(4, len(patches)),
                frameon=False,
            )
            for text in legend.get_texts():
                text.set_parse_math(False)
            return
        shades = [value_color(i / 20) for i in range(21)]
        shown = ScalarMappable(
            Normalize(*self._range()),
            LinearSegmentedColormap.from_list("value", shades),
        )
        ax.figure.colorbar(shown, ax=ax, label="prediction")


def plot_boundary(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    features: Sequence[Any] | None = None,
    at: Mapping[Any, Any] | None = None,
    class_names: Sequence[Any] | None = None,
    ax: Axes | None = None,
) -> BoundaryDisplay:
    """Draw what a model says in the plane of two features.

    Trees say the same between two thresholds, so that the cells between them are all
    there is: the picture is exact, and no grid has to be chosen.

    Parameters
    ----------
    estimator : tree, boosting or AdaBoost estimator
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Rows that tell the ranges, and are drawn.
    y : array-like of shape (n_samples,), default=None
        Their labels or targets, to colour them.
    features : two names or indices, default=None
        The features of the axes; None takes the two most important ones.
    at : dict, default=None
        Values of other features, by name or index; those not named have the median of
        X, categories the most frequent one.
    class_names : sequence of str, default=None
        Names of the classes, in the order of classes_.
    ax : matplotlib Axes, default=None
        Axes to draw in; None makes a figure.

    Returns
    -------
    BoundaryDisplay
        With the axes as `ax_` and the figure as `figure_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTreeClassifier, plot_boundary
    >>> iris = load_iris(as_frame=True)
    >>> model = DPDTreeClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> display = plot_boundary(model, iris.data, iris.target)
    >>> display.ax_.get_xlabel()
    'petal width (cm)'
    """
    return BoundaryDisplay.from_estimator(
        estimator, X, y, features=features, at=at, class_names=class_names, ax=ax
    )


class _Table:
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


def _pair(
    estimator: Any, names: Sequence[str], given: Sequence[Any] | None
) -> tuple[int, int]:
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
            raise ValueError(f"features: {one!r} is no feature of the model.")
        return list(names).index(one)
    whole = isinstance(one, int | np.integer) and not isinstance(one, bool)
    if not whole or not -len(names) <= one < len(names):
        raise ValueError(f"features must be names or lie in 0 ... {len(names) - 1}.")
    return int(one) % len(names)


def _responses(
    estimator: Any, rows: Any, class_names: Sequence[Any] | None
) -> tuple[tuple[str, ...], Array, Array | None]:
    said = np.asarray(estimator.predict(rows))
    if said.ndim > 1:
        raise ValueError("plot_boundary is for one output.")
    if not is_classifier(estimator):
        if class_names is not None:
            raise ValueError("class_names must be None for a regressor.")
        return (), said.astype(float), None
    labels = estimator.classes_
    names = labels if class_names is None else class_names
    if isinstance(names, str) or len(names) != len(labels):
        raise ValueError(f"class_names must have {len(labels)} entries.")
    codes = _codes(labels, said)
    sure = estimator.predict_proba(rows)[np.arange(len(codes)), codes]
    return tuple(clean(name) for name in names), codes, sure


def _codes(labels: Array, y: Array) -> Array:
    place = {label: i for i, label in enumerate(labels.tolist())}
    return np.array([place.get(label, -1) for label in y.tolist()])


def _coded(estimator: Any, y: Any) -> Array | None:
    if y is None:
        return None
    y = np.asarray(y)
    if y.ndim != 1:
        raise ValueError("y must have one dimension.")
    return (
        _codes(estimator.classes_, y) if is_classifier(estimator) else y.astype(float)
    )
