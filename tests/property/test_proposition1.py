"""Proposition 1: what is reported is what the tree's predictions give."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.problems import Case, candidate_counts, cases, examples, generators
from tests.reference.objective import complexity, objective, prediction_loss

strategies = st.sampled_from(["greedy", "paper", "balanced", "optimal"])


@given(
    case=cases(),
    n_candidates=candidate_counts,
    generator=generators,
    strategy=strategies,
)
@examples(400)
def test_reported_is_recomputed(
    case: Case, n_candidates: Any, generator: str, strategy: str
) -> None:
    case = case.for_strategy(strategy)
    sample, parameters = case.sample, case.parameters
    model = sample.fit(
        strategy=strategy, generator=generator, n_candidates=n_candidates, **parameters
    )
    X, y, w = sample.X, sample.y, sample.weights
    kind, alpha = parameters["complexity"], parameters["alpha"]
    close: dict[str, Any] = {"rel": 1e-9, "abs": 1e-9}
    loss = prediction_loss(sample.loss, model, X, y, w)
    assert model.loss_ == pytest.approx(loss, **close)
    assert model.complexity_ == pytest.approx(complexity(kind, model, X, w), **close)
    whole = objective(model, X, y, w, loss=sample.loss, alpha=alpha, kind=kind)
    assert model.objective_ == pytest.approx(whole, **close)
    gap = model.objective_ - model.lower_bound_
    assert model.gap_ == pytest.approx(gap, nan_ok=True, **close)
    assert model.report_.stop_reason == "completed"


@given(case=cases(), n_candidates=candidate_counts)
def test_nodes_describe_their_rows(case: Case, n_candidates: Any) -> None:
    sample = case.sample
    model = sample.fit(n_candidates=n_candidates, **case.parameters)
    tree, w = model.tree_, sample.weights
    members = model.decision_path(sample.X).toarray().astype(bool) & (w > 0)[:, None]
    np.testing.assert_array_equal(tree.n_node_samples, members.sum(axis=0))
    weights = tree.weighted_n_node_samples
    np.testing.assert_allclose(weights, w @ members, rtol=1e-9)
    for node, rows in enumerate(members.T):
        own, y = w[rows], sample.y[rows]
        if sample.regression:
            expected = [(own * y).sum() / own.sum()]
        else:
            expected = [own[y == c].sum() / own.sum() for c in model.classes_]
        np.testing.assert_allclose(np.ravel(tree.value[node]), expected, atol=1e-9)
    leaves = model.apply(sample.X)
    assert (tree.children_left[leaves] == -1).all()
