"""The rule that chooses among candidates, on hand-made scores."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import get_scorer

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree._input.rows import Rows
from dpdtree._model_selection.cross_validation import _SCORES
from dpdtree._model_selection.tuning import (
    ByRecipe,
    Setting,
    choose,
    standard_errors,
)

LEAVES = np.array([1.0, 2.0, 4.0, 8.0])


def test_the_best_mean_wins():
    scores = np.array([[0.1, 0.1], [0.5, 0.5], [0.9, 0.7], [0.8, 0.6]])
    assert choose(scores, LEAVES, "best") == 2


def test_ties_go_to_fewer_leaves():
    scores = np.array([[0.1, 0.2], [0.3, 0.5], [0.5, 0.3], [0.4, 0.4]])
    assert choose(scores, LEAVES, "best") == 1
    assert choose(scores, LEAVES[::-1], "best") == 3


def test_sums_in_another_order_are_a_tie():
    scores = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])
    assert choose(scores, np.array([2.0, 1.0]), "best") == 1


def test_rules_admit_smaller_trees():
    # The best mean is .8 with a standard error of .1.
    scores = np.array([[0.2, 0.2], [0.71, 0.71], [0.76, 0.76], [0.9, 0.7]])
    assert standard_errors(scores)[3] == pytest.approx(0.1)
    assert choose(scores, LEAVES, "best") == 3
    assert choose(scores, LEAVES, "half_se") == 2
    assert choose(scores, LEAVES, "1se") == 1


def test_one_fold_has_no_standard_error():
    scores = np.array([[0.2], [0.5], [0.4], [0.4]])
    assert not standard_errors(scores).any()
    assert choose(scores, LEAVES, "1se") == 1


def test_scores_that_are_no_numbers():
    scores = np.array([[np.nan, 1.0], [0.1, 0.2], [0.3, 0.2], [0.1, 0.0]])
    assert choose(scores, LEAVES, "best") == 2
    with pytest.raises(ValueError, match="scoring gave no finite score"):
        choose(np.full((4, 2), np.nan), LEAVES, "best")


def test_variants_leave_the_estimator_as_it_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + 0.3 * rng.normal(size=120) > 0).astype(int)
    estimator = DPDTreeClassifier(alpha="auto")
    before = dict(vars(estimator))
    trees = ByRecipe(estimator, Rows(X, y, None))
    one, other = Setting(1, 1.0, 10.0), Setting(1, 1.0, 40.0)
    first, second = trees.tree(one), trees.tree(other)
    assert vars(estimator) == before
    assert first.shrinkage_ == 10.0
    assert second.shrinkage_ == 40.0
    assert first.tree_ is second.tree_  # one search for both
    assert trees.tree(Setting(20, 1.0, 10.0)).min_samples_leaf == 20
    assert trees.constant().get_n_leaves() == 1


@pytest.mark.parametrize("targets", ["numbers", "constant", "constant, not met"])
def test_r2_is_the_scorer(targets):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] + rng.normal(size=60) if targets == "numbers" else np.ones(60)
    tree = DPDTreeRegressor(strategy="greedy").fit(X[:40], y[:40])
    new = y[40:] + (targets == "constant, not met")
    assert _SCORES["r2"](tree, X[40:], new) == pytest.approx(
        get_scorer("r2")(tree, X[40:], new), rel=1e-12, abs=1e-12
    )


def test_accuracy_is_the_scorer():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.choice(["a", "b", "c"], 60)
    tree = DPDTreeClassifier(strategy="greedy").fit(X[:40], y[:40])
    assert _SCORES["accuracy"](tree, X, y) == get_scorer("accuracy")(tree, X, y)
