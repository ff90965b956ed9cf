"""`DPDTreeClassifier` and `DPDTreeRegressor`."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from dpdtree._base import BaseDPDTree, Problem
from dpdtree._core import TreeParams
from dpdtree._input.constraints import has_directions
from dpdtree._input.labels import (
    check_counts,
    check_range,
    encode_costs,
    encode_labels,
    encode_outputs,
    encode_targets,
    weigh_classes,
    weigh_outputs,
    without_weightless,
)
from dpdtree._input.validation import check_costs
from dpdtree._params.kinds import resolved
from dpdtree._params.tree import CLASSIFIER, REGRESSOR
from dpdtree._smoothing import class_probabilities, row_counts

Estimator = TypeVar("Estimator", bound=type[Any])


def documented(cls: Estimator) -> Estimator:
    """Write the parameter table into the docstring, before its attributes."""
    lines = ["Parameters", "----------"]
    for p in cls._parameters:
        lines.append(f"{p.name} : {p.allowed}, default={p.default!r}")
        lines.append(textwrap.indent(textwrap.fill(p.doc, 74), "    "))
    head, _, tail = textwrap.dedent(f"    {cls.__doc__}").partition("Attributes\n")
    cls.__doc__ = f"{head}{chr(10).join(lines)}\n\nAttributes\n{tail}"
    return cls


@documented
class DPDTreeClassifier(ClassifierMixin, BaseDPDTree):
    """A classification tree that looks ahead.

    Attributes
    ----------
    tree_ : TreeStructure
        The tree as parallel arrays under scikit-learn's names.
    classes_ : ndarray of shape (n_classes_,), or a list of such
        The labels; of each output, if there are several.
    n_classes_ : int, or a list of ints
        Their number.
    n_features_in_, n_outputs_, max_features_ : int
        Shape of the problem and the resolved `max_features`.
    cost_matrix_ : ndarray of shape (n_classes_, n_classes_)
        What predictions cost; only with loss="cost_matrix".
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names; only if X had string names throughout.
    has_missing_, is_categorical_ : ndarray of shape (n_features_in_,)
        Which features had missing values in fit; which are categories.
    categories_ : list of length n_features_in_
        The categories of each such feature that occurred, as arrays; None for numbers.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Impurity decrease each feature brings, normalised.
    loss_, complexity_, feature_cost_, objective_ : float
        Weighted mean training loss, complexity, mean cost of the features asked, and
        loss_ + alpha * complexity_ + feature_cost_.
    lower_bound_ : float
        No tree of this depth and within these limits has a smaller objective;
        on the bins, with `max_bins`.
    gap_ : float
        objective_ - lower_bound_.
    is_optimal_ : bool
        Whether the gap is zero up to rounding, that is, the tree is proven optimal.
    report_ : FitReport
        How the search went.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> DPDTreeClassifier(max_depth=2).fit(X, y).score(X, y)
    0.96
    """

    _parameters = CLASSIFIER

    def __init__(
        self,
        *,
        max_depth: int | str | None = "auto",
        strategy: str = "balanced",
        n_candidates: int | Sequence[int] | None = None,
        generator: str = "cart",
        criterion: str = "gini",
        loss: str = "zero_one",
        cost_matrix: Any = None,
        alpha: float | str = "auto",
        complexity: str = "path_length",
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: float | str | None = None,
        class_weight: Mapping[Any, float] | list[Any] | str | None = None,
        leaf_smoothing: float | str | None = "auto",
        categorical_features: Sequence[Any] | str | None = "from_dtype",
        monotonic_cst: Sequence[int] | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Any] | str | None = None,
        feature_costs: Sequence[float] | Mapping[Any, float] | None = None,
        allowed_features: Sequence[Any] | Mapping[int, Any] | None = None,
        max_bins: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.strategy = strategy
        self.n_candidates = n_candidates
        self.generator = generator
        self.criterion = criterion
        self.loss = loss
        self.cost_matrix = cost_matrix
        self.alpha = alpha
        self.complexity = complexity
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.class_weight = class_weight
        self.leaf_smoothing = leaf_smoothing
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.feature_costs = feature_costs
        self.allowed_features = allowed_features
        self.max_bins = max_bins
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _encode(
        self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None
    ) -> Problem:
        check_costs(self)
        if y.ndim == 2:
            return self._encode_outputs(y, sample_weight)
        classes, codes = encode_labels(y)
        if self.class_weight is not None:
            sample_weight = weigh_classes(
                self.class_weight, classes, codes, sample_weight
            )
        fitted = {"classes_": classes, "n_classes_": len(classes)}
        if self.loss == "cost_matrix":
            fitted["cost_matrix_"] = encode_costs(self.cost_matrix, classes)
        return Problem(codes, len(classes), sample_weight, fitted)

    def _encode_outputs(
        self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None
    ) -> Problem:
        classes, codes = encode_outputs(y)
        if self.class_weight is not None:
            sample_weight = weigh_outputs(self.class_weight, y, sample_weight)
        sizes = [len(labels) for labels in classes]
        fitted = {"classes_": classes, "n_classes_": sizes}
        return Problem(codes, sizes, sample_weight, fitted)

    def _set_loss_params(self, params: TreeParams) -> None:
        if self.loss == "cost_matrix":
            params.cost_matrix = np.ravel(self.cost_matrix).astype(float).tolist()

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row's leaf, of shape (n,) or (n, n_outputs_).

        The most frequent one; with loss="cost_matrix" the one of least expected cost.
        """
        leaves = self._leaves(X)
        decisions = self.tree_.decisions(getattr(self, "cost_matrix_", None))
        if self.n_outputs_ == 1:
            labels: NDArray[Any] = self.classes_[decisions[:, 0][leaves]]
            return labels
        columns = zip(self.classes_, decisions.T, strict=True)
        return np.column_stack([names[said[leaves]] for names, said in columns])

    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of each row's leaf, in the order of classes_.

        The fractions of its training rows, or what `leaf_smoothing` makes of them. A
        list of arrays, one per output, if there are several.
        """
        leaves = self._leaves(X)
        if self.n_outputs_ == 1:
            return self._node_probabilities()[leaves]
        outputs = range(self.n_outputs_)
        return [self._node_probabilities(output)[leaves] for output in outputs]

    def _node_probabilities(self, output: int = 0) -> NDArray[np.float64]:
        """Return the class probabilities of every node."""
        tree = self.tree_
        fractions = tree.value[:, output, : tree.n_classes[output]]
        rows = row_counts(tree.weighted_n_node_samples, tree.n_node_samples)
        smoothing = resolved(self, "leaf_smoothing")
        if self.leaf_smoothing == "auto" and (
            self.loss != "zero_one" or has_directions(self)
        ):
            smoothing = None
        return class_probabilities(fractions, rows, smoothing)

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of `predict_proba`; an absent class has -inf."""
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if self.n_outputs_ == 1:
                return np.log(shares)
            return [np.log(of_output) for of_output in shares]


@documented
class DPDTreeRegressor(RegressorMixin, BaseDPDTree):
    """A regression tree that looks ahead.

    Attributes
    ----------
    tree_ : TreeStructure
        The tree as parallel arrays under scikit-learn's names.
    n_features_in_, n_outputs_, max_features_ : int
        Shape of the problem and the resolved `max_features`.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names; only if X had string names throughout.
    has_missing_, is_categorical_ : ndarray of shape (n_features_in_,)
        Which features had missing values in fit; which are categories.
    categories_ : list of length n_features_in_
        The categories of each such feature that occurred, as arrays; None for numbers.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Variance decrease each feature brings, normalised.
    loss_, complexity_, feature_cost_, objective_ : float
        Weighted mean training loss, complexity, mean cost of the features asked, and
        loss_ + alpha * complexity_ + feature_cost_.
    lower_bound_ : float
        No tree of this depth and within these limits has a smaller objective;
        on the bins, with `max_bins`.
    gap_ : float
        objective_ - lower_bound_.
    is_optimal_ : bool
        Whether the gap is zero up to rounding, that is, the tree is proven optimal.
    report_ : FitReport
        How the search went.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from dpdtree import DPDTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> DPDTreeRegressor(max_depth=2).fit(X, y).get_n_leaves()
    4
    """

    _parameters = REGRESSOR

    def __init__(
        self,
        *,
        max_depth: int | str | None = "auto",
        strategy: str = "balanced",
        n_candidates: int | Sequence[int] | None = None,
        generator: str = "cart",
        criterion: str = "squared_error",
        loss: str = "squared_error",
        quantile: float = 0.5,
        alpha: float | str = "auto",
        complexity: str = "path_length",
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float | str = "auto",
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: float | str | None = None,
        categorical_features: Sequence[Any] | str | None = "from_dtype",
        monotonic_cst: Sequence[int] | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Any] | str | None = None,
        feature_costs: Sequence[float] | Mapping[Any, float] | None = None,
        allowed_features: Sequence[Any] | Mapping[int, Any] | None = None,
        max_bins: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_depth = max_depth
        self.strategy = strategy
        self.n_candidates = n_candidates
        self.generator = generator
        self.criterion = criterion
        self.loss = loss
        self.quantile = quantile
        self.alpha = alpha
        self.complexity = complexity
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.feature_costs = feature_costs
        self.allowed_features = allowed_features
        self.max_bins = max_bins
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _encode(
        self, y: NDArray[Any], sample_weight: NDArray[np.float64] | None
    ) -> Problem:
        y = without_weightless(encode_targets(y), sample_weight)
        check_range(y, {self.loss, self.criterion})
        if "poisson" in (self.loss, self.criterion):
            check_counts(y, sample_weight)
        return Problem(y, 0, sample_weight, {})

    def _set_loss_params(self, params: TreeParams) -> None:
        params.quantile = float(self.quantile)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the prediction of each row's leaf, of shape (n,) or (n, n_outputs_).

        The mean of its training targets, or their median or quantile, by the loss.
        """
        leaves = self._leaves(X)
        values = self.tree_.node_values
        return values[:, 0][leaves] if self.n_outputs_ == 1 else values[leaves]
