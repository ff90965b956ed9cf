"""scikit-learn's own checks, for every estimator and strategy."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpdtree import DPDTAdaBoostClassifier, DPDTreeClassifier, DPDTreeRegressor
from dpdtree._params import STRATEGIES

ESTIMATORS = [
    estimator(strategy=strategy)
    for estimator in (DPDTreeClassifier, DPDTreeRegressor)
    for strategy in STRATEGIES
]
ESTIMATORS.append(DPDTAdaBoostClassifier(n_estimators=5))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_estimator(estimator, check):
    check(estimator)
