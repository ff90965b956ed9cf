"""Every estimator and strategy on odd inputs: a sound model, whatever the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from tests.property.hostile import FAMILIES, Input

BOOSTED: dict[str, Any] = {"max_iter": 3, "early_stopping": False, "random_state": 0}
#: What a fit may be told besides.
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "deep": {"max_depth": 6, "alpha": 0.0},
    "small": {"max_depth": 1, "min_samples_leaf": 0.4, "max_leaf_nodes": 2},
    "never": {"min_samples_leaf": 1000, "min_samples_split": 2000},
    "no time": {"max_depth": 4, "time_limit": 1e-9},
    "two bins": {"max_depth": 3, "max_bins": 2, "min_weight_fraction_leaf": 0.3},
}
LOSSES = {
    DPDTreeClassifier: ("zero_one", "gini", "log_loss"),
    DPDTreeRegressor: ("squared_error", "absolute_error", "poisson"),
}

pytestmark = pytest.mark.native


INPUTS = {name: make(np.random.default_rng(0)) for name, make in FAMILIES.items()}
#: What an estimator cannot do, and says so.
REFUSED = {
    ("huge_weights", "boosting"): "sample_weight is too large",
    ("one_weight_is_not_zero", "poisson"): "positive sum",
    ("one_weight_is_not_zero", "cv"): "at least one non-zero",
    ("constant_columns", "adaboost"): "no better than chance",
}


def inputs(suits: Callable[[Input], bool] = lambda data: True) -> Any:
    """Parametrize with one input of each family that suits."""
    names = [name for name, data in INPUTS.items() if suits(data)]
    return pytest.mark.parametrize("family", names)


def fitted(model: Any, family: str, what: str) -> Any | None:
    """The fitted model; None if the input is one that it has to refuse."""
    data = INPUTS[family]
    model.set_params(categorical_features=data.categorical)
    message = REFUSED.get((family, what))
    if message is None:
        return model.fit(data.X, data.y, data.w)
    with pytest.raises(ValueError, match=message):
        model.fit(data.X, data.y, data.w)
    return None


def has_numbers_only(data: Input) -> bool:
    """Whether no column holds categories."""
    return data.categorical is None


def has_classes(data: Input) -> bool:
    """Whether there is something to tell apart."""
    return len(np.unique(data.y)) > 1


def fills_two_folds(data: Input) -> bool:
    """Whether there are two rows of each class."""
    return bool(np.unique(data.y, return_counts=True)[1].min() > 1)


def check_predictions(model: Any, data: Input) -> None:
    """Something finite for every row, and shares that add up."""
    said = model.predict(data.X)
    assert said.shape == data.y.shape
    if not hasattr(model, "classes_"):
        assert np.all(np.isfinite(said))
        assert data.y.min() - 1e-6 <= said.min()
        assert said.max() <= data.y.max() + 1e-6
        return
    assert np.all(np.isin(said, data.y))
    shares = model.predict_proba(data.X)
    assert shares.min() >= 0.0
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


def check_statements(model: Any) -> None:
    """What a tree says of itself cannot be wrong in any case."""
    assert np.isfinite(model.objective_)
    assert model.loss_ >= 0.0
    assert model.complexity_ >= 0.0
    assert model.is_optimal_ == (model.gap_ == 0.0)
    if model.is_optimal_ or model.strategy == "optimal":
        assert model.lower_bound_ <= model.objective_
        assert model.gap_ >= 0.0
    else:  # nothing was proven
        assert np.isnan([model.lower_bound_, model.gap_]).all()


@inputs()
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced"])
@pytest.mark.parametrize("kind", LOSSES)
def test_trees(kind: Any, strategy: str, settings: str, family: str) -> None:
    model = fitted(kind(strategy=strategy, **SETTINGS[settings]), family, "tree")
    check_predictions(model, INPUTS[family])
    check_statements(model)


@inputs(has_numbers_only)
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("kind", LOSSES)
def test_proofs(kind: Any, settings: str, family: str) -> None:
    chosen = {**SETTINGS[settings]}
    chosen["max_depth"] = min(2, chosen.get("max_depth", 2))
    model = fitted(kind(strategy="optimal", **chosen), family, "tree")
    check_predictions(model, INPUTS[family])
    check_statements(model)


@inputs()
@pytest.mark.parametrize(
    ("kind", "loss"), [(kind, loss) for kind in LOSSES for loss in LOSSES[kind][1:]]
)
def test_other_losses(kind: Any, loss: str, family: str) -> None:
    model = fitted(kind(loss=loss, alpha=0.01), family, loss)
    if model is not None:
        check_predictions(model, INPUTS[family])
        check_statements(model)


@inputs()
@pytest.mark.parametrize("by", ["regularization_path", "leaf_path"])
@pytest.mark.parametrize(
    ("kind", "loss"), [(kind, loss) for kind in LOSSES for loss in LOSSES[kind][:2]]
)
def test_paths(kind: Any, loss: str, by: str, family: str) -> None:
    data = INPUTS[family]
    model = kind(loss=loss, max_depth=3, categorical_features=data.categorical)
    path = getattr(model, by)(data.X, data.y, data.w)
    assert len(path) > 0
    assert min(path.losses) >= 0.0
    check_predictions(path[-1], data)


# Most of these data tell nothing about y, and the estimator says so.
@pytest.mark.filterwarnings("ignore:No tree of the cross-validation")
@inputs(fills_two_folds)
@pytest.mark.parametrize("kind", [DPDTreeClassifierCV, DPDTreeRegressorCV])
def test_cross_validation(kind: Any, family: str) -> None:
    model = fitted(kind(cv=2, max_depth=2), family, "cv")
    if model is not None:
        check_predictions(model, INPUTS[family])


@inputs()
def test_adaboost(family: str) -> None:
    model = fitted(DPDTAdaBoostClassifier(n_estimators=3), family, "adaboost")
    if model is not None:
        check_predictions(model, INPUTS[family])


@inputs(has_classes)
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("lookahead", [None, "light", "strong", "full"])
@pytest.mark.parametrize("kind", [DPDTBoostingClassifier, DPDTBoostingRegressor])
def test_boosting(kind: Any, lookahead: str, n_jobs: int, family: str) -> None:
    model = kind(lookahead=lookahead, n_jobs=n_jobs, **BOOSTED)
    model = fitted(model, family, "boosting")
    if model is not None:
        check_predictions(model, INPUTS[family])
