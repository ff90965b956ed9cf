"""scikit-learn's own checks, for both estimators and every strategy."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree._params import STRATEGIES

ESTIMATORS = [
    estimator(strategy=strategy)
    for estimator in (DPDTreeClassifier, DPDTreeRegressor)
    for strategy in STRATEGIES
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_estimator(estimator, check):
    check(estimator)
