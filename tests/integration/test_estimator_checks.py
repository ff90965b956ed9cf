"""scikit-learn's own checks, for every estimator and strategy."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
)
from dpdtree._params.tree import STRATEGIES

ESTIMATORS = [
    estimator(strategy=strategy)
    for estimator in (DPDTreeClassifier, DPDTreeRegressor)
    for strategy in STRATEGIES
]
ESTIMATORS += [
    DPDTAdaBoostClassifier(),
    DPDTBoostingClassifier(max_iter=10),
    DPDTBoostingRegressor(max_iter=10),
    DPDTBoostingClassifier(max_iter=10, min_samples_leaf=1, lookahead=None),
    DPDTBoostingRegressor(max_iter=10, min_samples_leaf=1, lookahead=None),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_estimator(estimator, check):
    check(estimator)
