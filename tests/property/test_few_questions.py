"""Rows that few yes/no questions tell apart: proofs by tables of pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier, _core
from tests.property import native
from tests.property.problems import COMPLEXITIES, Sample, examples, make_sample
from tests.property.test_optimal import VECTOR_PATHS, prove


@st.composite
def few_valued(draw: st.DrawFn) -> Sample:
    """Some dozens of rows with few values per feature."""
    return make_sample(
        draw(st.integers(0, 2**32 - 1)),
        loss="zero_one",
        n=draw(st.integers(20, 100)),
        p=draw(st.integers(2, 5)),
        levels=draw(st.sampled_from([2, 3, 5])),
        classes=draw(st.integers(2, 5)),
        missing=draw(st.sampled_from([0.0, 0.0, 0.1])),
        weighting=draw(st.sampled_from(["none", "none", "integer", "zeros", "real"])),
    )


def class_weighted(sample: Sample) -> Sample:
    """The same rows, each class with a weight of its own."""
    weights = np.array([0.3, 1.7, 0.9, 2.2, 1.0])[sample.y]
    return Sample(sample.X, sample.y, weights, sample.loss)


@pytest.mark.native
@given(
    sample=few_valued(),
    by_class=st.booleans(),
    max_depth=st.sampled_from([2, 3]),
    alpha=st.sampled_from([0.0, 0.0, 0.004, 0.03]),
    complexity=st.sampled_from(COMPLEXITIES),
    min_samples_leaf=st.sampled_from([1, 1, 4]),
    min_samples_split=st.sampled_from([2, 2, 15]),
)
@examples(120)
def test_both_searches_find_the_same_optimum(
    sample: Sample, by_class: bool, **parameters: Any
) -> None:
    if by_class:
        sample = class_weighted(sample)
    found = [prove(sample, asked, **parameters) for asked in (True, False)]
    assert all(model.is_optimal_ for model in found)
    assert found[0].objective_ == pytest.approx(found[1].objective_, abs=1e-12)


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.integers(2, 3),
    by_class=st.booleans(),
    max_depth=st.sampled_from([4, 5, 6, None]),
    alpha=st.sampled_from([0.01, 0.02, 0.05]),
    complexity=st.sampled_from(COMPLEXITIES),
    min_samples_leaf=st.sampled_from([1, 1, 4]),
    time_limit=st.sampled_from([None, 1e4]),
)
@examples(120)
def test_both_searches_agree_where_splits_have_a_price(
    seed: int, classes: int, by_class: bool, **parameters: Any
) -> None:
    """With many levels, and with as many as a tree can have."""
    sample = make_sample(
        seed, loss="zero_one", n=24, p=3, levels=4, classes=classes, missing=0.1
    )
    if by_class:
        sample = class_weighted(sample)
    if parameters["complexity"] != "n_leaves" and parameters["max_depth"] is None:
        parameters["max_depth"] = 4
    found = [prove(sample, asked, **parameters) for asked in (True, False)]
    assert all(model.is_optimal_ for model in found)
    assert found[0].objective_ == pytest.approx(found[1].objective_, abs=1e-12)


@pytest.mark.native
@given(sample=few_valued(), depth=st.integers(2, 3))
@examples(60)
def test_balanced_trees_are_proven(sample: Sample, depth: int) -> None:
    """Up to three levels; unless weights are of every kind."""
    model = sample.fit(max_depth=depth)
    best = prove(sample, False, max_depth=depth)
    if sample.w is None:
        assert model.is_optimal_
        assert model.objective_ == pytest.approx(best.objective_, abs=1e-12)
    assert not model.lower_bound_ > best.objective_ + 1e-12


@pytest.mark.native
@given(
    sample=few_valued(),
    by_class=st.booleans(),
    depth=st.integers(4, 6),
    min_samples_leaf=st.sampled_from([1, 4]),
)
@examples(60)
def test_deeper_trees_are_near_the_best(
    sample: Sample, by_class: bool, depth: int, min_samples_leaf: int
) -> None:
    """Between the best of all trees, and those of other strategies and fewer levels."""
    if by_class:
        sample = class_weighted(sample)
    limits: dict[str, Any] = {"min_samples_leaf": min_samples_leaf}
    model = sample.fit(max_depth=depth, **limits)
    errors = np.average(model.predict(sample.X) != sample.y, weights=sample.w)
    assert model.objective_ == pytest.approx(errors, abs=1e-9)
    greedy = sample.fit(max_depth=depth, strategy="greedy", **limits)
    paper = sample.fit(max_depth=depth, n_candidates=3, **limits)
    less = sample.fit(max_depth=3, strategy="optimal", **limits)
    assert model.objective_ <= min(greedy.objective_, less.objective_) + 1e-9
    assert paper.objective_ <= model.objective_ + 1e-9
    if sample.w is None and depth == 4:
        best = prove(sample, True, max_depth=depth, **limits)
        assert best.objective_ - 1e-9 <= model.objective_
        assert model.objective_ <= best.objective_ + 0.05


@pytest.mark.native
@given(
    sample=few_valued(),
    by_class=st.booleans(),
    depth=st.integers(2, 7),
    complexity=st.sampled_from(COMPLEXITIES),
    min_samples_leaf=st.sampled_from([1, 4]),
    alphas=st.lists(st.floats(0, 0.1), min_size=3, max_size=3),
)
@examples(120)
def test_a_path_holds_what_its_fits_find(
    sample: Sample,
    by_class: bool,
    depth: int,
    complexity: str,
    min_samples_leaf: int,
    alphas: list[float],
) -> None:
    """One search for all prices, another for each: the same objectives."""
    if by_class:
        sample = class_weighted(sample)
    chosen: dict[str, Any] = {
        "max_depth": depth, "complexity": complexity,
        "min_samples_leaf": min_samples_leaf, "strategy": "balanced",
    }  # fmt: skip
    path = sample.model(**chosen).regularization_path(sample.X, sample.y, sample.w)
    for alpha in [0.0, *alphas]:
        fitted = sample.fit(**chosen, alpha=alpha)
        selected = path.select(alpha=alpha)
        assert selected.objective_ == pytest.approx(fitted.objective_, abs=1e-9)


@pytest.mark.native
def test_rows_that_count_more_than_once_are_divided_as_well() -> None:
    X = np.array([[-2.2], [-2.1], [-2.0], [-1.8], [-1.7], [-1.4], [-1.0], [-0.8], [0]])
    y = np.array([1, 1, 1, 0, 1, 0, 0, 1, 0])
    w = np.array([2.0, 1, 3, 4, 3, 2, 2, 3, 1])
    model = DPDTreeClassifier(loss="zero_one", strategy="balanced", max_depth=3)
    assert model.regularization_path(X, y, w).losses[-1] == 0


@pytest.mark.native
@pytest.mark.parametrize("depth", [3, 4, 5])
def test_a_path_of_many_rows_holds_what_its_fits_find(depth: int) -> None:
    sample = make_sample(depth, loss="zero_one", n=700, p=30, levels=2, classes=2)
    chosen: dict[str, Any] = {
        "max_depth": depth, "complexity": "n_leaves", "strategy": "balanced",
    }  # fmt: skip
    path = sample.model(**chosen).regularization_path(sample.X, sample.y)
    for alpha in (0.0, 0.0005, 0.001, 0.003, 0.01, 0.05):
        fitted = sample.fit(**chosen, alpha=alpha)
        selected = path.select(alpha=alpha)
        assert selected.objective_ == pytest.approx(fitted.objective_, abs=1e-9)


@pytest.fixture
def any_path() -> Iterator[None]:
    """Puts the machine's own vector instructions back."""
    yield
    _core.stages.force_instruction_set("best")


@pytest.mark.native
@pytest.mark.parametrize("min_samples_leaf", [1, 9])
@pytest.mark.parametrize("weighting", ["none", "by class"])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_vector_paths_agree(
    any_path: None, classes: int, weighting: str, min_samples_leaf: int
) -> None:
    sample = make_sample(
        classes, loss="zero_one", n=700, p=70, levels=2, classes=classes
    )
    if weighting == "by class":
        sample = class_weighted(sample)
    results = set()
    for path in VECTOR_PATHS:
        if _core.stages.force_instruction_set(path):
            limits = (
                {} if sample.w is not None else {"min_samples_leaf": min_samples_leaf}
            )
            fit = native.fit(sample, strategy="optimal", max_depth=3, **limits)
            assert fit.is_optimal
            results.add((fit.tree.to_bytes(), fit.objective, fit.states))
    assert len(results) == 1


def test_order_and_threads_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (600, 40)).astype(float)
    y = (X[:, :9] @ rng.normal(size=9) + rng.normal(size=600) > 0).astype(int)
    order = rng.permutation(600)
    trees = [
        DPDTreeClassifier(strategy="balanced", alpha=0.0, max_depth=5, n_jobs=n_jobs)
        .fit(X[rows], y[rows])
        .tree_
        for rows, n_jobs in ((slice(None), 1), (slice(None), 2), (order, 1))
    ]
    for tree in trees[1:]:
        assert (tree.feature == trees[0].feature).all()
        assert (tree.threshold == trees[0].threshold).all()


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    levels=st.sampled_from([2, 3]),
    n=st.sampled_from([24, 60]),
    max_depth=st.sampled_from([3, 4, 5, None]),
    alpha=st.sampled_from([0.01, 0.03, 0.06, 0.12]),
    max_leaf_nodes=st.sampled_from([None, None, 4, 6]),
    limits=st.sampled_from(
        [{}, {}, {"min_samples_leaf": 5}, {"min_samples_split": 12}]
    ),
)
@examples(150)
def test_rows_that_no_question_parts(
    seed: int, levels: int, n: int, limits: dict[str, int], **parameters: Any
) -> None:
    """What they lose is lost on every side, and sides of few rows do not pay."""
    sample = make_sample(seed, loss="zero_one", n=n, p=4, levels=levels, classes=2)
    chosen = {**parameters, **limits, "complexity": "n_leaves"}
    found = [prove(sample, asked, **chosen) for asked in (True, False)]
    assert all(model.is_optimal_ for model in found)
    assert found[0].objective_ == pytest.approx(found[1].objective_, abs=1e-12)


@pytest.mark.native
@given(
    seed=st.integers(0, 2**32 - 1),
    classes=st.integers(2, 3),
    by_class=st.booleans(),
    max_depth=st.sampled_from([3, 4, 4]),
    alpha=st.sampled_from([0.0, 0.01, 0.02, 0.05]),
    complexity=st.sampled_from(COMPLEXITIES),
    max_leaf_nodes=st.sampled_from([None, None, 5, 7]),
    min_samples_leaf=st.sampled_from([1, 1, 3]),
)
@examples(40)
def test_what_bounds_one_side_bounds_others(
    seed: int, classes: int, by_class: bool, **parameters: Any
) -> None:
    """Many nested questions, so that sides of some are parts of those of others."""
    sample = make_sample(
        seed, loss="zero_one", n=30, p=3, levels=7, classes=classes, missing=0.1
    )
    if by_class:
        sample = class_weighted(sample)
    found = [prove(sample, asked, **parameters) for asked in (True, False)]
    assert all(model.is_optimal_ for model in found)
    assert found[0].objective_ == pytest.approx(found[1].objective_, abs=1e-12)


def nested_questions() -> tuple[np.ndarray, np.ndarray]:
    """Fifteen thresholds of each of four features; no level is ruled out early."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 16, (900, 4)).astype(float)
    y = ((X[:, 0] > 7) & (X[:, 1] > 4) | (X[:, 2] > 11)) ^ (rng.random(900) < 0.15)
    return X, y


@pytest.mark.parametrize(
    ("alpha", "depth", "most"), [(0.02, None, 30e3), (0.01, 4, 3e3)]
)
def test_bounds_spare_most_evaluations(
    alpha: float, depth: int | None, most: float
) -> None:
    """Side by side, from the rows around, and of the levels that can still pay.

    With what both sides of a question say together, they are 177 312 and 3937.
    """
    model = DPDTreeClassifier(
        strategy="optimal", max_depth=depth, alpha=alpha, complexity="n_leaves"
    ).fit(*nested_questions())
    assert model.is_optimal_
    assert model.get_n_leaves() == 4
    assert model.report_.states < most


def test_sides_that_weigh_less_than_a_split_costs() -> None:
    """A proof need not look below them: 85 questions part few rows."""
    rng = np.random.default_rng(0)
    X = (rng.random((2000, 90)) < 0.012).astype(float)
    X[:, :5] = rng.integers(0, 2, (2000, 5))
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 1) ^ (rng.random(2000) < 0.1)
    model = DPDTreeClassifier(
        strategy="optimal", max_depth=None, alpha=0.02, complexity="n_leaves"
    ).fit(X, y)
    assert model.is_optimal_
    assert model.report_.states < 100


def test_what_twins_lose_is_no_reason_to_look_further() -> None:
    """Of ten equal rows three belong to the other class, whatever is asked."""
    rng = np.random.default_rng(0)
    X = np.repeat(rng.integers(0, 2, (60, 30)), 10, axis=0).astype(float)
    y = (X[:, 0] + X[:, 1] + X[:, 2] > 1) ^ (np.arange(600) % 10 < 3)
    model = DPDTreeClassifier(
        strategy="optimal", max_depth=None, alpha=0.005, complexity="n_leaves"
    ).fit(X, y)
    assert model.is_optimal_
    assert model.report_.states < 50


def test_parity_of_three_bits_among_many() -> None:
    """No question is worth anything alone, nor any two."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (500, 60)).astype(float)
    y = X[:, [7, 21, 40]].sum(axis=1) % 2
    for strategy in ("balanced", "optimal"):
        model = DPDTreeClassifier(strategy=strategy, max_depth=3, alpha=0.0).fit(X, y)
        assert model.is_optimal_
        assert model.score(X, y) == 1.0


def test_time_runs_out() -> None:
    """What is returned is a tree, and what it says of itself is true."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (3000, 300)).astype(float)
    y = rng.integers(0, 2, 3000)
    model = DPDTreeClassifier(strategy="optimal", max_depth=4, time_limit=0.3).fit(X, y)
    assert model.report_.stop_reason == "time_limit"
    assert not model.is_optimal_
    assert 0 <= model.lower_bound_ <= model.objective_
    assert model.loss_ == pytest.approx(1 - model.score(X, y))
