"""Stumps of weighted rows, all subsets in one pass: as one subset after the other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree._core import stages
from tests.property import native
from tests.property.problems import Sample, examples

pytestmark = pytest.mark.native


def weighted(
    seed: int, n: int, values: int, n_classes: int, kind: str, missing: bool
) -> Sample:
    rng = np.random.default_rng(seed)
    X = np.floor(values * rng.random((n, 3)))
    score = X.sum(axis=1) + values * rng.choice([0.0, 1.0]) * rng.normal(size=n)
    y = np.searchsorted(np.sort(3 * values * rng.random(n_classes - 1)), score)
    y[:n_classes] = range(n_classes)
    kinds = {
        "whole": rng.integers(1, 9, n),
        "large": rng.integers(1, 2**22, n),
        "real": rng.random(n) + 0.1,
        "by class": (1 / rng.choice([1.0, 3.0, 7.0], n_classes))[y],
    }
    if missing:
        X[rng.random((n, 3)) < 0.2] = np.nan
    return Sample(X, y, kinds[kind].astype(np.float64), "zero_one")


@given(
    sample=st.builds(
        weighted, st.integers(0, 10**6), st.integers(8, 120), st.integers(2, 60),
        st.sampled_from([2, 3, 8]),
        st.sampled_from(["whole", "large", "real", "by class"]), st.booleans(),
    ),
    cuts=st.lists(st.floats(0, 1), min_size=1, max_size=16),
    ordering=st.integers(0, 2),
)  # fmt: skip
@examples(150)
def test_all_lanes_at_once(sample: Sample, cuts: list[float], ordering: int) -> None:
    """To the last bit: no sum of these weights takes rounding."""
    n = len(sample.y)
    check_stumps(sample, ordering, sorted(round(n * cut) for cut in cuts))


def check_stumps(sample: Sample, ordering: int, cuts: list[int]) -> None:
    fast, general, differ = stages.stumps_of_cuts(
        *native.arguments(sample), native.tree_params(sample), ordering, cuts
    )
    assert differ
    for (leaf, stump, *size), (own_leaf, own_stump, *own_size) in zip(
        fast, general, strict=True
    ):
        assert (leaf, size) == (own_leaf, own_size)
        assert stump == min(own_leaf, own_stump)


def test_more_rows_than_narrow_lanes_can_count() -> None:
    sample = weighted(2, 33_000, 500, 3, "whole", missing=False)
    check_stumps(Sample(sample.X, sample.y, None, "zero_one"), 0, [90, 20_000])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_that_take_rounding_go_another_way(n_classes: int) -> None:
    sample = weighted(0, 50, 9, n_classes, "real", missing=False)
    assert sample.w is not None
    sample.w[0] = 1e30
    *_, differ = stages.stumps_of_cuts(
        *native.arguments(sample), native.tree_params(sample), 0, [10, 20]
    )
    assert not differ


@pytest.mark.parametrize("kind", ["whole", "real"])
def test_all_instruction_sets(kind: str) -> None:
    sample = weighted(1, 90, 40, 5, kind, missing=True)
    arguments = (*native.arguments(sample), native.tree_params(sample), 1, [9, 30, 31])
    expected = stages.stumps_of_cuts(*arguments)
    try:
        for _ in filter(stages.force_instruction_set, ["avx2", "sse2", "portable"]):
            assert stages.stumps_of_cuts(*arguments) == expected
    finally:
        stages.force_instruction_set("best")
