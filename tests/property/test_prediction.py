"""Rows that walk a tree together end where each of them ends alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree._core import TreeData, stages
from dpdtree._structure import TreeStructure

pytestmark = pytest.mark.native

FEATURES = 4
THRESHOLDS = (-1.5, -0.0, 0.0, 0.5, 2.0, 5e-324, -1.7976931348623157e308)
VALUES = np.array([-2.0, -1.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.0, 5e-324, np.nan])
DTYPES = (np.float64, np.float32, np.int8, np.int64, np.uint16, np.bool_)


class Grown:
    """A random tree in preorder."""

    def __init__(self, rng: np.random.Generator, depth: int) -> None:
        self.rng = rng
        self.left: list[int] = []
        self.right: list[int] = []
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.categories: list[list[int]] = []
        self.add(depth)

    def add(self, depth: int) -> None:
        """Add a node and what is below it; paths differ in length."""
        node = len(self.feature)
        leaf = depth == 0 or (node > 0 and self.rng.random() < 0.25)
        of_categories = not leaf and self.rng.random() < 0.3
        threshold = float(self.rng.choice(THRESHOLDS))
        self.left.append(-1 if leaf else node + 1)
        self.right.append(-1)
        self.feature.append(-2 if leaf else int(self.rng.integers(FEATURES)))
        self.threshold.append(-2.0 if leaf else np.nan if of_categories else threshold)
        some = np.flatnonzero(self.rng.random(70) < self.rng.random())
        self.categories.append(some.tolist() if of_categories else [])
        if not leaf:
            self.add(depth - 1)
            self.right[node] = len(self.feature)
            self.add(depth - 1)

    def tree(self, *, categorical: bool) -> TreeStructure:
        """Return it, with or without its splits of categories."""
        n = len(self.feature)
        threshold = np.array(self.threshold)
        end = np.cumsum([len(c) for c in self.categories])
        sets: list[Any] = [end, np.concatenate(self.categories).astype(np.int64)]
        if not categorical:
            threshold[np.isnan(threshold)] = 1.0
            sets = [None, None]
        return TreeStructure(
            TreeData.from_arrays(
                FEATURES,
                np.array(self.left),
                np.array(self.right),
                np.array(self.feature),
                threshold,
                self.rng.integers(0, 2, n).astype(np.uint8),
                self.rng.random((n, 2)),
                np.zeros(n),
                np.ones(n, dtype=np.int64),
                np.ones(n),
                *sets,
            )
        )


def walked(tree: TreeStructure, row: NDArray[Any]) -> int:
    """Return the leaf of one row, step by step."""
    node = 0
    while tree.children_left[node] >= 0:
        value = float(row[tree.feature[node]])
        if np.isnan(value):
            left = bool(tree.missing_go_to_left[node])
        elif np.isnan(tree.threshold[node]):
            known = tree.categories_left[node]
            left = known is not None and value >= 0 and int(value) in known
        else:
            left = value <= tree.threshold[node]
        node = int(tree.children_left[node] if left else tree.children_right[node])
    return node


def laid_out(X: NDArray[Any], layout: str) -> NDArray[Any]:
    """Return X in another order of memory."""
    if layout == "F":
        return np.asfortranarray(X)
    if layout == "every second":
        return np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2]
    return X[::-1, ::-1].copy()[::-1, ::-1] if layout == "backwards" else X


@given(
    seed=st.integers(0, 2**32 - 1),
    depth=st.integers(0, 13),
    n_rows=st.sampled_from([1, 7, 8, 63, 64, 65, 200]),
    dtype=st.sampled_from(DTYPES),
    layout=st.sampled_from(["C", "F", "every second", "backwards"]),
    categorical=st.booleans(),
)
def test_leaves_are_those_of_single_rows(
    seed, depth, n_rows, dtype, layout, categorical
):
    rng = np.random.default_rng(seed)
    tree = Grown(rng, depth).tree(categorical=categorical)
    values = VALUES if np.dtype(dtype).kind == "f" else np.arange(-3.0, 80.0)
    low = 0.0 if np.dtype(dtype).kind in "ub" else -np.inf
    X = rng.choice(values[~(values < low)], (n_rows, FEATURES)).astype(dtype)
    X = laid_out(X, layout)
    leaves = tree.apply(X)
    assert leaves.tolist() == [walked(tree, row) for row in X]
    assert [tree.apply(X[i : i + 1])[0] for i in range(n_rows)] == leaves.tolist()
    indptr, indices = tree.decision_path(X)
    assert indices[indptr[1:] - 1].tolist() == leaves.tolist()
    for table in (
        rng.random(tree.node_count),
        rng.integers(0, 9, tree.node_count),
        rng.random((tree.node_count, 3)),
        np.array([f"node {i}" for i in range(tree.node_count)]),
    ):
        np.testing.assert_array_equal(tree.look_up(X, table), table[leaves])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", ["C", "F", "every second", "backwards"])
@pytest.mark.parametrize("n_rows", [1, 8, 70, 20_000])
def test_an_infinity_anywhere_is_found(dtype, layout, n_rows):
    tree = Grown(np.random.default_rng(0), 3).tree(categorical=False)
    X = np.zeros((n_rows, FEATURES), dtype)
    X[:, 1] = np.nan
    try:
        for path in filter(stages.force_instruction_set, ("portable", "sse2", "avx2")):
            for sign in (1, -1):
                X[-1, 2] = sign * np.inf
                with pytest.raises(ValueError, match=r"infinity.*X\[:, 2\]"):
                    tree.apply(laid_out(X, layout), 2)
            X[-1, 2] = 0.0
            assert len(tree.apply(laid_out(X, layout), 2)) == n_rows, path
    finally:
        stages.force_instruction_set("best")


def test_tables_must_fit():
    tree = Grown(np.random.default_rng(0), 3).tree(categorical=False)
    with pytest.raises(ValueError, match="row for each node"):
        tree.look_up(np.zeros((9, FEATURES)), np.zeros(tree.node_count + 1))


def test_what_is_kept_follows_the_parameters():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=300) > 0).astype(int)
    model = DPDTreeClassifier(alpha=0.0).fit(X, y)
    first = model.predict_proba(X)
    first[:] = 7.0  # the caller's own
    for smoothing in (None, "laplace", 5.0, "auto"):
        model.set_params(leaf_smoothing=smoothing)
        fresh = DPDTreeClassifier(alpha=0.0, leaf_smoothing=smoothing).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), fresh.predict_proba(X))
    model.classes_ = np.array(["no", "yes"])
    assert set(model.predict(X)) == {"no", "yes"}
    shrunk = DPDTreeRegressor(strategy="greedy", alpha=0.0, shrinkage=9.0)
    shrunk.fit(X, X[:, 0])
    before = shrunk.predict(X)
    shrunk.shrinkage_ = 0.0
    assert not np.array_equal(shrunk.predict(X), before)
    shrunk.shrinkage_ = 9.0
    np.testing.assert_array_equal(shrunk.predict(X), before)
