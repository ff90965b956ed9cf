"""`TreeDisplay` and `plot_tree`: a tree as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpdtree.export.colors import class_color
from dpdtree.plotting._pyplot import pyplot
from dpdtree.plotting.boxes import (
    BAR,
    FONT_SIZE,
    LEADING,
    MARGIN,
    PAD,
    SMALL,
    Box,
    Layout,
    laid_out,
    legend_name,
    legend_rows,
    lines_of,
)
from dpdtree.plotting.nodes import (
    NodePicture,
    Options,
    Tested,
    TreePicture,
    clean,
    read_tree,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LARGEST = 120.0  # inches, of a figure of our own
MOST_LEAVES_DOWNWARDS = 8
WIDEST, THINNEST = 9.0, 0.7  # edges
EDGE, TEXT, LABEL = "#B8BEC6", "#1A1A1A", "#4A4F57"


class TreeDisplay:
    """A tree as a picture.

    Made by `from_estimator` or `plot_tree`; `plot` draws it again.

    Parameters
    ----------
    picture : TreePicture
        What is drawn of each node.
    orientation : {"auto", "vertical", "horizontal"}, default="auto"
        Where the tree grows: downwards or to the right; "auto" takes the former for up
        to eight leaves.
    fontsize : float, default=None
        Size of the text in points. None: 9, or what fits into given axes.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of these axes.
    boxes_ : dict of matplotlib patches
        The box of each node that is drawn.
    edges_ : dict of matplotlib Line2D
        The edge above each node but the root.
    texts_ : dict of lists of matplotlib Text
        What stands in each box.
    labels_ : dict of matplotlib Text
        What the edges say.
    """

    ax_: Any
    figure_: Any
    boxes_: dict[int, Any]
    edges_: dict[int, Any]
    texts_: dict[int, list[Any]]
    labels_: dict[int, Any]

    def __init__(
        self,
        picture: TreePicture,
        *,
        orientation: str = "auto",
        fontsize: float | None = None,
    ) -> None:
        self.picture = picture
        self.orientation = orientation
        self.fontsize = fontsize

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        *,
        tree: int | None = None,
        output: Any = None,
        max_depth: int | None = None,
        show: str = "shares",
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[Any] | None = None,
        decimals: int | None = None,
        max_categories: int = 6,
        orientation: str = "auto",
        fontsize: float | None = None,
        ax: Axes | None = None,
    ) -> TreeDisplay:
        """Draw a fitted model; parameters as in `plot_tree`.

        Parameters
        ----------
        estimator, X, y, tree, output, max_depth, show : see `plot_tree`
            The same arguments.
        feature_names, class_names, decimals, max_categories : see `plot_tree`
            The same arguments.
        orientation, fontsize, ax : see `plot_tree`
            The same arguments.

        Returns
        -------
        TreeDisplay
            What was drawn.
        """
        _check("show", show, ("shares", "counts"))
        _check("orientation", orientation, ("auto", "vertical", "horizontal"))
        if max_depth is not None and (
            isinstance(max_depth, bool)
            or not isinstance(max_depth, int | np.integer)
            or max_depth < 0
        ):
            raise ValueError(f"max_depth must be an int >= 0, got {max_depth!r}.")
        options = Options(
            feature_names,
            class_names,
            decimals,
            max_depth,
            max_categories,
            show,
            _tested(estimator, X, y),
        )
        picture = read_tree(estimator, options, tree, output)
        display = cls(picture, orientation=orientation, fontsize=fontsize)
        return display.plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> TreeDisplay:
        """Draw it, in these axes or a new figure that is as large as it has to be.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in; the text is made as small as it has to be.

        Returns
        -------
        TreeDisplay
            Itself.
        """
        plt = pyplot("plot_tree")
        layout = laid_out(self.picture, self._downwards())
        if ax is None:
            size = FONT_SIZE if self.fontsize is None else self.fontsize
            scale = size / FONT_SIZE
            inches = layout.width * scale / 72, layout.height * scale / 72
            if max(inches) > LARGEST:
                raise ValueError(
                    f"The picture would be {max(inches):.0f} inches long: draw the top"
                    " of the tree with max_depth, or pass axes."
                )
            figure = plt.figure(figsize=inches)
            ax = figure.add_axes((0, 0, 1, 1))
        else:
            scale = self._scale_within(ax, layout)
        _Artist(self, layout, ax, scale).draw()
        self.ax_ = ax
        self.figure_ = ax.figure
        return self

    def _downwards(self) -> bool:
        if self.orientation != "auto":
            return self.orientation == "vertical"
        leaves = len(self.picture.nodes) - len(self.picture.children)
        return leaves <= MOST_LEAVES_DOWNWARDS

    def _scale_within(self, ax: Axes, layout: Layout) -> float:
        inches = ax.get_window_extent().transformed(
            ax.figure.dpi_scale_trans.inverted()
        )
        fits = min(72 * inches.width / layout.width, 72 * inches.height / layout.height)
        if self.fontsize is None:
            return min(1.0, fits)
        return self.fontsize / FONT_SIZE


def plot_tree(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    tree: int | None = None,
    output: Any = None,
    max_depth: int | None = None,
    show: str = "shares",
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[Any] | None = None,
    decimals: int | None = None,
    max_categories: int = 6,
    orientation: str = "auto",
    fontsize: float | None = None,
    ax: Axes | None = None,
) -> TreeDisplay:
    """Draw a tree.

    A box says what is asked, what would be predicted there and how many rows got
    there. Its colour is that of the class, stronger where it is surer, or that of the
    value; a bar shows the shares of all classes. Edges are as wide as the share of the
    rows that take them, and say where missing values go if the fit saw any.

    Parameters
    ----------
    estimator : tree, boosting or AdaBoost estimator
        Fitted.
    X, y : array-like, default=None
        Rows the tree has not seen, to show how many of them get to each node and what
        they are; for trees and AdaBoost.
    tree : int, default=None
        Which tree of an ensemble: an iteration, -1 is the last; None is the first.
    output : label, default=None
        Of boosted trees for several classes, the class whose tree is drawn; None is
        the first.
    max_depth : int, default=None
        Draw the tree down to this depth only, and count the leaves below. None draws
        all of it.
    show : {"shares", "counts"}, default="shares"
        What nodes say about classes: the share of the predicted one, or the number of
        rows (their weight, if they are weighted) of each.
    feature_names, class_names : sequences of str, default=None
        Names of the features and of the classes, in the order of classes_; None takes
        those of the fit.
    decimals : int, default=None
        Digits of thresholds after the decimal point; None writes them exactly.
    max_categories : int, default=6
        Longer lists of categories are cut.
    orientation : {"auto", "vertical", "horizontal"}, default="auto"
        Where the tree grows: downwards or to the right; "auto" takes the former for up
        to eight leaves.
    fontsize : float, default=None
        Size of the text in points. None: 9, or what fits into given axes.
    ax : matplotlib Axes, default=None
        Axes to draw in; None makes a figure that is as large as it has to be.

    Returns
    -------
    TreeDisplay
        With the axes as `ax_` and the figure as `figure_`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTreeClassifier, plot_tree
    >>> iris = load_iris(as_frame=True)
    >>> model = DPDTreeClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> display = plot_tree(model, class_names=iris.target_names)
    >>> len(display.boxes_)
    5
    """
    return TreeDisplay.from_estimator(
        estimator,
        X,
        y,
        tree=tree,
        output=output,
        max_depth=max_depth,
        show=show,
        feature_names=feature_names,
        class_names=class_names,
        decimals=decimals,
        max_categories=max_categories,
        orientation=orientation,
        fontsize=fontsize,
        ax=ax,
    )


def _check(name: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {list(allowed)}, got {value!r}.")


def _tested(estimator: Any, X: Any, y: Any) -> Tested | None:
    if X is None and y is None:
        return None
    if X is None or y is None:
        raise ValueError("Give both X and y, or neither.")
    if not hasattr(estimator, "decision_path"):
        raise ValueError(
            "X and y must be None for ensembles: their trees add up, and say little of"
            " y alone."
        )
    passed = estimator.decision_path(X).toarray().astype(bool)
    y = np.asarray(y)
    if len(y) != len(passed):
        raise ValueError(f"y must have {len(passed)} entries like X, got {len(y)}.")
    return Tested(passed, y)


class _Artist:
    """Draws a layout, every length times a scale, in axes whose unit is a point."""

    def __init__(
        self, display: TreeDisplay, layout: Layout, ax: Axes, scale: float
    ) -> None:
        self.display, self.picture = display, display.picture
        self.layout, self.ax, self.scale = layout, ax, scale

    def draw(self) -> None:
        display, ax = self.display, self.ax
        ax.set_xlim(0, self.layout.width)
        ax.set_ylim(self.layout.height, 0)
        ax.set_aspect("equal", anchor="N")
        ax.set_axis_off()
        if self.picture.title:
            y = MARGIN + LEADING * FONT_SIZE / 2
            self._text(MARGIN, y, self.picture.title, FONT_SIZE, color=LABEL)
        display.boxes_, display.edges_ = {}, {}
        display.texts_, display.labels_ = {}, {}
        for number, node in self.picture.nodes.items():
            if node.parent is not None:
                self._edge(number, node)
        for number, node in self.picture.nodes.items():
            self._box(number, node)
        self._legend()

    def _text(self, x: float, y: float, text: str, size: float, **style: Any) -> Any:
        # Names are no formulas, whatever signs they have.
        defaults = {"va": "center", "color": TEXT, "parse_math": False, "usetex": False}
        return self.ax.text(
            x, y, text, fontsize=size * self.scale, **{**defaults, **style}
        )

    def _edge(self, number: int, node: NodePicture) -> None:
        xs, ys = zip(*self.layout.edges[number], strict=True)
        width = THINNEST + (WIDEST - THINNEST) * node.support
        [line] = self.ax.plot(
            xs,
            ys,
            color=EDGE,
            linewidth=width * self.scale,
            solid_capstyle="butt",
            solid_joinstyle="round",
            zorder=1,
        )
        self.display.edges_[number] = line
        label = self._text(
            *self.layout.labels[number],
            node.branch,
            SMALL * FONT_SIZE,
            ha="center",
            color=LABEL,
            zorder=4,
            bbox={
                "boxstyle": "round,pad=0.15",
                "facecolor": "white",
                "edgecolor": "none",
                "alpha": 0.85,
            },
        )
        self.display.labels_[number] = label

    def _box(self, number: int, node: NodePicture) -> None:
        from matplotlib.patches import FancyBboxPatch

        box = self.layout.boxes[number]
        patch = FancyBboxPatch(
            (box.left, box.top),
            box.width,
            box.height,
            boxstyle=f"round,pad=0,rounding_size={4.0 if node.is_leaf else 1.5}",
            facecolor=node.color,
            edgecolor="#6B7280",
            linestyle="--" if node.hidden else "-",
            linewidth=(1.2 if node.is_leaf else 0.8) * self.scale,
            zorder=2,
        )
        self.ax.add_patch(patch)
        self.display.boxes_[number] = patch
        self.display.texts_[number] = self._lines_in(box, node)
        if node.shares is not None:
            self._bar(box, node.shares)

    def _lines_in(self, box: Box, node: NodePicture) -> list[Any]:
        lines = lines_of(node)
        bar = BAR + 4.0 if node.shares is not None else 0.0
        head, small = LEADING * FONT_SIZE, LEADING * SMALL * FONT_SIZE
        used = head * len(lines.head) + small * len(lines.facts) + bar
        top = box.top + (box.height - used) / 2
        x = box.left + box.width / 2
        texts = []
        for line in lines.head:
            texts.append(
                self._text(
                    x, top + head / 2, line, FONT_SIZE, ha="center", weight="bold"
                )
            )
            top += head
        for line in lines.facts:
            size = SMALL * FONT_SIZE
            texts.append(self._text(x, top + small / 2, line, size, ha="center"))
            top += small
        for text in texts:
            text.set_zorder(3)
        return texts

    def _bar(self, box: Box, shares: Any) -> None:
        from matplotlib.patches import Rectangle

        left, width = box.left + PAD, box.width - 2 * PAD
        top = box.top + box.height - BAR - 4.0
        for code, share in enumerate(shares):
            part = Rectangle(
                (left, top), width * share, BAR, facecolor=class_color(code), zorder=3
            )
            self.ax.add_patch(part)
            left += width * share

    def _legend(self) -> None:
        from matplotlib.patches import Rectangle

        if len(self.picture.classes) < 2:
            return
        size = SMALL * FONT_SIZE
        right = max(box.left + box.width for box in self.layout.boxes.values())
        rows = legend_rows(self.picture, right)
        y = self.layout.height - MARGIN - (len(rows) - 0.5) * LEADING * FONT_SIZE
        for row in rows:
            for code, at in row:
                x = MARGIN + at
                swatch = Rectangle(
                    (x, y - size / 2), size, size, facecolor=class_color(code)
                )
                self.ax.add_patch(swatch)
                name = legend_name(clean(self.picture.classes[code]))
                self._text(x + 13.0, y, name, size, ha="left")
            y += LEADING * FONT_SIZE
