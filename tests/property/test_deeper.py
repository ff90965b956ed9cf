"""The objective rises with neither the depth, nor the candidates, nor the time."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier
from tests.property.problems import COMPLEXITIES, LOSSES, Sample, examples, make_sample

SAMPLES: dict[str, Any] = {
    "seed": st.integers(0, 2**32 - 1),
    "loss": st.sampled_from(LOSSES),
    "n": st.integers(5, 250),
    "p": st.integers(1, 6),
    "levels": st.sampled_from([2, 6, 40]),
    "missing": st.sampled_from([0.0, 0.1]),
    "weighting": st.sampled_from(["none", "real"]),
}
PROVABLE = ("zero_one", "squared_error")
OBJECTIVES: dict[str, Any] = {
    "alpha": st.sampled_from([0.0, 0.002, 0.005, 0.02]),
    "complexity": st.sampled_from(COMPLEXITIES),
    "min_samples_leaf": st.sampled_from([1, 5]),
    "max_leaf_nodes": st.sampled_from([None, None, 5]),
}


def sample_of(drawn: dict[str, Any]) -> Sample:
    return make_sample(
        drawn["seed"],
        classes=2 + drawn["seed"] % 3,
        **{name: drawn[name] for name in SAMPLES if name != "seed"},
    )


def check_falling(objectives: list[float], sample: Sample) -> None:
    for before, after in pairwise(objectives):
        assert after <= before + 1e-9 + sample.rounding


@given(drawn=st.fixed_dictionaries({**SAMPLES, **OBJECTIVES}))
@examples(60)
def test_deeper_is_never_worse(drawn: dict[str, Any]) -> None:
    sample = sample_of(drawn)
    chosen = {name: drawn[name] for name in OBJECTIVES}
    found = [sample.fit(max_depth=d, **chosen).objective_ for d in range(1, 7)]
    check_falling(found, sample)


@given(drawn=st.fixed_dictionaries(SAMPLES))
@examples(30)
def test_deeper_is_never_worse_by_description_length(drawn: dict[str, Any]) -> None:
    """Of labels: the price of a split by numbers depends on how deep trees may be."""
    sample = sample_of({**drawn, "loss": "zero_one"})
    found = [sample.fit(max_depth=d, alpha="mdl").objective_ for d in range(1, 7)]
    check_falling(found, sample)


@given(
    drawn=st.fixed_dictionaries({**SAMPLES, **OBJECTIVES}),
    counts=st.lists(st.integers(1, 8), min_size=1, max_size=4),
    more=st.lists(st.integers(0, 6), min_size=4, max_size=4),
    depth=st.integers(2, 4),
)
@examples(60)
def test_more_candidates_are_never_worse(
    drawn: dict[str, Any], counts: list[int], more: list[int], depth: int
) -> None:
    sample = sample_of(drawn)
    chosen = {name: drawn[name] for name in OBJECTIVES} | {"max_depth": depth}
    larger = [n + m for n, m in zip(counts, more, strict=False)]
    found = [
        sample.fit(n_candidates=tuple(n), **chosen).objective_ for n in (counts, larger)
    ]
    check_falling(found, sample)


@pytest.mark.parametrize("alpha", [0.0, 0.005])
def test_more_rows_than_few(alpha: float) -> None:
    """Beyond some hundred rows shallower trees are searched only where they may win."""
    for seed in range(4):
        sample = make_sample(seed, loss="zero_one", n=800, p=6, levels=60, classes=2)
        chosen: dict[str, Any] = {"alpha": alpha, "complexity": "n_leaves"}
        found = [sample.fit(max_depth=d, **chosen).objective_ for d in range(1, 7)]
        check_falling(found, sample)


@given(
    drawn=st.fixed_dictionaries(
        {
            **SAMPLES,
            **OBJECTIVES,
            "loss": st.sampled_from(["zero_one", "squared_error"]),
        }
    ),
    limit=st.sampled_from([None, 60.0]),
)
@examples(30)
def test_deeper_is_never_worse_where_it_is_proven(
    drawn: dict[str, Any], limit: float | None
) -> None:
    sample = sample_of({**drawn, "n": 5 + drawn["n"] % 20, "p": min(drawn["p"], 3)})
    chosen = {name: drawn[name] for name in OBJECTIVES}
    chosen |= {"strategy": "optimal", "time_limit": limit}
    found = [sample.fit(max_depth=d, **chosen).objective_ for d in range(1, 5)]
    if chosen["alpha"] > 0 and chosen["complexity"] == "n_leaves":
        chosen["time_limit"] = 1.0
        found.append(sample.fit(max_depth=None, **chosen).objective_)
    check_falling(found, sample)


@pytest.mark.parametrize("strategy", ["balanced", "optimal"])
def test_more_time_is_never_worse(strategy: str) -> None:
    """Nothing, a little, and more than it takes."""
    sample = make_sample(3, loss="zero_one", n=250, p=3, levels=30, classes=3)
    chosen = {"strategy": strategy, "max_depth": 3, "alpha": 0.004}
    found = [
        sample.fit(time_limit=limit, **chosen).objective_
        for limit in (0.0, 0.002, 100.0)
    ]
    check_falling(found, sample)


def test_a_fit_is_on_the_path_of_all_depths() -> None:
    sample = make_sample(5, loss="zero_one", n=500, p=5, levels=50, classes=2)
    model = DPDTreeClassifier(
        strategy="balanced", max_depth=5, alpha=0.0, complexity="n_leaves"
    )
    path = model.regularization_path(sample.X, sample.y)
    for alpha in (0.0, 0.002, 0.01):
        fit = sample.fit(max_depth=5, alpha=alpha, complexity="n_leaves")
        point = path.select(alpha=alpha)
        assert point.loss_ + alpha * point.complexity_ == pytest.approx(fit.objective_)
