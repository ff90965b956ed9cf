"""A search needs no more of a node than its path of splits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.property import native
from tests.property.problems import make_sample

pytestmark = pytest.mark.native

ARRAYS = (
    "children_left",
    "feature",
    "threshold",
    "missing_go_to_left",
    "category_left",
    "value",
    "impurity",
    "n_node_samples",
)


@given(
    seed=st.integers(0, 1000),
    strategy=st.sampled_from(["greedy", "paper", "balanced", "optimal"]),
    generator=st.sampled_from(["cart", "top_b", "exhaustive"]),
    loss=st.sampled_from(["zero_one", "log_loss", "squared_error"]),
    weighting=st.sampled_from(["none", "integer", "real"]),
    depth=st.integers(1, 4),
    mdl=st.booleans(),
    categories=st.booleans(),
    n_threads=st.sampled_from([1, 2]),
)
def test_rows_found_anew_for_every_question_give_the_same_tree(
    seed: int,
    strategy: str,
    generator: str,
    loss: str,
    weighting: str,
    depth: int,
    mdl: bool,
    categories: bool,
    n_threads: int,
) -> None:
    if strategy == "optimal":
        depth, mdl, categories, loss = min(depth, 2), False, False, "zero_one"
    sample = make_sample(
        seed, loss=loss, n=45, levels=5, missing=0.1, weighting=weighting
    )
    if categories:
        values = np.nan_to_num(sample.X[:, 0], nan=0.0)
        sample.X[:, 0] = np.unique(values, return_inverse=True)[1]
    params = {
        "strategy": strategy,
        "generator": generator,
        "max_depth": depth,
        "mdl": mdl,
        "n_candidates": [3, 2, 2],
        "categorical": [0] if categories else [],
        "n_threads": n_threads,
    }
    trees = [
        native.fit(sample, replay_nodes=replay, **params).tree
        for replay in (False, True)
    ]
    for name in ARRAYS:
        np.testing.assert_array_equal(*(getattr(tree, name) for tree in trees))
