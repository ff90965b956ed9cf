"""Constrained trees from all splits are the best ones there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from tests.property.problems import examples, make_sample
from tests.reference.brute_force import Limits, Problem
from tests.reference.constrained import Rules, best_constrained


def random_rules(rng: np.random.Generator, p: int, depth: int, monotone: bool) -> Rules:
    """Some constraints of each kind."""
    some = rng.random(4) < 0.5
    groups = [frozenset(np.flatnonzero(rng.random(p) < 0.6)) for _ in range(2)]
    groups.append(frozenset(range(p)) - groups[0] - groups[1])  # the features left
    allowed = {
        d: frozenset(np.flatnonzero(rng.random(p) < 0.7).tolist() or [0])
        for d in range(depth)
        if rng.random() < 0.6
    }
    return Rules(
        tuple(rng.integers(-1, 2, p).tolist()) if some[0] and monotone else None,
        tuple(group for group in groups if group) if some[1] else None,
        tuple((rng.integers(0, 3, p) / 16).tolist()) if some[2] else None,
        allowed if some[3] and allowed else None,
    )


def parameters_of(rules: Rules) -> dict[str, Any]:
    """The same constraints as users write them."""
    groups, allowed = rules.groups, rules.allowed
    return {
        "monotonic_cst": rules.monotonic,
        "interaction_cst": None if groups is None else [sorted(g) for g in groups],
        "feature_costs": rules.costs,
        "allowed_features": allowed and {d: sorted(f) for d, f in allowed.items()},
    }


def feasible(rules: Rules) -> bool:
    """Whether one group has a feature for each depth that is listed."""
    if rules.groups is None or rules.allowed is None:
        return True
    deepest = max(rules.allowed)
    at = [rules.allowed.get(d) for d in range(deepest + 1)]
    return any(all(f is None or f & g for f in at) for g in rules.groups)


@given(
    seed=st.integers(0, 2**32 - 1),
    loss=st.sampled_from(["zero_one", "zero_one", "gini", "squared_error"]),
    depth=st.integers(1, 3),
    missing=st.sampled_from([0.0, 0.0, 0.2]),
)
@examples(120)
def test_all_splits_find_the_best_tree(
    seed: int, loss: str, depth: int, missing: float
) -> None:
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 4))
    n = int(rng.integers(3, 12 if depth < 3 else 8))
    weighting = str(rng.choice(["none", "integer", "real"]))
    sample = make_sample(
        seed, loss=loss, n=n, p=p, levels=4, classes=2, missing=missing,
        weighting=weighting,
    )  # fmt: skip
    rules = random_rules(rng, p, depth, monotone=loss == "zero_one")
    alpha = float(rng.choice([0.0, 0.01, 0.05]))
    leaf = int(rng.integers(1, 3))
    fitted = {"max_depth": depth, "alpha": alpha, "min_samples_leaf": leaf}
    fitted.update(parameters_of(rules))
    if not feasible(rules):
        with pytest.raises(ValueError, match="allowed_features and interaction_cst"):
            sample.fit(strategy="paper", **fitted)
        return
    limits = Limits(max_depth=depth, min_samples_leaf=leaf)
    problem = Problem(sample.X, sample.y, sample.weights, loss, limits=limits)
    expected = best_constrained(problem, rules, alpha) / sample.weights.sum()
    best = sample.fit(strategy="paper", generator="exhaustive", **fitted)
    assert best.objective_ == pytest.approx(expected, abs=1e-9)
    for strategy in ("greedy", "paper", "balanced"):
        assert sample.fit(strategy=strategy, **fitted).objective_ >= expected - 1e-9


@given(
    seed=st.integers(0, 2**32 - 1),
    kind=st.sampled_from(["gini", "entropy", "squared_error"]),
    leaves=st.sampled_from([None, None, 2, 4, 7]),
)
@examples(80)
def test_greedy_is_scikit_learn(seed: int, kind: str, leaves: int | None) -> None:
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 120)), int(rng.integers(1, 5))
    X = rng.normal(size=(n, p)).astype(np.float32)  # no ties
    y = X[:, 0] + np.sin(3 * X[:, -1]) + rng.normal(size=n)
    w = rng.random(n) + 0.1
    shared: dict[str, Any] = {
        "monotonic_cst": rng.integers(-1, 2, p).tolist(),
        "criterion": kind,
        "max_depth": int(rng.integers(1, 6)),
        "min_samples_leaf": int(rng.integers(1, 5)),
        "max_leaf_nodes": leaves,
    }
    # Features that split a small node alike tie, and scikit-learn draws among them.
    if kind == "squared_error":
        told = DPDTreeRegressor(strategy="greedy", **shared).fit(X, y, w).predict(X)
        theirs = (
            DecisionTreeRegressor(random_state=r, **shared).fit(X, y, w).predict(X)
            for r in range(16)
        )
    else:
        labels = (y > np.median(y)).astype(int)
        ours = DPDTreeClassifier(strategy="greedy", **shared).fit(X, labels, w)
        told = ours.predict_proba(X)
        theirs = (
            DecisionTreeClassifier(random_state=r, **shared)
            .fit(X, labels, w)
            .predict_proba(X)
            for r in range(16)
        )
    assert any(np.allclose(told, those, rtol=1e-9, atol=1e-9) for those in theirs)
