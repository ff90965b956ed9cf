"""The search finds the best tree of its candidate set: compared with enumeration."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import _core
from tests.property import native
from tests.property.problems import (
    COMPLEXITIES,
    Array,
    Sample,
    examples,
    generators,
    samples,
)
from tests.reference.brute_force import (
    Candidates,
    Limits,
    Problem,
    Split,
    best_objective,
    every_split,
)

alphas = st.sampled_from([0.0, 0.005, 0.02, 0.1])
kinds = st.sampled_from(COMPLEXITIES)


def problem_of(sample: Sample, limits: Limits) -> Problem:
    """The sample for the brute force; weight-0 rows are no part of the problem."""
    seen = sample.weights > 0
    criterion = "squared_error" if sample.regression else "gini"
    X, y, w = sample.X[seen], sample.y[seen], sample.weights[seen]
    return Problem(X, y, w, sample.loss, criterion, limits)


def core_candidates(counts: list[int], generator: str) -> Candidates:
    """The core's own candidate splits of a state, asked for on its rows alone."""

    def generate(problem: Problem, rows: Array, depth: int) -> list[Split]:
        X, y, w = problem.subset(rows)
        part = Sample(X, y, w, problem.loss)
        limits = problem.limits
        params = native.tree_params(
            part,
            generator=generator,
            max_depth=limits.max_depth - depth,
            min_samples_leaf=limits.min_samples_leaf,
            min_weight_leaf=limits.min_weight_leaf,
        )
        n = counts[depth] if depth < len(counts) else 1
        found = _core.stages.candidates(*native.arguments(part), params, n)
        return [Split(f, t, bool(side)) for f, t, side in found]

    return generate


@pytest.mark.native
@given(
    sample=samples(max_rows=14), counts=st.lists(st.integers(1, 3), max_size=3),
    generator=generators, alpha=alphas, kind=kinds, depth=st.integers(1, 3),
    leaf=st.sampled_from([1, 1, 2]),
)  # fmt: skip
@examples(150)
def test_best_tree_of_the_candidate_set(
    sample: Sample, counts: list[int], generator: str, alpha: float, kind: str,
    depth: int, leaf: int,
) -> None:  # fmt: skip
    limits = Limits(max_depth=depth, min_samples_leaf=leaf)
    problem = problem_of(sample, limits)
    expected = best_objective(problem, core_candidates(counts, generator), alpha, kind)
    chosen: dict[str, Any] = {"alpha": alpha, "complexity": kind, "max_depth": depth}
    chosen |= {"n_candidates": counts, "generator": generator, "min_samples_leaf": leaf}
    found = native.fit(sample, **chosen)
    assert found.objective == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.native
@given(sample=samples(max_rows=9), alpha=alphas, kind=kinds)
def test_all_trees_bound_the_search(sample: Sample, alpha: float, kind: str) -> None:
    problem = problem_of(sample, Limits(max_depth=2))
    optimum = best_objective(problem, every_split, alpha, kind)
    found = native.fit(
        sample, alpha=alpha, complexity=kind, n_candidates=[4, 4], max_depth=2
    )
    assert found.objective >= optimum - 1e-9
    assert np.isnan(found.lower_bound) or found.lower_bound <= optimum + 1e-9


@pytest.mark.native
@given(sample=samples(max_rows=9), alpha=alphas, kind=kinds)
def test_every_split_as_candidate_is_optimal(
    sample: Sample, alpha: float, kind: str
) -> None:
    """A list longer than the number of splits is the exhaustive search."""
    problem = problem_of(sample, Limits(max_depth=2))
    optimum = best_objective(problem, every_split, alpha, kind)
    chosen = {"generator": "top_b", "n_candidates": [200, 200], "max_depth": 2}
    found = native.fit(sample, alpha=alpha, complexity=kind, **chosen)
    assert found.objective == pytest.approx(optimum, rel=1e-9, abs=1e-9)


def test_candidates_start_with_the_greedy_split() -> None:
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    sample = Sample(X, y, None, "zero_one")
    params = native.tree_params(sample)
    rows = np.arange(200)
    best = _core.stages.best_split(*native.arguments(sample), params, rows)
    for generator in ("cart", "top_b", "top_b_per_feature"):
        params.generator = generator
        found = _core.stages.candidates(*native.arguments(sample), params, 5)
        assert best[:3] in found
