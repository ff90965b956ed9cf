"""`DPDTreeClassifierCV` and `DPDTreeRegressorCV`: the size by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from numpy.random import RandomState

from dpdtree._model_selection.cross_validation import CrossValidated
from dpdtree.tree import DPDTreeClassifier, DPDTreeRegressor


class DPDTreeClassifierCV(CrossValidated, DPDTreeClassifier):
    """A classification tree whose size is chosen by cross-validation.

    One search per fold gives all the candidates; the chosen tree is then taken from
    the search on all rows.

    Parameters
    ----------
    by : "auto", "n_leaves", "alpha" or "min_samples_leaf", default='auto'
        What is chosen by cross-validation. "auto", with strategy="auto": size,
        least leaf size and shrinkage together, by comparing what the plain
        estimator chooses with trees of 20 rows in a leaf and 2 times the price, and
        with values shrunk 4 times more or less; a variant is taken if its score is
        better by more than one standard error of the difference. "n_leaves" (the
        best tree of each number of leaves) and "alpha" take one search per fold,
        whatever the number of candidates; "min_samples_leaf" takes one for each
        value. With a named strategy, a grid or max_depths, "auto" is "n_leaves".
    grid : a non-empty sequence of numbers >= 0 or None, default=None
        The values to choose among. None is every number of leaves, or for alpha the
        geometric means of neighbouring breakpoints, on the path of all rows; for
        min_samples_leaf, 1, 5, 20, 50.
    max_depths : a non-empty sequence of ints >= 1 or None, default=None
        Depths to choose among as well, instead of max_depth; each takes a search of
        its own. Seldom pays: the other choice limits the tree already.
    cv : see below, default=5
        An int >= 2, a splitter, an iterable of (train, test) indices or None. The
        folds, as scikit-learn takes them: a number of folds (fewer if there are not
        enough rows; of rows in a random order that is always the same, stratified
        for classification), a splitter or an iterable of (train, test) indices.
        None is 5.
    scoring : a name, a callable (estimator, X, y) or None, default=None
        scikit-learn's scorer or its name, larger is better; None is accuracy, or
        minus the loss itself where that is a cost matrix, the absolute error, a
        quantile loss or the Poisson deviance.
    rule : "best", "half_se" or "1se", default='best'
        "best" takes the best mean score (but see by="auto"), "half_se" and "1se"
        the smallest tree that stays within half or one standard error of it. Ties
        go to fewer leaves.
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
    complexity : "path_length" or "n_leaves", default='n_leaves'
        What alpha counts. "path_length": the weighted mean number of splits a
        training row passes. "n_leaves": the number of leaves. Matters with
        by="alpha" only.
    max_leaf_nodes : an int >= 2 or None, default=None
        At most this many leaves. With strategy="greedy" they are grown best first;
        the other strategies find the best tree with so few: of all trees that they
        look at, or, with "optimal", of all there are. With by="n_leaves" the
        largest number that is tried.
    min_samples_split : an int >= 2 or a float in (0.0, 1.0], default=2
        Rows a node needs to be split; a float is a fraction of the training rows.
    min_samples_leaf : an int >= 1 or a float in (0.0, 1.0), default=1
        Minimum number of rows in a leaf; a float is a fraction of the training
        rows. Ignored with by="min_samples_leaf".
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
        whether it did. None waits for the end. Holds for each search, of which
        there is one per fold.
    n_jobs : a nonzero int or None, default=None
        Number of threads: None means 1 outside a joblib context, -1 all cores. The
        fitted tree does not depend on it. The folds share them.
    random_state : see below, default=None
        An int from 0 to 4294967295, a numpy.random.RandomState instance or None.
        Seed of the feature draw. Without max_features nothing is random.
    verbose : an int >= 0 or a bool, default=0
        1 prints a line about the search after the fit and, while a long proof goes
        on, its objective, lower bound and gap (by rich or tqdm if installed).

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
        All candidates on all rows; with by="n_leaves" and by="alpha" only.
    n_splits_ : int
        Number of folds.

    And everything a fitted DPDTreeClassifier has.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dpdtree import DPDTreeClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> DPDTreeClassifierCV(max_depth=4).fit(X, y).n_leaves_
    6
    """

    _tree_class = DPDTreeClassifier

    def __init__(
        self,
        *,
        by: str = "auto",
        grid: Sequence[float] | None = None,
        max_depths: Sequence[int] | None = None,
        cv: int | Any | Iterable[Any] | None = 5,
        scoring: str | Callable[..., float] | None = None,
        rule: str = "best",
        max_depth: int | str | None = "auto",
        strategy: str = "auto",
        n_candidates: int | Sequence[int] | None = None,
        generator: str = "cart",
        criterion: str = "gini",
        loss: str = "auto",
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
        self._keep_parameters(locals())


class DPDTreeRegressorCV(CrossValidated, DPDTreeRegressor):
    """A regression tree whose size is chosen by cross-validation.

    One search per fold gives all the candidates; the chosen tree is then taken from
    the search on all rows.

    Parameters
    ----------
    by : "auto", "n_leaves", "alpha" or "min_samples_leaf", default='auto'
        What is chosen by cross-validation. "auto", with strategy="auto": size,
        least leaf size and shrinkage together, by comparing what the plain
        estimator chooses with trees of 20 rows in a leaf and 2 times the price, and
        with values shrunk 4 times more or less; a variant is taken if its score is
        better by more than one standard error of the difference. "n_leaves" (the
        best tree of each number of leaves) and "alpha" take one search per fold,
        whatever the number of candidates; "min_samples_leaf" takes one for each
        value. With a named strategy, a grid or max_depths, "auto" is
        "min_samples_leaf".
    grid : a non-empty sequence of numbers >= 0 or None, default=None
        The values to choose among. None is every number of leaves, or for alpha the
        geometric means of neighbouring breakpoints, on the path of all rows; for
        min_samples_leaf, 1, 5, 20, 50.
    max_depths : a non-empty sequence of ints >= 1 or None, default=None
        Depths to choose among as well, instead of max_depth; each takes a search of
        its own. Seldom pays: the other choice limits the tree already.
    cv : see below, default=5
        An int >= 2, a splitter, an iterable of (train, test) indices or None. The
        folds, as scikit-learn takes them: a number of folds (fewer if there are not
        enough rows; of rows in a random order that is always the same, stratified
        for classification), a splitter or an iterable of (train, test) indices.
        None is 5.
    scoring : a name, a callable (estimator, X, y) or None, default=None
        scikit-learn's scorer or its name, larger is better; None is R², or minus
        the loss itself where that is a cost matrix, the absolute error, a quantile
        loss or the Poisson deviance.
    rule : "best", "half_se" or "1se", default='best'
        "best" takes the best mean score (but see by="auto"), "half_se" and "1se"
        the smallest tree that stays within half or one standard error of it. Ties
        go to fewer leaves.
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
    complexity : "path_length" or "n_leaves", default='n_leaves'
        What alpha counts. "path_length": the weighted mean number of splits a
        training row passes. "n_leaves": the number of leaves. Matters with
        by="alpha" only.
    max_leaf_nodes : an int >= 2 or None, default=None
        At most this many leaves. With strategy="greedy" they are grown best first;
        the other strategies find the best tree with so few: of all trees that they
        look at, or, with "optimal", of all there are. With by="n_leaves" the
        largest number that is tried.
    min_samples_split : an int >= 2 or a float in (0.0, 1.0], default=2
        Rows a node needs to be split; a float is a fraction of the training rows.
    min_samples_leaf : an int >= 1, a float in (0.0, 1.0) or "auto", default='auto'
        Minimum number of rows in a leaf; a float is a fraction of the training
        rows. "auto" is 5 with strategy="auto" (integer weights count copies of a
        row; of any others, five times their mean), 0.01 with "balanced" and 1 with
        the others. Ignored with by="min_samples_leaf".
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
        whether it did. None waits for the end. Holds for each search, of which
        there is one per fold.
    n_jobs : a nonzero int or None, default=None
        Number of threads: None means 1 outside a joblib context, -1 all cores. The
        fitted tree does not depend on it. The folds share them.
    random_state : see below, default=None
        An int from 0 to 4294967295, a numpy.random.RandomState instance or None.
        Seed of the feature draw. Without max_features nothing is random.
    verbose : an int >= 0 or a bool, default=0
        1 prints a line about the search after the fit and, while a long proof goes
        on, its objective, lower bound and gap (by rich or tqdm if installed).

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
        All candidates on all rows; with by="n_leaves" and by="alpha" only.
    n_splits_ : int
        Number of folds.

    And everything a fitted DPDTreeRegressor has.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from dpdtree import DPDTreeRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> DPDTreeRegressorCV(max_depth=4).fit(X, y).best_params_
    {'min_samples_leaf': 5, 'price_scale': 0.25, 'shrinkage': 30.0}
    """

    _tree_class = DPDTreeRegressor

    def __init__(
        self,
        *,
        by: str = "auto",
        grid: Sequence[float] | None = None,
        max_depths: Sequence[int] | None = None,
        cv: int | Any | Iterable[Any] | None = 5,
        scoring: str | Callable[..., float] | None = None,
        rule: str = "best",
        max_depth: int | str | None = "auto",
        strategy: str = "auto",
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
        self._keep_parameters(locals())
