"""`RegularizationPath`: the best trees of one search, from a leaf to the largest."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from dpdtree._core import TreeData
from dpdtree._fitted import fitted_attributes
from dpdtree._numbers import as_float, is_int, is_real, shown
from dpdtree._operations import plain_estimator, write_explorer
from dpdtree._tree_attributes import keep_point
from dpdtree._tree_search import search_path
from dpdtree.report import FitReport

if TYPE_CHECKING:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]


@dataclass(frozen=True)
class PathTree:
    """A tree on a path: best for alpha_low <= alpha < alpha_high (NaN by leaves)."""

    tree: TreeData
    loss: float
    complexity: float
    feature_cost: float
    n_leaves: int
    alpha_low: float
    alpha_high: float


class PathContents(NamedTuple):
    """What a path consists of: see `contents`."""

    estimator: Any
    fitted: dict[str, Any]
    points: tuple[PathTree, ...]


class RegularizationPath(Sequence[Any]):
    """The best trees of a training set for every penalty, or every number of leaves.

    A sequence of fitted estimators, the smallest tree first; they are made when asked
    for. Comes from the methods `regularization_path` and `leaf_path` of an estimator.

    Attributes
    ----------
    kind : {"alpha", "n_leaves"}
        What the trees are the best for.
    alphas : ndarray of shape (n_trees,)
        Tree i is the best for alphas[i] <= alpha < alphas[i - 1]: they decrease, the
        last one is 0. NaN on a path by the number of leaves.
    losses, complexities, feature_costs : ndarray of shape (n_trees,)
        `loss_`, `complexity_` and `feature_cost_` of the trees.
    n_leaves, depths : ndarray of shape (n_trees,)
        Their sizes.
    trees : tuple of estimators
        All of them, fitted.
    report : FitReport
        How the search went.
    """

    def __init__(
        self,
        estimator: Any,
        kind: str,
        points: Sequence[Any],
        report: FitReport,
        fitted: Mapping[str, Any],
    ) -> None:
        """Keep the points of a search; `estimator` is theirs alone from now on."""
        self._estimator = estimator
        self._fitted = dict(fitted)
        self._points = tuple(
            PathTree(
                tree=point.tree,
                loss=float(point.loss),
                complexity=float(point.complexity),
                feature_cost=float(point.feature_cost),
                n_leaves=int(point.n_leaves),
                alpha_low=float(point.alpha_low),
                alpha_high=float(point.alpha_high),
            )
            for point in points
        )
        self.kind = kind
        self.report = report

    @property
    def alphas(self) -> NDArray[np.float64]:
        return np.array([point.alpha_low for point in self._points])

    @property
    def losses(self) -> NDArray[np.float64]:
        return np.array([point.loss for point in self._points])

    @property
    def complexities(self) -> NDArray[np.float64]:
        return np.array([point.complexity for point in self._points])

    @property
    def feature_costs(self) -> NDArray[np.float64]:
        return np.array([point.feature_cost for point in self._points])

    @property
    def n_leaves(self) -> NDArray[np.int64]:
        return np.array([point.n_leaves for point in self._points], dtype=np.int64)

    @property
    def depths(self) -> NDArray[np.int64]:
        depths = [point.tree.max_depth for point in self._points]
        return np.array(depths, dtype=np.int64)

    @property
    def trees(self) -> tuple[Any, ...]:
        return tuple(self)

    def __len__(self) -> int:
        return len(self._points)

    def __iter__(self) -> Iterator[Any]:
        return (self._tree(i) for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self._tree(i) for i in range(*index.indices(len(self)))]
        return self._tree(range(len(self))[index])

    def select(self, *, alpha: float | None = None, n_leaves: int | None = None) -> Any:
        """Return the fitted estimator that is the best for a penalty or a budget.

        Parameters
        ----------
        alpha : float >= 0
            The tree with the smallest loss_ + alpha * complexity_. Only on a path
            over alpha, where `fit` with this alpha reaches the same objective.
        n_leaves : int >= 1
            The tree with the smallest loss among those on this path that have at
            most so many leaves.

        Returns
        -------
        estimator
            Fitted, with the parameters of the one that made the path.
        """
        index = self.index_of(alpha=alpha, n_leaves=n_leaves)
        return self._tree(index, alpha=alpha, n_leaves=n_leaves)

    def index_of(
        self, *, alpha: float | None = None, n_leaves: int | None = None
    ) -> int:
        """Return the place of the tree that `select` returns.

        Parameters
        ----------
        alpha, n_leaves : as in `select`
            One of them.

        Returns
        -------
        int
            The position on the path.
        """
        if (alpha is None) == (n_leaves is None):
            raise TypeError("Give either alpha or n_leaves, not both.")
        if n_leaves is not None:
            if not is_int(n_leaves) or n_leaves < 1:
                raise ValueError(
                    f"n_leaves must be an int >= 1, got {shown(n_leaves)}."
                )
            # With path lengths as complexity a later tree may have fewer leaves.
            within = np.flatnonzero(self.n_leaves <= n_leaves)
            if within.size == 0:
                raise ValueError(
                    f"No tree of this path has at most n_leaves={n_leaves} leaves:"
                    f" forced_splits makes {self.n_leaves.min()} of them."
                )
            return int(within[-1])
        if not is_real(alpha) or not 0.0 <= as_float(alpha) < math.inf:
            raise ValueError(f"alpha must be a finite float >= 0, got {shown(alpha)}.")
        if self.kind != "alpha":
            raise ValueError(
                "This is a path over numbers of leaves: use select(n_leaves=...),"
                " or the path that regularization_path returns."
            )
        return int(np.flatnonzero(self.alphas <= alpha)[0])

    def _tree(
        self, index: int, alpha: float | None = None, n_leaves: int | None = None
    ) -> Any:
        """Build the estimator a fit with that alpha or number of leaves would be."""
        point = self._points[index]
        if self.kind == "alpha":
            alpha = point.alpha_low if alpha is None else float(alpha)
            limits: dict[str, Any] = {"alpha": alpha}
        else:
            alpha = 0.0
            budget = point.n_leaves if n_leaves is None else int(n_leaves)
            limits = {"alpha": alpha, "max_leaf_nodes": max(2, budget)}
        estimator = clone(self._estimator).set_params(**limits)
        fitted = {**fitted_attributes(self._estimator), **self._fitted}
        keep_point(estimator, point, fitted, self.report, alpha)
        return estimator

    def to_frame(self) -> pd.DataFrame:
        """Return the path as a pandas DataFrame, one row per tree.

        Returns
        -------
        pandas.DataFrame
            Loss, complexity, leaves and the alphas of each tree.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "to_frame needs pandas, which is not installed: pip install pandas."
            ) from error
        return pd.DataFrame(self._columns())

    def explore(
        self,
        path: str | os.PathLike[str] = "explorer.html",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        *,
        alpha: float | None = None,
        n_leaves: int | None = None,
        X_test: Any = None,
        y_test: Any = None,
        k: Sequence[int] = (6, 4, 3, 2),
        max_rows: int = 2000,
        stability: int = 0,
        cv: int = 0,
        title: str | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> Path:
        """Write a page to explore the trees of this path: one HTML file.

        Parameters
        ----------
        path : str or path, default="explorer.html"
            Where to write.
        X, y, sample_weight : array-like, default=None
            The training data of the path. Without them the page shows the trees, but
            no other splits, no thresholds and no rows.
        alpha, n_leaves : float, int, default=None
            Which tree is the chosen one, as in `select`; None takes the one from which
            on a leaf buys least.
        X_test, y_test, k, max_rows, stability, cv, title, feature_names
            As in the method `explore` of the estimators.

        Returns
        -------
        pathlib.Path
            The file.
        """
        if alpha is None and n_leaves is None:
            chosen = self._tree(self._knee())
        else:
            chosen = self.select(alpha=alpha, n_leaves=n_leaves)
        given = (X, y, sample_weight, X_test, y_test)
        options = (path, k, max_rows, stability, cv, title, feature_names)
        return write_explorer(chosen, self, given, options)

    def _knee(self) -> int:
        """Return the tree that lies farthest below the line between the ends."""
        leaves, losses = self.n_leaves.astype(float), self.losses
        along = (leaves - leaves[0]) / max(1.0, leaves[-1] - leaves[0])
        line = losses[0] + along * (losses[-1] - losses[0])
        return int(np.argmax(line - losses))

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns: dict[str, NDArray[Any]] = {
            "n_leaves": self.n_leaves,
            "depth": self.depths,
            "loss": self.losses,
            "complexity": self.complexities,
        }
        return columns | ({"alpha": self.alphas} if self.kind == "alpha" else {})

    def __repr__(self) -> str:
        from dpdtree._path_repr import as_text

        return as_text(self._title(), self._columns())

    def _repr_html_(self) -> str:
        from dpdtree._path_repr import as_html

        return as_html(self._title(), self._columns())

    def _title(self) -> str:
        trees = "1 tree" if len(self) == 1 else f"{len(self)} trees"
        over = "alpha" if self.kind == "alpha" else "the number of leaves"
        owner = self._estimator
        name = f"{type(owner).__name__}, {self.report.strategy}"
        return f"RegularizationPath over {over}: {trees} ({name})"


def contents(path: RegularizationPath) -> PathContents:
    """Return the estimator that made a path, what encoding has found, and the trees."""
    return PathContents(path._estimator, path._fitted, path._points)


class PathMixin:
    """The methods that give an estimator its paths."""

    def regularization_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> RegularizationPath:
        """Search the best tree for every alpha at once.

        The estimator's own `alpha` is ignored and the estimator itself is left as it
        is. Parameters as in `fit`; not for strategy="optimal".

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; None weighs each row 1.

        Returns
        -------
        RegularizationPath
            The trees on the convex front of loss and `complexity`.
        """
        return _search(self, X, y, sample_weight, "alpha")

    def leaf_path(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> RegularizationPath:
        """Search the best tree for every number of leaves at once.

        The estimator's own `alpha` is ignored, `max_leaf_nodes` ends the path, and
        the estimator itself is left as it is. Parameters as in `fit`; not for
        strategy="optimal".

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; None weighs each row 1.

        Returns
        -------
        RegularizationPath
            Trees that lose less with each leaf they have more; some of them are the
            best for no alpha.
        """
        return _search(self, X, y, sample_weight, "n_leaves")


def _search(
    owner: PathMixin, X: Any, y: Any, sample_weight: Any, kind: str
) -> RegularizationPath:
    estimator = plain_estimator(owner)
    native = {"alpha": "alpha", "n_leaves": "leaves"}[kind]
    points, report, fitted = search_path(estimator, X, y, sample_weight, native)
    return RegularizationPath(estimator, kind, points, report, fitted)
