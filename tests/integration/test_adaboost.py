"""DPDTAdaBoostClassifier: limits, reasons to stop, input forms, tools."""

from __future__ import annotations

import pickle
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dpdtree import DPDTAdaBoostClassifier
from dpdtree._fitted import fitted_attributes
from tests.integration.data import assert_same_tree, make_classes, with_missing


def test_boosting_beats_one_tree():
    X, y = make_classes(600)
    model = DPDTAdaBoostClassifier(n_estimators=20, max_depth=2).fit(X[:400], y[:400])
    stages = list(model.staged_score(X[400:], y[400:]))
    assert len(model.estimators_) == len(stages) == 20
    assert stages[-1] > stages[0]
    assert stages[-1] == model.score(X[400:], y[400:])
    assert model.stop_reason_ == "completed"


def test_independent_of_threads_and_missing_values():
    X, y = make_classes(300)
    X = with_missing(X)
    one, two = (
        DPDTAdaBoostClassifier(n_estimators=5, n_jobs=n).fit(X, y) for n in (1, 2)
    )
    for a, b in zip(one.estimators_, two.estimators_, strict=True):
        assert_same_tree(a, b)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_bins_are_those_of_the_first_weights():
    X, y = make_classes(400)
    model = DPDTAdaBoostClassifier(n_estimators=10, max_depth=2, max_bins=4).fit(X, y)
    for feature in range(X.shape[1]):
        thresholds = {
            t
            for tree in model.estimators_
            for f, t in zip(tree.tree_.feature, tree.tree_.threshold, strict=True)
            if f == feature
        }
        assert len(thresholds) <= 3


def test_perfect_tree_is_the_last():
    X, y = np.arange(8.0)[:, None], np.arange(8) // 4
    model = DPDTAdaBoostClassifier().fit(X, y)
    assert model.stop_reason_ == "perfect"
    assert len(model.estimators_) == 1
    assert model.estimator_weights_[0] == 1.0
    assert model.estimator_errors_[0] == 0.0


def test_no_better_than_chance():
    X, y = np.zeros((4, 1)), np.array([0, 1, 0, 1])
    model = DPDTAdaBoostClassifier()
    with pytest.raises(ValueError, match="no better than chance"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_later_tree_no_better_than_chance():
    X, y = np.zeros((4, 1)), np.array([0, 0, 0, 1])
    model = DPDTAdaBoostClassifier(n_estimators=9).fit(X, y)
    assert model.stop_reason_ == "chance"
    assert len(model.estimators_) == 1
    assert model.score(X, y) == 0.75


def test_infinite_weights():
    X, y = make_classes(100)
    model = DPDTAdaBoostClassifier(max_depth=1, learning_rate=1e6, n_estimators=5)
    with pytest.warns(RuntimeWarning, match="smaller learning_rate"):
        model.fit(X, y)
    assert model.stop_reason_ == "overflow"
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("limit", [0.0, 0.3])
def test_time_limit_holds_for_the_whole_ensemble(limit):
    X, y = make_classes(3000, 20)
    model = DPDTAdaBoostClassifier(
        n_estimators=100_000, max_depth=4, time_limit=limit, strategy="optimal"
    )
    start = time.perf_counter()
    model.fit(X, y)
    assert time.perf_counter() - start < limit + 2.0
    assert model.stop_reason_ == "time_limit"
    assert len(model.estimators_) >= 1
    assert model.predict(X).shape == y.shape


def test_time_limit_leaves_out_the_unfinished_tree():
    X, y = make_classes(500)
    model = DPDTAdaBoostClassifier(n_estimators=100_000, time_limit=0.2).fit(X, y)
    reasons = {tree.report_.stop_reason for tree in model.estimators_[1:]}
    assert reasons == {"completed"}


def test_trees_that_are_not_made_take_no_memory():
    X, y = make_classes(100)
    model = DPDTAdaBoostClassifier(n_estimators=10**15, time_limit=0.1).fit(X, y)
    assert len(model.estimator_weights_) == len(model.estimators_) < 10**6
    assert len(model.estimator_errors_) == len(model.estimators_)


@pytest.mark.parametrize("n_estimators", [1, 50, 200])
def test_rows_that_weigh_nothing_are_not_boosted(n_estimators):
    X, y = make_classes(200)
    weight = {0: 1e5, 1: 1e-3, 2: 1e-3}
    model = DPDTAdaBoostClassifier(n_estimators=n_estimators, class_weight=weight)
    assert model.fit(X, y).stop_reason_ == "perfect"
    assert 0.0 < model.estimator_errors_[0] < 1e-6
    np.testing.assert_array_equal(model.predict(X), model.estimators_[0].predict(X))


@pytest.mark.parametrize("weight", [5e-324, 1e-310])
def test_weights_too_small_to_divide_by(weight):
    X, y = make_classes(50)
    with pytest.raises(
        ValueError, match=r"sample_weight must have a sum of at least 2\.23e-308"
    ):
        DPDTAdaBoostClassifier().fit(X, y, np.full(50, weight))


def test_overflow_of_class_weights_is_named():
    X, y = make_classes(50)
    model = DPDTAdaBoostClassifier(class_weight={0: 1e300, 1: 1.0, 2: 1.0})
    with pytest.raises(ValueError, match=r"class_weight with .* finite"):
        model.fit(X, y, np.full(50, 1e20))


def test_failed_fit_leaves_nothing():
    X, y = make_classes(50)
    model = DPDTAdaBoostClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="n_estimators"):
        model.set_params(n_estimators=0).fit(X, y)
    assert not fitted_attributes(model)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [("n_estimators", 1.5), ("learning_rate", 0.0), ("time_limit", -1), ("alpha", "x")],
)
def test_bad_parameters(parameter, value):
    X, y = make_classes(20)
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of DPDTAda"):
        DPDTAdaBoostClassifier(**{parameter: value}).fit(X, y)


def test_infinite_values_are_refused():
    X, y = make_classes(20)
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        DPDTAdaBoostClassifier().fit(X, y)


def test_frames_pickles_and_tools():
    X, y = make_classes(120)
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = DPDTAdaBoostClassifier(n_estimators=3, max_depth=2).fit(frame, y)
    assert list(model.feature_names_in_) == list("abcde")
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        again.predict_proba(frame), model.predict_proba(frame)
    )
    search = GridSearchCV(
        make_pipeline(StandardScaler(), model),
        {"dpdtadaboostclassifier__max_depth": [1, 2]},
        cv=2,
    ).fit(X, y)
    assert search.best_score_ > 0.5


def test_verbose_shows_the_round(capsys, monkeypatch):
    monkeypatch.setattr("dpdtree._progress.INTERVAL", 0.0)
    monkeypatch.setattr("dpdtree._progress.STRETCH", 0.0)
    X, y = make_classes(60)
    DPDTAdaBoostClassifier(n_estimators=3, max_depth=1, verbose=1).fit(X, y)
    assert "tree 2 of 3, error 0." in capsys.readouterr().out
