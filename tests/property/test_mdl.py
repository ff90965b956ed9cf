"""alpha="mdl": splits that cost what it takes to describe them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property import native
from tests.property.problems import (
    Array,
    Case,
    Sample,
    candidate_counts,
    cases,
    examples,
    samples,
)
from tests.property.test_equivalences import repeated
from tests.property.test_theorem1 import node_sums
from tests.reference.objective import prediction_loss

STRATEGIES = ("greedy", "paper", "balanced")


def row_weight(w: Array) -> float:
    """Whole weights are counts; of others the mean is that of one row."""
    w = w[w > 0]
    return 1.0 if np.all(w == np.floor(w)) else float(w.mean())


def nat_price(sample: Sample, parameters: dict[str, Any]) -> float:
    """What one unit of ln p + ln T costs, as a sum over rows."""
    row = row_weight(sample.weights)
    if not sample.regression:
        return row if sample.loss == "log_loss" else row / 2
    greedy = sample.fit(**{**parameters, "strategy": "greedy", "alpha": 0.0})
    n = float(sample.weights.sum()) / row
    leaves = greedy.get_n_leaves()
    return 2 * row * greedy.loss_ * n / (n - leaves) if n > leaves else 0.0


def split_prices(sample: Sample, model: Any, unit: float) -> Array:
    """The price of every split of a fitted tree; 0 at its leaves."""
    reach = model.decision_path(sample.X).toarray().astype(bool)
    tree = model.tree_
    prices = np.zeros(tree.node_count)
    for i in np.flatnonzero(tree.children_left != -1):
        rows = reach[:, i] & (sample.weights > 0)
        values = np.unique(sample.X[rows, tree.feature[i]])  # NaN counts once
        prices[i] = unit * (math.log(sample.X.shape[1]) + math.log(len(values) - 1))
    return prices


def best_pruning(tree: Any, losses: Array, prices: Array) -> float:
    """The smallest sum of losses and prices over all prunings."""

    def best(i: int) -> float:
        left, right = tree.children_left[i], tree.children_right[i]
        if left == -1:
            return float(losses[i])
        return min(float(losses[i]), float(prices[i]) + best(left) + best(right))

    return best(0)


def exact_values(case: Case) -> dict[str, Any]:
    """The parameters without bins: they would hide distinct values."""
    return {**case.parameters, "alpha": "mdl", "max_bins": None}


@given(case=cases(), strategy=st.sampled_from(STRATEGIES))
@examples(150)
def test_objective_is_what_it_says(case: Case, strategy: str) -> None:
    sample, parameters = case.sample, exact_values(case)
    model = sample.fit(strategy=strategy, **parameters)
    total = sample.weights.sum()
    prices = split_prices(sample, model, nat_price(sample, parameters)).sum() / total
    loss = prediction_loss(sample.loss, model, sample.X, sample.y, sample.weights)
    slack = sample.rounding
    assert model.loss_ == pytest.approx(loss, rel=1e-9, abs=slack)
    assert model.complexity_ == pytest.approx(prices, rel=1e-6, abs=slack)
    assert model.objective_ == pytest.approx(model.loss_ + model.complexity_)
    assert not model.lower_bound_ > model.objective_ + slack


@given(case=cases(), n_candidates=candidate_counts)
@examples(150)
def test_not_worse_than_any_pruning_of_the_greedy_tree(
    case: Case, n_candidates: Any
) -> None:
    sample, parameters = case.sample, exact_values(case)
    greedy = sample.fit(strategy="greedy", **parameters)
    losses, _ = node_sums(sample, greedy)
    prices = split_prices(sample, greedy, nat_price(sample, parameters))
    best = best_pruning(greedy.tree_, losses, prices) / sample.weights.sum()
    parameters["n_candidates"] = n_candidates
    paper = sample.fit(strategy="paper", **parameters).objective_
    balanced = sample.fit(strategy="balanced", **parameters).objective_
    slack = 1e-9 * max(1.0, best)
    assert paper <= best + slack
    assert balanced <= paper + slack


@given(
    sample=samples(weightings=("integer",)), strategy=st.sampled_from(STRATEGIES),
    depth=st.integers(1, 4),
)  # fmt: skip
@examples(100)
def test_integer_weights_are_repeated_rows(
    sample: Sample, strategy: str, depth: int
) -> None:
    parameters = {"strategy": strategy, "max_depth": depth, "alpha": "mdl"}
    weighted = sample.fit(**parameters)
    plain = repeated(sample).fit(**parameters)
    same = pytest.approx(plain.objective_, rel=1e-9, abs=sample.rounding)
    assert weighted.objective_ == same


@given(sample=samples(weightings=("real",)), factor=st.sampled_from([1e-3, 0.3, 7.7]))
@examples(40)
def test_other_weights_are_shares(sample: Sample, factor: float) -> None:
    assert sample.w is not None
    parameters = {"strategy": "paper", "alpha": "mdl"}
    one = sample.fit(**parameters).objective_
    scaled = replace(sample, w=factor * sample.w).fit(**parameters).objective_
    assert scaled == pytest.approx(one, rel=1e-9, abs=sample.rounding)


@pytest.mark.native
@given(
    sample=samples(), strategy=st.sampled_from(["paper", "balanced"]),
    counts=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    leaves=st.sampled_from([-1, -1, 3]),
)  # fmt: skip
@examples(60)
def test_shortcuts_and_threads_change_no_tree(
    sample: Sample, strategy: str, counts: list[int], leaves: int
) -> None:
    def tree(**switches: Any) -> bytes:
        chosen = {"strategy": strategy, "n_candidates": counts, "mdl": True}
        chosen["max_leaf_nodes"] = leaves
        found = native.fit(sample, max_depth=4, **chosen, **switches)
        return bytes(found.tree.to_bytes())

    plain = tree()
    assert tree(n_threads=3) == plain
    for switch in ("use_split_memo", "use_state_memo", "use_pruning"):
        assert tree(**{switch: False}) == plain


@pytest.mark.native
@given(
    sample=samples(max_rows=200), strategy=st.sampled_from(["greedy", "paper"]),
    counts=st.lists(st.integers(1, 3), min_size=1, max_size=2), mdl=st.booleans(),
    alpha=st.sampled_from([0.0, 0.003, 0.03]),
    complexity=st.sampled_from(["path_length", "n_leaves"]),
    scales=st.sampled_from([[1.0], [2.0, 0.5], [1.0, 0.0]]),
)  # fmt: skip
@examples(150)
def test_what_all_prunings_take_away_need_not_grow(
    sample: Sample, strategy: str, counts: list[int], mdl: bool, scales: list[float],
    **more: Any,
) -> None:  # fmt: skip
    """Neither in greedy trees and tails nor in those of the folds."""
    more |= {"max_depth": 6, "strategy": strategy, "n_candidates": counts}
    more |= {"mdl": mdl, "price_scales": scales, "shrinkages": [30.0, 3.0]}
    one, other = (native.fit(sample, use_pruning=on, **more) for on in (True, False))
    assert one.tree.to_bytes() == other.tree.to_bytes()
    assert one.objective == other.objective
    assert (one.price_scale, one.shrinkage) == (other.price_scale, other.shrinkage)
    assert one.splits_searched <= other.splits_searched


def test_a_leaf_costs_nothing() -> None:
    y = (np.arange(31) == 15).astype(int)  # one odd row: two splits cost more
    sample = Sample(np.arange(31.0).reshape(-1, 1), y, None, "zero_one")
    for strategy in ("paper", "balanced"):
        model = sample.fit(alpha="mdl", max_depth=2, strategy=strategy)
        assert model.get_n_leaves() == 1
        assert (model.complexity_, model.objective_) == (0.0, 1 / 31)
