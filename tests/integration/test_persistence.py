"""Copies of an estimator: pickle, joblib, clone, deepcopy."""

from __future__ import annotations

import copy
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from tests.integration.data import assert_same_tree, make_classes, make_targets


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
