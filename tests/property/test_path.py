"""Whole paths: all alphas and all numbers of leaves from one search."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier, DPDTreeRegressor, _core
from dpdtree._tree_attributes import keep_point
from dpdtree._tree_search import search_path
from tests.property import native
from tests.property.problems import (
    COMPLEXITIES,
    LOSSES,
    Case,
    Sample,
    candidate_counts,
    cases,
    examples,
    generators,
    samples,
    tiny_cases,
)
from tests.property.test_theorem1 import node_sums
from tests.reference.brute_force import Limits, Problem, all_trees, every_split
from tests.reference.objective import best_pruning, complexity, prediction_loss

STRATEGIES = ("greedy", "paper", "balanced")
relative_alphas = st.lists(st.floats(-5.0, 0.5).map(lambda e: 10.0**e), max_size=4)


def path_of(case: Case, kind: str, **parameters: Any) -> tuple[Any, list[Any]]:
    """An estimator and the points of its path."""
    sample = case.sample
    chosen = {**case.parameters, **parameters}
    model = sample.model(**chosen)
    return model, search_path(model, sample.X, sample.y, sample.w, kind).points


def best_at(points: list[Any], alpha: float) -> Any:
    """The point whose interval holds alpha."""
    (point,) = [p for p in points if p.alpha_low <= alpha < p.alpha_high]
    return point


def check_alpha_path(points: list[Any]) -> None:
    """Smallest tree first; convex; the intervals of alpha fit together."""
    assert points[0].alpha_high == np.inf
    assert points[-1].alpha_low == 0.0
    for small, large in pairwise(points):
        assert small.complexity < large.complexity
        assert small.loss > large.loss
        assert small.alpha_low == large.alpha_high > large.alpha_low
        alpha = small.alpha_low
        here, there = (p.loss + alpha * p.complexity for p in (small, large))
        assert here == pytest.approx(there, rel=1e-9)


def check_leaf_path(points: list[Any]) -> None:
    """More leaves only if they help."""
    for small, large in pairwise(points):
        assert small.n_leaves < large.n_leaves
        assert small.loss > large.loss


def check_reported(case: Case, model: Any, points: list[Any]) -> None:
    """Losses and complexities are those of the trees."""
    sample = case.sample
    w = sample.weights
    _, report, fitted = search_path(model, sample.X, sample.y, sample.w, "leaves")
    for point in points:
        keep_point(model, point, fitted, report, 0.5)
        loss = prediction_loss(sample.loss, model, sample.X, sample.y, w)
        size = complexity(model.complexity, model, sample.X, w)
        assert point.loss == pytest.approx(loss, rel=1e-9, abs=sample.rounding)
        assert point.complexity == pytest.approx(size, rel=1e-9)
        assert point.n_leaves == model.get_n_leaves()
        assert model.objective_ == point.loss + 0.5 * point.complexity
        assert model.get_depth() <= case.parameters["max_depth"]


@given(
    case=cases(), n_candidates=candidate_counts, generator=generators,
    alphas=relative_alphas,
)  # fmt: skip
@examples(120)
def test_hull_equals_independent_solves(
    case: Case, n_candidates: Any, generator: str, alphas: list[float]
) -> None:
    chosen = {"strategy": "paper", "n_candidates": n_candidates, "generator": generator}
    _, points = path_of(case, "alpha", **chosen)
    check_alpha_path(points)
    for relative in [0.0, *alphas]:
        alpha = relative * max(points[0].loss, 1e-3)
        own = {**case.parameters, **chosen, "alpha": alpha}
        one = case.sample.fit(**own).objective_
        point = best_at(points, alpha)
        slack = 1e-9 * max(1.0, points[0].loss)
        assert point.loss + alpha * point.complexity == pytest.approx(one, abs=slack)


@given(
    case=cases(max_rows=40), strategy=st.sampled_from(STRATEGIES),
    n_candidates=st.none() | candidate_counts, alphas=relative_alphas,
)  # fmt: skip
@examples(100)
def test_a_fit_reaches_what_the_path_selects(
    case: Case, strategy: str, n_candidates: Any, alphas: list[float]
) -> None:
    sample = case.sample
    chosen = {**case.parameters, "strategy": strategy, "n_candidates": n_candidates}
    path = sample.model(**chosen).regularization_path(sample.X, sample.y, sample.w)
    slack = 1e-9 * max(1.0, float(path.losses[0]))
    for relative in [0.0, *alphas]:
        alpha = relative * max(float(path.losses[0]), 1e-3)
        fitted = sample.fit(**{**chosen, "alpha": alpha}).objective_
        assert path.select(alpha=alpha).objective_ == pytest.approx(fitted, abs=slack)


@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(LOSSES),
    strategy=st.sampled_from(STRATEGIES),
)
@examples(300)
def test_a_path_ends_without_loss_where_a_tree_has_none(
    seed: int, loss: str, strategy: str
) -> None:
    """Rounding makes no leaf worth less than nothing, nor hides the best tree."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    numbers = np.where(y == 1, 0.1, 0.7)
    sample = Sample(X, numbers if loss == "squared_error" else y, rng.random(30), loss)
    model = sample.model(strategy=strategy)
    path = model.regularization_path(sample.X, sample.y, sample.w)
    assert np.all(path.losses >= 0)
    assert path.losses[-1] == pytest.approx(0, abs=1e-15)
    assert path[-1].objective_ == pytest.approx(sample.fit().objective_, abs=1e-15)
    assert [tree.get_n_leaves() for tree in path] == [1, 2]


@given(case=cases(), alphas=relative_alphas)
@examples(60)
def test_greedy_path_holds_the_best_pruning(case: Case, alphas: list[float]) -> None:
    _, points = path_of(case, "alpha", strategy="greedy")
    check_alpha_path(points)
    greedy = case.sample.fit(**{**case.parameters, "strategy": "greedy", "alpha": 0.0})
    sums = node_sums(case.sample, greedy)
    for relative in [0.0, *alphas]:
        alpha = relative * max(points[0].loss, 1e-3)
        best = best_pruning(greedy.tree_, *sums, alpha, case.parameters["complexity"])
        point = best_at(points, alpha)
        slack = 1e-9 * max(1.0, points[0].loss)
        assert point.loss + alpha * point.complexity == pytest.approx(best, abs=slack)


@given(case=cases(max_rows=40), strategy=st.sampled_from(STRATEGIES))
@examples(60)
def test_points_report_their_own_tree(case: Case, strategy: str) -> None:
    for kind in ("alpha", "leaves"):
        model, points = path_of(case, kind, strategy=strategy)
        check_reported(case, model, points)
    check_leaf_path(points)


@given(case=cases(max_rows=40), n_candidates=candidate_counts, alphas=relative_alphas)
@examples(60)
def test_balanced_path_is_never_worse(
    case: Case, n_candidates: Any, alphas: list[float]
) -> None:
    """Than the candidates alone, at any alpha and with any number of leaves."""
    chosen = {"n_candidates": n_candidates}
    _, paper = path_of(case, "alpha", strategy="paper", **chosen)
    _, points = path_of(case, "alpha", strategy="balanced", **chosen)
    check_alpha_path(points)
    slack = 1e-9 * max(1.0, points[0].loss)
    for relative in [0.0, *alphas]:
        alpha = relative * max(points[0].loss, 1e-3)
        ours, theirs = (best_at(path, alpha) for path in (points, paper))
        limit = theirs.loss + alpha * theirs.complexity + slack
        assert ours.loss + alpha * ours.complexity <= limit
    _, paper = path_of(case, "leaves", strategy="paper", **chosen)
    _, points = path_of(case, "leaves", strategy="balanced", **chosen)
    check_leaf_path(points)
    for point in paper:
        fits = [p.loss for p in points if p.n_leaves <= point.n_leaves]
        assert fits[-1] <= point.loss + slack


@given(
    case=cases(max_rows=40), most=st.integers(2, 7), n_candidates=candidate_counts,
    mdl=st.booleans(),
)  # fmt: skip
@examples(80)
def test_fewer_leaves_never_worse_than_greedy(
    case: Case, most: int, n_candidates: Any, mdl: bool
) -> None:
    parameters = {**case.parameters, "max_leaf_nodes": most}
    if mdl and not case.sample.regression:  # else the noise is that of another tree
        parameters["alpha"] = "mdl"
    greedy = case.sample.fit(strategy="greedy", **parameters)
    parameters["n_candidates"] = n_candidates
    paper = case.sample.fit(strategy="paper", **parameters)
    balanced = case.sample.fit(strategy="balanced", **parameters)
    slack = 1e-9 * max(1.0, greedy.objective_)
    assert max(paper.get_n_leaves(), balanced.get_n_leaves()) <= most
    assert paper.objective_ <= greedy.objective_ + slack
    assert balanced.objective_ <= paper.objective_ + slack


def tiny_problem(case: Case) -> Problem:
    """The case for the brute force; weight-0 rows are no part of the problem."""
    sample, chosen = case.sample, case.parameters
    seen = sample.weights > 0
    total = float(sample.weights.sum())
    limits = Limits(
        max_depth=chosen["max_depth"],
        min_samples_split=max(
            chosen["min_samples_split"], 2 * chosen["min_samples_leaf"]
        ),
        min_samples_leaf=chosen["min_samples_leaf"],
        min_weight_leaf=chosen["min_weight_fraction_leaf"] * total,
    )
    X, y, w = sample.X[seen], sample.y[seen], sample.weights[seen]
    return Problem(X, y, w, sample.loss, "gini", limits)


tiny = tiny_cases(
    losses=("zero_one", "gini", "squared_error"), max_rows=10, depths=(1, 2, 3)
)


@given(case=tiny)
@examples(80)
def test_leaf_path_equals_brute_force(case: Case) -> None:
    exhaustive = {"strategy": "paper", "generator": "exhaustive"}
    _, points = path_of(case, "leaves", **exhaustive)
    check_leaf_path(points)
    problem = tiny_problem(case)
    loss, _, leaves = all_trees(problem, every_split).T
    for k in range(1, 2 ** case.parameters["max_depth"] + 1):
        best = loss[leaves <= k].min() / problem.w.sum()
        ours = [p.loss for p in points if p.n_leaves <= k][-1]
        assert ours == pytest.approx(best, abs=1e-9)


@given(case=tiny, most=st.integers(2, 6))
@examples(80)
def test_max_leaf_nodes_is_exact(case: Case, most: int) -> None:
    chosen = {**case.parameters, "strategy": "paper", "generator": "exhaustive"}
    model = case.sample.fit(**chosen, max_leaf_nodes=most)
    problem = tiny_problem(case)
    total = float(problem.w.sum())
    loss, passed, leaves = all_trees(problem, every_split).T
    by_path = chosen["complexity"] == "path_length"
    size = passed / total if by_path else leaves
    best = (loss / total + chosen["alpha"] * size)[leaves <= most].min()
    assert model.get_n_leaves() <= most
    assert model.objective_ == pytest.approx(best, abs=1e-9)


def same_path(a: list[Any], b: list[Any]) -> None:
    """Exactly the same trees."""
    assert len(a) == len(b)
    for p, q in zip(a, b, strict=True):
        assert p.tree.to_bytes() == q.tree.to_bytes()
        assert (p.loss, p.complexity) == (q.loss, q.complexity)


@pytest.mark.native
@given(
    sample=samples(), kind=st.sampled_from(["alpha", "leaves"]),
    counts=st.lists(st.integers(1, 5), min_size=1, max_size=3),
    strategy=st.sampled_from(["paper", "balanced"]),
    complexity_kind=st.sampled_from(COMPLEXITIES),
)  # fmt: skip
@examples(60)
def test_shortcuts_and_threads_change_no_path(
    sample: Sample, kind: str, counts: list[int], strategy: str, complexity_kind: str
) -> None:
    def points(**switches: Any) -> list[Any]:
        params = native.tree_params(
            sample, strategy=strategy, n_candidates=counts, max_depth=4,
            complexity=complexity_kind, **switches,
        )  # fmt: skip
        path = _core.fit_path(*native.arguments(sample), params, kind)
        return list(path.points)

    plain = points()
    same_path(plain, points(n_threads=3))
    for switch in ("use_split_memo", "use_state_memo", "use_pruning"):
        same_path(plain, points(**{switch: False}))


DEGENERATE = {
    "pure": (np.arange(6.0).reshape(-1, 1), np.zeros(6)),
    "constant features": (np.ones((6, 2)), np.arange(6) % 2),
    "one row": (np.ones((1, 2)), np.zeros(1)),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("kind", ["alpha", "leaves"])
def test_degenerate_data_have_a_path_of_one_leaf(
    name: str, strategy: str, kind: str
) -> None:
    X, y = DEGENERATE[name]
    for model in (DPDTreeClassifier, DPDTreeRegressor):
        points, _, _ = search_path(model(strategy=strategy), X, y, None, kind)
        assert [p.n_leaves for p in points] == [1]


def test_refused_paths() -> None:
    X, y = DEGENERATE["pure"]
    with pytest.raises(ValueError, match=r"cannot be 'optimal': a path"):
        search_path(DPDTreeClassifier(strategy="optimal"), X, y, None, "alpha")
    with pytest.raises(ValueError, match=r"cannot be 3 .*leaf_path"):
        search_path(DPDTreeClassifier(max_leaf_nodes=3), X, y, None, "alpha")
