"""The best split of a node, and the candidate splits of a state, on hand-made data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpdtree._core import stages
from tests.property import native
from tests.property.problems import Array, Sample, make_sample
from tests.reference.brute_force import Limits, Problem, Split, cart_splits, decrease
from tests.reference.scan import gains, tie_free

pytestmark = pytest.mark.native


def best_split(
    X: Any, y: Any, w: Any = None, loss: str = "zero_one", rows: Any = None, **more: Any
) -> Any:
    """Best split of some rows (default: all)."""
    sample = Sample(np.asarray(X, dtype=float), np.asarray(y), w, loss)
    chosen = np.arange(len(y)) if rows is None else np.asarray(rows)
    params = native.tree_params(sample, **more)
    return stages.best_split(*native.arguments(sample), params, chosen)


def column(*values: float) -> Array:
    return np.array(values, dtype=float)[:, np.newaxis]


def test_threshold_is_the_midpoint() -> None:
    feature, threshold, _, gain = best_split(column(1, 2, 5, 6), [0, 0, 1, 1])
    assert (feature, threshold) == (0, 3.5)
    assert gain == pytest.approx(0.5)


def test_threshold_between_neighbouring_floats_is_the_lower_one() -> None:
    above = np.nextafter(1.0, 2.0)
    _, threshold, _, _ = best_split(column(1.0, above), [0, 1])
    assert threshold == 1.0


def test_midpoint_of_huge_values_does_not_overflow() -> None:
    _, threshold, _, _ = best_split(column(1.2e308, 1.6e308), [0, 1])
    assert threshold == pytest.approx(1.4e308)


def test_only_the_given_rows_count() -> None:
    X, y = column(1, 2, 3, 4, 5, 6), [0, 0, 1, 1, 0, 0]
    assert best_split(X, y, rows=[2, 3, 4, 5])[1] == 4.5
    assert best_split(X, y, rows=[0, 1, 2, 3])[1] == 2.5


@pytest.mark.parametrize(
    ("x", "y"), [(column(1, 1, 1), [0, 1, 0]), (column(1), [0])], ids=["equal", "one"]
)
def test_nothing_to_split(x: Array, y: list[int]) -> None:
    assert best_split(x, y) is None


def test_missing_values_try_both_sides() -> None:
    nan = np.nan
    assert best_split(column(1, 2, nan, 5, 6), [0, 0, 0, 1, 1])[1:3] == (3.5, True)
    assert best_split(column(1, 2, nan, 5, 6), [0, 0, 1, 1, 1])[1:3] == (3.5, False)


def test_missing_values_may_stand_alone() -> None:
    split = best_split(column(1, 2, np.nan, np.nan), [0, 0, 1, 1])
    assert split[3] == pytest.approx(0.5)
    assert split[1] >= 2.0
    assert not split[2]


def test_min_samples_leaf_moves_the_split() -> None:
    X, y = column(1, 2, 3, 4, 5, 6), [1, 0, 0, 0, 0, 0]
    assert best_split(X, y)[1] == 1.5
    assert best_split(X, y, min_samples_leaf=2)[1] == 2.5
    assert best_split(X, y, min_samples_leaf=4) is None


def test_min_weight_leaf() -> None:
    X, y = column(1, 2, 3, 4), [1, 0, 0, 0]
    w = np.array([0.5, 1.0, 1.0, 1.0])
    assert best_split(X, y, w)[1] == 1.5
    assert best_split(X, y, w, min_weight_leaf=1.0)[1] == 2.5


def test_ties_go_to_the_first_feature_and_the_lowest_threshold() -> None:
    X = np.array([[0, 0], [1, 1], [2, 2]])
    assert best_split(X, [0, 1, 0])[:2] == (0, 0.5)


@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
@pytest.mark.parametrize("levels", [3, 40, 10_000])
def test_gain_is_the_largest(criterion: str, levels: int, weighting: str) -> None:
    """Compared with a plain scan: coarse and fine columns, with missing values."""
    loss = "squared_error" if criterion == "squared_error" else "gini"
    for seed in range(5):
        sample = make_sample(
            seed, loss=loss, n=300, levels=levels, missing=0.1, weighting=weighting
        )
        params = native.tree_params(sample, criterion=criterion, min_samples_leaf=3)
        rows = np.sort(np.random.default_rng(seed).permutation(300)[:120])
        found = stages.best_split(*native.arguments(sample), params, rows)
        limits = Limits(min_samples_leaf=3)
        problem = Problem(sample.X, sample.y, sample.weights, loss, criterion, limits)
        expected = gains(problem, rows)[0] / sample.weights[rows].sum()
        assert found[3] == pytest.approx(expected, rel=1e-9)


def check_root(X: Array, y: Array, rows: Array, least: int) -> None:
    """The root of a tree of some rows is as good as the best of a plain scan.

    A whole fit, unlike a search by itself, prepares columns for long scans.
    """
    chosen = np.isin(np.arange(len(y)), rows).astype(float)
    sample = Sample(X, y.astype(np.int64), chosen, "gini")
    limits = {"max_depth": 1, "min_samples_leaf": least}
    tree = native.fit(sample, strategy="greedy", **limits).tree
    problem = Problem(X, sample.y, np.ones(len(y)), "gini", "gini", Limits(**limits))
    reached = decrease(problem, rows, X[rows, tree.feature[0]] <= tree.threshold[0])
    expected = gains(problem, rows)[0] / len(y)
    assert reached == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n_rows", [6000, 5000, 2000, 150])
@pytest.mark.parametrize("ties", [0, 60, 300])
def test_long_columns(n_rows: int, ties: int) -> None:
    """Boundaries are looked at in blocks; equal values may lie across their ends."""
    rng = np.random.default_rng(n_rows + ties)
    X = rng.permuted(np.tile(np.arange(6000.0), (3, 1)), axis=1).T
    for start in rng.integers(0, 5990, ties // 5):  # six rows of the same value
        X[(start <= X) & (start + 5 >= X)] = start
    y = (X[:, 0] > 3500) ^ (X[:, 1] > 1100) ^ (rng.random(6000) < 0.2)
    check_root(X, y, np.sort(rng.permutation(6000)[:n_rows]), least=20)


@pytest.mark.parametrize("n_rows", [6000, 5000, 150])
def test_equal_values_stay_together(n_rows: int) -> None:
    """A cut among equal values would be perfect, but there is none."""
    rng = np.random.default_rng(n_rows)
    x = rng.permutation(6000).astype(float)
    tied = np.flatnonzero((x >= 2850) & (x < 3150))  # across the end of a block
    y = x >= 3150
    x[tied], y[tied[50:]] = 3000, True  # best left of them
    check_root(x[:, np.newaxis], y, np.sort(rng.permutation(6000)[:n_rows]), least=1)


@pytest.mark.parametrize("tied", [0, 3, 40])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_best_split_at_and_beside_the_edge_of_a_bin(share: float, tied: int) -> None:
    """With 5000 rows a bin has 32 places; equal values lie across its ends."""
    rng = np.random.default_rng(0)
    for cut in range(1000, 1070):
        x = rng.permutation(5000).astype(float)
        y = x >= cut
        x[(x >= cut - 2 - tied) & (x < cut - 2)] = cut - 2 - tied
        seen = rng.random(5000) < share
        sample = Sample(x[:, None], y.astype(np.int64), seen.astype(float), "gini")
        tree = native.fit(sample, strategy="greedy", max_depth=1).tree
        np.testing.assert_array_equal(y[seen], x[seen] > tree.threshold[0])


@pytest.mark.parametrize("count", [1, 2, 5, 15])
@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_cart_candidates_are_scikit_learns(criterion: str, count: int) -> None:
    loss = "squared_error" if criterion == "squared_error" else "gini"
    compared = 0
    for seed in range(8):
        sample = smooth_sample(seed, loss)
        limits = Limits(min_samples_leaf=5)
        problem = Problem(sample.X, sample.y, sample.weights, loss, criterion, limits)
        if not cart_is_unique(problem, count):
            continue
        compared += 1
        params = native.tree_params(sample, criterion=criterion, min_samples_leaf=5)
        own = stages.candidates(*native.arguments(sample), params, count)
        theirs = cart_splits(problem, np.arange(len(sample.y)), count)
        assert partitions(sample.X, own) == partitions(sample.X, theirs)
        greedy = stages.greedy_candidates(*native.arguments(sample), params, count)
        assert [s[:2] for s in own] == [s[:2] for s in greedy]
    assert compared >= 3


def partitions(X: Array, splits: list[Any]) -> set[bytes]:
    """The rows on the left of each split; two thresholds in one gap are one split."""
    typed = [s if isinstance(s, Split) else Split(*s) for s in splits]
    return {split.left(X).tobytes() for split in typed}


def smooth_sample(seed: int, loss: str) -> Sample:
    """400 rows of permuted columns, weights in 1/64: few ties, exact sums."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.permutation(400) for _ in range(3)], axis=1) / 8.0
    y: Array = np.round(X[:, 0] * (X[:, 1] > 20) + rng.normal(scale=9.0, size=400))
    if loss != "squared_error":
        y = (y > np.median(y)).astype(int)
    return Sample(X, y, rng.integers(16, 128, 400) / 64.0, loss)


def cart_is_unique(problem: Problem, count: int) -> bool:
    """Whether scikit-learn's best-first tree does not depend on its seed."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    regression = problem.criterion == "squared_error"
    kind = DecisionTreeRegressor if regression else DecisionTreeClassifier
    model = kind(
        criterion=problem.criterion, max_leaf_nodes=count + 1, min_samples_leaf=5
    )
    model.fit(problem.X, problem.y, sample_weight=problem.w)
    return tie_free(problem, model.tree_, ordered=True)


@pytest.mark.parametrize("generator", ["top_b", "top_b_per_feature"])
def test_top_b_are_the_largest_gains(generator: str) -> None:
    sample = smooth_sample(0, "gini")
    params = native.tree_params(sample, generator=generator)
    found = stages.candidates(*native.arguments(sample), params, 3)
    problem = Problem(sample.X, sample.y, sample.weights, "gini")
    rows = np.arange(400)
    if generator == "top_b":
        expected = gains(problem, rows)[:3]
    else:
        assert sorted(s[0] for s in found) == [0, 1, 2]
        columns = [problem.X[:, [f]] for f in range(3)]
        singles = [Problem(c, problem.y, problem.w, "gini") for c in columns]
        expected = np.sort([gains(single, rows)[0] for single in singles])[::-1]
    own = [gain_of(problem, split) for split in found]
    np.testing.assert_allclose(own, expected, rtol=1e-9)


def gain_of(problem: Problem, split: Any) -> float:
    """Gain (times weight) of one split of all rows."""
    left = Split(*split).left(problem.X)
    return decrease(problem, np.arange(len(left)), left) * float(problem.w.sum())
