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
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dpdtree._blocks.passes import Passes, read_targets, shape_only, tree_codes
from dpdtree._blocks.schema import Schema
from dpdtree._blocks.sources import RowBlocks
from dpdtree._blocks.streams import check_in_memory, refuse_arrays
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
from dpdtree._input.constraints import check_monotone_target, constrain
from dpdtree._input.forced import forced_splits
from dpdtree._input.validation import (
    check_alternatives,
    check_features_in_sight,
    check_one_output,
    check_parameters,
    check_path,
    check_provable_constraints,
    check_provable_features,
    check_sample_weight,
    check_strategy,
    check_weight_span,
    check_X,
    check_y_shape,
)
from dpdtree._numbers import clipped, is_int
from dpdtree._params.hints import HelpfulNames
from dpdtree._params.kinds import Parameter, resolved
from dpdtree._params.tree import NOISE_LEVEL, default_candidates, strategy_of
from dpdtree._progress import Progress, StatusLine, outer_watcher
from dpdtree._structure import TreeStructure
from dpdtree._threads import n_threads
from dpdtree.alternatives import AlternativesMixin
from dpdtree.explorer.mixin import ExploreMixin
from dpdtree.export.card import model_card
from dpdtree.export.explain import Explanation, explain
from dpdtree.export.leaf_table import leaf_table
from dpdtree.io.mixin import ModelFileMixin
from dpdtree.path import PathMixin
from dpdtree.plotting.notebook_mixin import NotebookMixin
from dpdtree.report import FitReport

_ALL = 2**31 - 1  # candidates: more than any state has

Self = TypeVar("Self", bound="BaseDPDTree")


class Problem(NamedTuple):
    """Encoded training data, as the core takes it, and what encoding has found."""

    y: NDArray[Any]
    n_classes: int | list[int]
    sample_weight: NDArray[np.float64] | None
    fitted: dict[str, Any]
    encoded: EncodedColumns | None = None  # X, if it came in blocks


class BaseDPDTree(
    HelpfulNames,
    PathMixin,
    AlternativesMixin,
    ExploreMixin,
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
            print(f"[{type(self).__name__}] {self.report_!r}")
        return self

    @managed
    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        X, problem, params = self._prepare(X, y, sample_weight)
        task = FitTask(self)
        task.begin(X, y, sample_weight)
        self._keep(self._search(X, problem, params, task), problem.fitted)
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
        else:
            X = check_X(self, X, reset=True)
            problem = self._prepare_targets(y, sample_weight, X.shape[0])
        params = self._core_params(X.shape, problem.sample_weight)
        n_outputs = problem.y.shape[1] if problem.y.ndim == 2 else 1
        check_monotone_target(params, int(np.max(problem.n_classes)), n_outputs)
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
        X, problem, params = self._prepare(X, y, sample_weight)
        check_path(self, kind)
        check_in_memory(problem.encoded, "a path")
        data = (X, problem.y, problem.sample_weight, problem.n_classes)
        shown = Progress(type(self).__name__, shown=bool(self.verbose))
        with shown:
            watcher = outer_watcher() or (shown.beat if self.verbose else None)
            result = fit_path(*data, params, kind, watcher)
        fitted = {**problem.fitted, "has_missing_": self._has_missing(result)}
        return list(result.points), self._report(result), fitted

    def _find_alternatives(
        self, X: Any, y: Any, sample_weight: Any, k: list[int]
    ) -> tuple[AlternativesResult, FitReport, dict[str, Any], float]:
        """Search the best splits of each state.

        Returns them, a report, what encoding has found, and the price of a unit of
        complexity. Only the attributes that describe X are set.
        """
        X, problem, params = self._prepare(X, y, sample_weight)
        check_alternatives(self)
        check_in_memory(problem.encoded, "a search of alternatives")
        # Each of them is what `fit` gives with its splits forced.
        self._set_tuning(params, forced=True)
        data = (X, problem.y, problem.sample_weight, problem.n_classes)
        result = find_alternatives(*data, params, k)
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
        self.max_features_ = self._resolve_max_features(self.n_features_in_)

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

    def _candidates_per_depth(self, n_samples: int) -> list[int]:
        """Resolve `n_candidates`; what it cannot be combined with was refused."""
        wanted, strategy = self.n_candidates, strategy_of(self)
        if strategy == "paper" and self.generator == "exhaustive":
            wanted = _ALL
        elif strategy == "greedy":
            wanted = 1
        elif wanted is None:
            wanted = default_candidates(self.strategy, resolved(self, "max_depth"))
        if not is_int(wanted):
            return [clipped(n) for n in wanted]
        depths = 1 if wanted == 1 else min(int(resolved(self, "max_depth")), n_samples)
        return [clipped(wanted)] * depths

    def _core_params(
        self, shape: tuple[int, ...], sample_weight: NDArray[np.float64] | None
    ) -> TreeParams:
        n_samples, n_features = shape
        max_features = self._resolve_max_features(n_features)
        check_features_in_sight(self, max_features, n_features)
        check_provable_features(self)
        params = TreeParams()
        params.strategy = strategy_of(self)
        params.n_candidates = self._candidates_per_depth(n_samples)
        params.generator = self.generator
        params.criterion = "entropy" if self.criterion == "log_loss" else self.criterion
        params.loss = resolved(self, "loss")
        self._set_loss_params(params)
        params.complexity = self.complexity
        alpha = resolved(self, "alpha")
        params.mdl = isinstance(alpha, str)
        params.alpha = 0.0 if isinstance(alpha, str) else float(alpha)
        self._set_tuning(params, forced=self.forced_splits is not None)
        # No tree is deeper than it has rows.
        depth = resolved(self, "max_depth")
        params.max_depth = -1 if depth is None else min(int(depth), n_samples)
        leaves = self.max_leaf_nodes
        params.max_leaf_nodes = -1 if leaves is None else clipped(leaves)
        leaf_rows = resolved(self, "min_samples_leaf")
        params.min_samples_leaf = _rows(leaf_rows, n_samples, least=1)
        params.min_samples_split = max(
            _rows(self.min_samples_split, n_samples, least=2),
            2 * params.min_samples_leaf,
        )
        if self.min_weight_fraction_leaf > 0:
            # Without rounding: in whatever order the rows come.
            total = n_samples if sample_weight is None else math.fsum(sample_weight)
            params.min_weight_leaf = float(self.min_weight_fraction_leaf * total)
        if self.min_samples_leaf == "auto" and sample_weight is not None:
            self._weigh_leaves(params, sample_weight)
        params.min_impurity_decrease = float(self.min_impurity_decrease)
        params.max_features = -1 if max_features >= n_features else max_features
        params.categorical = np.flatnonzero(self.is_categorical_).tolist()
        constrain(params, self, n_features)
        check_provable_constraints(self, params)
        params.forced_splits = forced_splits(self, n_features)
        params.max_bins = 0 if self.max_bins is None else int(self.max_bins)
        params.time_limit = -1.0 if self.time_limit is None else float(self.time_limit)
        params.n_threads = self._n_threads()
        if params.max_features >= 0:
            draw = check_random_state(self.random_state).randint(2**31, size=2)
            params.seed = int(draw[0]) << 31 | int(draw[1])
        for switch, on in self._core_switches.items():
            setattr(params, switch, on)
        return params

    def _set_loss_params(self, params: TreeParams) -> None:
        """Set what the loss itself is given."""

    def _set_tuning(self, params: TreeParams, *, forced: bool) -> None:
        """Set among what the training rows choose; forced splits are no noise."""
        if self.alpha == "auto" and self.strategy == "auto":
            params.noise_level = 0.0 if forced else self._noise_level
            scales = [s for s in self._price_scales if not (forced and math.isinf(s))]
            params.price_scales = scales
        shrinkage = self._resolved_shrinkage()
        by_folds = isinstance(shrinkage, str)
        params.shrinkages = list(self._shrinkages) if by_folds else [float(shrinkage)]

    def _resolved_shrinkage(self) -> float | str:
        """Return a strength or "folds"."""
        if self.shrinkage == "auto" and self.alpha != "auto":
            return 0.0
        strength: float | str = resolved(self, "shrinkage")
        return strength

    def _weigh_leaves(
        self, params: TreeParams, sample_weight: NDArray[np.float64]
    ) -> None:
        """Count leaf rows by weight, so that weights and repeated rows are the same."""
        rows = resolved(self, "min_samples_leaf")
        if not is_int(rows):
            return
        whole = np.array_equal(sample_weight, np.round(sample_weight))
        weighted = sample_weight[sample_weight > 0.0]
        least = float(rows) * (1.0 if whole else float(weighted.mean()))
        # Sums of weights round.
        params.min_weight_leaf = max(params.min_weight_leaf, least * (1.0 - 1e-9))
        params.min_samples_leaf, params.min_samples_split = (
            1,
            max(2, _rows(self.min_samples_split, len(sample_weight), least=2)),
        )

    def _n_threads(self) -> int:
        return n_threads(self.n_jobs)

    def _resolve_max_features(self, n_features: int) -> int:
        limit = self.max_features
        if limit is None:
            return n_features
        if limit == "sqrt":
            return max(1, int(math.sqrt(n_features)))
        if limit == "log2":
            return max(1, int(math.log2(n_features)))
        if is_int(limit):
            return min(int(limit), n_features)
        return max(1, int(limit * n_features))

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

    def _leaves(self, X: Any) -> NDArray[np.int64]:
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        return self.tree_.apply(X, self._n_threads())

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
        return self._leaves(X)

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
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
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

    def leaf_table(self, X: Any = None, y: Any = None, **options: Any) -> Any:
        """Return a frame with a row per leaf: see `dpdtree.leaf_table`.

        Parameters
        ----------
        X, y : array-like, default=None
            Held-out rows to count in each leaf, too.
        **options : keyword arguments
            Those of `dpdtree.leaf_table`.

        Returns
        -------
        pandas.DataFrame
            A row per leaf.
        """
        return leaf_table(self, X, y, **options)

    def explain(self, X: Any) -> list[Explanation]:
        """Return the way of each row and what each step contributes.

        See `dpdtree.explain`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        list of Explanation
            One per row.
        """
        return explain(self, X)

    def model_card(self, X: Any = None, y: Any = None) -> str:
        """Return a description in Markdown: see `dpdtree.model_card`.

        Parameters
        ----------
        X, y : array-like, default=None
            Held-out rows to score the model on.

        Returns
        -------
        str
            Markdown.
        """
        return model_card(self, X, y)

    def to_onnx(self, dtype: Any = np.float64) -> Any:
        """Return the tree as an `onnx.ModelProto`.

        Its input "X" has shape (n_samples, n_features_in_) and this dtype, float64 or
        float32. If there are categories that are strings, each feature is an input of
        its own instead, of shape (n_samples, 1), named as in `feature_names_in_` (else
        "feature_0", "feature_1", ...; a name that the graph needs itself gets "_"
        behind it). Strings go in as strings and numbers as numbers, also those that
        are categories. A category that the fit has not seen, the empty string for
        example, is treated like a missing one. The outputs are "label" and
        "probabilities", or "variable" for a regressor.

        Parameters
        ----------
        dtype : numpy.float64 or numpy.float32, default=numpy.float64
            Type of the input.

        Returns
        -------
        onnx.ModelProto
            The model.
        """
        check_is_fitted(self)
        from dpdtree.export.onnx_tree import tree_to_onnx

        return tree_to_onnx(self, dtype)

    def to_sklearn(self, *, smoothed: bool = False) -> Any:
        """Return the tree as a genuine scikit-learn decision tree.

        A DecisionTreeClassifier or DecisionTreeRegressor, fitted, for everything that
        recognises these by their class: plot_tree, SHAP, skl2onnx. scikit-learn
        looks at X as float32, so the predictions are equal unless a value rounds to
        the same float32 as a threshold it is close to.

        Parameters
        ----------
        smoothed : bool, default=False
            False: the nodes hold the class shares of their training rows, so that
            counts are true ones, except leaves whose shrunk shares predict another
            class: these hold the shrunk ones. True: they hold the probabilities of
            `predict_proba`. Regression trees hold what they predict, shrunk.

        Returns
        -------
        DecisionTreeClassifier or DecisionTreeRegressor
            Fitted.
        """
        from dpdtree.export.sklearn import to_sklearn

        return to_sklearn(self, smoothed=smoothed)


def _rows(limit: Any, n_samples: int, *, least: int) -> int:
    """Resolve a number or fraction of rows the way scikit-learn does."""
    if is_int(limit):
        return clipped(limit)
    return max(least, math.ceil(float(limit) * n_samples))
