"""`DPDTBoostingClassifier` and `DPDTBoostingRegressor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from dpdtree._blocks.streams import by_blocks
from dpdtree._boosting.base import BaseBoosting
from dpdtree._boosting.links import labels, one_column, predictions, probabilities
from dpdtree._boosting.sample import Array


class DPDTBoostingClassifier(ClassifierMixin, BaseBoosting):
    """Gradient boosting for classification with trees that look ahead.

    Parameters
    ----------
    loss : "log_loss" or a callable (y, raw) -> (gradient, hessian), default='log_loss'
        What is minimised. A callable gets the targets (class codes for a
        classifier) and the raw predictions, of shape (n,) or (n, n_classes), and
        returns the gradient and the hessian of each row's loss in the same shape.
    learning_rate : "auto" or a finite float > 0.0, default='auto'
        Factor of the values of each tree. "auto": 0.05 (n q / 1000)^0.25 for n rows
        (integer weights count copies) with q times as much signal as noise, as far
        as one tree can tell, from 0.02 to 0.12; times 250 / max_iter (unless
        warm_start), from 0.02 to 0.3. learning_rate_ holds the value used.
    max_iter : an int >= 1, default=250
        Maximum number of iterations, each with one tree (one per class with three
        or more classes, one per output with several).
    lookahead : "auto", "light", "strong" or "full" or None, default='auto'
        How far a split looks ahead. "auto": "light" with 3000 rows or more, else
        None; lookahead_ holds the value used. None: not at all. "strong": the large
        nodes at the top compare several splits two levels deep, on all rows.
        "light": the same with up to 10000 rows; with more, the root is chosen on a
        sample of them, and only a node of more than half of the rows compares
        splits. "full": trees of max_depth by dynamic programming over n_candidates
        splits per state, as published.
    n_candidates : an int >= 1 or a non-empty sequence of ints >= 1, default=(4, 4, 1)
        Candidate splits per depth, for lookahead="full"; beyond the end of the
        sequence 1. An int holds for every depth.
    newton : a bool, default=True
        True: trees by gradients and hessians, as XGBoost. False: by gradients only
        (classic gradient boosting); the values of the leaves are Newton steps.
    max_leaf_nodes : "auto", an int >= 2 or None, default='auto'
        Maximum number of leaves of a tree, grown best first. "auto": for n rows
        with q times as much signal as noise 5 (n / 1000)^0.4 q^0.2 with labels, up
        to 31, and 6 (n / 1000)^(1/3) q^0.5 with numbers, up to 48; at least 4 and
        at most one per 25 rows. max_leaf_nodes_ holds the value used. None: no
        limit. Ignored by lookahead="full".
    max_depth : an int >= 1 or None, default=None
        Maximum number of splits between the root and a leaf. None: no limit; 3 with
        lookahead="full".
    min_samples_leaf : an int >= 1, default=1
        Minimum number of rows in a leaf.
    min_child_weight : a finite float >= 0.0, default=0.001
        Minimum sum of hessians in a leaf.
    l2_regularization : a finite float >= 0.0, default=5.0
        Penalty of squared leaf values (lambda of XGBoost): as if each leaf had so
        much more hessian, at value 0.
    reg_alpha : a finite float >= 0.0, default=0.0
        Penalty of absolute leaf values.
    gamma : a finite float >= 0.0, default=0.0
        Minimum gain of a split.
    subsample : a float in (0.0, 1.0], default=1.0
        Share of the rows drawn for each iteration. The number of a row and the seed
        decide, through a hash, so that the share holds on average.
    max_features : a float in (0.0, 1.0], default=0.5
        Share of the features drawn for each node.
    max_bins : an int from 2 to 255, default=255
        Bins per feature; missing values have one more.
    categorical_features : see below, default='from_dtype'
        "from_dtype", a sequence of feature names, of indices >= 0 or of one bool
        per feature or None. Which features are categories, split by sets of them;
        beyond the 255 most frequent ones they are treated as unknown. "from_dtype":
        the columns of a categorical dtype or of strings (not of names, which hardly
        repeat). None: none.
    monotonic_cst : see below, default=None
        A sequence of -1, 0 and 1, one per feature, a dict of name: direction or
        None. Features whose effect on the prediction must be increasing (1) or
        decreasing (-1); 0 leaves it open. Not for three or more classes.
    interaction_cst : see below, default=None
        "pairwise" or "no_interactions", a sequence of groups of feature indices or
        names or None. Groups of features that may meet on a path from the root to a
        leaf. Features in no group form one of their own.
    warm_start : a bool, default=False
        True: fit continues where the last fit stopped, up to max_iter; on the same
        data the result is that of one long fit at the same learning rate.
    early_stopping : "auto" or a bool, default='auto'
        Stop when the score has not improved for n_iter_no_change iterations and
        keep the best iteration. "auto": with more than 10000 rows, or X_val. False
        with X_val: its scores are kept only.
    scoring : see below, default='loss'
        'loss', the name of a scorer, a callable (estimator, X, y) -> score or None.
        Score of the learning curves and of early stopping: "loss", the name of a
        scikit-learn scorer, a callable, or None for the estimator's score. A
        callable gets categories as their places in categories_, and weights only if
        it takes sample_weight.
    validation_fraction : an int >= 1, a float in (0.0, 1.0) or None, default=0.1
        Share or number of training rows set aside for early stopping, the same
        share of each class except for its last row. None scores the training rows.
        Ignored with X_val.
    n_iter_no_change : an int >= 1, default=10
        Iterations without improvement after which early stopping stops.
    tol : a finite float >= 0.0, default=1e-07
        Minimum gain of a score to count as better.
    time_limit : a finite float >= 0.0 or None, default=None
        Seconds after which no further iteration is added, from the beginning of fit
        on; stop_reason_ says so. It may stop before the first one.
    class_weight : see below, default=None
        "balanced", a dict of label: weight with finite weights >= 0 or None.
        Factors of the sample weights: a dict, "balanced" for factors inversely
        proportional to the class counts, or None.
    n_jobs : a nonzero int or None, default=None
        Number of threads: None means 1 outside a joblib context, -1 all cores. The
        trees do not depend on it.
    random_state : see below, default=None
        An int from 0 to 4294967295, a numpy.random.RandomState instance or None.
        Seed of the validation rows and of the drawn rows and features, also of
        those that lookahead="light" samples. None stands for 0: nothing is random.
    verbose : an int >= 0 or a bool, default=0
        1 shows the iteration and its scores now and then.

    Attributes
    ----------
    booster_ : BoostingModel
        The trees, as the core holds them.
    classes_ : ndarray of shape (n_classes_,)
        The labels.
    n_classes_, n_features_in_ : int
        Shape of the problem.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names; only if X had string names throughout.
    n_iter_ : int
        Iterations of the model; the best one with early stopping.
    n_trees_per_iteration_ : int
        1 with two classes, else the number of classes.
    do_early_stopping_ : bool
        Whether early stopping was on.
    learning_rate_, max_leaf_nodes_, lookahead_ : float, int or None, str or None
        What the fit took for these parameters, "auto" or not.
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        Learning curves: scores before the first iteration and after each; higher is
        better. Empty for a custom loss without scoring; the second one also
        without validation rows: X_val, eval_set, or rows that early stopping sets
        aside.
    evals_result_ : dict of dict of list
        Metrics of `eval_set` after each iteration, by set and metric, including those
        after the best iteration; empty without.
    best_iteration_ : int
        The same as n_iter_.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each feature in the total gain.
    stop_reason_ : {"completed", "early_stopping", "callback", "time_limit"}
        Why there are no more iterations.
    random_seed_ : int
        The seed drawn from `random_state`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from dpdtree import DPDTBoostingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = DPDTBoostingClassifier(max_iter=20, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.98
    True
    """

    def __init__(
        self,
        *,
        loss: str | Callable[..., Any] = "log_loss",
        learning_rate: float | str = "auto",
        max_iter: int = 250,
        lookahead: str | None = "auto",
        n_candidates: int | Sequence[int] = (4, 4, 1),
        newton: bool = True,
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        min_child_weight: float = 1e-3,
        l2_regularization: float = 5.0,
        reg_alpha: float = 0.0,
        gamma: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 0.5,
        max_bins: int = 255,
        categorical_features: Sequence[Any] | str | None = "from_dtype",
        monotonic_cst: Sequence[int] | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Any] | str | None = None,
        warm_start: bool = False,
        early_stopping: bool | str = "auto",
        scoring: str | Callable[..., float] | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        time_limit: float | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.lookahead = lookahead
        self.n_candidates = n_candidates
        self.newton = newton
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.l2_regularization = l2_regularization
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def decision_function(
        self, X: Any, *, n_iter: int | None = None, init_score: Any = None
    ) -> Array:
        """Return raw predictions.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_iter : int, default=None
            Use the first so many iterations; None uses all.
        init_score : array-like, default=None
            Scores that the trees add to, if the fit was given some.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes_)
            Log-odds of the second class, or one column per class.
        """
        return one_column(self._raw(X, n_iter, init_score))

    def staged_decision_function(self, X: Any) -> Iterator[Array]:
        """Yield `decision_function` after one iteration, after two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Yields
        ------
        ndarray
            As `decision_function` returns.
        """
        return map(one_column, self._staged_raw(X))

    @by_blocks
    def predict_proba(
        self, X: Any, *, n_iter: int | None = None, init_score: Any = None
    ) -> Array:
        """Return probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_iter : int, default=None
            Use the first so many iterations; None uses all.
        init_score : array-like, default=None
            Scores that the trees add to, if the fit was given some.

        Returns
        -------
        ndarray of shape (n_samples, n_classes_)
            In the order of `classes_`.
        """
        return probabilities(self, self._raw(X, n_iter, init_score))

    def staged_predict_proba(self, X: Any) -> Iterator[Array]:
        """Yield `predict_proba` after one iteration, after two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Yields
        ------
        ndarray of shape (n_samples, n_classes)
            Probabilities.
        """
        return (probabilities(self, raw) for raw in self._staged_raw(X))

    def predict_log_proba(
        self, X: Any, *, n_iter: int | None = None, init_score: Any = None
    ) -> Array:
        """Return the logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_iter : int, default=None
            Use the first so many iterations; None uses all.
        init_score : array-like, default=None
            Scores that the trees add to, if the fit was given some.

        Returns
        -------
        ndarray of shape (n_samples, n_classes_)
            In the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(probabilities(self, self._raw(X, n_iter, init_score)))

    @by_blocks
    def predict(
        self, X: Any, *, n_iter: int | None = None, init_score: Any = None
    ) -> NDArray[Any]:
        """Return the most probable label.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_iter : int, default=None
            Use the first so many iterations; None uses all.
        init_score : array-like, default=None
            Scores that the trees add to, if the fit was given some.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return labels(self, self._raw(X, n_iter, init_score))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield `predict` after one iteration, after two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Yields
        ------
        ndarray of shape (n_samples,)
            As `predict` returns.
        """
        return (labels(self, raw) for raw in self._staged_raw(X))


class DPDTBoostingRegressor(RegressorMixin, BaseBoosting):
    """Gradient boosting for regression with trees that look ahead.

    Parameters
    ----------
    loss : see below, default='squared_error'
        "squared_error", "absolute_error", "poisson", "quantile" or "gamma" or a
        callable (y, raw) -> (gradient, hessian). What is minimised. "poisson" and
        "gamma" predict the exponential of the trees' sum. A callable gets the
        targets (class codes for a classifier) and the raw predictions, of shape
        (n,) or (n, n_classes), and returns the gradient and the hessian of each
        row's loss in the same shape.
    quantile : a float in [0.0, 1.0] or None, default=None
        The quantile to predict with loss="quantile".
    learning_rate : "auto" or a finite float > 0.0, default='auto'
        Factor of the values of each tree. "auto": 0.05 (n q / 1000)^0.25 for n rows
        (integer weights count copies) with q times as much signal as noise, as far
        as one tree can tell, from 0.02 to 0.12; times 250 / max_iter (unless
        warm_start), from 0.02 to 0.3. learning_rate_ holds the value used.
    max_iter : an int >= 1, default=250
        Maximum number of iterations, each with one tree (one per class with three
        or more classes, one per output with several).
    lookahead : "auto", "light", "strong" or "full" or None, default='auto'
        How far a split looks ahead. "auto": "light" with 3000 rows or more, else
        None; lookahead_ holds the value used. None: not at all. "strong": the large
        nodes at the top compare several splits two levels deep, on all rows.
        "light": the same with up to 10000 rows; with more, the root is chosen on a
        sample of them, and only a node of more than half of the rows compares
        splits. "full": trees of max_depth by dynamic programming over n_candidates
        splits per state, as published.
    n_candidates : an int >= 1 or a non-empty sequence of ints >= 1, default=(4, 4, 1)
        Candidate splits per depth, for lookahead="full"; beyond the end of the
        sequence 1. An int holds for every depth.
    newton : a bool, default=True
        True: trees by gradients and hessians, as XGBoost. False: by gradients only
        (classic gradient boosting); the values of the leaves are Newton steps.
    max_leaf_nodes : "auto", an int >= 2 or None, default='auto'
        Maximum number of leaves of a tree, grown best first. "auto": for n rows
        with q times as much signal as noise 5 (n / 1000)^0.4 q^0.2 with labels, up
        to 31, and 6 (n / 1000)^(1/3) q^0.5 with numbers, up to 48; at least 4 and
        at most one per 25 rows. max_leaf_nodes_ holds the value used. None: no
        limit. Ignored by lookahead="full".
    max_depth : an int >= 1 or None, default=None
        Maximum number of splits between the root and a leaf. None: no limit; 3 with
        lookahead="full".
    min_samples_leaf : an int >= 1, default=1
        Minimum number of rows in a leaf.
    min_child_weight : a finite float >= 0.0, default=0.001
        Minimum sum of hessians in a leaf.
    l2_regularization : a finite float >= 0.0, default=5.0
        Penalty of squared leaf values (lambda of XGBoost): as if each leaf had so
        much more hessian, at value 0.
    reg_alpha : a finite float >= 0.0, default=0.0
        Penalty of absolute leaf values.
    gamma : a finite float >= 0.0, default=0.0
        Minimum gain of a split.
    subsample : a float in (0.0, 1.0], default=1.0
        Share of the rows drawn for each iteration. The number of a row and the seed
        decide, through a hash, so that the share holds on average.
    max_features : a float in (0.0, 1.0], default=0.7
        Share of the features drawn for each node.
    max_bins : an int from 2 to 255, default=255
        Bins per feature; missing values have one more.
    categorical_features : see below, default='from_dtype'
        "from_dtype", a sequence of feature names, of indices >= 0 or of one bool
        per feature or None. Which features are categories, split by sets of them;
        beyond the 255 most frequent ones they are treated as unknown. "from_dtype":
        the columns of a categorical dtype or of strings (not of names, which hardly
        repeat). None: none.
    monotonic_cst : see below, default=None
        A sequence of -1, 0 and 1, one per feature, a dict of name: direction or
        None. Features whose effect on the prediction must be increasing (1) or
        decreasing (-1); 0 leaves it open. Not for three or more classes.
    interaction_cst : see below, default=None
        "pairwise" or "no_interactions", a sequence of groups of feature indices or
        names or None. Groups of features that may meet on a path from the root to a
        leaf. Features in no group form one of their own.
    warm_start : a bool, default=False
        True: fit continues where the last fit stopped, up to max_iter; on the same
        data the result is that of one long fit at the same learning rate.
    early_stopping : "auto" or a bool, default='auto'
        Stop when the score has not improved for n_iter_no_change iterations and
        keep the best iteration. "auto": with more than 10000 rows, or X_val. False
        with X_val: its scores are kept only.
    scoring : see below, default='loss'
        'loss', the name of a scorer, a callable (estimator, X, y) -> score or None.
        Score of the learning curves and of early stopping: "loss", the name of a
        scikit-learn scorer, a callable, or None for the estimator's score. A
        callable gets categories as their places in categories_, and weights only if
        it takes sample_weight.
    validation_fraction : an int >= 1, a float in (0.0, 1.0) or None, default=0.1
        Share or number of training rows set aside for early stopping, the same
        share of each class except for its last row. None scores the training rows.
        Ignored with X_val.
    n_iter_no_change : an int >= 1, default=10
        Iterations without improvement after which early stopping stops.
    tol : a finite float >= 0.0, default=1e-07
        Minimum gain of a score to count as better.
    time_limit : a finite float >= 0.0 or None, default=None
        Seconds after which no further iteration is added, from the beginning of fit
        on; stop_reason_ says so. It may stop before the first one.
    n_jobs : a nonzero int or None, default=None
        Number of threads: None means 1 outside a joblib context, -1 all cores. The
        trees do not depend on it.
    random_state : see below, default=None
        An int from 0 to 4294967295, a numpy.random.RandomState instance or None.
        Seed of the validation rows and of the drawn rows and features, also of
        those that lookahead="light" samples. None stands for 0: nothing is random.
    verbose : an int >= 0 or a bool, default=0
        1 shows the iteration and its scores now and then.

    Attributes
    ----------
    booster_ : BoostingModel
        The trees, as the core holds them.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names; only if X had string names throughout.
    n_iter_ : int
        Iterations of the model; the best one with early stopping.
    n_trees_per_iteration_ : int
        One for each output.
    do_early_stopping_ : bool
        Whether early stopping was on.
    learning_rate_, max_leaf_nodes_, lookahead_ : float, int or None, str or None
        What the fit took for these parameters, "auto" or not.
    train_score_, validation_score_ : ndarray of shape (n_iter_ + 1,)
        Learning curves: scores before the first iteration and after each; higher is
        better. Empty for a custom loss without scoring; the second one also
        without validation rows: X_val, eval_set, or rows that early stopping sets
        aside.
    evals_result_ : dict of dict of list
        Metrics of `eval_set` after each iteration, by set and metric, including those
        after the best iteration; empty without.
    best_iteration_ : int
        The same as n_iter_.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Share of each feature in the total gain.
    stop_reason_ : {"completed", "early_stopping", "callback", "time_limit"}
        Why there are no more iterations.
    random_seed_ : int
        The seed drawn from `random_state`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from dpdtree import DPDTBoostingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = DPDTBoostingRegressor(max_iter=20, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.6
    True
    """

    def __init__(
        self,
        *,
        loss: str | Callable[..., Any] = "squared_error",
        quantile: float | None = None,
        learning_rate: float | str = "auto",
        max_iter: int = 250,
        lookahead: str | None = "auto",
        n_candidates: int | Sequence[int] = (4, 4, 1),
        newton: bool = True,
        max_leaf_nodes: int | str | None = "auto",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        min_child_weight: float = 1e-3,
        l2_regularization: float = 5.0,
        reg_alpha: float = 0.0,
        gamma: float = 0.0,
        subsample: float = 1.0,
        max_features: float = 0.7,
        max_bins: int = 255,
        categorical_features: Sequence[Any] | str | None = "from_dtype",
        monotonic_cst: Sequence[int] | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Any] | str | None = None,
        warm_start: bool = False,
        early_stopping: bool | str = "auto",
        scoring: str | Callable[..., float] | None = "loss",
        validation_fraction: float | None = 0.1,
        n_iter_no_change: int = 10,
        tol: float = 1e-7,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.loss = loss
        self.quantile = quantile
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.lookahead = lookahead
        self.n_candidates = n_candidates
        self.newton = newton
        self.max_leaf_nodes = max_leaf_nodes
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.min_child_weight = min_child_weight
        self.l2_regularization = l2_regularization
        self.reg_alpha = reg_alpha
        self.gamma = gamma
        self.subsample = subsample
        self.max_features = max_features
        self.max_bins = max_bins
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.warm_start = warm_start
        self.early_stopping = early_stopping
        self.scoring = scoring
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @by_blocks
    def predict(
        self, X: Any, *, n_iter: int | None = None, init_score: Any = None
    ) -> Array:
        """Return predicted targets.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.
        n_iter : int, default=None
            Use the first so many iterations; None uses all.
        init_score : array-like, default=None
            Scores that the trees add to, if the fit was given some.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs)
            Numbers.
        """
        return predictions(self, self._raw(X, n_iter, init_score))

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Yield `predict` after one iteration, after two and so on.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Yields
        ------
        ndarray of shape (n_samples,)
            As `predict` returns.
        """
        return (predictions(self, raw) for raw in self._staged_raw(X))
