"""Constrained trees with categories, persistence, exports, cross-validation, time."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from dpdtree.export.text import export_text

STRATEGIES = ("greedy", "paper", "balanced")


def frame(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n).astype(float),
            "income": rng.lognormal(3, 1, n),
            "town": pd.Categorical(rng.choice(list("abcd"), n)),
        }
    )
    X.loc[rng.random(n) < 0.1, "income"] = np.nan
    rise = X["income"].fillna(20).to_numpy() / 30 + 2 * (X["town"] == "a").to_numpy()
    y = rise + np.sin(X["age"].to_numpy() / 9) + rng.normal(size=n)
    return X, y


def clamped_models():
    """Trees whose bounds have changed some of their values."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=400)
    shared = {"max_depth": 4, "monotonic_cst": [1, -1, 1]}
    models = []
    for strategy in STRATEGIES:
        regressor = DPDTreeRegressor(strategy=strategy, **shared).fit(X, y)
        classifier = DPDTreeClassifier(strategy=strategy, **shared).fit(X, y > 0.2)
        models += [regressor, classifier]
    return X, y, models


def told(model, X):
    return model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X)


def test_some_values_are_clamped():
    X, y, models = clamped_models()
    changed = 0
    for model in models:
        target = y if not hasattr(model, "classes_") else (y > 0.2).astype(float)
        leaves = model.apply(X)
        values = model.tree_.node_values[:, -1]
        for leaf in np.unique(leaves):
            changed += abs(values[leaf] - target[leaves == leaf].mean()) > 1e-9
    assert changed > 0


def test_copies_keep_the_values():
    X, _, models = clamped_models()
    for model in models:
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(told(again, X), told(model, X))
        X32 = X.astype(np.float32)
        np.testing.assert_allclose(told(model.to_sklearn(), X32), told(model, X32))
        assert export_text(model)
        assert told(clone(model).fit(X, model.predict(X)), X).shape


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_all_constraints_on_a_table(strategy):
    X, y = frame()
    shared = {
        "strategy": strategy,
        "max_depth": 4,
        "monotonic_cst": {"income": 1},
        "interaction_cst": [["income", "town"], ["age", "income"]],
        "feature_costs": {"age": 0.01, "town": 0.02},
        "allowed_features": {0: ["income"]},
    }
    for model, target in (
        (DPDTreeRegressor(**shared), y),
        (DPDTreeClassifier(**shared), np.where(y > 1, "yes", "no")),
    ):
        model.fit(X, target)
        assert model.tree_.feature[0] == 1
        assert model.feature_cost_ > 0
        grid = pd.concat([X.iloc[:20]] * 40).reset_index(drop=True)
        grid["income"] = np.repeat(np.linspace(0, 200, 40), 20)
        rising = np.asarray(told(model, grid)).reshape(40, 20, -1)[:, :, -1]
        assert (np.diff(rising, axis=0) >= 0).all()
        passed = model.decision_path(X).toarray().astype(bool)
        for nodes in passed:
            asked = set(model.tree_.feature[nodes]) - {-2}
            assert asked <= {1, 2} or asked <= {0, 1}


def test_a_price_per_feature_drives_it_out():
    X, y = frame()
    used = []
    for cost in (0.0, 0.05, 0.3, 10.0):
        model = DPDTreeRegressor(max_depth=3, feature_costs={"town": cost}).fit(X, y)
        used.append(model.tree_.feature.tolist().count(2) > 0)
    assert used[0]
    assert not used[-1]
    assert used == sorted(used, reverse=True)


@pytest.mark.parametrize("by", ["n_leaves", "alpha", "min_samples_leaf"])
def test_cross_validation_passes_them_on(by):
    X, y = frame(200)
    rules = {"monotonic_cst": {"income": 1}, "allowed_features": {0: ["income"]}}
    for model, target in (
        (DPDTreeRegressorCV(by=by, cv=3, **rules), y),
        (DPDTreeClassifierCV(by=by, cv=3, **rules), y > 1),
    ):
        model.fit(X, target)
        assert model.tree_.feature[0] in (1, -2)
        assert model.feature_cost_ == 0


def test_costs_on_a_path():
    X, y = frame(200)
    model = DPDTreeRegressor(feature_costs=[0.1, 0.0, 0.2])
    path = model.regularization_path(X, y)
    assert path.feature_costs.max() > 0
    total = path.losses + path.feature_costs
    assert (np.diff(total) < 0).all()
    assert path[-1].feature_cost_ == path.feature_costs[-1]


def test_time_limit():
    X, y = frame(2000)
    for rules in (
        {"monotonic_cst": {"income": 1}},
        {"feature_costs": {"age": 0.01}, "interaction_cst": "pairwise"},
    ):
        model = DPDTreeRegressor(max_depth=8, time_limit=0.05, n_candidates=9, **rules)
        model.fit(X, y)
        assert model.report_.stop_reason == "time_limit"
        assert model.report_.seconds_solve < 5


def test_features_drawn_at_random():
    X, y = frame()
    for strategy in STRATEGIES:
        model = DPDTreeRegressor(
            strategy=strategy,
            max_features=1,
            random_state=0,
            allowed_features={0: ["age", "income"]},
            monotonic_cst={"income": 1},
        ).fit(X, y)
        assert model.tree_.feature[0] in (0, 1)
