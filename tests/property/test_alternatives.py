"""Forced splits and alternatives: against all trees, and against each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from dpdtree import DPDTreeRegressor
from tests.property.problems import COMPLEXITIES, LOSSES, Sample, examples, make_sample
from tests.reference.brute_force import (
    Array,
    Limits,
    Problem,
    Split,
    all_trees,
    every_split,
    is_allowed,
    may_split,
)

EXACT = [
    {"strategy": "optimal"},
    {"strategy": "paper", "generator": "exhaustive"},
]


def some_sample(rng: np.random.Generator, loss: str, n: int, p: int) -> Sample:
    """With few or many values, missing ones and weights now and then."""
    return make_sample(
        int(rng.integers(2**32)),
        loss=loss,
        n=n,
        p=p,
        levels=int(rng.choice([3, 8, 100])),
        classes=int(rng.integers(2, 4)),
        missing=float(rng.choice([0.0, 0.0, 0.3])),
        weighting=str(rng.choice(["none", "integer", "zeros"])),
    )


def problem_of(sample: Sample, limits: Limits) -> Problem:
    criterion = "squared_error" if sample.regression else "gini"
    return Problem(sample.X, sample.y, sample.weights, sample.loss, criterion, limits)


def forced_trees(
    problem: Problem, forced: dict[str, Any] | None, rows: Array, depth: int = 0
) -> Array:
    """(loss, passed weight, leaves) of every tree that begins with the splits."""
    if forced is None:
        return all_trees(problem, every_split, rows, depth)
    sides = forced["missing_left"]
    lines = []
    for side in (False, True) if sides is None else (sides,):
        split = Split(forced["feature"], forced["threshold"], side)
        left = split.left(problem.X[rows])
        if not is_allowed(problem, rows, left):
            continue
        a = forced_trees(problem, forced.get("left"), rows[left], depth + 1)
        b = forced_trees(problem, forced.get("right"), rows[~left], depth + 1)
        pairs = (a[:, np.newaxis] + b[np.newaxis]).reshape(-1, 3)
        lines.append(pairs + np.array([0.0, problem.w[rows].sum(), 0.0]))
    return np.concatenate(lines)


def least(problem: Problem, trees: Array, alpha: float, kind: str) -> float:
    total = float(problem.w.sum())
    loss, passed, leaves = trees[trees[:, 2] <= problem.limits.max_leaves].T
    size = passed / total if kind == "path_length" else leaves
    return float((loss / total + alpha * size).min())


def some_split(
    problem: Problem, rows: Array, depth: int, rng: np.random.Generator
) -> dict[str, Any] | None:
    """A random split that the limits allow, and perhaps more below it."""
    if not may_split(problem, rows, depth):
        return None
    splits = [
        split
        for split in every_split(problem, rows, depth)
        if is_allowed(problem, rows, split.left(problem.X[rows]))
    ]
    if not splits:
        return None
    split = splits[rng.integers(len(splits))]
    left = split.left(problem.X[rows])
    seen = bool(np.isnan(problem.X[rows, split.feature].astype(float)).any())
    out: dict[str, Any] = {
        "feature": split.feature,
        "threshold": split.threshold,
        "missing_left": split.missing_left if seen and rng.random() < 0.5 else None,
    }
    if out["missing_left"] is None and seen:
        return out  # what is below would depend on the side
    for side, part in (("left", rows[left]), ("right", rows[~left])):
        if rng.random() < 0.4:
            out[side] = some_split(problem, part, depth + 1, rng)
    return out


@pytest.mark.parametrize("exact", EXACT, ids=["optimal", "exhaustive"])
@given(
    seed=st.integers(0, 2**32 - 1),
    regression=st.booleans(),
    alpha=st.sampled_from([0.0, 0.02, 0.1]),
    kind=st.sampled_from(COMPLEXITIES),
    leaf_rows=st.integers(1, 3),
    max_leaves=st.sampled_from([None, 3, 4]),
)
@examples(60)
def test_no_tree_with_the_splits_is_better(
    exact: dict[str, Any],
    seed: int,
    regression: bool,
    alpha: float,
    kind: str,
    leaf_rows: int,
    max_leaves: int | None,
) -> None:
    rng = np.random.default_rng(seed)
    loss = "squared_error" if regression else "zero_one"
    sample = some_sample(rng, loss, n=int(rng.integers(4, 15)), p=2)
    depth = int(rng.integers(2, 4)) if len(sample.y) < 10 else 2
    limits = Limits(
        max_depth=depth,
        min_samples_leaf=leaf_rows,
        max_leaves=1 << 30 if max_leaves is None else max_leaves,
    )
    problem = problem_of(sample, limits)
    kept = np.flatnonzero(problem.w > 0)
    forced = some_split(problem, kept, 0, rng)
    if forced is None:
        return
    trees = forced_trees(problem, forced, kept)
    if trees[:, 2].min() > limits.max_leaves:
        return
    model = sample.fit(
        **exact,
        alpha=alpha,
        complexity=kind,
        max_depth=depth,
        min_samples_leaf=leaf_rows,
        max_leaf_nodes=max_leaves,
        forced_splits=forced,
    )
    expected = least(problem, trees, alpha, kind)
    assert model.objective_ == pytest.approx(expected, abs=1e-9)
    assert model.tree_.threshold[0] == forced["threshold"]
    if exact["strategy"] == "optimal":
        assert model.is_optimal_


@pytest.mark.parametrize("exact", EXACT, ids=["optimal", "exhaustive"])
@given(
    seed=st.integers(0, 2**32 - 1),
    regression=st.booleans(),
    alpha=st.sampled_from([0.0, 0.05]),
)
@examples(25)
def test_alternatives_are_the_best_trees_with_their_splits(
    exact: dict[str, Any], seed: int, regression: bool, alpha: float
) -> None:
    rng = np.random.default_rng(seed)
    loss = "squared_error" if regression else "zero_one"
    sample = some_sample(rng, loss, n=int(rng.integers(4, 14)), p=2)
    problem = problem_of(sample, Limits(max_depth=2))
    rows = np.flatnonzero(problem.w > 0)
    model = sample.model(**exact, alpha=alpha, max_depth=2)
    found = model.alternatives(sample.X, sample.y, sample.w, k=(5, 2))
    best = least(problem, all_trees(problem, every_split, rows), alpha, "path_length")
    assert found.state_objective[0] == pytest.approx(best, abs=1e-9)
    for row in found.table():
        if row.action < 0:
            continue
        split = {
            "feature": row.feature,
            "threshold": row.threshold,
            "missing_left": row.missing_left,
        }
        trees = forced_trees(problem, split, rows)
        expected = least(problem, trees, alpha, "path_length")
        assert row.objective == pytest.approx(expected, abs=1e-9)


def random_choices(found: Any, rng: np.random.Generator) -> dict[Any, int]:
    """Some action at each node of a way down."""
    choices: dict[Any, int] = {}
    way: tuple[str, ...] = ()
    state = found.root
    while len(found.actions(state)) and rng.random() < 0.85:
        rank = int(rng.integers(len(found.actions(state))))
        choices[way] = rank
        side = ("left", "right")[rng.integers(2)]
        state = int(getattr(found, side)[found.actions(state)[rank]])
        way = (*way, side)
    return choices


def check_all(model: Any, X: Any, y: Any, w: Any, rng: np.random.Generator) -> None:
    """First actions are the fit; a tree of choices is the fit with these forced."""
    found = model.alternatives(X, y, w, k=(4, 3, 2))
    fitted = clone(model).fit(X, y, w)
    first = found.tree()
    assert np.array_equal(first.tree_.feature, fitted.tree_.feature)
    assert np.array_equal(first.tree_.threshold, fitted.tree_.threshold, equal_nan=True)
    assert np.allclose(first.tree_.value, fitted.tree_.value)
    for name in ("loss_", "complexity_", "feature_cost_", "objective_"):
        expected = pytest.approx(getattr(fitted, name), rel=1e-9, abs=1e-9)
        assert getattr(first, name) == expected
    for _ in range(3):
        choices = random_choices(found, rng)
        if not choices:
            continue
        tree = found.tree(choices)
        forced = clone(model).set_params(forced_splits=found.splits(choices))
        forced.fit(X, y, w)
        rounding = 1e-9 * max(1.0, abs(forced.objective_))
        if model.monotonic_cst is not None and len(choices) > 1:
            # What parts the two sides of a split above may be chosen anew.
            assert forced.objective_ <= tree.objective_ + rounding
            continue
        assert tree.objective_ == pytest.approx(forced.objective_, abs=rounding)
        if model.strategy != "optimal":  # proofs may end in different ties
            assert tree.get_n_leaves() == forced.get_n_leaves()


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "optimal"])
@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(LOSSES),
    alpha=st.sampled_from([0.0, 0.02, "mdl"]),
    kind=st.sampled_from(COMPLEXITIES),
    leaf_rows=st.integers(1, 4),
)
@examples(25)
def test_values_are_those_of_forced_fits(
    strategy: str, seed: int, loss: str, alpha: Any, kind: str, leaf_rows: int
) -> None:
    rng = np.random.default_rng(seed)
    if strategy == "optimal":
        loss = "squared_error" if loss == "squared_error" else "zero_one"
        alpha = 0.02 if alpha == "mdl" else alpha
    n = int(rng.integers(5, 20 if strategy == "optimal" else 80))
    sample = some_sample(rng, loss, n=n, p=int(rng.integers(1, 4)))
    model = sample.model(
        strategy=strategy, alpha=alpha, complexity=kind, min_samples_leaf=leaf_rows
    )
    check_all(model, sample.X, sample.y, sample.w, rng)


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced"])
@given(seed=st.integers(0, 2**32 - 1))
@examples(15)
def test_values_hold_with_constraints(strategy: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sample = some_sample(rng, "squared_error", n=int(rng.integers(10, 60)), p=3)
    options: list[dict[str, Any]] = [
        {"monotonic_cst": [1, 0, -1]},
        {"feature_costs": [0.02, 0.0, 0.1]},
        {"interaction_cst": [[0, 1], [1, 2]]},
        {"allowed_features": {0: [0, 1], 1: [1, 2]}},
    ]
    chosen = options[rng.integers(len(options))]
    model = sample.model(strategy=strategy, **chosen)
    check_all(model, sample.X, sample.y, sample.w, rng)


@given(seed=st.integers(0, 2**32 - 1), strategy=st.sampled_from(["paper", "balanced"]))
@examples(15)
def test_values_hold_with_categories(seed: int, strategy: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 60))
    X = np.column_stack([rng.integers(0, 6, n), rng.normal(size=n).round(1)])
    X[rng.random(n) < 0.1, 0] = np.nan
    y = rng.normal(size=n) + np.isin(X[:, 0], [1, 4])
    model = DPDTreeRegressor(
        strategy=strategy, max_depth=3, categorical_features=[0], min_samples_leaf=1
    )
    check_all(model, X, y, None, rng)


@given(seed=st.integers(0, 2**32 - 1), strategy=st.sampled_from(["paper", "balanced"]))
@examples(8)
def test_threads_change_nothing(seed: int, strategy: str) -> None:
    rng = np.random.default_rng(seed)
    sample = some_sample(rng, "zero_one", n=60, p=3)
    one, two = (
        sample.model(strategy=strategy, n_jobs=n_jobs).alternatives(
            sample.X, sample.y, sample.w
        )
        for n_jobs in (1, 2)
    )
    assert np.array_equal(one.objective, two.objective)
    assert np.array_equal(one.feature, two.feature)
    assert np.array_equal(one.left, two.left)
