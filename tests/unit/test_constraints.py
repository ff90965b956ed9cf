"""Constraints on features, from arguments to what the core takes, and their errors."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree._input.constraints import (
    allowed_features,
    feature_costs,
    interaction_groups,
)

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 1, 0])
NAMED = pd.DataFrame(X, columns=["a", "b"])


def of(names=None, **attributes):
    estimator = SimpleNamespace(**attributes)
    if names:
        estimator.feature_names_in_ = np.array(names)
    return estimator


def test_names_in_groups():
    assert interaction_groups([["b", 0]], 3, ["a", "b", "c"]) == [[0, 1], [2]]
    assert interaction_groups([[], (1,)], 2) == [[1], [0]]
    with pytest.raises(ValueError, match=r"interaction_cst names .*not have: \['x'\]"):
        interaction_groups([["x"]], 1, ["a"])
    with pytest.raises(ValueError, match="X has no feature names"):
        interaction_groups([["x"]], 1)


def test_feature_costs():
    assert feature_costs(of(feature_costs=None), 2) == []
    assert feature_costs(of(feature_costs=np.zeros(2)), 2) == []
    assert feature_costs(of(feature_costs=[0, 2]), 2) == [0.0, 2.0]
    assert feature_costs(of(["a", "b"], feature_costs={"b": 2}), 2) == [0.0, 2.0]
    assert feature_costs(of(feature_costs={1: 2}), 2) == [0.0, 2.0]


def test_allowed_features():
    def resolve(wanted, max_depth=3):
        estimator = of(["a", "b"], allowed_features=wanted, max_depth=max_depth)
        return allowed_features(estimator, 2)

    assert resolve(None) == []
    assert resolve({}) == []
    assert resolve({0: ["b"]}) == [[1]]
    assert resolve({2: [1, "b"]}) == [[], [], [1]]
    assert resolve([None, ["a"], ["b", "a"]]) == [[], [0], []]
    assert resolve([["a", "b"]]) == []
    assert resolve({5: ["a"]}) == []
    assert resolve({5: ["a"]}, max_depth=None) == [[]] * 5 + [[0]]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"monotonic_cst": [1]}, "monotonic_cst has 1 entries, but X has 2"),
        ({"monotonic_cst": {"c": 1}}, r"monotonic_cst names .*not have: \['c'\]"),
        ({"monotonic_cst": [1, 0], "leaf_smoothing": 1.0}, "with leaf_smoothing"),
        ({"interaction_cst": [[2]]}, r"interaction_cst lists the features \[2\]"),
        ({"feature_costs": [1.0]}, "feature_costs has 1 entries, but X has 2"),
        ({"feature_costs": {"c": 1.0}}, "feature_costs names features that X does not"),
        ({"feature_costs": {2: 1.0}}, r"feature_costs lists the features \[2\]"),
        ({"allowed_features": {0: []}}, "allowed_features has no feature for depth 0"),
        ({"allowed_features": [["c"]]}, "allowed_features names features that X does"),
        ({"allowed_features": [[2]]}, r"allowed_features lists the features \[2\]"),
        (
            {"allowed_features": [[0], [1]], "interaction_cst": "no_interactions"},
            "allowed_features and interaction_cst leave no feature for depth 1",
        ),
    ],
)
def test_errors_name_the_argument(parameters, message):
    with pytest.raises(ValueError, match=message):
        DPDTreeClassifier(**parameters).fit(NAMED, Y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"monotonic_cst": [1, 0]},
        {"interaction_cst": "no_interactions"},
        {"feature_costs": [0.0, 0.1]},
        {"allowed_features": {0: [1]}},
    ],
)
def test_no_proof_covers_them(parameters):
    (name,) = parameters
    model = DPDTreeClassifier(strategy="optimal", **parameters)
    with pytest.raises(ValueError, match=f"'{name}' .*strategy='optimal': no proof"):
        model.fit(X, Y)


def test_a_proof_needs_no_constraint_to_be_absent():
    model = DPDTreeClassifier(
        strategy="optimal",
        max_depth=2,
        monotonic_cst=[0, 0],
        interaction_cst="pairwise",  # of two features: no constraint
        feature_costs={0: 0.0},
        allowed_features=[[1], [1]],
    )
    assert model.fit(X, Y).is_optimal_
    assert 0 not in model.tree_.feature


def test_three_classes_have_no_direction():
    with pytest.raises(ValueError, match="monotonic_cst is not supported with three"):
        DPDTreeClassifier(monotonic_cst=[1, 0]).fit(X, [0, 1, 2, 0, 1, 2])
    DPDTreeClassifier(monotonic_cst=[0, 0]).fit(X, [0, 1, 2, 0, 1, 2])


def test_categories_have_no_direction():
    frame = NAMED.assign(c=pd.Categorical(list("xyzxyz")))
    with pytest.raises(ValueError, match=r"monotonic_cst .*\['c'\], which are categ"):
        DPDTreeRegressor(monotonic_cst={"c": 1}).fit(frame, Y)
    DPDTreeRegressor(monotonic_cst={"a": 1}).fit(frame, Y)


def test_a_constant_root_gives_a_leaf():
    constant = np.column_stack([np.zeros(6), X[:, 0]])
    for strategy in ("greedy", "paper", "balanced"):
        model = DPDTreeClassifier(strategy=strategy, allowed_features={0: [0]})
        assert model.fit(constant, Y).get_n_leaves() == 1
