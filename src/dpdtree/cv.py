"""`DPDTreeClassifierCV` and `DPDTreeRegressorCV`: the size by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from numpy.random import RandomState

from dpdtree._model_selection.cross_validation import CrossValidated
from dpdtree._params.cv import CLASSIFIER_CV, REGRESSOR_CV
from dpdtree.tree import DPDTreeClassifier, DPDTreeRegressor, documented


@documented
class DPDTreeClassifierCV(CrossValidated, DPDTreeClassifier):
    """A classification tree whose number of leaves is chosen by cross-validation.

    One search per fold gives all the candidates; the chosen tree is then taken from
    the search on all rows.

    Attributes
    ----------
    n_leaves_ : int
        Number of leaves of the tree.
    alpha_ : float
        The price of complexity that was chosen; 0.0 unless by="alpha".
    best_params_ : dict
        What was chosen.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        Every candidate and its scores, under GridSearchCV's names, with the mean
        number of leaves and the standard error of the mean score.
    path_ : RegularizationPath
        All candidates on all rows; not with by="min_samples_leaf".
    n_splits_ : int
        Number of folds.

    And everything a fitted DPDTreeClassifier has.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTreeClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> DPDTreeClassifierCV(max_depth=4).fit(X, y).n_leaves_
    5
    """

    _parameters = CLASSIFIER_CV
    _tree_class = DPDTreeClassifier
    _default_scoring = "accuracy"

    def __init__(
        self,
        *,
        by: str = "n_leaves",
        grid: Sequence[float] | None = None,
        max_depths: Sequence[int] | None = None,
        cv: int | Any | Iterable[Any] | None = 5,
        scoring: str | Callable[..., float] | None = None,
        rule: str = "best",
        max_depth: int | str | None = "auto",
        strategy: str = "balanced",
        n_candidates: int | Sequence[int] | None = None,
        generator: str = "cart",
        criterion: str = "gini",
        loss: str = "zero_one",
        cost_matrix: Any = None,
        complexity: str = "n_leaves",
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
        self._keep_parameters(locals())


@documented
class DPDTreeRegressorCV(CrossValidated, DPDTreeRegressor):
    """A regression tree whose least leaf size is chosen by cross-validation.

    One search per fold gives all the candidates; the chosen tree is then taken from
    the search on all rows.

    Attributes
    ----------
    n_leaves_ : int
        Number of leaves of the tree.
    alpha_ : float
        The price of complexity that was chosen; 0.0 unless by="alpha".
    best_params_ : dict
        What was chosen.
    best_score_ : float
        Its mean score over the folds.
    best_index_ : int
        Its place in `cv_results_`.
    cv_results_ : dict of arrays
        Every candidate and its scores, under GridSearchCV's names, with the mean
        number of leaves and the standard error of the mean score.
    path_ : RegularizationPath
        All candidates on all rows; not with by="min_samples_leaf".
    n_splits_ : int
        Number of folds.

    And everything a fitted DPDTreeRegressor has.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from dpdtree import DPDTreeRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> DPDTreeRegressorCV(max_depth=4).fit(X, y).best_params_
    {'min_samples_leaf': 50}
    """

    _parameters = REGRESSOR_CV
    _tree_class = DPDTreeRegressor
    _default_scoring = "r2"

    def __init__(
        self,
        *,
        by: str = "min_samples_leaf",
        grid: Sequence[float] | None = None,
        max_depths: Sequence[int] | None = None,
        cv: int | Any | Iterable[Any] | None = 5,
        scoring: str | Callable[..., float] | None = None,
        rule: str = "best",
        max_depth: int | str | None = "auto",
        strategy: str = "balanced",
        n_candidates: int | Sequence[int] | None = None,
        generator: str = "cart",
        criterion: str = "squared_error",
        loss: str = "squared_error",
        quantile: float = 0.5,
        complexity: str = "n_leaves",
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
        self._keep_parameters(locals())
