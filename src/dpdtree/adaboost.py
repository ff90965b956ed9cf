"""`DPDTAdaBoostClassifier`: trees that look ahead, boosted by weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils import check_random_state
from sklearn.utils.extmath import softmax
from sklearn.utils.validation import check_is_fitted

from dpdtree._adaboost_rounds import Weights, raised_weights
from dpdtree._clock import Clock
from dpdtree._core import EncodedColumns, encode_columns, fit_tree
from dpdtree._input.categories import EncodesCategories
from dpdtree._input.labels import ClassCodes, encode_labels, weigh_classes
from dpdtree._input.validation import (
    check_parameters,
    check_sample_weight,
    check_strategy,
    check_X,
    check_y_shape,
)
from dpdtree._params.adaboost import ADABOOST
from dpdtree._params.tree import CLASSIFIER
from dpdtree._progress import StatusLine
from dpdtree.io.mixin import ModelFileMixin
from dpdtree.tree import DPDTreeClassifier, documented

# Smaller weights are raised to this: a row is never forgotten altogether.
_LEAST_WEIGHT = float(np.finfo(np.float64).eps)
# A first tree with less weighted error is perfect by the weights that the user gave.
# Later trees would spend their rounds on rows that those weights say do not matter.
_LEAST_ERROR = 1e-6


class _Data(NamedTuple):
    """The training data of all rounds."""

    X: NDArray[Any]
    codes: ClassCodes
    classes: NDArray[Any]
    encoded: EncodedColumns | None


class _Round(NamedTuple):
    """A tree, the weight of its vote and its weighted training error."""

    tree: DPDTreeClassifier
    vote: float
    error: float


@documented
class DPDTAdaBoostClassifier(
    EncodesCategories, ModelFileMixin, ClassifierMixin, BaseEstimator
):
    """AdaBoost (SAMME) over classification trees that look ahead.

    The same ensemble as scikit-learn's AdaBoostClassifier over a DPDTreeClassifier of
    these parameters, but the columns are encoded once, not in every round. With
    `max_bins` the bins are therefore those of the first weights.

    Attributes
    ----------
    estimators_ : list of DPDTreeClassifier
        The trees.
    estimator_weights_, estimator_errors_ : ndarray of shape (len(estimators_),)
        Weight of each tree, and its weighted training error.
    classes_ : ndarray of shape (n_classes_,)
        The labels.
    n_classes_, n_features_in_ : int
        Shape of the problem.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Column names; only if X had string names throughout.
    feature_importances_ : ndarray of shape (n_features_in_,)
        Weighted mean of the trees' importances.
    stop_reason_ : {"completed", "perfect", "chance", "overflow", "time_limit"}
        Why there are no more trees: all were made; the last has no errors (the first:
        errors of less than a millionth of the weight); the next would be no better
        than chance; the weights overflow; time was up.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTAdaBoostClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = DPDTAdaBoostClassifier(n_estimators=10, max_depth=2).fit(X, y)
    >>> len(model.estimators_), model.score(X, y)
    (10, 1.0)
    """

    _parameters = ADABOOST

    def __init__(
        self,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        max_depth: int | None = 3,
        strategy: str = "paper",
        n_candidates: int | Sequence[int] | None = (4, 1),
        generator: str = "cart",
        criterion: str = "gini",
        loss: str = "zero_one",
        alpha: float = 0.0,
        complexity: str = "path_length",
        max_leaf_nodes: int | None = None,
        min_samples_split: float = 2,
        min_samples_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        max_features: float | str | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        categorical_features: Sequence[Any] | str | None = "from_dtype",
        max_bins: int | None = None,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        random_state: int | RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.strategy = strategy
        self.n_candidates = n_candidates
        self.generator = generator
        self.criterion = criterion
        self.loss = loss
        self.alpha = alpha
        self.complexity = complexity
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.class_weight = class_weight
        self.categorical_features = categorical_features
        self.max_bins = max_bins
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> DPDTAdaBoostClassifier:
        """Fit one tree after the other, each to the errors of those before it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As for `DPDTreeClassifier`.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights to start with; None weighs each row the same.

        Returns
        -------
        self
            A fit that fails or is interrupted leaves the estimator unfitted.
        """
        with self._all_or_nothing():
            clock = Clock(self.time_limit)
            check_parameters(self, self._parameters)
            check_strategy(self)
            X = check_X(self, X, reset=True)
            y = check_y_shape(self, y, X.shape[0])
            weight = check_sample_weight(
                1.0 if sample_weight is None else sample_weight, X.shape[0]
            )
            classes, codes = encode_labels(y)
            if self.class_weight is not None:
                weight = weigh_classes(self.class_weight, classes, codes, weight)
            weight = weight / weight.sum()
            encoded = self._encode_columns(X, weight, clock)
            self._boost(_Data(X, codes, classes, encoded), weight, clock)
        return self

    def _encode_columns(
        self, X: NDArray[Any], weight: Weights, clock: Clock
    ) -> EncodedColumns | None:
        params = self._tree(0)._core_params(X.shape, weight)
        params.time_limit = clock.left()
        return encode_columns(X, weight, params)

    def _tree(self, random_state: int) -> DPDTreeClassifier:
        shared = {p.name for p in CLASSIFIER} & {p.name for p in ADABOOST}
        own = {name: getattr(self, name) for name in shared}
        own |= {"class_weight": None, "random_state": random_state}
        tree = DPDTreeClassifier(**own)
        tree.is_categorical_ = self.is_categorical_
        tree.categories_ = self.categories_
        return tree

    def _boost(self, data: _Data, weight: Weights, clock: Clock) -> None:
        """Set the fitted attributes, round by round."""
        self.classes_, self.n_classes_ = data.classes, len(data.classes)
        made: list[_Round] = []
        # Without max_features no tree draws: equal fits have equal trees, seeds too.
        draws = self.random_state is not None or self.max_features is not None
        random_state = check_random_state(self.random_state if draws else 0)
        weightless = weight == 0.0
        with StatusLine(type(self).__name__, shown=bool(self.verbose)) as line:
            for i in range(self.n_estimators):
                weight = np.clip(weight, _LEAST_WEIGHT, None)
                weight[weightless] = 0.0
                tree = self._tree(random_state.randint(np.iinfo(np.int32).max))
                wrong = self._grow(tree, data, weight, clock)
                self.stop_reason_ = self._add(tree, wrong, weight, made)
                if self.stop_reason_ != "completed" or i + 1 == self.n_estimators:
                    break
                if clock.left() == 0.0:
                    self.stop_reason_ = "time_limit"
                    break
                raised = raised_weights(weight, wrong, made[i].vote)
                if raised is None:
                    self.stop_reason_ = "overflow"
                    break
                weight = raised
                if line.due(clock.seconds()):
                    text = f"tree {i + 1} of {self.n_estimators}"
                    line.show(clock.seconds(), f"{text}, error {made[i].error:.4f}")
        self.estimators_ = [one.tree for one in made]
        self.estimator_weights_ = np.array([one.vote for one in made])
        self.estimator_errors_ = np.array([one.error for one in made])

    def _grow(
        self, tree: DPDTreeClassifier, data: _Data, weight: Weights, clock: Clock
    ) -> NDArray[np.bool_]:
        """Fit one tree in the time that is left; return where it errs."""
        classes = data.classes
        params = tree._core_params(data.X.shape, weight)
        params.time_limit = clock.left()
        result = fit_tree(
            data.X, data.codes, weight, len(classes), params, None, data.encoded
        )
        tree.n_features_in_ = data.X.shape[1]
        tree._keep(result, {"classes_": classes, "n_classes_": len(classes)})
        wrong: NDArray[np.bool_] = _codes(tree, data.X) != data.codes
        return wrong

    def _add(
        self,
        tree: DPDTreeClassifier,
        wrong: NDArray[np.bool_],
        weight: Weights,
        made: list[_Round],
    ) -> str:
        """Keep a tree that is finished and of use, or the first; why to stop, if so."""
        i = len(made)
        finished = tree.report_.stop_reason != "time_limit"
        if not finished and i > 0:
            return "time_limit"
        error = float(np.average(wrong, weights=weight))
        by_chance = error >= 1.0 - 1.0 / self.n_classes_ and error > 0.0
        if by_chance and finished:
            self._check_not_first(i, error)
            return "chance"
        vote = 1.0
        if error > 0.0 and not by_chance:
            odds = np.log((1.0 - error) / error) + np.log(self.n_classes_ - 1.0)
            vote = float(self.learning_rate * odds)
        made.append(_Round(tree, vote, error))
        if not finished:
            return "time_limit"
        return "completed" if error > (_LEAST_ERROR if i == 0 else 0.0) else "perfect"

    def _check_not_first(self, i: int, error: float) -> None:
        if i == 0:
            raise ValueError(
                "There is nothing to boost: the weighted training error of the first"
                f" tree is {error:.3g} with {self.n_classes_} classes, no better than"
                " chance. Allow deeper trees or less regularisation."
            )

    def decision_function(self, X: Any) -> Weights:
        """Return the weighted votes, between -1 and 1.

        Of shape (n_samples, n_classes); (n_samples,) with two classes, positive for
        the second one.
        """
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        votes = np.zeros((X.shape[0], self.n_classes_))
        if self.n_classes_ == 1:
            return votes
        for tree, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes += self._vote(tree, weight, X)
        return self._shaped(votes / self.estimator_weights_.sum())

    def staged_decision_function(self, X: Any) -> Iterator[Weights]:
        """Yield `decision_function` with the first tree, the first two and so on."""
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        votes, total = np.zeros((X.shape[0], self.n_classes_)), 0.0
        for tree, weight in zip(self.estimators_, self.estimator_weights_, strict=True):
            votes += self._vote(tree, weight, X)
            total += weight
            yield self._shaped(votes / total)

    def _vote(self, tree: DPDTreeClassifier, weight: float, X: NDArray[Any]) -> Weights:
        n = self.n_classes_
        against = -1.0 / (n - 1) * weight if n > 1 else 0.0
        chosen = _codes(tree, X)[:, np.newaxis] == np.arange(n)
        return np.where(chosen, weight, against)

    def _shaped(self, votes: Weights) -> Weights:
        if self.n_classes_ != 2:
            return votes
        difference: Weights = votes[:, 1] - votes[:, 0]
        return difference

    def _labels(self, decision: Weights) -> NDArray[Any]:
        two = self.n_classes_ == 2
        codes = decision > 0 if two else decision.argmax(axis=1)
        labels: NDArray[Any] = self.classes_[codes.astype(np.intp)]
        return labels

    def _probabilities(self, decision: Weights) -> Weights:
        if self.n_classes_ == 1:
            return np.ones_like(decision)
        if self.n_classes_ == 2:
            decision = np.column_stack([-decision, decision]) / 2
        else:
            decision = decision / (self.n_classes_ - 1)
        return np.asarray(softmax(decision, copy=False))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with the most votes."""
        return self._labels(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield `predict` with the first tree, the first two and so on."""
        return map(self._labels, self.staged_decision_function(X))

    def predict_proba(self, X: Any) -> Weights:
        """Return probabilities in the order of classes_: the softmax of the votes."""
        return self._probabilities(self.decision_function(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Weights]:
        """Yield `predict_proba` with the first tree, the first two and so on."""
        return map(self._probabilities, self.staged_decision_function(X))

    def predict_log_proba(self, X: Any) -> Weights:
        """Return the logarithm of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def staged_score(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Iterator[float]:
        """Yield the accuracy with the first tree, the first two and so on."""
        for labels in self.staged_predict(X):
            yield float(accuracy_score(y, labels, sample_weight=sample_weight))

    @property
    def feature_importances_(self) -> Weights:
        """Mean of the trees' importances, weighted like their votes."""
        check_is_fitted(self)
        weights = self.estimator_weights_
        importances = [tree.feature_importances_ for tree in self.estimators_]
        mean: Weights = (
            sum(w * i for w, i in zip(weights, importances, strict=True))
            / weights.sum()
        )
        return mean

    def __sklearn_is_fitted__(self) -> bool:
        return "stop_reason_" in vars(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags


def _codes(tree: DPDTreeClassifier, X: NDArray[Any]) -> NDArray[np.intp]:
    """Return the class code a tree predicts for each row of a checked X."""
    leaves = tree.tree_.apply(X, tree._n_threads())
    codes: NDArray[np.intp] = tree.tree_.node_values.argmax(axis=1)[leaves]
    return codes
