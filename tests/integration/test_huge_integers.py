"""Integers that no float64 can hold: parameters take them or refuse them by name."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, PredefinedSplit

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from dpdtree._params.estimators import parameters_of
from tests.integration.data import make_classes

HUGE = 10**400
SHORT: dict[Any, dict[str, Any]] = {
    DPDTreeClassifier: {"max_depth": 2},
    DPDTreeRegressor: {"max_depth": 2},
    DPDTreeClassifierCV: {"max_depth": 2},
    DPDTreeRegressorCV: {"max_depth": 2},
    DPDTAdaBoostClassifier: {"n_estimators": 2, "max_depth": 2},
    DPDTBoostingClassifier: {"max_iter": 2},
    DPDTBoostingRegressor: {"max_iter": 2},
}
CASES = [
    (estimator, parameter.name)
    for estimator in SHORT
    for parameter in parameters_of(estimator)
    if parameter.name not in ("n_estimators", "verbose")  # these are as long as it says
]
FORMS = [
    *(HUGE, -HUGE, Fraction(HUGE), 10**5000),
    *([HUGE] * 5, [[0, HUGE, 1], [1, 0, 1], [1, 1, 0]], [{0: HUGE}]),
    *({0: HUGE}, {"a": HUGE}, {HUGE: [0]}, {0: [HUGE]}, [[0, HUGE]]),
]


@pytest.mark.filterwarnings("ignore:No tree of the cross-validation")
@pytest.mark.parametrize(("estimator", "name"), CASES)
def test_every_parameter(estimator, name):
    X, y = make_classes(60)
    for value in FORMS:
        given = {**SHORT[estimator], name: value}
        if name == "cost_matrix":
            given["loss"] = "cost_matrix"
        if name == "max_iter":
            given["time_limit"] = 0.01
        try:
            estimator(**given).fit(X, y)
        except (ValueError, TypeError) as error:
            assert name in str(error), value  # noqa: PT017


def test_data():
    X, y = make_classes(30)
    model = DPDTreeRegressor(max_depth=1)
    for weight in (HUGE, [HUGE] * 30):
        with pytest.raises(ValueError, match="sample_weight"):
            model.fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="y must be numeric"):
        model.fit(X, [HUGE] * 30)
    path = DPDTreeClassifier(max_depth=2).regularization_path(X, y)
    with pytest.raises(ValueError, match="alpha must be a finite float"):
        path.select(alpha=HUGE)
    assert path.select(n_leaves=HUGE).get_n_leaves() == path.n_leaves[-1]


@pytest.mark.parametrize("estimator", [DPDTBoostingClassifier, DPDTBoostingRegressor])
def test_iterations_without_end(estimator):
    model = estimator(max_iter=HUGE, time_limit=0.02, early_stopping=False)
    assert model.fit(*make_classes(60)).stop_reason_ == "time_limit"


def test_columns_of_a_warm_start():
    X, y = make_classes(60)
    model = DPDTBoostingClassifier(max_iter=2, warm_start=True).fit(X, y)
    model.set_params(max_iter=4)
    with pytest.raises(ValueError, match="warm_start=True, X must be like that of"):
        model.fit(X[:, :2], y)
    assert model.n_iter_ == 2


@pytest.mark.parametrize(
    "cv",
    [
        [([0, 1], [10**9])],
        [([-100], [0])],
        [([HUGE], [0])],
        [([], [1])],
        [([0, 1], [])],
        [(["a"], ["b"])],
        [([0.5], [1])],
        [(None, None)],
        [(np.ones(60, bool), np.zeros(60, bool))],
        KFold(1000),
        GroupKFold(2),
        PredefinedSplit([-1] * 60),
    ],
)
@pytest.mark.parametrize("estimator", [DPDTreeClassifierCV, DPDTreeRegressorCV])
def test_folds(estimator, cv):
    X, y = make_classes(60)
    with pytest.raises(ValueError, match=r"^cv"):
        estimator(cv=cv).fit(X, y)


@pytest.mark.filterwarnings("ignore:No tree of the cross-validation")
def test_masks_are_folds():
    X, y = make_classes(60)
    train = np.arange(60) % 3 > 0
    models = [
        DPDTreeClassifierCV(cv=[fold]).fit(X, y)
        for fold in ((train, ~train), (np.flatnonzero(train), np.flatnonzero(~train)))
    ]
    assert models[0].best_score_ == models[1].best_score_


def test_one_row_is_not_enough():
    with pytest.raises(ValueError, match="folds of cv need two rows"):
        DPDTreeClassifierCV().fit([[1.0]], [1])
