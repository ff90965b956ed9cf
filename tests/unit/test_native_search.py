"""Stages of the search on hand-made input, compared with plain arithmetic."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree._core import stages
from tests.property import native
from tests.property.problems import Array, Sample, make_sample
from tests.reference.brute_force import Limits, Problem
from tests.reference.optimum import optimum

pytestmark = pytest.mark.native

Points = list[tuple[float, float]]
WEIGHT = 1000.0


# ------------------------------------------------------------- hulls over all alphas


def hull_of(points: Points) -> Points:
    """The lower convex hull, complexity ascending and loss descending."""
    hull: Points = []
    for x, y in sorted(points):
        if hull and y >= hull[-1][1]:
            continue
        while len(hull) > 1:
            (ax, ay), (bx, by) = hull[-2:]
            if (by - ay) * (x - ax) < (y - ay) * (bx - ax):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def worth(points: Points, alpha: float) -> float:
    return min(y + alpha * x for x, y in points)


def alphas_of(*hulls: Points) -> list[float]:
    """Where hulls bend, in between and beyond."""
    bends = {0.0, 1e6}
    for hull in hulls:
        bends |= {(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(hull)}
    ordered = sorted(bends)
    return ordered + [(a + b) / 2 for a, b in pairwise(ordered)]


coordinate = st.integers(0, 60).map(float)
points = st.lists(st.tuples(coordinate, coordinate), min_size=1, max_size=6)
hulls = points.map(hull_of)
# Those of states begin with the leaf, which has no complexity.
state_hulls = st.tuples(coordinate, points).map(
    lambda drawn: hull_of([(0.0, drawn[0]), *drawn[1]])
)


@given(hulls, hulls, hulls, st.integers(0, 20).map(float))
def test_hull_backup_is_the_hull_of_all_sums(
    best: Points, left: Points, right: Points, price: float
) -> None:
    sums = [(price + a + c, b + d) for a, b in left for c, d in right]
    found = stages.hull_backup(best, price, left, right, WEIGHT)
    assert found == hull_of(best + sums)


@given(hulls, hulls)
def test_either_bound_is_the_lower_one_at_every_alpha(a: Points, b: Points) -> None:
    found = stages.hull_either(a, b, WEIGHT)
    for alpha in alphas_of(a, b, found):
        assert worth(found, alpha) == pytest.approx(
            min(worth(a, alpha), worth(b, alpha))
        )


@given(state_hulls, state_hulls, hulls, st.integers(0, 20).map(float))
def test_a_pruned_side_is_worse_at_every_alpha(
    best: Points, other: Points, bound: Points, price: float
) -> None:
    if not stages.hull_prunes(best, price, other, bound, WEIGHT):
        return
    for alpha in alphas_of(best, other, bound):
        action = price * alpha + worth(bound, alpha) + worth(other, alpha)
        assert action > worth(best, alpha)


def test_a_hopeless_side_is_pruned() -> None:
    best, other = [(0.0, 10.0), (5.0, 2.0)], [(0.0, 0.0)]
    assert stages.hull_prunes(best, 1.0, other, [(0.0, 11.0)], WEIGHT)
    assert not stages.hull_prunes(best, 1.0, other, [(0.0, 1.0)], WEIGHT)
    # Worse at small alphas and at large ones, but not in between.
    assert not stages.hull_prunes(best, 1.0, other, [(0.5, 6.0)], WEIGHT)


# -------------------------------------------------------- fronts over numbers of leaves


@st.composite
def leaf_fronts(draw: Any) -> Points:
    losses = draw(st.lists(st.integers(0, 60), min_size=1, max_size=5, unique=True))
    leaves = draw(st.permutations(range(2, 9)))[: len(losses) - 1]
    return [
        (float(x), float(y))
        for x, y in zip([1, *sorted(leaves)], sorted(losses, reverse=True), strict=True)
    ]


@given(leaf_fronts(), leaf_fronts(), leaf_fronts(), st.integers(2, 14))
def test_leaf_front_backup(
    best: Points, left: Points, right: Points, most: int
) -> None:
    best = [point for point in best if point[0] <= most]
    sums = [(a + c, 1.0 + b + d) for a, b in left for c, d in right if a + c <= most]
    found = stages.leaf_front_backup(best, 1.0, left, right, most, WEIGHT)
    expected: Points = []
    for leaves in range(1, most + 1):
        least = min(y for x, y in best + sums if x <= leaves)
        if not expected or least < expected[-1][1]:
            expected.append((float(leaves), least))
    assert found == expected


# ------------------------------------------------------------------ which node is next


@given(st.lists(st.tuples(st.integers(0, 5).map(float), st.booleans()), max_size=20))
def test_frontier(gains: list[tuple[float, bool]]) -> None:
    """Largest gain, then bounds, which may still be ties, then the oldest node."""
    order, ahead = stages.frontier_order(gains, 2)
    by_rank = sorted(
        range(len(gains)), key=lambda i: (-gains[i][0], not gains[i][1], i)
    )
    assert order == by_rank
    assert ahead == order[:2]


# ---------------------------------------------------------------------------- division


@pytest.mark.parametrize("weighting", ["none", "integer", "real"])
@pytest.mark.parametrize("loss", ["zero_one", "squared_error"])
@pytest.mark.parametrize("missing_left", [None, True, False])
def test_division(weighting: str, loss: str, missing_left: bool | None) -> None:
    for seed in range(4):
        sample = make_sample(
            seed, loss=loss, n=90, levels=12, missing=0.2, weighting=weighting
        )
        values, y, w = sample.X[:, 1], sample.y, sample.weights
        threshold = float(np.nanmedian(values))
        params = native.tree_params(sample)
        left, right, moved, counted, went_left = stages.divide(
            *native.arguments(sample), params, 1, threshold, missing_left
        )
        known, below = ~np.isnan(values), values <= threshold
        heavier = w[below].sum() > w[known & ~below].sum()
        assert went_left == (heavier if missing_left is None else missing_left)
        goes_left = (below | (~known & went_left)) & (w > 0)
        np.testing.assert_array_equal(left, np.flatnonzero(goes_left))
        np.testing.assert_array_equal(right, np.flatnonzero(~goes_left & (w > 0)))
        assert moved == pytest.approx(counted)
        if loss == "zero_one":
            classes = int(y.max()) + 1
            sums = np.bincount(y[goes_left].astype(int), w[goes_left], classes)
            share = np.array(moved[:classes]) / sum(moved)
            np.testing.assert_allclose(share, sums / w.sum())


# -------------------------------------------------------------------------- refinement


def column(*values: float) -> Array:
    return np.array(values, dtype=float)[:, np.newaxis]


def refine(X: Any, y: Any, plan: Any, may_grow: bool = False, **more: Any) -> Any:
    sample = Sample(np.asarray(X, dtype=float), np.asarray(y), None, "zero_one")
    params = native.tree_params(sample, **more)
    return stages.refine(*native.arguments(sample), params, plan, may_grow)


def errors_of(X: Array, y: Array, plan: list[Any]) -> float:
    """Training errors of a plan in preorder."""
    rest = iter(plan)

    def errors(rows: Array) -> int:
        node = next(rest)
        if node is None:
            return len(rows) - int(np.bincount(y[rows], minlength=1).max(initial=0))
        left = X[rows, node[0]] <= node[1]
        return errors(rows[left]) + errors(rows[~left])

    return errors(np.arange(len(y)))


def test_refinement_moves_a_threshold() -> None:
    X, y = column(1, 2, 3, 4, 5, 6, 7, 8), [0, 0, 0, 1, 1, 1, 1, 1]
    plan, objective = refine(X, y, [(0, 6.5), None, None])
    assert plan == [(0, 3.5), None, None]
    assert objective == 0


def test_refinement_moves_a_root_below_which_all_is_right() -> None:
    """Only the root is wrong; neither of its subtrees gains by moving alone."""
    X = np.array([(a, b) for a in range(8) for b in range(2)], dtype=float)
    y = ((X[:, 0] > 2) ^ (X[:, 1] > 0)).astype(int)
    start = [(0, 4.5), (1, 0.5), None, None, (1, 0.5), None, None]
    plan, objective = refine(X, y, start)
    assert plan == [(0, 2.5), *start[1:]]
    assert objective == 0


def test_refinement_grows_only_where_it_may() -> None:
    X, y = column(1, 2, 3, 4), [0, 0, 1, 1]
    assert refine(X, y, [None], may_grow=False) == ([None], 2)
    assert refine(X, y, [None], may_grow=True) == ([(0, 2.5), None, None], 0)


def test_refinement_cuts_what_does_not_pay() -> None:
    X, y = column(1, 2, 3, 4), [0, 0, 0, 1]
    plan, _ = refine(X, y, [(0, 1.5), None, (0, 2.5), None, None], alpha=0.4)
    assert plan == [None]


@given(st.integers(0, 10_000))
def test_refinement_never_loses_and_ends_where_it_stays(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (30, 3)).astype(float)
    y = rng.integers(0, 2, 30)
    y[:2] = 0, 1
    cuts = [(int(rng.integers(3)), float(rng.integers(5)) + 0.5) for _ in range(3)]
    start = [cuts[0], cuts[1], None, None, cuts[2], None, None]
    plan, objective = refine(X, y, start, max_depth=2)
    if np.isinf(objective):  # a side of the start is empty: it is no tree to refine
        assert plan == start
        return
    assert errors_of(X, y, plan) == objective <= errors_of(X, y, start)
    assert refine(X, y, plan, max_depth=2)[1] == objective


# ------------------------------------------------------------------------------ proofs


@pytest.mark.parametrize("by_pairs", [True, False], ids=["pairs", "intervals"])
@pytest.mark.parametrize("kind", ["path_length", "n_leaves"])
@pytest.mark.parametrize("weighting", ["none", "integer"])
def test_both_proofs_find_the_optimum(
    by_pairs: bool, kind: str, weighting: str
) -> None:
    for seed in range(12):
        sample = make_sample(
            seed, loss="zero_one", n=14, levels=2 + seed % 3, weighting=weighting
        )
        depth, alpha = 2 + seed % 2, (0.0, 0.03, 0.1)[seed % 3]
        least = 1 + seed % 2
        params = native.tree_params(
            sample,
            alpha=alpha,
            complexity=kind,
            max_depth=depth,
            min_samples_leaf=least,
        )
        objective, bound, proven, _ = stages.prove(
            *native.arguments(sample), params, by_pairs
        )
        limits = Limits(max_depth=depth, min_samples_leaf=least)
        problem = Problem(
            sample.X, sample.y, sample.weights, "zero_one", "gini", limits
        )
        first_leaf = alpha if kind == "n_leaves" else 0.0
        assert proven
        assert bound == pytest.approx(objective)
        assert objective + first_leaf == pytest.approx(optimum(problem, alpha, kind))


def test_proofs_agree_with_more_levels() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 8)).astype(float)
    y = (X[:, 0].astype(int) ^ X[:, 3].astype(int)) | (rng.random(300) < 0.2)
    sample = Sample(X, y.astype(np.int64), None, "zero_one")
    params = native.tree_params(sample, max_depth=3, alpha=0.005)
    results = [
        stages.prove(*native.arguments(sample), params, by_pairs)
        for by_pairs in (True, False)
    ]
    assert results[0][:3] == pytest.approx(results[1][:3])


# --------------------------------------------------------------------- pair histograms


def gain(labels: Array, weights: Array, classes: int, loss: str, least: int) -> float:
    """What rows gain by being a leaf of their own; nothing is not allowed."""
    if len(labels) < least:
        return -np.inf
    sums = np.bincount(labels, weights, classes)
    total = sums.sum()
    if loss == "zero_one":
        return float(sums.max())
    return float((sums**2).sum() / total) if total else 0.0


def best_stump(rows: Array, bins: Array, score: Any) -> float:
    """The best sum of two leaves, whatever the feature and the edge."""
    best = -np.inf
    for column_of in bins:
        for edge in range(int(column_of.max())):
            low = column_of[rows] <= edge
            best = max(best, score(rows[low]) + score(rows[~low]))
    return best


def expected_gains(rows: Array, bins: Array, score: Any) -> tuple[list[float], ...]:
    out: tuple[list[float], ...] = ([], [], [], [])
    for column_of in bins:
        for edge in range(int(column_of.max())):
            low = column_of[rows] <= edge
            sides = rows[low], rows[~low]
            values = [best_stump(side, bins, score) for side in sides]
            for target, value in zip(
                out, values + [score(s) for s in sides], strict=True
            ):
                target.append(value)
    return out


@pytest.mark.parametrize("loss", ["zero_one", "gini"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("least", [1, 3])
def test_pair_gains(loss: str, classes: int, weighted: bool, least: int) -> None:
    rng = np.random.default_rng(classes + 10 * least)
    labels = np.sort(rng.integers(0, classes, 60))
    weights = rng.integers(1, 4, 60).astype(float) if weighted else np.ones(60)
    bins = np.stack([rng.integers(0, n, 60) for n in (4, 7, 2)]).astype(np.uint8)
    own = weights.tolist() if weighted else []
    found = stages.pair_gains(bins.tolist(), labels, classes, own, loss, least)

    def score(rows: Array) -> float:
        return gain(labels[rows], weights[rows], classes, loss, least)

    def leaf(rows: Array) -> float:  # limits are for splits: sides are looked at anyway
        return gain(labels[rows], weights[rows], classes, loss, 0)

    every = np.arange(60)
    stumps = expected_gains(every, bins, score)
    np.testing.assert_allclose(found[0], stumps[0], rtol=1e-5)
    np.testing.assert_allclose(found[1], stumps[1], rtol=1e-5)
    leaves = expected_gains(every, bins, leaf)
    np.testing.assert_allclose(found[2], leaves[2], rtol=1e-5)
    np.testing.assert_allclose(found[3], leaves[3], rtol=1e-5)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("n_bins", [(4, 7, 1, 2), (8, 9, 17, 64), (16, 33, 5)])
def test_pair_gains_of_numbers(
    weighted: bool, least: int, n_bins: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(sum(n_bins) + least)
    n = 150
    y = rng.normal(size=n)
    weights = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
    bins = np.stack([rng.integers(0, k, n) for k in n_bins]).astype(np.uint8)
    own = weights.tolist() if weighted else []
    try:
        found = [
            stages.number_pair_gains(bins.tolist(), y, own, least)
            for _ in filter(stages.force_instruction_set, ("portable", "sse2", "avx2"))
        ]
    finally:
        stages.force_instruction_set("best")

    def score(rows: Array) -> float:
        if len(rows) == 0:  # nothing is gained, nor lost
            return 0.0 if least == 1 else -np.inf
        w = weights[rows]
        return float((w @ y[rows]) ** 2 / w.sum()) if len(rows) >= least else -np.inf

    stumps = expected_gains(np.arange(n), bins, score)
    np.testing.assert_allclose(found[0][0], stumps[0], rtol=1e-4)
    np.testing.assert_allclose(found[0][1], stumps[1], rtol=1e-4)
    assert all(gains == found[0] for gains in found)  # to the last bit


@pytest.mark.parametrize("loss", ["zero_one", "gini"])
def test_divided_pair_gains_are_those_of_each_side(loss: str) -> None:
    rng = np.random.default_rng(3)
    labels = np.sort(rng.integers(0, 2, 80))
    bins = np.stack([rng.integers(0, 5, 80) for _ in range(3)]).astype(np.uint8)
    goes_left = rng.random(80) < 0.4
    sides = np.flatnonzero(goes_left), np.flatnonzero(~goes_left)
    found = stages.divided_pair_gains(bins.tolist(), labels, 2, [], loss, *sides)
    for rows, (left, right, *_) in zip(sides, found, strict=True):

        def score(some: Array) -> float:
            return gain(labels[some], np.ones(len(some)), 2, loss, 1)

        expected = expected_gains(rows, bins, score)
        reached = np.array(expected[0]) + np.array(expected[1])
        np.testing.assert_allclose(np.array(left) + np.array(right), reached, rtol=1e-5)
