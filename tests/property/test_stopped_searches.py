"""What a search has found whenever its time is up.

Work stands for time, so that nothing here depends on a clock: a fit ends after so many
looks at the clock, and every piece of work is followed by one.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property.problems import COMPLEXITIES, LOSSES, Sample, examples, make_sample

FOREVER = 1_000_000.0

SAMPLES: dict[str, Any] = {
    "seed": st.integers(0, 2**32 - 1),
    "n": st.integers(10, 150),
    "p": st.integers(1, 4),
    "levels": st.sampled_from([2, 6, 40]),
    "weighting": st.sampled_from(["none", "real"]),
}
OBJECTIVES: dict[str, Any] = {
    "alpha": st.sampled_from([0.0, 0.002, 0.01]),
    "complexity": st.sampled_from(COMPLEXITIES),
    "max_leaf_nodes": st.sampled_from([None, None, 5]),
    "n_candidates": st.sampled_from([None, None, 3]),
}
SEARCHES = {
    "balanced": st.fixed_dictionaries(
        {**SAMPLES, **OBJECTIVES, "loss": st.sampled_from(LOSSES)}
    ),
    "optimal": st.fixed_dictionaries(
        {
            **SAMPLES,
            **OBJECTIVES,
            "loss": st.sampled_from(["zero_one", "squared_error"]),
            "n": st.integers(10, 40),
        }
    ),
}
#: Of all the work of a search, in order.
SHARES = st.lists(st.floats(0.0, 1.0), min_size=8, max_size=8).map(sorted)


def split_up(drawn: dict[str, Any]) -> tuple[Sample, dict[str, Any]]:
    """The sample, and the parameters of its fits."""
    shape = {name: drawn[name] for name in (*SAMPLES, "loss")}
    sample = make_sample(classes=2 + drawn["seed"] % 3, **shape)
    return sample, {name: drawn[name] for name in OBJECTIVES}


def stopped(sample: Sample, looks: int, **parameters: Any) -> Any:
    """A fit that is stopped after so much work."""
    model = sample.model(time_limit=FOREVER, **parameters)
    model._core_switches = {"stop_after_looks": looks}
    return model.fit(sample.X, sample.y, sample_weight=sample.w)


def all_work(sample: Sample, **parameters: Any) -> int:
    """The least work after which a search has come to its end."""

    def ends(looks: int) -> bool:
        model = stopped(sample, looks, **parameters)
        return model.report_.stop_reason == "completed"

    most = 1
    while not ends(most):
        most *= 2
    least = most // 2  # does not end, unless there is nothing to do
    while most - least > 1:
        middle = (least + most) // 2
        if ends(middle):
            most = middle
        else:
            least = middle
    return most


def greedy_work(sample: Sample, **parameters: Any) -> int:
    return all_work(sample, **{**parameters, "strategy": "greedy"})


def check_more_work(drawn: dict[str, Any], shares: list[float], strategy: str) -> None:
    """The objective falls until the end, where the fit without a limit has it."""
    sample, chosen = split_up(drawn)
    chosen |= {"strategy": strategy, "max_depth": 3}
    whole = all_work(sample, **chosen)
    found = [
        stopped(sample, round(share * whole), **chosen).objective_
        for share in (0.0, *shares, 1.0)
    ]
    for before, after in pairwise(found):
        assert after <= before + 1e-9 + sample.rounding
    at_ease = sample.fit(**chosen)
    assert found[-1] <= at_ease.objective_ + 1e-9 + sample.rounding


@given(drawn=SEARCHES["balanced"], shares=SHARES)
@examples(40)
def test_more_work_is_never_worse(drawn: dict[str, Any], shares: list[float]) -> None:
    check_more_work(drawn, shares, "balanced")


@given(drawn=SEARCHES["optimal"], shares=SHARES)
@examples(25)
def test_more_of_a_proof_is_never_worse(
    drawn: dict[str, Any], shares: list[float]
) -> None:
    check_more_work(drawn, shares, "optimal")


@given(drawn=SEARCHES["balanced"], shares=SHARES, depth=st.integers(1, 4))
@examples(60)
def test_deeper_is_never_worse_after_the_same_work(
    drawn: dict[str, Any], shares: list[float], depth: int
) -> None:
    """Once the greedy trees are there, of which the deeper one takes longer."""
    sample, chosen = split_up(drawn)
    greedy = [greedy_work(sample, max_depth=depth + i, **chosen) for i in (0, 1)]
    whole = all_work(sample, max_depth=depth, **chosen)
    for share in (0.0, *shares, 1.0):
        after = round(share * max(0, whole - greedy[0]))
        shallow, deep = (
            stopped(sample, greedy[i] + after, max_depth=depth + i, **chosen)
            for i in (0, 1)
        )
        assert deep.objective_ <= shallow.objective_ + 1e-9 + sample.rounding


@given(drawn=SEARCHES["optimal"], shares=SHARES, depth=st.integers(1, 4))
@examples(40)
def test_a_stopped_proof_is_never_worse_than_simpler_strategies(
    drawn: dict[str, Any], shares: list[float], depth: int
) -> None:
    """Balanced after the same work; CART once that tree is there."""
    sample, chosen = split_up(drawn)
    chosen |= {"max_depth": depth}
    whole = all_work(sample, **chosen)
    greedy = greedy_work(sample, **chosen)
    cart = sample.fit(**{**chosen, "strategy": "greedy"}).objective_
    for share in (0.0, *shares, 1.0):
        looks = round(share * whole)
        balanced = stopped(sample, looks, **chosen)
        proof = stopped(sample, looks, **{**chosen, "strategy": "optimal"})
        slack = 1e-9 + sample.rounding
        assert proof.objective_ <= balanced.objective_ + slack
        if looks >= greedy:
            assert balanced.objective_ <= cart + slack


def test_work_is_counted() -> None:
    """More levels are more work, and a search that is stopped says so."""
    sample = make_sample(1, loss="zero_one", n=100, p=3, levels=40)
    works = [all_work(sample, max_depth=depth) for depth in (1, 2, 3)]
    assert works == sorted(set(works))
    model = stopped(sample, works[-1] - 1, max_depth=3)
    assert model.report_.stop_reason == "time_limit"


def test_a_proof_with_a_clock_solves_the_last_levels_first() -> None:
    """The balanced tree is told of first, a better one before the proof has any."""
    gained = 0
    for seed in range(6):
        sample = make_sample(seed, loss="zero_one", n=150, p=3, levels=60, classes=3)
        balanced = sample.fit(max_depth=4, time_limit=FOREVER).objective_
        work = all_work(sample, max_depth=4) + 400
        model = stopped(sample, work, strategy="optimal", max_depth=4)
        assert model.report_.trace[0][1] == pytest.approx(balanced)
        gained += model.objective_ < balanced - 1e-9
    assert gained >= 4
