"""The brute force itself: known answers, and agreement with itself."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.brute_force import (
    Limits,
    Problem,
    Split,
    all_trees,
    best_objective,
    cart_candidates,
    every_split,
    is_allowed,
)
from tests.reference.objective import impurity, leaf_loss
from tests.reference.optimum import optimum

CORNERS = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
XOR = np.array([0, 1, 1, 0])


def problem(loss: str = "zero_one", **limits: float) -> Problem:
    return Problem(CORNERS, XOR, np.ones(4), loss, limits=Limits(**limits))  # type: ignore[arg-type]


def test_xor_needs_depth_two() -> None:
    assert best_objective(problem(max_depth=1), every_split, 0.0, "n_leaves") == 0.5
    assert best_objective(problem(max_depth=2), every_split, 0.0, "n_leaves") == 0.0


@pytest.mark.parametrize(
    ("alpha", "kind", "expected"),
    [
        (0.1, "path_length", 0.2),  # every row passes two splits
        (0.1, "n_leaves", 0.4),  # four leaves
        (0.3, "path_length", 0.5),  # now a single leaf is better
        (0.3, "n_leaves", 0.8),
    ],
)
def test_penalties(alpha: float, kind: str, expected: float) -> None:
    best = best_objective(problem(), every_split, alpha, kind)
    assert best == pytest.approx(expected)


def test_number_of_trees_of_depth_one() -> None:
    # a leaf, and one split per feature with two single-leaf children
    assert len(all_trees(problem(max_depth=1), every_split)) == 2  # equal ones merged


@pytest.mark.parametrize(
    ("loss", "expected"),
    [("zero_one", 2.0), ("gini", 2.0), ("log_loss", 4 * np.log(2))],
)
def test_leaf_losses_of_two_even_classes(loss: str, expected: float) -> None:
    assert leaf_loss(loss, XOR, np.ones(4)) == pytest.approx(expected)


def test_squared_error_leaf() -> None:
    y, w = np.array([0.0, 2.0]), np.array([1.0, 3.0])
    assert leaf_loss("squared_error", y, w) == pytest.approx(2.25 + 3 * 0.25)


def test_entropy_is_in_bits() -> None:
    assert impurity("entropy", XOR, np.ones(4)) == pytest.approx(1.0)


def test_missing_values_can_stand_alone() -> None:
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    data = Problem(X, np.array([0, 0, 1, 1]), np.ones(4), "zero_one")
    assert best_objective(data, every_split, 0.0, "n_leaves") == 0.0
    assert Split(0, 1.5, True).left(X).tolist() == [True, False, True, True]


def test_limits_refuse_light_and_small_children() -> None:
    rows, left = np.arange(4), np.array([True, False, False, False])
    assert is_allowed(problem(), rows, left)
    assert not is_allowed(problem(min_samples_leaf=2), rows, left)
    assert not is_allowed(problem(min_weight_leaf=1.5), rows, left)
    assert not is_allowed(problem(min_impurity_decrease=0.3), rows, left)


def test_more_candidates_are_never_worse() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.random((12, 2)), rng.integers(0, 3, 12)
    data = Problem(X, y, rng.random(12) + 0.5, "gini", limits=Limits(max_depth=2))
    best = [
        best_objective(data, cart_candidates(counts), 0.01, "path_length")
        for counts in [(1,), (3,), (3, 3)]
    ]
    best.append(best_objective(data, every_split, 0.01, "path_length"))
    assert best == sorted(best, reverse=True)


@pytest.mark.parametrize("kind", ["path_length", "n_leaves"])
@pytest.mark.parametrize("loss", ["zero_one", "squared_error"])
@pytest.mark.parametrize("seed", range(10))
def test_both_ways_to_the_optimum_agree(seed: int, loss: str, kind: str) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 8))
    X, y = rng.integers(0, 5, (n, 2)).astype(float), rng.integers(0, 3, n)
    X[rng.random((n, 2)) < 0.2] = np.nan
    limits = Limits(
        max_depth=int(rng.integers(0, 4)),
        min_samples_leaf=int(rng.integers(1, 3)),
        min_samples_split=int(rng.integers(2, 5)),
        min_weight_leaf=float(rng.choice([0.0, 1.0])),
    )
    data = Problem(X, y, rng.random(n) + 0.5, loss, limits=limits)
    expected = best_objective(data, every_split, 0.05, kind)
    assert optimum(data, 0.05, kind) == pytest.approx(expected, rel=1e-12, abs=1e-12)
