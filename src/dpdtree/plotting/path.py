"""`PathDisplay` and `plot_path`: what another leaf buys."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils.validation import check_is_fitted

from dpdtree._losses import LOSSES
from dpdtree._model_selection.tuning import chosen_by, tuned_by
from dpdtree._params.estimators import resolved
from dpdtree._structure import TREE_LEAF, TreeStructure
from dpdtree.path import RegularizationPath
from dpdtree.plotting._pyplot import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, CART = "#1f6f8b", "#c8553d"
SCORE_NAMES = {"accuracy": "accuracy", "r2": "R²"}


@dataclass(frozen=True)
class Curve:
    """A line of the plot: a value for each size, with errors if there are any."""

    label: str
    n_leaves: NDArray[Any]
    values: NDArray[np.float64]
    errors: NDArray[np.float64] | None = None
    color: str = OURS
    dashed: bool = False
    names: tuple[str, ...] = ()  # of the points, written beside them


class PathDisplay:
    """Loss or score against the number of leaves.

    Made by `from_path`, `from_estimator` or `plot_path`; `plot` draws it again.

    Parameters
    ----------
    curves : sequence of Curve
        What is drawn.
    value_name : str
        Label of the vertical axis.
    chosen : tuple of (n_leaves, value), default=None
        The point to mark.

    Attributes
    ----------
    ax_ : matplotlib Axes
        Axes with the plot.
    figure_ : matplotlib Figure
        Figure of these axes.
    lines_ : list of matplotlib artists
        One per curve: a Line2D, or an ErrorbarContainer if it has errors.
    chosen_ : matplotlib Line2D or None
        The mark of the chosen point.
    """

    def __init__(
        self,
        curves: list[Curve],
        *,
        value_name: str,
        chosen: tuple[float, float] | None = None,
    ) -> None:
        self.curves = curves
        self.value_name = value_name
        self.chosen = chosen

    @classmethod
    def from_path(
        cls,
        path: RegularizationPath,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        n_leaves: int | None = None,
        ax: Axes | None = None,
    ) -> PathDisplay:
        """Draw the training loss of the trees on a path.

        Parameters
        ----------
        path : RegularizationPath
            The path.
        X, y, sample_weight : array-like, default=None
            The training data of the path; if given, CART's pruning path on them is
            drawn for comparison.
        n_leaves : int, default=None
            Mark the tree that `path.select(n_leaves=...)` returns.
        ax : matplotlib Axes, default=None
            Axes to draw in; None makes a figure.

        Returns
        -------
        PathDisplay
            What was drawn.
        """
        estimator = path[0]
        curves = [Curve("dpdtree", path.n_leaves, path.losses)]
        if X is not None:
            curves.append(_pruned_cart(estimator, X, y, sample_weight))
        chosen = None
        if n_leaves is not None:
            at = path.index_of(n_leaves=n_leaves)
            chosen = float(path.n_leaves[at]), float(path.losses[at])
        name = LOSSES[resolved(estimator, "loss")].label
        return cls(curves, value_name=name, chosen=chosen).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        ax: Axes | None = None,
    ) -> PathDisplay:
        """Draw the scores of a cross-validated estimator, or the path of a plain one.

        Parameters
        ----------
        estimator : estimator
            A fitted DPDTreeClassifierCV or DPDTreeRegressorCV, whose mean scores are
            drawn with their standard errors and the chosen tree marked; or a
            DPDTreeClassifier or DPDTreeRegressor, whose `leaf_path` is.
        X, y, sample_weight : array-like, default=None
            Training data. A plain estimator needs them; for a cross-validated one
            they add CART, pruned in the same folds.
        ax : matplotlib Axes, default=None
            Axes to draw in; None makes a figure.

        Returns
        -------
        PathDisplay
            What was drawn.
        """
        if hasattr(estimator, "cv"):
            return _of_scores(cls, estimator, X, y, sample_weight).plot(ax=ax)
        if X is None or y is None:
            raise ValueError(
                f"X and y are needed to draw the path of a {type(estimator).__name__};"
                " a cross-validated estimator or a path can do without."
            )
        path = estimator.leaf_path(X, y, sample_weight)
        return cls.from_path(path, X, y, sample_weight, ax=ax)

    def plot(self, ax: Axes | None = None) -> PathDisplay:
        """Draw it, in these axes or a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Axes to draw in; None makes a figure.

        Returns
        -------
        PathDisplay
            Itself.
        """
        if ax is None:
            _, ax = pyplot("plot_path").subplots(
                figsize=(6.4, 4.0), layout="constrained"
            )
        self.lines_ = [_draw(curve, ax) for curve in self.curves]
        self.chosen_ = None if self.chosen is None else _mark(self.chosen, ax)
        ax.set(xlabel="number of leaves", ylabel=self.value_name)
        ax.locator_params(axis="x", integer=True)
        if any(curve.names for curve in self.curves):
            ax.margins(x=0.14)  # the names stand on the right of their points
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(alpha=0.25, linewidth=0.6)
        marked = [] if self.chosen_ is None else [self.chosen_]
        if len(self.curves) + len(marked) > 1:
            ax.legend(  # above the axes, where no curve is
                handles=[*self.lines_, *marked],
                loc="lower center",
                bbox_to_anchor=(0.5, 1.0),
                ncols=2,
                frameon=False,
            )
        self.ax_ = ax
        self.figure_ = ax.figure
        return self


def plot_path(
    path: Any,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    *,
    ax: Axes | None = None,
) -> PathDisplay:
    """Draw what another leaf buys: loss or score against the number of leaves.

    Parameters
    ----------
    path : RegularizationPath or estimator
        A path; a fitted cross-validated estimator; or a plain estimator, whose path
        on X and y is searched.
    X, y, sample_weight : array-like, default=None
        Training data, to draw CART's pruning path beside it.
    ax : matplotlib Axes, default=None
        Axes to draw in; None makes a figure.

    Returns
    -------
    PathDisplay
        With the axes as `ax_` and the figure as `figure_`.
    """
    if isinstance(path, RegularizationPath):
        return PathDisplay.from_path(path, X, y, sample_weight, ax=ax)
    return PathDisplay.from_estimator(path, X, y, sample_weight, ax=ax)


def _of_scores(
    cls: type[PathDisplay], estimator: Any, X: Any, y: Any, sample_weight: Any
) -> PathDisplay:
    check_is_fitted(estimator)
    scoring = chosen_by(estimator)
    curves = [_score_curve(estimator, "dpdtree")]
    if estimator.scoring is None and hasattr(estimator, "path_"):
        training = _training_curve(estimator)
        curves += [] if training is None else [training]
    if X is not None:
        with warnings.catch_warnings():
            # The plot shows how CART does; the caller's own model was warned about.
            warnings.filterwarnings("ignore", message="No tree of the cross-validation")
            peer = _greedy_twin(estimator).fit(X, y, sample_weight)
        curves.append(_score_curve(peer, "CART, pruned", CART))
    at = estimator.best_index_
    sizes = curves[0].n_leaves
    where = np.flatnonzero(np.argsort(_mean_sizes(estimator), kind="stable") == at)[0]
    name = SCORE_NAMES.get(scoring, scoring) if isinstance(scoring, str) else "score"
    return cls(
        curves,
        value_name=f"cross-validated {name}",
        chosen=(float(sizes[where]), estimator.best_score_),
    )


def _mean_sizes(estimator: Any) -> NDArray[np.float64]:
    """Sizes of the candidates: nominal ones, or means over the folds."""
    results = estimator.cv_results_
    if tuned_by(estimator) == "n_leaves":
        return np.asarray(results["param_n_leaves"], dtype=float)
    return np.asarray(results["mean_n_leaves"])


def _score_curve(estimator: Any, label: str, color: str = OURS) -> Curve:
    results, sizes = estimator.cv_results_, _mean_sizes(estimator)
    order = np.argsort(sizes, kind="stable")
    means, errors = results["mean_test_score"], results["se_test_score"]
    names: tuple[str, ...] = ()
    if tuned_by(estimator) == "min_samples_leaf":
        names = tuple(f"leaf ≥ {results['param_min_samples_leaf'][i]}" for i in order)
    if tuned_by(estimator) == "auto":
        names = tuple(f"shrunk by {results['param_shrinkage'][i]:.3g}" for i in order)
    return Curve(label, sizes[order], means[order], errors[order], color, names=names)


def _training_curve(estimator: Any) -> Curve | None:
    """Training scores from the losses, where one follows from the other."""
    path = estimator.path_
    loss = resolved(estimator, "loss")
    if loss == "zero_one":
        scores = 1.0 - path.losses
    elif loss == "squared_error" and path.losses[0] > 0.0:
        scores = 1.0 - path.losses / path.losses[0]  # the first tree is a leaf
    else:
        return None
    return Curve("dpdtree, training rows", path.n_leaves, scores, dashed=True)


def _greedy_twin(estimator: Any) -> Any:
    """The same cross-validation over the cost-complexity prunings of CART."""
    twin = clone(estimator).set_params(
        strategy="greedy",
        by="alpha",
        grid=None,
        complexity="n_leaves",
        max_leaf_nodes=None,
        loss=_impurity_loss(estimator),
    )
    if estimator.max_depths is not None:
        twin.set_params(max_depth=max(estimator.max_depths), max_depths=None)
    return twin


def _impurity_loss(estimator: Any) -> str:
    """The loss CART's pruning minimises; a loss that CART does not know stays."""
    # A tree of CART tells simple losses by its class shares or its impurity.
    if not LOSSES[resolved(estimator, "loss")].simple:
        return str(resolved(estimator, "loss"))
    if not is_classifier(estimator):
        return "squared_error"
    return "gini" if estimator.criterion == "gini" else "log_loss"


def _pruned_cart(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Curve:
    """CART's cost-complexity pruning path, by the estimator's own loss."""
    cart = clone(estimator).set_params(
        strategy="greedy",
        alpha=0.0,
        complexity="n_leaves",
        max_leaf_nodes=None,
        loss=_impurity_loss(estimator),
    )
    path = cart.regularization_path(X, y, sample_weight)
    losses = path.losses
    loss = resolved(estimator, "loss")
    if cart.loss != loss:
        own = [training_loss(model.tree_, loss) for model in path]
        losses = np.array(own)
    return Curve("CART, pruned", path.n_leaves, losses, color=CART)


def training_loss(tree: TreeStructure, loss: str) -> float:
    """Return the mean training loss of a tree, from its leaves."""
    leaves = np.flatnonzero(tree.children_left == TREE_LEAF)
    shares = tree.value[leaves]
    if loss == "zero_one":
        each = (1.0 - shares.max(axis=2)).sum(axis=1)
    elif loss == "gini":
        each = (1.0 - np.square(shares).sum(axis=2)).sum(axis=1)
    elif loss == "log_loss":
        logs = np.log(np.where(shares > 0.0, shares, 1.0))
        each = -(shares * logs).sum(axis=(1, 2))
    else:
        each = tree.impurity[leaves] * tree.n_outputs
    weights = tree.weighted_n_node_samples[leaves]
    return float(np.average(each, weights=weights))


def _draw(curve: Curve, ax: Axes) -> Any:
    style: dict[str, Any] = {
        "label": curve.label,
        "color": curve.color,
        "linewidth": 1.6,
        "marker": None if curve.dashed else "o",
        "markersize": 4.0,
        "linestyle": "--" if curve.dashed else "-",
    }
    for x, y, name in zip(curve.n_leaves, curve.values, curve.names, strict=False):
        ax.annotate(
            name, (x, y), (5, 6), textcoords="offset points", fontsize=8, color="0.3"
        )
    if curve.errors is None:
        [line] = ax.plot(curve.n_leaves, curve.values, **style)
        return line
    return ax.errorbar(
        curve.n_leaves,
        curve.values,
        yerr=curve.errors,
        elinewidth=0.9,
        capsize=2.5,
        **style,
    )


def _mark(chosen: tuple[float, float], ax: Axes) -> Any:
    leaves, value = chosen
    size = "1 leaf" if leaves == 1 else f"{leaves:.3g} leaves"
    [mark] = ax.plot(
        [leaves],
        [value],
        marker="o",
        markersize=11,
        markerfacecolor="none",
        markeredgecolor="black",
        markeredgewidth=1.4,
        linestyle="none",
        label=f"chosen: {size}, {value:.3f}",
    )
    return mark
