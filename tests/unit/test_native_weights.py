"""Weights in the form the search sees: no common factor changes it."""

from __future__ import annotations

import numpy as np
import pytest

from dpdtree._core import stages

pytestmark = pytest.mark.native


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0, 0.5, 10.0, 0.1, 0.7, 1e-200, 1e200])
def test_ratios_of_whole_numbers_become_the_smallest_whole_numbers(
    factor: float,
) -> None:
    whole = np.array([6.0, 9.0, 0.0, 15.0, 6.0])
    weights, scale, is_whole, _ = stages.normalize_weights(whole * factor)
    assert weights.tolist() == [2.0, 3.0, 0.0, 5.0, 2.0]
    assert is_whole
    assert scale == pytest.approx(3 * factor, rel=1e-14)


@pytest.mark.parametrize("factor", [1.0, 2.0, 3.0, 0.1, 1e-3])
def test_equal_weights_are_none(factor: float) -> None:
    weights, scale, whole, counts = stages.normalize_weights(
        np.array([1.0, 0.0, 1.0, 1.0]) * factor
    )
    assert len(weights) == 0
    assert whole
    assert counts == factor.is_integer()
    assert scale == factor


@pytest.mark.parametrize("factor", [2.0, 3.0, 0.5, 10.0, 0.1, 1 / 3])
def test_real_weights_change_by_a_last_digit_at_most(factor: float) -> None:
    rng = np.random.default_rng(0)
    given = rng.random(1000) + 0.01
    one, scale, whole, _ = stages.normalize_weights(given)
    other, _, _, _ = stages.normalize_weights(given * factor)
    assert not whole
    np.testing.assert_allclose(one * scale, given, rtol=1e-9)
    changed = np.count_nonzero(one != other)
    assert changed == 0 if np.log2(factor).is_integer() else changed < 20
    np.testing.assert_allclose(one, other, rtol=1e-9)


def test_sums_of_real_weights_are_exact() -> None:
    rng = np.random.default_rng(1)
    weights, _, _, _ = stages.normalize_weights(rng.random(500) + 0.1)
    sums = {float(np.cumsum(rng.permutation(weights))[-1]) for _ in range(20)}
    assert len(sums) == 1


def test_weights_far_apart_keep_all_their_digits() -> None:
    given = np.array([1.0, 1e-12 / 3, 0.7])
    weights, scale, whole, _ = stages.normalize_weights(given)
    assert not whole
    assert (weights * scale).tolist() == given.tolist()


@pytest.mark.parametrize(("w", "counts"), [(3.0, True), (0.5, False), (2.0**40, False)])
def test_only_moderate_whole_numbers_count_rows(w: float, counts: bool) -> None:
    assert stages.normalize_weights(np.array([1.0, w]))[3] == counts
