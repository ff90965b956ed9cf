"""The estimators inside scikit-learn's meta-estimators."""

from __future__ import annotations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.ensemble import AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier
from sklearn.inspection import permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree._threads import n_threads
from tests.integration.data import assert_same_tree, make_classes, make_targets

LIGHT = {"max_depth": 2, "n_candidates": 3}


def test_grid_search():
    X, y = make_classes()
    grid = {
        "alpha": [0.0, 0.01],
        "n_candidates": [2, (4, 1)],
        "loss": ["zero_one", "gini"],
    }
    search = GridSearchCV(
        DPDTreeClassifier(max_depth=2), grid, cv=3, error_score="raise"
    )
    assert search.fit(X, y).best_score_ > 0.4


def test_grid_search_in_processes():
    X, y = make_classes()
    grid = {"alpha": [0.0, 0.01]}
    search = GridSearchCV(DPDTreeClassifier(**LIGHT), grid, cv=2, n_jobs=2)
    assert search.fit(X, y).best_score_ > 0.4


def test_pipeline():
    X, y = make_classes()
    scaled = make_pipeline(StandardScaler(), DPDTreeClassifier(**LIGHT)).fit(X, y)
    plain = DPDTreeClassifier(**LIGHT).fit(X, y)
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))


def test_boosting_and_bagging():
    X, y = make_classes()
    base = DPDTreeClassifier(**LIGHT)
    alone = base.fit(X, y).score(X, y)
    boosted = AdaBoostClassifier(base, n_estimators=10, random_state=0).fit(X, y)
    assert boosted.score(X, y) > alone
    bagged = BaggingClassifier(base, n_estimators=5, random_state=0).fit(X, y)
    assert bagged.score(X, y) > 0.5


def test_boosting_of_a_regressor():
    X, y = make_targets()
    base = DPDTreeRegressor(**LIGHT)
    boosted = AdaBoostRegressor(base, n_estimators=10, random_state=0).fit(X, y)
    assert boosted.score(X, y) > 0.3


def test_other_wrappers():
    X, y = make_classes()
    assert OneVsRestClassifier(DPDTreeClassifier(**LIGHT)).fit(X, y).score(X, y) > 0.5
    assert cross_val_score(DPDTreeClassifier(**LIGHT), X, y, cv=3).mean() > 0.4
    model = DPDTreeClassifier(**LIGHT).fit(X, y)
    result = permutation_importance(model, X, y, n_repeats=2, random_state=0)
    assert result.importances_mean.argmax() in (0, 1, 2)
    both = MultiOutputRegressor(DPDTreeRegressor(**LIGHT)).fit(X, X[:, :2])
    assert both.predict(X).shape == (len(X), 2)


@pytest.mark.native
@pytest.mark.parametrize("n_jobs", [2, 4, -1])
def test_threads_do_not_change_the_tree(n_jobs):
    X, y = make_classes(2000)
    one = DPDTreeClassifier().fit(X, y)
    many = DPDTreeClassifier(n_jobs=n_jobs).fit(X, y)
    assert_same_tree(one, many)
    np.testing.assert_array_equal(one.apply(X), many.apply(X))


def test_joblib_context_sets_the_number_of_threads():
    X, y = make_classes()
    with parallel_config(backend="threading", n_jobs=2):
        assert n_threads(DPDTreeClassifier().n_jobs) == 2
        model = DPDTreeClassifier().fit(X, y)
    assert n_threads(DPDTreeClassifier().n_jobs) == 1
    assert_same_tree(model, DPDTreeClassifier().fit(X, y))
