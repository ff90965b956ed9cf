"""`BoundaryDisplay` and `plot_boundary`: a model in the plane of two features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from dpdtree.export.colors import CLASS_COLORS, class_color, mixed, value_color
from dpdtree.plotting._pyplot import pyplot
from dpdtree.plotting.cells import AxisCells, Table, two_features
from dpdtree.plotting.nodes import clean

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Array = NDArray[Any]


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
        table = Table(estimator, X)
        pair = two_features(estimator, table.names, features)
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
