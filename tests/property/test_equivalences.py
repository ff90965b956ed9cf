"""Settings that must not change a result, and settings that mean the same."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier
from tests.property import native
from tests.property.problems import (
    Case,
    Sample,
    candidate_counts,
    cases,
    examples,
    generators,
    samples,
)
from tests.reference.brute_force import xor_data
from tests.reference.objective import class_weights

SWITCHES = ("use_split_memo", "use_state_memo", "use_pruning")


def without_leaf_ties(sample: Sample, model: Any) -> bool:
    """Whether one class leads in every leaf, so that predictions are unique."""
    leaves = model.apply(sample.X)
    for leaf in np.unique(leaves):
        rows = leaves == leaf
        counts = np.sort(class_weights(sample.y[rows], sample.weights[rows]))
        if len(counts) > 1 and counts[-1] - counts[-2] < 1e-9:
            return False
    return True


@given(case=cases())
@examples(150)
def test_one_candidate_is_greedy(case: Case) -> None:
    sample, parameters = case.sample, {**case.parameters, "alpha": 0.0}
    greedy = sample.fit(strategy="greedy", **parameters)
    ours = sample.fit(strategy="paper", n_candidates=1, **parameters)
    assert ours.loss_ == pytest.approx(greedy.loss_, rel=1e-9, abs=1e-12)
    assert ours.tree_.n_leaves <= greedy.tree_.n_leaves
    seen = sample.weights > 0
    X = sample.X[seen]
    if sample.loss != "zero_one":
        np.testing.assert_allclose(ours.tree_.value[ours.apply(X)].squeeze(),
                                   greedy.tree_.value[greedy.apply(X)].squeeze(),
                                   atol=1e-6)  # fmt: skip
    elif without_leaf_ties(sample, greedy):
        np.testing.assert_array_equal(ours.predict(X), greedy.predict(X))


def repeated(sample: Sample) -> Sample:
    """The sample with each row as often as its integer weight says."""
    times = sample.weights.astype(int)
    X, y = np.repeat(sample.X, times, axis=0), np.repeat(sample.y, times)
    return dataclasses.replace(sample, X=X, y=y, w=None)


@given(
    sample=samples(weightings=("integer",)),
    n_candidates=candidate_counts,
    generator=generators,
    max_bins=st.sampled_from([None, 3, 10]),
    alpha=st.sampled_from([0.0, 0.02]),
    strategy=st.sampled_from(["greedy", "paper"]),
)
@examples(150)
def test_integer_weights_are_repeated_rows(
    sample: Sample, n_candidates: Any, generator: str, max_bins: Any, **same: Any
) -> None:
    same |= {"n_candidates": n_candidates, "generator": generator}
    same |= {"max_bins": max_bins, "max_depth": 3}
    weighted = sample.fit(**same)
    plain = repeated(sample).fit(**same)
    expected = pytest.approx(plain.objective_, rel=1e-9, abs=sample.rounding)
    assert weighted.objective_ == expected
    predictions = plain.predict(sample.X)
    np.testing.assert_allclose(weighted.predict(sample.X), predictions, atol=1e-9)


@pytest.mark.native
@given(
    sample=samples(weightings=("zeros",)),
    counts=st.lists(st.integers(1, 6), max_size=4),
    generator=generators,
)
def test_rows_of_weight_zero_are_absent(
    sample: Sample, counts: list[int], generator: str
) -> None:
    seen = sample.weights > 0
    rest = dataclasses.replace(
        sample, X=sample.X[seen], y=sample.y[seen], w=sample.weights[seen]
    )
    whole, part = (
        native.fit(s, n_candidates=counts, generator=generator) for s in (sample, rest)
    )
    for name in ("feature", "threshold", "n_node_samples", "children_right"):
        mine, other = getattr(whole.tree, name), getattr(part.tree, name)
        np.testing.assert_array_equal(mine, other)
    expected = pytest.approx(part.objective, rel=1e-9, abs=sample.rounding)
    assert whole.objective == expected


def limits_of(case: Case) -> dict[str, Any]:
    """The case's parameters as the core takes them."""
    n, total = len(case.sample.y), float(case.sample.weights.sum())

    def count(value: float) -> int:
        return int(np.ceil(value * n)) if isinstance(value, float) else value

    chosen = dict(case.parameters)
    return {
        "min_samples_split": max(2, count(chosen.pop("min_samples_split"))),
        "min_samples_leaf": count(chosen.pop("min_samples_leaf")),
        "min_weight_leaf": chosen.pop("min_weight_fraction_leaf") * total,
        "max_bins": chosen.pop("max_bins") or 0,
        **chosen,
    }


@pytest.mark.native
@given(
    case=cases(), counts=st.lists(st.integers(1, 6), min_size=4, max_size=4),
    generator=generators, off=st.sets(st.sampled_from(SWITCHES), min_size=1),
)  # fmt: skip
@examples(150)
def test_memos_and_pruning_do_not_change_the_tree(
    case: Case, counts: list[int], generator: str, off: set[str]
) -> None:
    chosen = {**limits_of(case), "n_candidates": counts, "generator": generator}
    full = native.fit(case.sample, **chosen)
    bare = native.fit(case.sample, **chosen, **dict.fromkeys(off, False))
    assert full.tree.to_bytes() == bare.tree.to_bytes()
    assert full.objective == bare.objective


@pytest.mark.native
@given(case=cases(max_rows=200), counts=st.lists(st.integers(1, 6), max_size=4))
def test_threads_do_not_change_the_tree(case: Case, counts: list[int]) -> None:
    chosen = {**limits_of(case), "n_candidates": counts}
    trees = [
        native.fit(case.sample, **chosen, n_threads=n).tree.to_bytes()
        for n in (1, 2, 4)
    ]
    assert trees[0] == trees[1] == trees[2]


@pytest.mark.parametrize("complexity", ["path_length", "n_leaves"])
@pytest.mark.parametrize("loss", ["zero_one", "gini", "log_loss"])
def test_n_jobs_and_switches_on_a_larger_set(loss: str, complexity: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 6))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > 0.3 * rng.normal(size=5000)).astype(int)
    y += X[:, 3] > 1
    sample = Sample(X, y, None, loss)
    chosen = {"complexity": complexity, "alpha": 0.002, "n_candidates": [6, 6, 6]}
    variants = [{"n_threads": n} for n in (1, 2, 4)]
    variants += [{name: False} for name in SWITCHES]
    fits = [native.fit(sample, **chosen, **variant) for variant in variants]
    assert len({fit.tree.to_bytes() for fit in fits}) == 1
    assert len({fit.objective for fit in fits}) == 1


@pytest.mark.parametrize("n_candidates", [2, 3, 7, (2, 1), (2, 2)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_xor_is_solved_where_greedy_fails(n_candidates: Any, seed: int) -> None:
    """Theorem 2."""
    X, y = xor_data(10_000, seed)
    greedy = DPDTreeClassifier(strategy="greedy", max_depth=2).fit(X, y)
    ours = DPDTreeClassifier(strategy="paper", max_depth=2, n_candidates=n_candidates)
    assert greedy.score(X, y) < 0.9
    assert ours.fit(X, y).score(X, y) >= 0.99
