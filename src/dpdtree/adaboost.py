"""`DPDTAdaBoostClassifier`: trees that look ahead, boosted by weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dpdtree._adaboost.rounds import Weights, raised_weights
from dpdtree._adaboost.votes import VotingMixin, class_codes
from dpdtree._clock import Clock
from dpdtree._core import EncodedColumns, encode_columns, fit_tree
from dpdtree._fitted import all_or_nothing
from dpdtree._input.categories import EncodesCategories
from dpdtree._input.labels import ClassCodes, encode_labels, weigh_classes
from dpdtree._input.parameter_checks import check_parameters, check_strategy
from dpdtree._input.validation import check_sample_weight, check_X, check_y_shape
from dpdtree._params.adaboost import ADABOOST
from dpdtree._params.hints import HelpfulNames
from dpdtree._params.tree import CLASSIFIER
from dpdtree._progress import Beat, PartsProgress
from dpdtree._tree_attributes import keep_result
from dpdtree._tree_params import core_params
from dpdtree.io.mixin import ModelFileMixin
from dpdtree.plotting.notebook_mixin import NotebookMixin
from dpdtree.tree import DPDTreeClassifier

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


class DPDTAdaBoostClassifier(
    HelpfulNames,
    EncodesCategories,
    ModelFileMixin,
    NotebookMixin,
    VotingMixin,
    ClassifierMixin,
    BaseEstimator,
):
    """AdaBoost (SAMME) over classification trees that look ahead.

    The same ensemble as scikit-learn's AdaBoostClassifier over a DPDTreeClassifier of
    these parameters, but the columns are encoded once, not in every round. With
    `max_bins` the bins are therefore those of the first weights.

    Parameters
    ----------
    n_estimators : an int >= 1, default=50
        Number of trees at most; a tree without errors is the last one.
    learning_rate : a finite float > 0.0, default=1.0
        Factor of the weight of each tree.
    max_depth : an int >= 1 or None, default=3
        Largest number of splits between the root and a leaf of each tree; None as
        for a single tree.
    strategy : "greedy", "paper", "balanced" or "optimal", default='paper'
        How each tree is searched, as in DPDTreeClassifier. The default looks ahead
        from the root; "balanced" takes much longer on weighted rows and gains
        nothing over it in boosting.
    n_candidates : see below, default=(4, 1)
        An int >= 1, a non-empty sequence of ints >= 1 or None. Number of candidate
        splits of a state. An int holds for every depth; a sequence gives one number
        per depth, beyond its end it is 1 (the greedy split). None is (4, 4, 2, 1)
        with strategy="auto" of a classifier, 8 at each depth with "paper"; with
        "balanced" and "optimal" it is (4, 4, 4, 1), and (4, 1) for trees of up to
        three levels; 1 where alpha is a number, unless min_impurity_decrease or
        max_features keep them from looking further ahead. Ignored by
        strategy="greedy".
    generator : "cart", "top_b", "top_b_per_feature" or "exhaustive", default='cart'
        Where the candidate splits of strategy="paper" come from. "cart": the splits
        of a best-first CART with that many inner nodes, grown on the rows of the
        state. "top_b": the best splits of the state by the criterion.
        "top_b_per_feature": the same, the best split of each feature first. The
        greedy split is always included. "exhaustive": every threshold at every
        depth, whatever n_candidates says; the oracle, for small data only. The
        other strategies have their own candidates and ignore it.
    criterion : "gini", "entropy" or "log_loss", default='gini'
        Proposes candidate splits: Gini impurity or entropy ("log_loss" is the
        same). Unlike in scikit-learn, the tree minimises `loss`, not this.
    loss : "zero_one", "gini" or "log_loss", default='zero_one'
        What each tree minimises: the training error, the mean Gini impurity of the
        leaves or their mean log-loss. strategy="optimal" takes "zero_one" only.
    alpha : a finite float >= 0.0 or "mdl", default=0.0
        Price of one unit of complexity: the search minimises loss + alpha *
        complexity. 0.0 is the pure training loss. "mdl" (minimum description
        length) needs no tuning: each split costs (ln p + ln T) / 2 errors, where p
        is the number of features and T the number of thresholds, or sets of
        categories, its feature offers there; complexity_ is then the sum of these
        costs over the total weight. Not for strategy="optimal".
    complexity : "path_length" or "n_leaves", default='path_length'
        What alpha counts. "path_length": the weighted mean number of splits a
        training row passes. "n_leaves": the number of leaves.
    max_leaf_nodes : an int >= 2 or None, default=None
        At most this many leaves. With strategy="greedy" they are grown best first;
        the other strategies find the best tree with so few: of all trees that they
        look at, or, with "optimal", of all there are.
    min_samples_split : an int >= 2 or a float in (0.0, 1.0], default=2
        Rows a node needs to be split; a float is a fraction of the training rows.
    min_samples_leaf : an int >= 1 or a float in (0.0, 1.0), default=1
        Minimum number of rows in a leaf; a float is a fraction of the training
        rows.
    min_weight_fraction_leaf : a float in [0.0, 0.5], default=0.0
        Minimum share of the total sample weight in a leaf.
    min_impurity_decrease : a finite float >= 0.0, default=0.0
        A split has to lower the impurity by at least this much, weighted by the
        node's share of all training weight (scikit-learn's meaning). Above 0.0,
        strategy="balanced" searches its candidates only; not for "optimal".
    max_features : see below, default=None
        An int >= 1, a float in (0.0, 1.0], "sqrt" or "log2" or None. Number of
        features drawn at random for each split search; a float is a fraction of the
        features, None uses all of them. With fewer than all, strategy="balanced"
        searches its candidates only; not for "optimal".
    class_weight : see below, default=None
        "balanced", a dict of label: weight with finite weights >= 0 or None.
        Factors of the weights that boosting starts with: a dict, "balanced" for
        factors inversely proportional to the class counts, or None. Errors gain
        weight in every round, so that with many rounds these factors fade.
    categorical_features : see below, default='from_dtype'
        "from_dtype", a sequence of feature names, of indices >= 0 or of one bool
        per feature or None. Which features are categories, split by sets of them.
        "from_dtype": the columns of a categorical dtype (pandas category, polars
        Categorical and Enum, dictionaries of pyarrow) or of strings. Strings that
        hardly repeat, such as names, are an error unless the column is named here.
        None takes every column for numbers. Not for strategy="optimal".
    max_bins : an int from 2 to 255 or None, default=None
        Merge the values of each feature into this many quantile bins, once: those
        of the weights given to fit, for all trees. None searches every distinct
        value.
    time_limit : a finite float >= 0.0 or None, default=None
        Seconds for the whole ensemble. The tree that is not done by then is left
        out, unless it is the first; stop_reason_ says so. None waits for the end.
    n_jobs : a nonzero int or None, default=None
        Number of threads within a tree: None means 1 outside a joblib context, -1
        all cores. The trees do not depend on it.
    random_state : see below, default=None
        An int from 0 to 4294967295, a numpy.random.RandomState instance or None.
        Seed of the trees' feature draws. Without max_features nothing is random.
    verbose : an int >= 0 or a bool, default=0
        1 shows the number of trees and the error of the last one now and then.

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
        with all_or_nothing(self):
            clock = Clock(self.time_limit)
            check_parameters(self)
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
        params = core_params(self._tree(0), X.shape, weight)
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
        with PartsProgress(type(self).__name__, shown=bool(self.verbose)) as line:
            for i in range(self.n_estimators):
                weight = np.clip(weight, _LEAST_WEIGHT, None)
                weight[weightless] = 0.0
                tree = self._tree(random_state.randint(np.iinfo(np.int32).max))
                part = line.part(f"tree {i + 1} of {self.n_estimators}")
                beat = part if line.shown else None
                wrong = self._grow(tree, data, weight, clock, beat)
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
        self,
        tree: DPDTreeClassifier,
        data: _Data,
        weight: Weights,
        clock: Clock,
        beat: Beat | None,
    ) -> NDArray[np.bool_]:
        """Fit one tree in the time that is left; return where it errs."""
        classes = data.classes
        params = core_params(tree, data.X.shape, weight)
        params.time_limit = clock.left()
        result = fit_tree(
            data.X, data.codes, weight, len(classes), params, None, data.encoded, beat
        )
        tree.n_features_in_ = data.X.shape[1]
        labels = {"classes_": classes, "n_classes_": len(classes)}
        keep_result(tree, result, labels)
        wrong: NDArray[np.bool_] = class_codes(tree, data.X) != data.codes
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
