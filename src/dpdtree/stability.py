"""`stability_report`: what remains of a tree when the rows are drawn again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier
from sklearn.utils import check_random_state

from dpdtree._base import BaseDPDTree
from dpdtree._numbers import is_int, shown
from dpdtree._stability.comparison import (
    SPREAD,
    NodeStability,
    compare_nodes,
    distances,
    features_by_depth,
    quantiles,
)
from dpdtree._stability.refits import Data, Floats, Refit, refits
from dpdtree._threads import n_threads

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]


@dataclass(frozen=True)
class StabilityReport:
    """What remains of a tree when its rows are drawn again, with replacement.

    Made by `stability_report`.

    Attributes
    ----------
    n : int
        Number of fits on drawn rows.
    nodes : list of NodeStability
        For each split of the given tree, how often it comes again at its place.
    share : ndarray of shape (node_count,)
        `same_split` by node of the given tree; NaN at leaves.
    feature_names : list of str
        Names of the features, or "x0", "x1", ...
    feature_share : ndarray of shape (depths, n_features)
        Share of the fits that ask a feature at a depth.
    feature_thresholds : dict of (depth, feature) : ndarray
        All thresholds at which a feature is split there; none of categories.
    prediction_spread : ndarray of shape (n_rows,)
        For each row the share of fits that predict another class than the given tree;
        for regression the standard deviation of their predictions.
    distances : ndarray of shape (n + 1, n + 1)
        Between trees, the given one first: share of rows with different predictions;
        for regression the root mean square difference of predictions, over the
        standard deviation of the targets.
    losses, kept_losses : ndarray of shape (n,)
        Loss of each fit on its own rows, and of the given tree's splits on them (with
        leaf values of these rows): what it costs to keep the tree.
    n_leaves, depths : ndarray of shape (n,)
        Sizes of the fitted trees.
    """

    n: int
    nodes: list[NodeStability]
    share: Floats
    feature_names: list[str]
    feature_share: Floats
    feature_thresholds: dict[tuple[int, int], Floats]
    prediction_spread: Floats
    distances: Floats
    losses: Floats
    kept_losses: Floats
    n_leaves: NDArray[np.int64]
    depths: NDArray[np.int64]
    task: str

    @property
    def cost_of_keeping(self) -> float:
        """Mean of kept_losses - losses: what the old tree loses to a new one."""
        return float(np.mean(self.kept_losses - self.losses))

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas DataFrame with a row for each split of the given tree.

        Returns
        -------
        pandas.DataFrame
            A row per node of the tree.
        """
        columns: dict[str, Any] = {
            name: [getattr(node, name) for node in self.nodes]
            for name in NodeStability._fields[:-1]
        }
        for i, level in enumerate(SPREAD):
            name = f"threshold_{round(100 * level)}%"
            columns[name] = [node.thresholds[i] for node in self.nodes]
        return _pandas().DataFrame(columns)

    def features_to_frame(self) -> pd.DataFrame:
        """Return a DataFrame with a row for each feature that a depth asks.

        With the share of fits that ask it there and quantiles of its thresholds, the
        most frequent first.

        Returns
        -------
        pandas.DataFrame
            A row per feature and depth.
        """
        rows = []
        for depth, feature in np.argwhere(self.feature_share > 0).tolist():
            thresholds = self.feature_thresholds.get((depth, feature), np.empty(0))
            spread = quantiles(thresholds)
            named = {
                f"threshold_{round(100 * level)}%": value
                for level, value in zip(SPREAD, spread, strict=True)
            }
            rows.append(
                {
                    "depth": depth,
                    "feature": self.feature_names[feature],
                    "share": self.feature_share[depth, feature],
                    **named,
                }
            )
        frame = _pandas().DataFrame(rows)
        if not rows:
            return frame
        order = ["depth", "share"]
        return frame.sort_values(order, ascending=[True, False], ignore_index=True)

    def plot(self, *, most: int = 12, axes: Any = None) -> Any:
        """Draw the features asked by depth, and how often the tree's splits come again.

        Parameters
        ----------
        most : int, default=12
            Features and splits shown at most.
        axes : sequence of two matplotlib Axes, default=None
            Where to draw; None makes a figure.

        Returns
        -------
        ndarray of two matplotlib Axes
        """
        from dpdtree.plotting.stability import plot_stability

        return plot_stability(self, most=most, axes=axes)

    def __repr__(self) -> str:
        spread = float(np.mean(self.prediction_spread))
        what = (
            f"rows predicted otherwise {spread:.1%}"
            if self.task == "classification"
            else f"standard deviation of predictions {spread:.4g}"
        )
        leaves = f"{self.n_leaves.min()} to {self.n_leaves.max()}"
        title = (
            f"StabilityReport of {self.n} fits: {what}; leaves {leaves}; keeping the"
            f" tree costs {self.cost_of_keeping:.4g} of {self.kept_losses.mean():.4g}"
        )
        lines = [title]
        lines += [
            f"  {node.same_split:4.0%} (feature {node.same_feature:4.0%})"
            f"  {'  ' * node.depth}{node.split}"
            for node in self.nodes[:7]
        ]
        more = len(self.nodes) - 7
        return "\n".join([*lines, *([f"  ... and {more} more"] if more > 0 else [])])


def stability_report(
    estimator: Any,
    X: Any,
    y: Any,
    n: int = 50,
    random_state: Any = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    *,
    sample_weight: Any = None,
) -> StabilityReport:
    """Fit trees to rows drawn with replacement, and compare them with the tree.

    Parameters
    ----------
    estimator : DPDTreeClassifier, DPDTreeRegressor or one of their CV forms
        The tree to look at. If it is not fitted, a copy of it is fitted to all rows;
        the estimator itself is left as it is.
    X, y
        The training data, as in `fit`; one output.
    n : int, default=50
        Number of fits.
    random_state : int, RandomState or None, default=0
        Of the draws.
    n_jobs : int or None, default=None
        Threads that share the fits.
    progress : bool, default=False
        Whether to show how many fits are done.
    sample_weight : array-like of shape (n_samples,), default=None
        As in `fit`. A row that is drawn k times has k times its weight.

    Returns
    -------
    StabilityReport

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTreeClassifier, stability_report
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> report = stability_report(DPDTreeClassifier(max_depth=2), X, y, n=20)
    >>> report.nodes[0].split
    'petal length (cm) <= 2'
    >>> report.n
    20
    """
    if not is_int(n) or n < 1:
        raise ValueError(f"n must be an int >= 1, got {shown(n)}.")
    given = _fitted(estimator, X, y, sample_weight)
    if given.n_outputs_ > 1:
        raise ValueError("stability_report is for one output; y has several.")
    data = Data.of(given, X, y, sample_weight)
    rng = check_random_state(random_state)
    seeds = rng.randint(2**31, size=n)
    fits = list(refits(given, data, seeds, n_threads(n_jobs), progress))
    return _summed(given, data, fits)


def _fitted(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    if not isinstance(estimator, BaseDPDTree):
        raise TypeError(
            "stability_report needs a DPDTreeClassifier or a DPDTreeRegressor, got"
            f" {type(estimator).__name__}."
        )
    if estimator.__sklearn_is_fitted__():
        return estimator
    return clone(estimator).fit(X, y, sample_weight)


def _summed(given: Any, data: Data, fits: list[Refit]) -> StabilityReport:
    names = getattr(given, "feature_names_in_", None)
    if names is None:
        names = [f"x{i}" for i in range(given.n_features_in_)]
    predictions = np.array(
        [given.predict(data.passed.X), *(fit.predictions for fit in fits)]
    )
    classification = is_classifier(given)
    nodes = compare_nodes(given, data, fits, list(map(str, names)))
    share = np.full(given.tree_.node_count, np.nan)
    for node in nodes:
        share[node.node] = node.same_split
    feature_share, thresholds = features_by_depth(fits, given.n_features_in_)
    return StabilityReport(
        n=len(fits),
        nodes=nodes,
        share=share,
        feature_names=list(map(str, names)),
        feature_share=feature_share,
        feature_thresholds=thresholds,
        prediction_spread=(
            np.mean(predictions[1:] != predictions[0], axis=0)
            if classification
            else np.std(predictions[1:], axis=0)
        ),
        distances=distances(predictions, data, classification),
        losses=np.array([fit.loss for fit in fits]),
        kept_losses=np.array([fit.kept_loss for fit in fits]),
        n_leaves=np.array([fit.n_leaves for fit in fits]),
        depths=np.array([fit.depth for fit in fits]),
        task="classification" if classification else "regression",
    )


def _pandas() -> Any:
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "to_frame needs pandas, which is not installed: pip install pandas."
        ) from error
    return pd
