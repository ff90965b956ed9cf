"""Theorem 1: never worse than the greedy tree nor any of its prunings."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.property.problems import (
    Case,
    Sample,
    candidate_counts,
    cases,
    examples,
    generators,
)
from tests.reference.objective import best_pruning, leaf_loss


def node_sums(sample: Sample, model: Any) -> tuple[Any, Any]:
    """Loss as a leaf and weight of every node, from the rows that reach it."""
    members = model.decision_path(sample.X).toarray().astype(bool)
    w = sample.weights
    reach = [np.flatnonzero(column & (w > 0)) for column in members.T]
    losses = [leaf_loss(sample.loss, sample.y[rows], w[rows]) for rows in reach]
    return np.array(losses), np.array([w[rows].sum() for rows in reach])


@given(case=cases(), n_candidates=candidate_counts, generator=generators)
@examples(250)
def test_not_worse_than_any_pruning_of_the_greedy_tree(
    case: Case, n_candidates: Any, generator: str
) -> None:
    sample, parameters = case.sample, case.parameters
    greedy = sample.fit(strategy="greedy", **parameters)
    ours = sample.fit(
        strategy="paper", generator=generator, n_candidates=n_candidates, **parameters
    )
    best = best_pruning(
        greedy.tree_,
        *node_sums(sample, greedy),
        parameters["alpha"],
        parameters["complexity"],
    )
    assert ours.objective_ <= best + 1e-9
    assert ours.objective_ <= greedy.objective_ + 1e-9
    assert not ours.lower_bound_ > ours.objective_ + 1e-12


@given(case=cases(max_rows=40), more=st.integers(2, 6))
def test_top_b_lists_grow(case: Case, more: int) -> None:
    """A longer list of the same generator at the last level is never worse."""
    parameters = {**case.parameters, "max_depth": 1, "generator": "top_b"}
    few = case.sample.fit(strategy="paper", n_candidates=more - 1, **parameters)
    many = case.sample.fit(strategy="paper", n_candidates=more, **parameters)
    assert many.objective_ <= few.objective_ + 1e-12
