"""What the tree estimators share: one fit, one way through a fitted tree."""

from __future__ import annotations

from abc import ABCMeta
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dpdtree._alternatives.search import AlternativesMixin
from dpdtree._callbacks import CallbackSupportMixin, FitTask, managed
from dpdtree._fitted import all_or_nothing, fitted_attributes
from dpdtree._input.categories import EncodesCategories
from dpdtree._input.problem import takes_several
from dpdtree._input.validation import check_X
from dpdtree._params.hints import HelpfulNames
from dpdtree._progress import print_report
from dpdtree._structure import TreeStructure
from dpdtree._threads import n_threads
from dpdtree._tree_attributes import keep_result
from dpdtree._tree_params import SearchSwitches
from dpdtree._tree_search import prepare, search_tree
from dpdtree.explorer.mixin import ExploreMixin
from dpdtree.export.mixin import TreeExportMixin
from dpdtree.io.mixin import ModelFileMixin
from dpdtree.path import PathMixin
from dpdtree.plotting.notebook_mixin import NotebookMixin

Self = TypeVar("Self", bound="BaseDPDTree")

#: Up to so many rows, one thread predicts.
_ROWS_OF_A_THREAD = 16_384


class BaseDPDTree(
    SearchSwitches,
    HelpfulNames,
    PathMixin,
    AlternativesMixin,
    ExploreMixin,
    TreeExportMixin,
    EncodesCategories,
    ModelFileMixin,
    NotebookMixin,
    CallbackSupportMixin,
    BaseEstimator,
    metaclass=ABCMeta,
):
    """Fit, traversal and the common attributes of the tree estimators."""

    tree_: TreeStructure

    def fit(self: Self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Search the tree of the training data.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            A NumPy array, a pandas or polars frame, a pyarrow table or a sparse
            matrix (which is made dense) of numbers, with categories where
            `categorical_features` says so. NaN, None and null are missing values. Or,
            with `max_bins`, a `dpdtree.RowBlocks`, which brings y and weights with it.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; None weighs each row 1.

        Returns
        -------
        self
            A fit that fails or is interrupted leaves the estimator unfitted.
        """
        with all_or_nothing(self):
            self._fit(X, y, sample_weight)
        if self.verbose:
            print_report(type(self).__name__, self.report_)
        return self

    @managed
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        search = prepare(self, X, y, sample_weight)
        task = FitTask(self)
        task.begin(search.X, y, sample_weight)
        result = search_tree(self, search, task)
        keep_result(self, result, search.problem.fitted)
        if task.watched:
            task.end(fitted_attributes(self))

    def __sklearn_is_fitted__(self) -> bool:
        return "tree_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = takes_several(self)
        return tags

    def _rows(self, X: Any) -> NDArray[Any]:
        """Return X as the tree reads it; the estimator is fitted."""
        if "tree_" not in vars(self):
            check_is_fitted(self)  # raises
        return check_X(self, X, reset=False)

    def _threads_for(self, X: NDArray[Any]) -> int:
        return 1 if X.shape[0] <= _ROWS_OF_A_THREAD else n_threads(self.n_jobs)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the index of the leaf each row of X ends in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Indices of leaves.
        """
        X = self._rows(X)
        return self.tree_.apply(X, self._threads_for(X))

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes each row passes, as a sparse indicator matrix.

        Entry (i, j) is 1 if row i of X passes node j.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        csr_matrix of shape (n_samples, n_nodes)
            The indicator matrix.
        """
        X = self._rows(X)
        indptr, indices = self.tree_.decision_path(X)
        ones = np.ones(len(indices), dtype=np.intp)
        return csr_matrix(
            (ones, indices, indptr), shape=(X.shape[0], self.tree_.node_count)
        )

    def get_depth(self) -> int:
        """Return the depth of the tree; a single leaf has depth 0.

        Returns
        -------
        int
            The depth.
        """
        check_is_fitted(self)
        return self.tree_.max_depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            The number of leaves.
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Impurity decrease each feature brings, normalised to sum to one."""
        check_is_fitted(self)
        return self.tree_.compute_feature_importances()
