"""Histograms whose counts have a field of their own: trees of more than 2^22 rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor, _core
from dpdtree._boosting import core_params
from dpdtree._core import stages
from dpdtree.dask._boosting_fit import fit_boosting_blocks
from dpdtree.dask._collections import block_of
from dpdtree.dask._engine import LocalEngine

pytestmark = pytest.mark.native


def data(n, seed=0):
    """Numbers, few values, an exclusive group, codes, missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 9))
    X[:, 2] = rng.integers(0, 5, n)
    X[:, 3:6] = rng.integers(0, 4, n)[:, None] == np.arange(3)
    X[:, 6] = rng.integers(0, 30, n)
    X[rng.random(n) < 0.1, 1] = np.nan
    z = X[:, 0] * np.nan_to_num(X[:, 1]) + X[:, 3] + np.sin(X[:, 6])
    return X, z + rng.normal(size=n)


def models(X, y, n_classes, weight, **changes):
    """Return the models of packed and of wide cells."""
    found = []
    for most in (len(y), 0):
        p = _core.BoostingParams()
        p.most_packed_rows = most
        for name, value in changes.items():
            setattr(p, name, value)
        session = _core.BoostingSession(X, y, weight, n_classes, p)
        session.run(3)
        found.append(session.model.to_bytes())
    return found


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_the_model_is_that_of_packed_cells(draw):
    pick = draw.draw
    n = pick(st.sampled_from([60, 700, 2500]))
    X, z = data(n, pick(st.integers(0, 10**6)))
    n_classes = pick(st.sampled_from([0, 2, 3]))
    y = z
    if n_classes:
        y = np.digitize(z, np.quantile(z, np.arange(1, n_classes) / n_classes))
    rng = np.random.default_rng(0)
    weight = pick(
        st.sampled_from([None, rng.uniform(0, 3, n), rng.integers(0, 4, n) * 1.0])
    )
    real = ["squared_error", "absolute_error"]
    changes = {
        "loss": "log_loss" if n_classes else pick(st.sampled_from(real)),
        "lookahead": pick(st.sampled_from(["none", "strong", "full"])),
        "newton": pick(st.booleans()),
        "max_depth": 3,
        "max_leaf_nodes": pick(st.sampled_from([2, 8, 31])),
        "min_samples_leaf": pick(st.sampled_from([1, 20])),
        "min_child_weight": pick(st.sampled_from([0.0, 2.0])),
        "l2_regularization": pick(st.sampled_from([0.0, 1.0])),
        "reg_alpha": pick(st.sampled_from([0.0, 0.5])),
        "subsample": pick(st.sampled_from([1.0, 0.6])),
        "max_features": pick(st.sampled_from([1.0, 0.5])),
        "n_threads": pick(st.sampled_from([1, 2])),
        "categorical": [j == 6 for j in range(9)] if pick(st.booleans()) else [],
        "monotonic_cst": [1] + [0] * 8 if pick(st.booleans()) else [],
    }
    if n_classes > 2:
        changes["monotonic_cst"] = []
    packed, wide = models(X, y.astype(float), n_classes, weight, **changes)
    assert packed == wide


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("lookahead", ["none", "light", "strong"])
def test_rows_are_added_up_in_several_goes(lookahead, n_threads):
    X, y = data(65_000)  # at most 2^15 at a time; and no bit of a hessian is lost yet
    weight = np.random.default_rng(1).integers(0, 3, len(y)) * 1.0
    for w in (None, weight):
        packed, wide = models(
            X[:, :3], y, 0, w, lookahead=lookahead, n_threads=n_threads
        )
        assert packed == wide


def test_instruction_sets_change_nothing():
    X, y = data(4000)
    found = set()
    try:
        for _ in filter(stages.force_instruction_set, ("portable", "sse2", "avx2")):
            found.update(models(X, y, 0, None))
    finally:
        stages.force_instruction_set("best")
    assert len(found) == 1


@pytest.mark.parametrize("n_blocks", [1, 3])
@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_partitions_answer_with_wide_cells(monkeypatch, kind, n_blocks):
    X, y = data(12_000)
    y = np.digitize(y, [-1, 1]) if kind == "labels" else y
    make = DPDTBoostingClassifier if kind == "labels" else DPDTBoostingRegressor
    packed = make(max_iter=3).fit(X, y)

    class WideParams(_core.BoostingParams):
        def __init__(self):
            super().__init__()
            self.most_packed_rows = 0

    monkeypatch.setattr(core_params, "BoostingParams", WideParams)
    rows = np.array_split(np.arange(len(y)), n_blocks)
    blocks = [block_of(k, X[some], y[some]) for k, some in enumerate(rows)]
    wide = fit_boosting_blocks(LocalEngine(), blocks, None, make(max_iter=3)).estimator
    assert wide.booster_.to_bytes() == packed.booster_.to_bytes()
    assert make(max_iter=3).fit(X, y).booster_.to_bytes() == packed.booster_.to_bytes()


@pytest.mark.parametrize("weight", [None, 0.7])
@pytest.mark.parametrize("n_rows", [2**22 + 1, 2**26, 2**29, 2**31 - 1])
def test_as_many_rows_as_there_may_be(n_rows, weight):
    gradient, hessian, count_bits = stages.boosting_units(n_rows, weight, wide=True)
    assert count_bits == 0
    assert gradient == hessian <= 2.0**-14  # as fine as that, and sums are exact:
    assert n_rows * (weight or 1) / hessian < 2**51


def test_hessians_of_packed_cells_run_out_of_bits():
    few, many = (stages.boosting_units(2**k, None, wide=False) for k in (15, 26))
    assert few[1] == 2.0**-25
    assert many[1] == 2.0**-7
    for n_rows, weight in ((2**28, None), (2**26, 1.0), (2**29, 1.0), (2**31, 1.0)):
        with pytest.raises(ValueError, match=f"so many rows \\({n_rows}\\)"):
            stages.boosting_units(n_rows, weight, wide=False)


def test_more_than_four_million_rows():
    n = 2**22 + 100
    row = np.arange(n)
    X = np.column_stack([row % 251, row // 7 % 19]).astype(np.float32)
    y = ((X[:, 0] > 100) ^ (X[:, 1] > 9)).astype(float) + row % 3
    X = X.astype(float)
    found = set()
    for n_threads in (1, 2):
        p = _core.BoostingParams()
        p.lookahead, p.max_leaf_nodes, p.n_threads = "none", 4, n_threads
        session = _core.BoostingSession(X, y, None, 0, p)
        session.run(1)
        found.add(session.model.to_bytes())
    assert len(found) == 1
    tree = session.model.tree(0, 0)
    assert tree.n_node_samples[0] == n
    leaves = tree.children_left < 0
    assert tree.n_node_samples[leaves].sum() == n
    # Whole numbers are exact, whatever the cells: hessians of 1 are counts.
    np.testing.assert_array_equal(tree.sum_hessian, tree.n_node_samples)
