"""What both estimators share: one fit, one way through a fitted tree."""

from __future__ import annotations

import math
from abc import ABCMeta, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from dpdtree._blocks.passes import Passes, read_targets, shape_only, tree_codes
from dpdtree._blocks.schema import Schema
from dpdtree._blocks.sources import RowBlocks
from dpdtree._blocks.streams import refuse_arrays, refuse_blocks
from dpdtree._callbacks import CallbackSupportMixin, FitTask, managed
from dpdtree._core import (
    AlternativesResult,
    EncodedColumns,
    FitResult,
    PathPoint,
    SearchReport,
    TreeParams,
    find_alternatives,
    fit_path,
    fit_tree,
)
from dpdtree._input.categories import EncodesCategories
from dpdtree._input.constraints import check_monotone_target
from dpdtree._input.forced import tree_splits
from dpdtree._input.prepared import PreparedRows
from dpdtree._input.validation import (
    check_one_output,
    check_parameters,
    check_path,
    check_sample_weight,
    check_strategy,
    check_weight_span,
    check_X,
    check_y_shape,
)
from dpdtree._params.hints import HelpfulNames
from dpdtree._params.kinds import Parameter, resolved
from dpdtree._params.tree import NOISE_LEVEL, strategy_of
from dpdtree._progress import Progress, StatusLine, outer_watcher, print_report
from dpdtree._structure import TreeStructure
from dpdtree._threads import n_threads
from dpdtree._tree_params import core_params, resolved_max_features
from dpdtree.alternatives import AlternativesMixin
from dpdtree.explorer.mixin import ExploreMixin
from dpdtree.export.mixin import TreeExportMixin
from dpdtree.io.mixin import ModelFileMixin
from dpdtree.path import PathMixin
from dpdtree.plotting.notebook_mixin import NotebookMixin
from dpdtree.report import FitReport

Self = TypeVar("Self", bound="BaseDPDTree")


#: Up to so many rows, one thread predicts.
_ROWS_OF_A_THREAD = 16_384


class Problem(NamedTuple):
    """Encoded training data, as the core takes it, and what encoding has found."""

    y: NDArray[Any]
    n_classes: int | list[int]
    sample_weight: NDArray[np.float64] | None
    fitted: dict[str, Any]
    encoded: EncodedColumns | None = None  # X, where that is done already


class BaseDPDTree(
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

    _parameters: ClassVar[tuple[Parameter, ...]]

    # Switches of the core that change its speed but never its result: use_split_memo,
    # use_state_memo, use_pruning, use_bins; and use_pair_search, which changes how an
    # optimum is proven. For tests and benchmarks.
    _core_switches: Mapping[str, bool] = {}

    #: Candidates of what the training rows choose: multiples of the price by "mdl",
    #: and strengths of the shrinkage.
    _price_scales: tuple[float, ...] = (1.0,)
    _shrinkages: ClassVar[tuple[float, ...]]
    _noise_level = NOISE_LEVEL

    #: Whether there is a use for several outputs.
    _several_outputs: ClassVar[bool] = True

    @abstractmethod
    def _encode(
        self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None
    ) -> Problem:
        """Encode labels or targets; the estimator itself stays as it is."""

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
        with self._all_or_nothing():
            self._fit(X, y, sample_weight)
        if self.verbose:
            print_report(type(self).__name__, self.report_)
        return self

    @managed
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        X, problem, params = self._prepare(X, y, sample_weight)
        task = FitTask(self)
        task.begin(X, y, sample_weight)
        self._keep(self._search(X, problem, params, task), problem.fitted)
        if task.watched:
            task.end(self._fitted())

    def _prepare(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[NDArray[Any], Problem, TreeParams]:
        """Check the parameters and the data; encode what the core takes encoded."""
        check_parameters(self, self._parameters)
        check_strategy(self)
        if isinstance(X, RowBlocks):
            refuse_arrays(y, sample_weight)
            X, problem = self._prepare_blocks(X)
        elif isinstance(X, PreparedRows):
            X, problem = X.hand_over(self)
        else:
            X = check_X(self, X, reset=True)
            problem = self._prepare_targets(y, sample_weight, X.shape[0])
        params = core_params(self, X.shape, problem.sample_weight)
        if params.monotonic:
            n_outputs = problem.y.shape[1] if problem.y.ndim == 2 else 1
            check_monotone_target(int(np.max(problem.n_classes)), n_outputs)
        return X, problem, params

    def _prepare_targets(self, y: Any, sample_weight: Any, n_samples: int) -> Problem:
        y = check_y_shape(self, y, n_samples, several=self._takes_several())
        check_one_output(self, y.shape[1] if y.ndim == 2 else 1)
        if sample_weight is not None:
            sample_weight = check_sample_weight(sample_weight, n_samples)
        problem = self._encode(y, sample_weight)
        if problem.sample_weight is not None:
            check_weight_span(problem.sample_weight)
        return problem

    def _prepare_blocks(self, blocks: RowBlocks) -> tuple[NDArray[Any], Problem]:
        """Encode rows that come in blocks; X is a mere shape then."""
        if self.max_bins is None:
            raise ValueError(
                "RowBlocks are for trees with max_bins, such as max_bins=255:"
                " thresholds between any two values need all rows in memory."
            )
        targets = read_targets(blocks)
        problem = self._prepare_targets(targets.y, targets.weight, targets.n_rows)
        with StatusLine(type(self).__name__, shown=bool(self.verbose)) as line:
            passes = Passes(blocks, Schema(self), targets, line, self._n_threads())
            encoded = tree_codes(
                passes, problem.sample_weight, int(self.max_bins), blocks.cache_dir
            )
        X = shape_only(targets.n_rows, self.n_features_in_)
        return X, problem._replace(encoded=encoded)

    def _fit_path(
        self, X: Any, y: Any, sample_weight: Any, kind: str
    ) -> tuple[list[PathPoint], FitReport, dict[str, Any]]:
        """Search the best trees for all alphas or, kind="leaves", all leaf counts.

        Returns the trees, smallest first, a report, and what encoding has found. Only
        the attributes that describe X are set.
        """
        refuse_blocks(X, "a path")
        X, problem, params = self._prepare(X, y, sample_weight)
        check_path(self, kind)
        data = (X, problem.y, problem.sample_weight, problem.n_classes)
        shown = Progress(type(self).__name__, shown=bool(self.verbose))
        with shown:
            watcher = outer_watcher() or (shown.beat if self.verbose else None)
            result = fit_path(*data, params, kind, problem.encoded, watcher)
        fitted = {**problem.fitted, "has_missing_": self._has_missing(result)}
        return list(result.points), self._report(result), fitted

    def _find_alternatives(
        self,
        data: tuple[Any, Any, Any],
        k: list[int],
        k_elsewhere: list[int],
        known: Any = None,
    ) -> tuple[AlternativesResult, FitReport, dict[str, Any], float]:
        """Search the best splits of each state of (X, y, sample_weight).

        `known`: this estimator, fitted to these rows, whose tree need not be searched.
        Returns states and actions, a report, what encoding has found, and the price of
        a unit of complexity. Only the attributes that describe X are set.
        """
        refuse_blocks(data[0], "a search of alternatives")
        X, problem, params = self._prepare(*data)
        given = known is not None and self.monotonic_cst is None
        if given:
            params.forced_splits = tree_splits(known)
            _take_tuning(params, known)
        result = find_alternatives(
            X,
            problem.y,
            problem.sample_weight,
            problem.n_classes,
            params,
            k,
            k_elsewhere,
            given,
            problem.encoded,
        )
        fitted = {**problem.fitted, "has_missing_": self._has_missing(result)}
        fitted |= {"price_scale_": result.price_scale, "shrinkage_": result.shrinkage}
        alpha = 1.0 if params.mdl else params.alpha
        return result, self._report(result), fitted, alpha

    def _keep_point(
        self,
        point: Any,
        fitted: Mapping[str, Any],
        report: FitReport,
        alpha: float,
    ) -> None:
        """Set the fitted attributes to those of a tree of a path, at a given alpha."""
        strength = self._resolved_shrinkage()
        self._keep_tuned(1.0, 0.0 if isinstance(strength, str) else float(strength))
        self._keep_encoding(fitted)
        self.loss_ = point.loss
        self.complexity_ = point.complexity
        self.feature_cost_ = point.feature_cost
        self.objective_ = point.loss + alpha * point.complexity + point.feature_cost
        self.is_optimal_ = self.objective_ == 0.0  # there is nothing below
        self.lower_bound_ = 0.0 if self.is_optimal_ else math.nan
        self.gap_ = self.lower_bound_
        self.report_ = report
        self._keep_tree(TreeStructure(point.tree))

    def _search(
        self, X: NDArray[Any], problem: Problem, params: TreeParams, task: FitTask
    ) -> FitResult:
        data = (X, problem.y, problem.sample_weight, problem.n_classes)
        watcher = outer_watcher()
        if not (self.verbose or task.watched):
            return fit_tree(*data, params, None, problem.encoded, watcher)
        shown = Progress(type(self).__name__) if self.verbose else None
        if shown is not None and watcher is None:
            watcher = shown.beat

        def progress(seconds: float, objective: float, lower_bound: float) -> bool:
            if shown is not None:
                shown(seconds, objective, lower_bound)
            return not task.watched or task.step(seconds, objective, lower_bound)

        try:
            return fit_tree(*data, params, progress, problem.encoded, watcher)
        finally:
            if shown is not None:
                shown.close()

    def _keep(self, result: FitResult, fitted: Mapping[str, Any]) -> None:
        """Set the fitted attributes; `tree_` comes last and makes it fitted."""
        self._keep_encoding(fitted)
        self.has_missing_ = self._has_missing(result)
        self.loss_ = result.loss
        self.complexity_ = result.complexity
        self.feature_cost_ = result.feature_cost
        self.objective_ = result.objective
        self._keep_tuned(result.price_scale, result.shrinkage)
        self.lower_bound_ = result.lower_bound
        self.is_optimal_ = result.is_optimal
        self.gap_ = 0.0 if result.is_optimal else result.objective - result.lower_bound
        self.report_ = self._report(result, tuple(result.trace))
        self._keep_tree(TreeStructure(result.tree))

    def _keep_tuned(self, price_scale: float, shrinkage: float) -> None:
        self.price_scale_ = price_scale
        self.shrinkage_ = shrinkage

    def _keep_tree(self, tree: TreeStructure) -> None:
        self.n_outputs_ = tree.n_outputs
        self.tree_ = tree

    def _keep_encoding(self, fitted: Mapping[str, Any]) -> None:
        for name, value in fitted.items():
            setattr(self, name, value)
        self.max_features_ = resolved_max_features(self, self.n_features_in_)

    def _has_missing(self, result: SearchReport) -> NDArray[np.bool_]:
        has_missing = np.zeros(self.n_features_in_, dtype=bool)
        has_missing[list(result.features_with_missing)] = True
        return has_missing

    def _report(
        self, result: SearchReport, trace: tuple[tuple[float, float, float], ...] = ()
    ) -> FitReport:
        return FitReport(
            strategy=strategy_of(self),
            states=result.states,
            candidates=result.candidates,
            splits_searched=result.splits_searched,
            split_memo_hits=result.split_memo_hits,
            state_memo_hits=result.state_memo_hits,
            pruned=result.pruned,
            seconds_encode=result.seconds_encode,
            seconds_solve=result.seconds_solve,
            stop_reason=result.stop_reason,
            trace=trace,
        )

    def _set_loss_params(self, params: TreeParams) -> None:
        """Set what the loss itself is given."""

    def _resolved_shrinkage(self) -> float | str:
        """Return a strength or "folds"."""
        if self.shrinkage == "auto" and self.alpha != "auto":
            return 0.0
        strength: float | str = resolved(self, "shrinkage")
        return strength

    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    def _takes_several(self) -> bool:
        """Whether y may have several columns."""
        return self._several_outputs and self.strategy != "optimal"

    def __sklearn_is_fitted__(self) -> bool:
        return "tree_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = self._takes_several()
        return tags

    def _rows(self, X: Any) -> NDArray[Any]:
        """Return X as the tree reads it; the estimator is fitted."""
        if "tree_" not in vars(self):
            check_is_fitted(self)  # raises
        return check_X(self, X, reset=False)

    def _threads_for(self, X: NDArray[Any]) -> int:
        return 1 if X.shape[0] <= _ROWS_OF_A_THREAD else self._n_threads()

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


def _take_tuning(params: TreeParams, known: Any) -> None:
    """Spare a search what the rows have chosen in the fit."""
    scale = float(getattr(known, "price_scale_", math.inf))
    if math.isfinite(scale):  # else the tree is a leaf, and splits have a price
        params.price_scales = [scale] if params.price_scales else []
        params.shrinkages = [float(known.shrinkage_)]
        params.noise_level = 0.0
