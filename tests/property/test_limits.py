"""Every tree respects the growth limits, with scikit-learn's meaning of each."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier, DPDTreeClassifierCV, DPDTreeRegressorCV
from tests.property.problems import (
    Array,
    Case,
    candidate_counts,
    cases,
    examples,
    generators,
)
from tests.reference.brute_force import Problem, decrease


def rows_of_nodes(case: Case, model: Any) -> list[Array]:
    """The rows (of positive weight) that reach each node."""
    members = model.decision_path(case.sample.X).toarray().astype(bool)
    seen = case.sample.weights > 0
    return [np.flatnonzero(column & seen) for column in members.T]


def check_split(
    case: Case, problem: Problem, rows: Array, left: Array, right: Array
) -> None:
    """The limits at one split, from the rows themselves."""
    limits, w = case.parameters, problem.w
    n = len(w)

    def count(value: float) -> float:
        return float(np.ceil(value * n)) if isinstance(value, float) else value

    assert len(left) + len(right) == len(rows)
    assert len(rows) >= count(limits["min_samples_split"])
    assert min(len(left), len(right)) >= count(limits["min_samples_leaf"])
    least = limits["min_weight_fraction_leaf"] * w.sum()
    assert min(w[left].sum(), w[right].sum()) >= least - 1e-9
    gain = decrease(problem, rows, np.isin(rows, left))
    assert gain >= limits["min_impurity_decrease"] - 1e-9


def check_tree(case: Case, model: Any) -> None:
    """Every limit, at every node."""
    sample, parameters = case.sample, case.parameters
    criterion = parameters.get("criterion", "squared_error")
    X, y, w = sample.X, sample.y, sample.weights
    problem = Problem(X, y, w, sample.loss, criterion)
    tree, rows = model.tree_, rows_of_nodes(case, model)
    assert tree.max_depth == model.get_depth() <= parameters["max_depth"]
    assert tree.n_leaves <= (parameters.get("max_leaf_nodes") or tree.n_leaves)
    for node in np.flatnonzero(tree.children_left != -1):
        left, right = tree.children_left[node], tree.children_right[node]
        check_split(case, problem, rows[node], rows[left], rows[right])


def limited(case: Case, split: float, leaves: int | None) -> Case:
    """The case with these two limits as well."""
    more = {"min_samples_split": split, "max_leaf_nodes": leaves}
    return replace(case, parameters={**case.parameters, **more})


least_rows = st.sampled_from([2, 5, 10, 20, 0.3, 0.6])
most_leaves = st.sampled_from([None, None, 3, 6])


@given(
    case=cases(),
    n_candidates=candidate_counts,
    generator=generators,
    strategy=st.sampled_from(["greedy", "paper", "balanced", "optimal"]),
    split=least_rows,
    leaves=most_leaves,
    time_limit=st.sampled_from([None, 60.0]),
)
@examples(600)
def test_limits_hold_at_every_split(
    case: Case,
    n_candidates: Any,
    generator: str,
    strategy: str,
    split: float,
    leaves: int | None,
    time_limit: float | None,
) -> None:
    """A clock makes "optimal" start from the balanced tree."""
    case = limited(case.for_strategy(strategy), split, leaves)
    chosen = {"n_candidates": n_candidates, "generator": generator}
    chosen |= {"strategy": strategy, "time_limit": time_limit}
    check_tree(case, case.sample.fit(**chosen, **case.parameters))


@given(
    case=cases(),
    strategy=st.sampled_from(["greedy", "paper", "balanced"]),
    split=least_rows,
    leaves=most_leaves,
)
@examples(100)
def test_limits_hold_on_every_path(
    case: Case, strategy: str, split: float, leaves: int | None
) -> None:
    sample = case.sample
    for kind, most in (("regularization_path", None), ("leaf_path", leaves)):
        own = limited(case, split, most)
        path = getattr(sample.model(strategy=strategy, **own.parameters), kind)
        for model in path(sample.X, sample.y, sample_weight=sample.w):
            check_tree(own, model)


# Most of these data tell nothing about y, and the estimator says so.
@pytest.mark.filterwarnings("ignore:No tree of the cross-validation")
@given(case=cases(), split=least_rows)
@examples(40)
def test_limits_hold_in_cross_validation(case: Case, split: float) -> None:
    case = limited(case, split, None)
    sample, parameters = case.sample, dict(case.parameters)
    parameters.pop("alpha")
    kind = DPDTreeRegressorCV if sample.regression else DPDTreeClassifierCV
    folds = [(np.arange(len(sample.y)), np.arange(len(sample.y)))] * 2
    # A search over min_samples_leaf would not look at the one that is given.
    model = kind(by="n_leaves", loss=sample.loss, cv=folds, **parameters)
    check_tree(case, model.fit(sample.X, sample.y, sample_weight=sample.w))


@pytest.mark.parametrize("time_limit", [None, 60.0])
@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "optimal"])
def test_too_few_rows_to_split(strategy: str, time_limit: float | None) -> None:
    """Five rows of much weight are five rows: one leaf is the only allowed tree."""
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]]), [0, 0, 1, 1, 1]
    model = DPDTreeClassifier(
        strategy=strategy, time_limit=time_limit, max_depth=2, min_samples_split=6
    )
    model.fit(X, y, sample_weight=[1, 4, 4, 2, 1])
    assert model.get_n_leaves() == 1
    assert not model.lower_bound_ > model.objective_


def test_too_few_rows_to_split_deeper() -> None:
    rng = np.random.default_rng([20, 1])
    X, y = rng.normal(size=(20, 2)).round(1), rng.integers(0, 2, 20)
    model = DPDTreeClassifier(max_depth=3, alpha=0.0, min_samples_split=10)
    tree = model.fit(X, y).tree_
    assert tree.n_node_samples[tree.children_left != -1].min() >= 10


@given(case=cases(), leaves=st.integers(2, 8))
def test_greedy_max_leaf_nodes(case: Case, leaves: int) -> None:
    parameters = {**case.parameters, "max_depth": None, "max_leaf_nodes": leaves}
    model = case.sample.fit(strategy="greedy", **parameters)
    assert model.get_n_leaves() <= leaves
    assert model.tree_.n_leaves == model.get_n_leaves()


@given(case=cases(max_rows=30))
def test_unlimited_depth(case: Case) -> None:
    parameters = {**case.parameters, "max_depth": None}
    greedy = case.sample.fit(strategy="greedy", **parameters)
    ours = case.sample.fit(strategy="paper", n_candidates=(3, 2), **parameters)
    assert ours.objective_ <= greedy.objective_ + 1e-9
