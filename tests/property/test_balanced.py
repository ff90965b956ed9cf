"""strategy="balanced": never worse than the searches it starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier, DPDTreeRegressor, _core
from tests.property import native
from tests.property.problems import (
    LOSSES,
    Array,
    Case,
    Sample,
    candidate_counts,
    cases,
    examples,
    make_sample,
    tiny_cases,
)
from tests.property.test_equivalences import limits_of, repeated
from tests.reference.brute_force import xor_data


def tolerance(sample: Sample) -> float:
    """What rounding may add to an objective."""
    return 1e-9 + sample.rounding


@pytest.mark.native
@given(case=cases(), n_candidates=candidate_counts)
@examples(400)
def test_not_worse_than_paper_or_greedy(case: Case, n_candidates: Any) -> None:
    sample, parameters = case.sample, case.parameters
    ours = sample.fit(strategy="balanced", n_candidates=n_candidates, **parameters)
    paper = sample.fit(strategy="paper", n_candidates=n_candidates, **parameters)
    greedy = sample.fit(strategy="greedy", **parameters)
    assert ours.objective_ <= paper.objective_ + tolerance(sample)
    assert ours.objective_ <= greedy.objective_ + tolerance(sample)
    assert not ours.lower_bound_ > ours.objective_  # NaN if nothing was proven


@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(LOSSES),
    n=st.integers(200, 1500),
    p=st.integers(2, 8),
    missing=st.sampled_from([0.0, 0.1]),
    weighting=st.sampled_from(["none", "real"]),
    depth=st.integers(2, 4),
    alpha=st.sampled_from([0.0, 0.002]),
    leaf=st.sampled_from([1, 10]),
)
@examples(40)
def test_not_worse_on_larger_samples(
    seed: int, depth: int, alpha: float, leaf: int, **kind: Any
) -> None:
    """Large enough for the levels that are searched on bins and refined."""
    sample = make_sample(seed, levels=300, classes=2 + seed % 3, **kind)
    same = {"max_depth": depth, "alpha": alpha, "min_samples_leaf": leaf}
    same |= {"n_candidates": (4, 2)}
    found = [
        sample.fit(strategy=strategy, **same)
        for strategy in ("balanced", "paper", "greedy")
    ]
    ours, *others = [model.objective_ for model in found]
    assert ours <= min(others) + tolerance(sample)
    sizes = np.unique(found[0].apply(sample.X), return_counts=True)[1]
    assert sizes.min() >= leaf


@pytest.mark.native
@given(case=cases(max_rows=200), counts=st.lists(st.integers(1, 6), max_size=4))
@examples(100)
def test_threads_do_not_change_the_tree(case: Case, counts: list[int]) -> None:
    chosen = {**limits_of(case), "n_candidates": counts, "strategy": "balanced"}
    trees = {
        native.fit(case.sample, **chosen, n_threads=n).tree.to_bytes() for n in (1, 2)
    }
    assert len(trees) == 1


@pytest.mark.native
@pytest.mark.parametrize("loss", LOSSES)
def test_threads_do_not_change_a_larger_tree(loss: str) -> None:
    sample = make_sample(3, loss=loss, n=3000, p=6, levels=500, classes=3)
    chosen = {"strategy": "balanced", "n_candidates": [6, 2, 1], "max_depth": 4}
    trees = {
        native.fit(sample, **chosen, n_threads=n).tree.to_bytes() for n in (1, 2, 3)
    }
    assert len(trees) == 1


@given(
    case=tiny_cases(losses=LOSSES, max_rows=30, depths=(1, 2, 3)),
    n_candidates=candidate_counts,
)
@examples(200)
def test_weighted_and_repeated_rows_share_the_guarantee(
    case: Case, n_candidates: Any
) -> None:
    """The exhaustive levels may bin weighted rows differently: no equal trees, but
    neither is worse than the published search, which finds equal ones."""
    times = np.random.default_rng(len(case.sample.y)).integers(1, 4, len(case.sample.y))
    sample = Sample(case.sample.X, case.sample.y, times.astype(float), case.sample.loss)
    same = {
        "max_depth": case.parameters["max_depth"],
        "alpha": case.parameters["alpha"],
        "complexity": case.parameters["complexity"],
        "n_candidates": n_candidates,
    }
    paper = sample.fit(strategy="paper", **same).objective_
    for data in (sample, repeated(sample)):
        ours = data.fit(strategy="balanced", **same).objective_
        assert ours <= paper + tolerance(sample)


@pytest.mark.native
@given(sample_seed=st.integers(0, 2**32 - 1), loss=st.sampled_from(LOSSES))
@examples(100)
def test_last_level_is_exhaustive(sample_seed: int, loss: str) -> None:
    """With one level no threshold is overlooked: depth 1 is optimal."""
    sample = make_sample(sample_seed, loss=loss, n=40, p=3, levels=50)
    ours = sample.fit(strategy="balanced", max_depth=1)
    oracle = sample.fit(strategy="paper", max_depth=1, generator="exhaustive")
    assert ours.objective_ <= oracle.objective_ + tolerance(sample)


@pytest.mark.native
@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("loss", ["zero_one", "squared_error"])
@given(
    sample_seed=st.integers(0, 2**32 - 1),
    levels=st.integers(2, 6),
    classes=st.integers(2, 4),
    alpha=st.sampled_from([0.0, 0.01]),
    complexity=st.sampled_from(["path_length", "n_leaves"]),
    leaf=st.sampled_from([1, 1, 4]),
)
@examples(200)
def test_last_two_levels_are_exhaustive_on_few_values(
    loss: str,
    missing: float,
    sample_seed: int,
    levels: int,
    classes: int,
    alpha: float,
    complexity: str,
    leaf: int,
) -> None:
    """With as few values as bins, joint histograms see all there is: depth 2 is
    what the exhaustive search finds."""
    kind: dict[str, Any] = {"loss": loss, "missing": missing, "levels": levels}
    sample = make_sample(sample_seed, n=120, p=3, classes=classes, **kind)
    same: dict[str, Any] = {"max_depth": 2, "alpha": alpha, "complexity": complexity}
    same |= {"min_samples_leaf": leaf}
    ours = sample.fit(strategy="balanced", **same)
    oracle = sample.fit(strategy="paper", generator="exhaustive", **same)
    expected = pytest.approx(oracle.objective_, rel=1e-9, abs=tolerance(sample))
    assert ours.objective_ == expected


@pytest.mark.parametrize("seed", range(3))
def test_xor_is_solved(seed: int) -> None:
    X, y = xor_data(10_000, seed)
    model = DPDTreeClassifier(strategy="balanced", max_depth=2, alpha=0.0).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.is_optimal_


def hidden_interaction(n: int) -> tuple[Array, Array]:
    """A target that is a product of signs: no single split shows anything."""
    X = np.random.default_rng(0).normal(size=(n, 4))
    return X, np.sign(X[:, 1] * X[:, 3])


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_pairs_of_features_are_seen(kind: Any) -> None:
    X, y = hidden_interaction(2000)
    model = kind(strategy="balanced", max_depth=2).fit(X, y)
    assert model.loss_ == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    "restriction", [{"min_impurity_decrease": 1e-3}, {"max_features": 2}]
)
def test_restricted_to_candidates(restriction: dict[str, Any]) -> None:
    """What rules out the exhaustive levels leaves the published search."""
    X, y = hidden_interaction(500)
    same = {"random_state": 0, "n_candidates": 4, "max_depth": 3, **restriction}
    same["alpha"] = 0.0
    ours = DPDTreeClassifier(strategy="balanced", **same).fit(X, y)
    paper = DPDTreeClassifier(strategy="paper", **same).fit(X, y)
    np.testing.assert_array_equal(ours.tree_.threshold, paper.tree_.threshold)


@pytest.mark.native
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_vector_paths_agree(classes: int) -> None:
    """Whatever instructions count the joint histograms, the tree is the same."""
    sample = make_sample(5, loss="zero_one", n=2500, p=7, levels=400, classes=classes)
    trees = set()
    for path in ("portable", "sse2", "avx2", "avx512", "best"):
        if _core.stages.force_instruction_set(path):
            fit = native.fit(sample, strategy="balanced", max_depth=3, n_candidates=[4])
            trees.add(fit.tree.to_bytes())
    assert len(trees) == 1


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(20, 300),
    levels=st.integers(3, 80),
    classes=st.integers(2, 4),
    depth=st.integers(2, 4),
)
@examples(60)
def test_integer_weights_are_repeated_rows(
    seed: int, n: int, levels: int, classes: int, depth: int
) -> None:
    plain = make_sample(seed, loss="zero_one", n=n, p=4, levels=levels, classes=classes)
    times = np.random.default_rng(seed).integers(1, 4, len(plain.y)).astype(float)
    sample = Sample(plain.X, plain.y, times, plain.loss)
    same: dict[str, Any] = {"strategy": "balanced", "max_depth": depth, "alpha": 0.0}
    weighted = sample.fit(**same).objective_
    assert weighted == pytest.approx(
        repeated(sample).fit(**same).objective_, abs=tolerance(sample)
    )
