"""`DPDTreeClassifier` and `DPDTreeRegressor`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, RegressorMixin

from dpdtree._base import BaseDPDTree
from dpdtree._blocks.streams import by_blocks
from dpdtree._smoothing import node_probabilities
from dpdtree._structure import node_decisions, node_predictions


class DPDTreeClassifier(ClassifierMixin, BaseDPDTree):
    """A classification tree that looks ahead.

    Parameters
    ----------
    max_depth : an int >= 1, "auto" or None, default='auto'
        Largest number of splits between the root and a leaf. "auto" is 6 with
        strategy="auto", 5 with "balanced" and 3 with the others. None leaves the
        depth open, for strategy="auto", for "greedy", with one number of candidates
        per depth for "paper", and with a price per leaf for "optimal".
    strategy : "auto", "greedy", "paper", "balanced" or "optimal", default='auto'
        How the tree is searched. "auto", for new rows, is "paper" with few
        candidates and the log-loss. It sets max_depth, n_candidates, criterion,
        loss, alpha, shrinkage and leaf_smoothing, as their texts say, unless you
        do. "greedy" is CART: the best split of each node, one after the other,
        pruned where alpha asks for it. "paper" is the published dynamic program: at
        each state it tries several candidate splits, follows each of them to the
        bottom and keeps the one whose subtree has the smallest objective.
        "balanced" adds an exhaustive search of the last two levels and a descent
        over all thresholds: never worse than "greedy", nor than "paper" with the
        same n_candidates, and mostly optimal. "optimal" starts from the balanced
        tree and searches until none is better, or time is up: gap_ says how much
        better a tree could be.
    n_candidates : an int >= 1, a non-empty sequence of ints >= 1 or None, default=None
        Number of candidate splits of a state. An int holds for every depth; a
        sequence gives one number per depth, beyond its end it is 1 (the greedy
        split). None is (4, 4, 2, 1) with strategy="auto" of a classifier, 8 at each
        depth with "paper"; with "balanced" and "optimal" it is (4, 4, 4, 1), and
        (4, 1) for trees of up to three levels; 1 where alpha is a number, unless
        min_impurity_decrease or max_features keep them from looking further ahead.
        Ignored by strategy="greedy".
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
    loss : "auto", "zero_one", "gini", "log_loss" or "cost_matrix", default='auto'
        What the search minimises: the training error, the mean Gini impurity of the
        leaves, their mean log-loss (in nats) or the mean cost of their answers by
        cost_matrix. Summed over several outputs. strategy="optimal" takes
        "zero_one" and "cost_matrix" only. "auto" is "log_loss" with
        strategy="auto", and "zero_one" with the others.
    cost_matrix : a square matrix of numbers >= 0 and <= 1e+200 or None, default=None
        For loss="cost_matrix", and needed there: entry [i, j] is what it costs to
        predict classes_[j] where classes_[i] is true. Each leaf predicts the class
        of least expected cost. For one output.
    alpha : a finite float >= 0.0 or "auto" or "mdl", default='auto'
        Price of one unit of complexity: the search minimises loss + alpha *
        complexity. 0.0 is the pure training loss. "mdl" (minimum description
        length) needs no tuning: each split costs (ln p + ln T) / 2 errors, where p
        is the number of features and T the number of thresholds, or sets of
        categories, its feature offers there; complexity_ is then the sum of these
        costs over the total weight. Not for strategy="optimal". "auto" is "mdl"
        with strategy="balanced" and 0.0 with "greedy", "paper" and "optimal". With
        strategy="auto" it is "mdl", unless all splits of the greedy tree may be
        noise: then the tree is one leaf. A split counts as more than noise if rows
        that tell nothing would have one as good with a probability below 0.01.
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
        "balanced", a dict of label: weight with finite weights >= 0, a list of such
        dicts (one per output) or None. Weights of the classes: a dict, "balanced"
        for weights inversely proportional to the class counts, or None for equal
        weights. With several outputs a list of dicts; the weights of a row are
        multiplied.
    leaf_smoothing : a finite float >= 0.0, "auto" or "laplace" or None, default='auto'
        Draws the probabilities of a leaf towards the class shares of the training
        set, as if so many rows of them (in units of sample_weight if these are
        whole numbers, of their mean if not) had been added to the leaf; "laplace"
        adds one row of each class, None and 0 nothing. For predict_proba only: the
        most probable class stays the one predict returns. "auto" is 3.0 with
        strategy="auto" and "balanced", and None with the others and where shares
        are shrunk already. None with monotonic_cst, too: it changes small leaves
        more than large ones.
    shrinkage : a finite float >= 0.0 or "auto" or "folds", default='auto'
        Hierarchical shrinkage of what nodes predict: each step down a path changes
        the class shares by so much less, divided by 1 + shrinkage / rows of the
        upper node. The tree, its loss_ and objective_ stay those of the unshrunk
        leaves, tree_.value too; 0.0 changes nothing. "folds" chooses among 1, 3,
        10, 30, 60, 100, 200 and 400 by the log-loss of five folds of greedy trees;
        shrinkage_ says what was chosen. "auto" is "folds" with strategy="auto" and
        alpha="auto", unless the loss counts decisions (zero_one, cost_matrix), else
        0.0. predict returns the class of the largest shrunk share.
    categorical_features : see below, default='from_dtype'
        "from_dtype", a sequence of feature names, of indices >= 0 or of one bool
        per feature or None. Which features are categories, split by sets of them.
        "from_dtype": the columns of a categorical dtype (pandas category, polars
        Categorical and Enum, dictionaries of pyarrow) or of strings. Strings that
        hardly repeat, such as names, are an error unless the column is named here.
        None takes every column for numbers. Not for strategy="optimal".
    monotonic_cst : see below, default=None
        A sequence of -1, 0 and 1, one per feature, a dict of name: direction or
        None. Features whose effect on the prediction must be increasing (1) or
        decreasing (-1), whatever the other features; 0 leaves it open. For
        regression and two classes, where the probability of the second is what
        rises or falls.
    interaction_cst : see below, default=None
        "pairwise" or "no_interactions", a sequence of groups of feature indices or
        names or None. Groups of features that may meet on a path from the root to a
        leaf. Features in no group form one of their own.
    feature_costs : see below, default=None
        A sequence of finite floats >= 0, one per feature, a dict of feature name
        (or index): float >= 0 or None. What asking a feature costs, in units of the
        loss. A row pays once for each feature on its path; the mean, feature_cost_,
        is part of the objective.
    allowed_features : see below, default=None
        A dict of depth: features, a sequence with one entry per depth (lists of
        feature names or indices, None for all) or None. Which features may be asked
        at a depth, the root being depth 0; at depths that are not listed, all of
        them. {0: ["age"]} makes every tree ask the age first. With this or one of
        the three constraints above, strategy="balanced" searches candidates and all
        splits of the last level only; not for strategy="optimal", unless all depths
        allow the same features.
    forced_splits : see below, default=None
        A dict with "feature" (a name or an index >= 0), "threshold" (a float; inf
        parts missing values from all others) or "categories" (those that go left)
        and, where wanted, "missing_left" (a bool or None), "left" and "right"
        (dicts of the same kind or None) or None. Splits that the tree begins with.
        Every strategy finds the best tree that has them, and "optimal" proves that
        none of those is better. Each is a dict; rows go left where the feature is
        <= threshold or one of the categories, and missing values where missing_left
        says, or where it is better. Limits and constraints hold for these splits,
        too, and alpha counts them; no pruning takes them away.
        `Alternatives.splits` makes such dicts.
    max_bins : an int from 2 to 255 or None, default=None
        Merge the values of each feature into this many quantile bins, categories
        excepted. None searches every distinct value. A bound or a proof is then one
        for the trees on these bins.
    time_limit : a finite float >= 0.0 or None, default=None
        Seconds after which the search stops and returns its best tree so far, not
        worse than CART's if there was time for that one; report_.stop_reason says
        whether it did. None waits for the end.
    n_jobs : a nonzero int or None, default=None
        Number of threads: None means 1 outside a joblib context, -1 all cores. The
        fitted tree does not depend on it.
    random_state : see below, default=None
        An int from 0 to 4294967295, a numpy.random.RandomState instance or None.
        Seed of the feature draw. Without max_features nothing is random.
    verbose : an int >= 0 or a bool, default=0
        1 prints a line about the search after the fit and, while a long proof goes
        on, its objective, lower bound and gap (by rich or tqdm if installed).

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
        Weighted mean training loss of the unshrunk leaves, complexity, mean cost of
        the features asked, and loss_ + alpha * complexity_ + feature_cost_.
    shrinkage_ : float
        Strength of the shrinkage of what nodes predict; 0.0 if there is none.
    price_scale_ : float
        The multiple of the price by "mdl" that alpha="auto" has come to; infinite if
        the tree is one leaf because all splits may be noise.
    lower_bound_ : float
        No tree of this depth and within these limits has a smaller objective;
        on the bins, with `max_bins`. NaN where nothing was proven: if the strategy is
        not "optimal", unless the tree is proven optimal all the same.
    gap_ : float
        objective_ - lower_bound_; NaN where nothing was proven.
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

    def __init__(
        self,
        *,
        max_depth: int | str | None = "auto",
        strategy: str = "auto",
        n_candidates: int | Sequence[int] | None = None,
        generator: str = "cart",
        criterion: str = "gini",
        loss: str = "auto",
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
        shrinkage: float | str = "auto",
        categorical_features: Sequence[Any] | str | None = "from_dtype",
        monotonic_cst: Sequence[int] | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Any] | str | None = None,
        feature_costs: Sequence[float] | Mapping[Any, float] | None = None,
        allowed_features: Sequence[Any] | Mapping[int, Any] | None = None,
        forced_splits: Mapping[str, Any] | None = None,
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
        self.shrinkage = shrinkage
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.feature_costs = feature_costs
        self.allowed_features = allowed_features
        self.forced_splits = forced_splits
        self.max_bins = max_bins
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @by_blocks
    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row's leaf, of shape (n,) or (n, n_outputs_).

        The most frequent one; with loss="cost_matrix" the one of least expected cost.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs_)
            Labels.
        """
        X = self._rows(X)
        tree, threads = self.tree_, self._threads_for(X)
        decisions = node_decisions(self)
        if self.n_outputs_ == 1:
            return tree.look_up(X, self.classes_[decisions[:, 0]], threads)
        leaves = tree.apply(X, threads)
        columns = zip(self.classes_, decisions.T, strict=True)
        return np.column_stack([names[said[leaves]] for names, said in columns])

    @by_blocks
    def predict_proba(self, X: Any) -> Any:
        """Return the class probabilities of each row's leaf, in the order of classes_.

        The fractions of its training rows, or what `leaf_smoothing` makes of them. A
        list of arrays, one per output, if there are several.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes_), or a list of such
            Probabilities.
        """
        X = self._rows(X)
        tree, threads = self.tree_, self._threads_for(X)
        if self.n_outputs_ == 1:
            return tree.look_up(X, node_probabilities(self), threads)
        leaves = tree.apply(X, threads)
        outputs = range(self.n_outputs_)
        return [node_probabilities(self, output)[leaves] for output in outputs]

    def predict_log_proba(self, X: Any) -> Any:
        """Return the logarithm of `predict_proba`; an absent class has -inf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes_), or a list of such
            Logarithms of probabilities.
        """
        shares = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            if self.n_outputs_ == 1:
                return np.log(shares)
            return [np.log(of_output) for of_output in shares]


class DPDTreeRegressor(RegressorMixin, BaseDPDTree):
    """A regression tree that looks ahead.

    Parameters
    ----------
    max_depth : an int >= 1, "auto" or None, default='auto'
        Largest number of splits between the root and a leaf. "auto" is 6 with
        strategy="auto", 5 with "balanced" and 3 with the others. None leaves the
        depth open, for strategy="auto", for "greedy", with one number of candidates
        per depth for "paper", and with a price per leaf for "optimal".
    strategy : "auto", "greedy", "paper", "balanced" or "optimal", default='auto'
        How the tree is searched. "auto", for new rows, is "greedy", or "paper" if
        n_candidates or generator is given: on small noisy data trees that look
        ahead predict numbers worse. It sets max_depth, min_samples_leaf, alpha and
        shrinkage, as their texts say, unless you do. "greedy" is CART: the best
        split of each node, one after the other, pruned where alpha asks for it.
        "paper" is the published dynamic program: at each state it tries several
        candidate splits, follows each of them to the bottom and keeps the one whose
        subtree has the smallest objective. "balanced" adds an exhaustive search of
        the last two levels and a descent over all thresholds: never worse than
        "greedy", nor than "paper" with the same n_candidates, and mostly optimal.
        "optimal" starts from the balanced tree and searches until none is better,
        or time is up: gap_ says how much better a tree could be.
    n_candidates : an int >= 1, a non-empty sequence of ints >= 1 or None, default=None
        Number of candidate splits of a state. An int holds for every depth; a
        sequence gives one number per depth, beyond its end it is 1 (the greedy
        split). None is (4, 4, 2, 1) with strategy="auto" of a classifier, 8 at each
        depth with "paper"; with "balanced" and "optimal" it is (4, 4, 4, 1), and
        (4, 1) for trees of up to three levels; 1 where alpha is a number, unless
        min_impurity_decrease or max_features keep them from looking further ahead.
        Ignored by strategy="greedy".
    generator : "cart", "top_b", "top_b_per_feature" or "exhaustive", default='cart'
        Where the candidate splits of strategy="paper" come from. "cart": the splits
        of a best-first CART with that many inner nodes, grown on the rows of the
        state. "top_b": the best splits of the state by the criterion.
        "top_b_per_feature": the same, the best split of each feature first. The
        greedy split is always included. "exhaustive": every threshold at every
        depth, whatever n_candidates says; the oracle, for small data only. The
        other strategies have their own candidates and ignore it.
    criterion : see below, default='squared_error'
        "squared_error", "absolute_error", "poisson" or "quantile". Proposes
        candidate splits: the variance of the targets, their mean absolute deviation
        from the median, half their Poisson deviance or the quantile loss. Unlike in
        scikit-learn, the tree minimises `loss`, not this.
    loss : see below, default='squared_error'
        "squared_error", "absolute_error", "poisson" or "quantile". What the search
        minimises, and by what leaves predict: the mean squared error (leaves
        predict means), the mean absolute error (medians), half the mean Poisson
        deviance (means; targets >= 0) or the quantile (pinball) loss of `quantile`.
        Summed over several outputs. strategy="optimal" takes "squared_error" only.
    quantile : a float in (0.0, 1.0), default=0.5
        The quantile that loss="quantile" and criterion="quantile" are about.
    alpha : a finite float >= 0.0 or "auto" or "mdl", default='auto'
        Price of one unit of complexity: the search minimises loss + alpha *
        complexity. 0.0 is the pure training loss. "mdl" (minimum description
        length) needs no tuning: each split costs (ln p + ln T) / 2 errors, where p
        is the number of features and T the number of thresholds, or sets of
        categories, its feature offers there; complexity_ is then the sum of these
        costs over the total weight. Not for strategy="optimal". "auto" is 0.0 with
        a named strategy. With strategy="auto" it is "mdl" times what is best by the
        loss of five folds of greedy trees, of 0, 0.25, 0.5, 1, 2, 4 and inf, and
        the tree is one leaf if all splits of the greedy tree may be noise;
        price_scale_ says what was chosen.
    complexity : "path_length" or "n_leaves", default='path_length'
        What alpha counts. "path_length": the weighted mean number of splits a
        training row passes. "n_leaves": the number of leaves.
    max_leaf_nodes : an int >= 2 or None, default=None
        At most this many leaves. With strategy="greedy" they are grown best first;
        the other strategies find the best tree with so few: of all trees that they
        look at, or, with "optimal", of all there are.
    min_samples_split : an int >= 2 or a float in (0.0, 1.0], default=2
        Rows a node needs to be split; a float is a fraction of the training rows.
    min_samples_leaf : an int >= 1, a float in (0.0, 1.0) or "auto", default='auto'
        Minimum number of rows in a leaf; a float is a fraction of the training
        rows. "auto" is 5 with strategy="auto" (integer weights count copies of a
        row; of any others, five times their mean), 0.01 with "balanced" and 1 with
        the others.
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
    shrinkage : a finite float >= 0.0 or "auto" or "folds", default='auto'
        Hierarchical shrinkage of what nodes predict: each step down a path changes
        the prediction by so much less, divided by 1 + shrinkage / rows of the upper
        node. The tree, its loss_ and objective_ stay those of the unshrunk leaves,
        tree_.value too; 0.0 changes nothing. "folds" chooses among 3, 10, 30, 100
        and 300 by the loss of five folds of greedy trees; shrinkage_ says what was
        chosen. "auto" is "folds" with strategy="auto" and alpha="auto", else 0.0.
    categorical_features : see below, default='from_dtype'
        "from_dtype", a sequence of feature names, of indices >= 0 or of one bool
        per feature or None. Which features are categories, split by sets of them.
        "from_dtype": the columns of a categorical dtype (pandas category, polars
        Categorical and Enum, dictionaries of pyarrow) or of strings. Strings that
        hardly repeat, such as names, are an error unless the column is named here.
        None takes every column for numbers. Not for strategy="optimal".
    monotonic_cst : see below, default=None
        A sequence of -1, 0 and 1, one per feature, a dict of name: direction or
        None. Features whose effect on the prediction must be increasing (1) or
        decreasing (-1), whatever the other features; 0 leaves it open. For
        regression and two classes, where the probability of the second is what
        rises or falls.
    interaction_cst : see below, default=None
        "pairwise" or "no_interactions", a sequence of groups of feature indices or
        names or None. Groups of features that may meet on a path from the root to a
        leaf. Features in no group form one of their own.
    feature_costs : see below, default=None
        A sequence of finite floats >= 0, one per feature, a dict of feature name
        (or index): float >= 0 or None. What asking a feature costs, in units of the
        loss. A row pays once for each feature on its path; the mean, feature_cost_,
        is part of the objective.
    allowed_features : see below, default=None
        A dict of depth: features, a sequence with one entry per depth (lists of
        feature names or indices, None for all) or None. Which features may be asked
        at a depth, the root being depth 0; at depths that are not listed, all of
        them. {0: ["age"]} makes every tree ask the age first. With this or one of
        the three constraints above, strategy="balanced" searches candidates and all
        splits of the last level only; not for strategy="optimal", unless all depths
        allow the same features.
    forced_splits : see below, default=None
        A dict with "feature" (a name or an index >= 0), "threshold" (a float; inf
        parts missing values from all others) or "categories" (those that go left)
        and, where wanted, "missing_left" (a bool or None), "left" and "right"
        (dicts of the same kind or None) or None. Splits that the tree begins with.
        Every strategy finds the best tree that has them, and "optimal" proves that
        none of those is better. Each is a dict; rows go left where the feature is
        <= threshold or one of the categories, and missing values where missing_left
        says, or where it is better. Limits and constraints hold for these splits,
        too, and alpha counts them; no pruning takes them away.
        `Alternatives.splits` makes such dicts.
    max_bins : an int from 2 to 255 or None, default=None
        Merge the values of each feature into this many quantile bins, categories
        excepted. None searches every distinct value. A bound or a proof is then one
        for the trees on these bins.
    time_limit : a finite float >= 0.0 or None, default=None
        Seconds after which the search stops and returns its best tree so far, not
        worse than CART's if there was time for that one; report_.stop_reason says
        whether it did. None waits for the end.
    n_jobs : a nonzero int or None, default=None
        Number of threads: None means 1 outside a joblib context, -1 all cores. The
        fitted tree does not depend on it.
    random_state : see below, default=None
        An int from 0 to 4294967295, a numpy.random.RandomState instance or None.
        Seed of the feature draw. Without max_features nothing is random.
    verbose : an int >= 0 or a bool, default=0
        1 prints a line about the search after the fit and, while a long proof goes
        on, its objective, lower bound and gap (by rich or tqdm if installed).

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
        Weighted mean training loss of the unshrunk leaves, complexity, mean cost of
        the features asked, and loss_ + alpha * complexity_ + feature_cost_.
    shrinkage_ : float
        Strength of the shrinkage of what nodes predict; 0.0 if there is none.
    price_scale_ : float
        The multiple of the price by "mdl" that alpha="auto" has come to; infinite if
        the tree is one leaf because all splits may be noise.
    lower_bound_ : float
        No tree of this depth and within these limits has a smaller objective;
        on the bins, with `max_bins`. NaN where nothing was proven: if the strategy is
        not "optimal", unless the tree is proven optimal all the same.
    gap_ : float
        objective_ - lower_bound_; NaN where nothing was proven.
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

    def __init__(
        self,
        *,
        max_depth: int | str | None = "auto",
        strategy: str = "auto",
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
        shrinkage: float | str = "auto",
        categorical_features: Sequence[Any] | str | None = "from_dtype",
        monotonic_cst: Sequence[int] | Mapping[str, int] | None = None,
        interaction_cst: Sequence[Any] | str | None = None,
        feature_costs: Sequence[float] | Mapping[Any, float] | None = None,
        allowed_features: Sequence[Any] | Mapping[int, Any] | None = None,
        forced_splits: Mapping[str, Any] | None = None,
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
        self.shrinkage = shrinkage
        self.categorical_features = categorical_features
        self.monotonic_cst = monotonic_cst
        self.interaction_cst = interaction_cst
        self.feature_costs = feature_costs
        self.allowed_features = allowed_features
        self.forced_splits = forced_splits
        self.max_bins = max_bins
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @by_blocks
    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the prediction of each row's leaf, of shape (n,) or (n, n_outputs_).

        The mean of its training targets, or their median or quantile, by the loss.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_outputs_)
            Predictions.
        """
        X = self._rows(X)
        values = node_predictions(self)
        table = values[:, 0] if self.n_outputs_ == 1 else values
        return self.tree_.look_up(X, table, self._threads_for(X))
