"""Every tree respects the growth limits, with scikit-learn's meaning of each."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

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


@given(
    case=cases(),
    n_candidates=candidate_counts,
    generator=generators,
    strategy=st.sampled_from(["greedy", "paper", "balanced", "optimal"]),
)
@examples(400)
def test_limits_hold_at_every_split(
    case: Case, n_candidates: Any, generator: str, strategy: str
) -> None:
    case = case.for_strategy(strategy)
    sample, parameters = case.sample, case.parameters
    model = sample.fit(
        strategy=strategy, n_candidates=n_candidates, generator=generator, **parameters
    )
    criterion = parameters.get("criterion", "squared_error")
    X, y, w = sample.X, sample.y, sample.weights
    problem = Problem(X, y, w, sample.loss, criterion)
    tree, rows = model.tree_, rows_of_nodes(case, model)
    assert tree.max_depth == model.get_depth() <= parameters["max_depth"]
    for node in np.flatnonzero(tree.children_left != -1):
        left, right = tree.children_left[node], tree.children_right[node]
        check_split(case, problem, rows[node], rows[left], rows[right])


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
