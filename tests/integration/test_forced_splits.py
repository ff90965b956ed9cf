"""`forced_splits`: what users may write, what they get, and what they are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes

from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
    load_model,
)

STRATEGIES = ["greedy", "paper", "balanced", "optimal"]
SPLITS = {
    "feature": 3,
    "threshold": 600.0,
    "right": {"feature": 1, "threshold": 20.5, "left": None},
}


def begins_with(tree: Any, splits: Any, node: int = 0) -> bool:
    if splits is None:
        return True
    return (
        tree.feature[node] == splits["feature"]
        and tree.threshold[node] == splits["threshold"]
        and begins_with(tree, splits.get("left"), tree.children_left[node])
        and begins_with(tree, splits.get("right"), tree.children_right[node])
    )


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, Any]:
    return load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("limits", [{}, {"alpha": 0.02}, {"max_leaf_nodes": 5}])
def test_trees_begin_with_the_splits(
    cancer: tuple[Any, Any], strategy: str, limits: dict[str, Any]
) -> None:
    X, y = cancer
    free = DPDTreeClassifier(max_depth=3, strategy=strategy, **limits).fit(X, y)
    forced = clone(free).set_params(forced_splits=SPLITS).fit(X, y)
    assert begins_with(forced.tree_, SPLITS)
    assert forced.objective_ == pytest.approx(
        forced.loss_ + limits.get("alpha", 0.0) * forced.complexity_
        if strategy != "balanced" or "alpha" in limits
        else forced.loss_ + forced.complexity_
    )
    assert forced.get_n_leaves() <= limits.get("max_leaf_nodes", 8)
    if strategy == "optimal":
        assert forced.is_optimal_
        assert forced.objective_ >= free.objective_ - 1e-12


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_is_there_already_changes_nothing(
    cancer: tuple[Any, Any], strategy: str
) -> None:
    X, y = cancer
    free = DPDTreeClassifier(max_depth=3, strategy=strategy).fit(X, y)
    t = free.tree_
    own = {"feature": int(t.feature[0]), "threshold": float(t.threshold[0])}
    forced = clone(free).set_params(forced_splits=own).fit(X, y)
    assert forced.objective_ == pytest.approx(free.objective_, rel=1e-12)
    if strategy != "optimal":  # a proof may find another tree of the same worth
        assert np.array_equal(forced.tree_.threshold, t.threshold)


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced"])
@pytest.mark.parametrize("kind", ["leaf_path", "regularization_path"])
def test_no_tree_of_a_path_loses_them(
    cancer: tuple[Any, Any], strategy: str, kind: str
) -> None:
    X, y = cancer
    estimator = DPDTreeClassifier(max_depth=3, strategy=strategy, forced_splits=SPLITS)
    path = getattr(estimator, kind)(X, y)
    assert path.n_leaves[0] == 3
    assert len(path) > 2
    assert all(begins_with(tree.tree_, SPLITS) for tree in path)
    with pytest.raises(ValueError, match="forced_splits makes 3"):
        path.select(n_leaves=2)


def test_the_largest_tree_of_a_path_is_the_fit(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    for strategy in ("greedy", "paper"):
        estimator = DPDTreeClassifier(
            max_depth=3, strategy=strategy, alpha=0.0, forced_splits=SPLITS
        )
        path = estimator.regularization_path(X, y)
        assert path.losses[-1] == pytest.approx(estimator.fit(X, y).loss_)


def test_thresholds_are_kept_to_the_last_digit(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    splits = {"feature": 0, "threshold": 13.123456789}
    tree = DPDTreeClassifier(max_depth=2, forced_splits=splits).fit(X, y).tree_
    assert tree.threshold[0] == 13.123456789


def test_both_cross_validated_estimators(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    model = DPDTreeClassifierCV(strategy="paper", forced_splits=SPLITS).fit(X, y)
    assert begins_with(model.tree_, SPLITS)
    X, y = load_diabetes(return_X_y=True)
    splits = {"feature": 2, "threshold": 0.01}
    other = DPDTreeRegressorCV(
        strategy="paper", grid=(1, 20), forced_splits=splits
    ).fit(X, y)
    assert begins_with(other.tree_, splits)


def test_names_categories_and_missing_values(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 200)
    size = np.where(rng.random(200) < 0.2, np.nan, rng.normal(size=200))
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": size})
    y = (colour == "red") ^ np.nan_to_num(size > 0, nan=True)
    splits = {
        "feature": "size",
        "threshold": 0.25,
        "missing_left": False,
        "left": {"feature": "colour", "categories": ["green"]},
    }
    model = DPDTreeClassifier(max_depth=3, forced_splits=splits).fit(X, y)
    tree = model.tree_
    assert tree.feature[0] == 1
    assert not tree.missing_go_to_left[0]
    assert tree.feature[tree.children_left[0]] == 0
    categories = model.categories_[0]
    [left] = tree.categories_left[tree.children_left[0]]
    assert categories[left] == "green"
    path = tmp_path / "model.json"
    model.save_model(path)
    assert load_model(path).get_params()["forced_splits"] == splits


def test_an_open_side_for_missing_values_is_the_better_one() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    X[rng.random((120, 2)) < 0.3] = np.nan
    y = np.nan_to_num(X[:, 0], nan=2.0) > 0.3
    splits = {"feature": 0, "threshold": 0.1}
    for strategy in STRATEGIES:
        model = DPDTreeClassifier(max_depth=2, strategy=strategy, alpha=0.0)
        objectives = [
            clone(model)
            .set_params(forced_splits={**splits, "missing_left": side})
            .fit(X, y)
            .objective_
            for side in (None, True, False)
        ]
        if strategy != "greedy":
            assert objectives[0] == min(objectives[1:])
        assert objectives[0] in objectives[1:]


@pytest.mark.parametrize(
    ("splits", "limits", "message"),
    [
        ({"feature": 0, "threshold": 99.0}, {}, r"no training row on its right"),
        (
            {"feature": 0, "threshold": 7.5},
            {"min_samples_leaf": 10},
            r"\(0 <= 7.5\) leaves 1 training rows on its left .* asks for 10",
        ),
        (
            {"feature": 0, "threshold": 13.0},
            {"min_samples_split": 600},
            r"min_samples_split .* asks for 600",
        ),
        (
            {"feature": 0, "threshold": 13.0},
            {"min_impurity_decrease": 0.4, "strategy": "paper"},
            "min_impurity_decrease",
        ),
        (
            {"feature": 0, "threshold": 7.5},
            {"min_weight_fraction_leaf": 0.1},
            "min_weight_fraction_leaf",
        ),
        (
            {"feature": 0, "threshold": 13.0},
            {"allowed_features": {0: [1]}},
            "allowed_features",
        ),
        (
            {
                "feature": 0,
                "threshold": 13.0,
                "left": {"feature": 1, "threshold": 20.0},
            },
            {"interaction_cst": [[0], [1]]},
            r"forced_splits\['left'\].*interaction_cst",
        ),
        (
            {
                "feature": 0,
                "threshold": 13.0,
                "left": {"feature": 1, "threshold": 20.0},
            },
            {"max_depth": 1},
            "2 levels, but max_depth is 1",
        ),
        (
            {
                "feature": 0,
                "threshold": 13.0,
                "left": {"feature": 1, "threshold": 20.0},
            },
            {"max_leaf_nodes": 2},
            "at least 3 leaves, but max_leaf_nodes is 2",
        ),
        ({"feature": 30, "threshold": 1.0}, {}, "30 features"),
        ({"feature": "size", "threshold": 1.0}, {}, "no feature names"),
        ({"feature": 0, "categories": [1]}, {}, "give a 'threshold'"),
        ({"feature": 0}, {}, "must be a dict"),
        ({"feature": 0, "threshold": 1.0, "categories": [1]}, {}, "must be a dict"),
        ({"feature": 0, "threshold": np.nan}, {}, "must be a dict"),
        ({"feature": 0, "threshold": 1.0, "above": {}}, {}, "must be a dict"),
        ({"feature": 0, "threshold": 1.0, "left": {"feature": 1}}, {}, "must be"),
        ({"feature": 0, "threshold": 13.0}, {"max_bins": 3}, "cuts through a bin"),
    ],
)
def test_errors_say_which_split_breaks_what(
    cancer: tuple[Any, Any], splits: Any, limits: dict[str, Any], message: str
) -> None:
    X, y = cancer
    model = DPDTreeClassifier(forced_splits=splits, **limits)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)


def test_unknown_categories() -> None:
    X = pd.DataFrame({"colour": pd.Categorical(["red", "green"] * 10)})
    y = [0, 1] * 10
    splits = {"feature": "colour", "categories": ["blue"]}
    with pytest.raises(ValueError, match=r"do not occur in X: \['blue'\]"):
        DPDTreeClassifier(forced_splits=splits).fit(X, y)
    splits = {"feature": "colour", "threshold": 0.5}
    with pytest.raises(ValueError, match="give 'categories'"):
        DPDTreeClassifier(forced_splits=splits).fit(X, y)


def test_a_proof_cut_short_keeps_the_splits(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    model = DPDTreeClassifier(
        strategy="optimal", max_depth=6, forced_splits=SPLITS, time_limit=0.3
    ).fit(X, y)
    assert begins_with(model.tree_, SPLITS)
    assert model.lower_bound_ <= model.objective_


def test_no_time_at_all(cancer: tuple[Any, Any]) -> None:
    model = DPDTreeClassifier(forced_splits=SPLITS, time_limit=0.0)
    with pytest.raises(ValueError, match="time_limit was up before"):
        model.fit(*cancer)


def test_a_watched_proof_reports_the_whole_tree(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    model = DPDTreeClassifier(
        max_depth=3, strategy="optimal", forced_splits=SPLITS
    ).fit(X, y)
    trace = np.array(model.report_.trace)
    assert np.all(trace[:, 2] <= model.objective_ + 1e-12)
    assert trace[-1, 1] >= model.objective_ - 1e-12


def test_regression_with_monotone_features() -> None:
    X, y = load_diabetes(return_X_y=True)
    splits = {"feature": 2, "threshold": 0.0, "right": {"feature": 8, "threshold": 0.0}}
    model = DPDTreeRegressor(
        max_depth=3, monotonic_cst=[0, 0, 1, 0, 0, 0, 0, 0, 1, 0], forced_splits=splits
    ).fit(X, y)
    assert begins_with(model.tree_, splits)
    grid = np.tile(np.median(X, axis=0), (50, 1))
    grid[:, 2] = np.linspace(X[:, 2].min(), X[:, 2].max(), 50)
    assert np.all(np.diff(model.predict(grid)) >= 0)
