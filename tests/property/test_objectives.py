"""Guarantees for every loss, with one output and with several."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.problems import COMPLEXITIES, examples
from tests.reference.losses import Task, make_task

ONE_OUTPUT = ("cost_matrix", "absolute_error", "poisson", "quantile")
SEVERAL = ("zero_one", "gini", "log_loss", "squared_error", *ONE_OUTPUT[1:])
STRATEGIES = ("greedy", "paper", "balanced")


@st.composite
def tasks(draw: st.DrawFn, *, max_rows: int = 60, weightings: Any = None) -> Task:
    outputs = draw(st.sampled_from([1, 1, 2, 3]))
    losses = ONE_OUTPUT if outputs == 1 else SEVERAL
    return make_task(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.sampled_from(losses)),
        outputs=outputs,
        n=draw(st.integers(2, max_rows)),
        p=draw(st.integers(1, 4)),
        levels=draw(st.sampled_from([2, 5, 12, 1000])),
        missing=draw(st.sampled_from([0.0, 0.0, 0.2])),
        weighting=draw(st.sampled_from(weightings or ["none", "integer", "zeros"])),
    )


@st.composite
def parameters(draw: st.DrawFn) -> dict[str, Any]:
    choices: dict[str, list[Any]] = {
        "max_depth": [1, 2, 3, 4],
        "alpha": [0.0, 0.0, 0.01, 0.1],
        "complexity": list(COMPLEXITIES),
        "max_bins": [None, None, 4],
        "min_samples_split": [2, 2, 5],
        "min_samples_leaf": [1, 1, 3],
        "min_weight_fraction_leaf": [0.0, 0.0, 0.1],
        "min_impurity_decrease": [0.0, 0.0, 0.01],
    }
    return {name: draw(st.sampled_from(values)) for name, values in choices.items()}


def scale(task: Task) -> float:
    """The loss of one leaf: what rounding is relative to."""
    whole = task.leaf_cost(np.arange(len(task.y))) / task.weights.sum()
    largest = 0.0 if task.labels else float(np.abs(task.y).max())
    return 1.0 + whole + largest**2


@examples(120)
@given(tasks(), parameters(), st.sampled_from(STRATEGIES))
def test_reported_loss_is_that_of_the_predictions(task, limits, strategy):
    model = task.fit(strategy=strategy, **limits)
    assert model.loss_ == pytest.approx(task.cost_of(model), abs=1e-9 * scale(task))
    expected = model.loss_ + limits["alpha"] * model.complexity_
    assert model.objective_ == pytest.approx(expected)
    assert not model.lower_bound_ > model.objective_ + 1e-12


@examples(80)
@given(tasks(), parameters(), st.integers(1, 5))
def test_look_ahead_is_never_worse(task, limits, n):
    greedy = task.fit(strategy="greedy", **limits).objective_
    paper = task.fit(strategy="paper", n_candidates=n, **limits).objective_
    balanced = task.fit(strategy="balanced", n_candidates=n, **limits).objective_
    rounding = 1e-10 * scale(task)
    assert paper <= greedy + rounding
    assert balanced <= min(paper, greedy) + rounding


def least_cost(task: Task, rows: Any, depth: int, limits: dict[str, Any]) -> float:
    """The objective of the best tree, times the weight, by trying all of them."""
    best = task.leaf_cost(rows)
    if depth == 0 or len(rows) < 2:
        return best
    weight = task.weights[rows].sum()
    of_path = limits["complexity"] == "path_length"
    total = task.weights.sum()
    penalty = limits["alpha"] * (weight if of_path else total)
    for left in all_sides(task.X[rows]):
        sides = rows[left], rows[~left]
        if min(map(len, sides)) < limits["min_samples_leaf"]:
            continue
        children = [least_cost(task, side, depth - 1, limits) for side in sides]
        best = min(best, penalty + sum(children))
    return best


def all_sides(X: Any) -> Any:
    """Each way to send rows left by one threshold, missing values on either side."""
    for x in X.T:
        missing = np.isnan(x)
        values = np.unique(x[~missing])
        cuts = [(a + b) / 2 for a, b in pairwise(values)]
        for cut in cuts:
            yield x <= cut
            if missing.any():
                yield (x <= cut) | missing
        if missing.any() and not missing.all():
            yield ~missing


@examples(80)
@given(st.data())
def test_all_candidates_give_the_best_of_all_trees(data):
    task = data.draw(tasks(max_rows=9, weightings=["none", "integer"]))
    limits = {
        "alpha": data.draw(st.sampled_from([0.0, 0.05])),
        "complexity": data.draw(st.sampled_from(COMPLEXITIES)),
        "min_samples_leaf": data.draw(st.sampled_from([1, 2])),
    }
    model = task.fit(strategy="paper", generator="exhaustive", max_depth=2, **limits)
    least = least_cost(task, np.arange(len(task.y)), 2, limits) / task.weights.sum()
    least += limits["alpha"] * (limits["complexity"] == "n_leaves")
    assert model.objective_ == pytest.approx(least, abs=1e-9 * scale(task))


@examples(60)
@given(tasks(weightings=["integer"]), st.sampled_from(STRATEGIES), st.integers(1, 3))
def test_whole_weights_are_repeated_rows(task, strategy, depth):
    limits = {"strategy": strategy, "max_depth": depth}
    times = task.w.astype(int)
    repeated = replace(
        task, X=np.repeat(task.X, times, 0), y=np.repeat(task.y, times, 0), w=None
    )
    one, other = task.fit(**limits), repeated.fit(**limits)
    if strategy == "greedy":  # a tie that rounding decides may change what follows
        same = np.array_equal(one.tree_.feature, other.tree_.feature)
        if not same or not np.array_equal(one.tree_.threshold, other.tree_.threshold):
            return
        values = pytest.approx(other.tree_.value, abs=1e-12 * scale(task))
        assert one.tree_.value == values
    if strategy != "balanced":
        assert one.loss_ == pytest.approx(other.loss_, rel=1e-9, abs=1e-12)


@examples(40)
@given(tasks(), parameters(), st.sampled_from(STRATEGIES))
def test_threads_change_nothing(task, limits, strategy):
    one, two = (task.fit(strategy=strategy, n_jobs=n, **limits) for n in (1, 2))
    np.testing.assert_array_equal(one.tree_.threshold, two.tree_.threshold)
    np.testing.assert_array_equal(one.tree_.value, two.tree_.value)


@examples(50)
@given(tasks(), st.sampled_from(STRATEGIES), st.sampled_from(COMPLEXITIES))
def test_paths(task, strategy, complexity):
    limits = {"strategy": strategy, "max_depth": 3, "complexity": complexity}
    model = task.model(**limits)
    for path in (
        model.regularization_path(task.X, task.y, task.w),
        model.leaf_path(task.X, task.y, task.w),
    ):
        for tree in path:
            expected = pytest.approx(task.cost_of(tree), abs=1e-9 * scale(task))
            assert tree.loss_ == expected
        assert (np.diff(path.losses) < 0).all()
        if path.kind == "alpha" and strategy == "paper":
            chosen = path.select(alpha=0.02)
            own = task.fit(alpha=0.02, **limits)
            assert chosen.objective_ <= own.objective_ + 1e-9 * scale(task)


@examples(40)
@given(tasks(), st.sampled_from(STRATEGIES), st.sampled_from([2, 3, 5]))
def test_at_most_so_many_leaves(task, strategy, leaves):
    model = task.fit(strategy=strategy, max_depth=4, max_leaf_nodes=leaves)
    assert model.get_n_leaves() <= leaves
    assert model.loss_ == pytest.approx(task.cost_of(model), abs=1e-9 * scale(task))


@examples(40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(STRATEGIES), st.integers(1, 3))
def test_a_matrix_of_zeros_and_ones_counts_errors(seed, strategy, depth):
    plain = make_task(seed, "zero_one", weighting="integer")
    k = len(np.unique(plain.y))
    priced = replace(plain, loss="cost_matrix", costs=1.0 - np.eye(k))
    limits = {"strategy": strategy, "max_depth": depth}
    one, other = plain.fit(**limits), priced.fit(**limits)
    if strategy != "balanced":  # it looks further ahead for plain errors
        assert other.loss_ == pytest.approx(one.loss_)
    exhaustive = {"strategy": "paper", "generator": "exhaustive", "max_depth": 2}
    assert priced.fit(**exhaustive).loss_ == pytest.approx(
        plain.fit(**exhaustive).loss_
    )
    same = plain.fit(alpha="mdl", strategy="paper", max_depth=depth)
    priced_too = priced.fit(alpha="mdl", strategy="paper", max_depth=depth)
    assert priced_too.objective_ == pytest.approx(same.objective_)


@examples(40)
@given(st.integers(0, 2**32 - 1), st.sampled_from(SEVERAL), st.sampled_from(STRATEGIES))
def test_equal_outputs_are_one(seed, loss, strategy):
    one = make_task(seed, loss, weighting="integer")
    column = replace(one, y=one.y[:, None])
    limits = {"strategy": strategy, "max_depth": 3}
    single, alone = one.fit(**limits), column.fit(**limits)
    assert alone.n_outputs_ == 1
    np.testing.assert_array_equal(single.tree_.value, alone.tree_.value)
    exhaustive = {"strategy": "paper", "generator": "exhaustive", "max_depth": 2}
    twice = replace(one, y=np.column_stack([one.y, one.y])).fit(**exhaustive)
    assert twice.loss_ == pytest.approx(2 * one.fit(**exhaustive).loss_)
    assert twice.predict(one.X).shape == (len(one.X), 2)


@examples(40)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["absolute_error", "quantile", "poisson"]),
    st.sampled_from([0.0, 0.01, "mdl"]),
)
def test_losses_scale_with_the_targets(seed, loss, alpha):
    task = make_task(seed, loss, n=30, weighting="integer")
    larger = replace(task, y=4.0 * task.y)
    limits = {"strategy": "paper", "max_depth": 2, "generator": "exhaustive"}
    if loss == "poisson" and alpha == "mdl":
        return  # logarithms: rounding may decide a tie in the tree that prices splits
    one = task.fit(alpha=alpha, **limits)
    other = larger.fit(alpha=alpha if alpha == "mdl" else 4.0 * alpha, **limits)
    assert other.objective_ == pytest.approx(4.0 * one.objective_, rel=1e-9, abs=1e-12)
