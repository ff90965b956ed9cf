"""Copies of an estimator: pickle, joblib, clone, deepcopy."""

from __future__ import annotations

import copy
import pickle
import re

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from tests.integration.data import assert_same_tree, make_classes, make_targets

STRATEGIES = ("greedy", "paper", "balanced")


@pytest.fixture(params=["classifier", "regressor"])
def fitted(request):
    if request.param == "classifier":
        return DPDTreeClassifier(n_candidates=(3, 2)).fit(*make_classes())
    return DPDTreeRegressor(n_candidates=(3, 2)).fit(*make_targets())


def by_joblib(model, tmp_path):
    joblib.dump(model, tmp_path / "model")
    return joblib.load(tmp_path / "model")


@pytest.mark.parametrize(
    "copied",
    [
        *(
            lambda model, _, p=protocol: pickle.loads(pickle.dumps(model, protocol=p))
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
        ),
        by_joblib,
        lambda model, _: copy.deepcopy(model),
    ],
)
def test_copies_predict_alike(fitted, copied, tmp_path):
    X, _ = make_classes()
    twin = copied(fitted, tmp_path)
    assert_same_tree(twin, fitted)
    np.testing.assert_array_equal(twin.predict(X), fitted.predict(X))
    assert twin.report_ == fitted.report_
    assert twin.objective_ == fitted.objective_
    assert twin.get_params() == fitted.get_params()


def test_clone_is_unfitted(fitted):
    twin = clone(fitted)
    assert twin.get_params() == fitted.get_params()
    assert not twin.__sklearn_is_fitted__()


def test_no_training_data_is_kept():
    sizes = []
    for n_samples in (1_000, 20_000):
        X, y = make_classes(n_samples)
        model = DPDTreeClassifier(max_depth=2, n_candidates=2).fit(X, y)
        sizes.append(len(pickle.dumps(model)))
    assert max(sizes) < 4_000
    assert abs(sizes[0] - sizes[1]) < 500


def test_unpickled_array_of_trees():
    models = [DPDTreeClassifier(max_depth=d).fit(*make_classes()) for d in (1, 2)]
    for model, twin in zip(models, pickle.loads(pickle.dumps(models)), strict=True):
        assert_same_tree(model, twin)


@pytest.mark.parametrize(
    ("estimator", "make"),
    [
        *((DPDTreeClassifier(strategy=s), make_classes) for s in STRATEGIES),
        (DPDTreeClassifier(strategy="optimal", max_depth=2), make_classes),
        (DPDTreeRegressor(), make_targets),
        (DPDTreeClassifierCV(max_depth=2), make_classes),
        (DPDTreeRegressorCV(max_depth=2), make_targets),
        (DPDTAdaBoostClassifier(n_estimators=3), make_classes),
        (DPDTBoostingClassifier(max_iter=3, random_state=0), make_classes),
        (DPDTBoostingRegressor(max_iter=3, random_state=0), make_targets),
    ],
)
def test_equal_fits_have_equal_hashes(estimator, make):
    X, y = make()
    hashes = {joblib.hash(clone(estimator).fit(X, y)) for _ in range(3)}
    assert len(hashes) == 1
    other = clone(estimator).fit(X[::2], y[::2])
    assert joblib.hash(other) not in hashes


def test_seconds_are_not_pickled():
    X, y = make_classes()
    model = DPDTreeClassifier(strategy="optimal", max_depth=2).fit(X, y)
    report, copied = model.report_, copy.deepcopy(model).report_
    again = pickle.loads(pickle.dumps(model)).report_
    assert (report.seconds > 0.0, np.isnan(again.seconds)) == (True, True)
    assert copied.seconds == report.seconds
    assert report == again == copied
    assert repr(again) == re.sub(r" in \S+ s", "", repr(report))
    assert [step[1:] for step in again.trace] == [step[1:] for step in report.trace]
    assert report.trace
