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
