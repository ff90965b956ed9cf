"""DPDTBoostingClassifier and DPDTBoostingRegressor as users meet them."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import mean_pinball_loss
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor
from tests.integration.boosted import BOTH, LOOKAHEADS, assert_same_model, fitted
from tests.integration.data import make_classes, make_targets, with_missing


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize(("estimator", "make"), BOTH)
def test_learns(estimator, make, lookahead):
    X, y = make(900, seed=3)
    model = fitted(estimator, X[:600], y[:600], lookahead=lookahead, max_iter=60)
    assert model.score(X[600:], y[600:]) > 0.6
    assert model.n_iter_ == 60
    assert model.stop_reason_ == "completed"
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    counts = model.compute_feature_importances("split", normalize=False)
    assert counts.sum() == int(counts.sum()) > 0


def test_two_classes():
    X, y = make_classes(400, n_classes=2)
    y = np.where(y > 0, "yes", "no")
    model = fitted(DPDTBoostingClassifier, X, y)
    raw, probability = model.decision_function(X), model.predict_proba(X)
    assert raw.shape == (400,)
    np.testing.assert_allclose(probability[:, 1], expit(raw))
    np.testing.assert_array_equal(model.predict(X), np.where(raw > 0, "yes", "no"))
    np.testing.assert_allclose(model.predict_log_proba(X), np.log(probability))
    assert model.n_trees_per_iteration_ == 1


def test_three_classes():
    X, y = make_classes(400)
    model = fitted(DPDTBoostingClassifier, X, y)
    assert model.decision_function(X).shape == (400, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.n_trees_per_iteration_ == 3


@pytest.mark.parametrize(("estimator", "make"), BOTH)
def test_stages_end_with_the_model(estimator, make):
    X, y = make(200)
    model = fitted(estimator, X, y)
    names = ["predict"]
    if hasattr(model, "classes_"):
        names += ["predict_proba", "decision_function"]
    for name in names:
        stages = list(getattr(model, f"staged_{name}")(X))
        assert len(stages) == model.n_iter_
        np.testing.assert_array_equal(stages[-1], getattr(model, name)(X))


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize(("estimator", "make"), BOTH)
def test_threads_do_not_matter(estimator, make, lookahead):
    X, y = make(500)
    X = with_missing(X)
    sampled = {"subsample": 0.7, "max_features": 0.6, "lookahead": lookahead}
    one, two = (fitted(estimator, X, y, n_jobs=n, **sampled) for n in (1, 2))
    assert_same_model(one, two, X)


@pytest.mark.parametrize("loss", ["absolute_error", "poisson", "gamma", "quantile"])
def test_losses(loss):
    X, y = make_targets(600)
    y = np.exp(y / 4)
    quantile = 0.9 if loss == "quantile" else None
    model = fitted(DPDTBoostingRegressor, X, y, loss=loss, quantile=quantile)
    first, *_, last = model.staged_predict(X)
    if loss == "quantile":
        assert mean_pinball_loss(y, last, alpha=0.9) < mean_pinball_loss(
            y, first, alpha=0.9
        )
        assert np.mean(y <= last) == pytest.approx(0.9, abs=0.05)
    else:
        assert np.abs(y - last).mean() < np.abs(y - first).mean()
    if loss in ("poisson", "gamma"):
        assert model.predict(X).min() > 0


@pytest.mark.parametrize(
    ("parameters", "change", "text"),
    [
        ({"loss": "quantile"}, 0, "needs the 'quantile' parameter"),
        ({"loss": "poisson"}, -100, "non-negative y"),
        ({"loss": "gamma"}, -100, "strictly positive y"),
        ({"loss": "log_loss"}, 0, "'loss' parameter of DPDTBoostingRegressor"),
        ({"learning_rate": 0}, 0, "'learning_rate'"),
        ({"lookahead": "far"}, 0, "'lookahead'"),
        ({"subsample": 0.0}, 0, "'subsample'"),
        ({"max_bins": 256}, 0, "'max_bins'"),
        ({"monotonic_cst": [2]}, 0, "'monotonic_cst'"),
        ({"monotonic_cst": [1]}, 0, "monotonic_cst has 1 entries"),
        ({"interaction_cst": "all"}, 0, "'interaction_cst'"),
        ({"interaction_cst": [[7]]}, 0, "interaction_cst lists"),
        ({"early_stopping": "yes"}, 0, "'early_stopping'"),
        ({"scoring": "no_scorer", "early_stopping": False}, 0, "'scoring'"),
        ({"categorical_features": [1.5]}, 0, "'categorical_features'"),
    ],
)
def test_bad_parameters(parameters, change, text):
    X, y = make_targets(50)
    model = DPDTBoostingRegressor(**parameters)
    with pytest.raises(ValueError, match=text):
        model.fit(X, y + change)


@pytest.mark.parametrize("weight", [1e100, 1e300])
def test_weights_too_large_are_named(weight):
    X, y = make_targets(50)
    with pytest.raises(ValueError, match="sample_weight is too large"):
        DPDTBoostingRegressor().fit(X, y, np.full(50, weight))


def test_infinite_and_missing_values_go_where_the_fit_sent_them():
    X, y = make_targets(300)
    X = np.where(X > 1, np.inf, np.where(X < -1, np.nan, X))
    model = DPDTBoostingRegressor(
        max_iter=10, lookahead=None, early_stopping=True, validation_fraction=None
    ).fit(X, y)
    error = np.mean((model.predict(X) - y) ** 2)
    assert model.train_score_[-1] == pytest.approx(-error / 2)


def test_limits_beyond_every_number_of_rows():
    X, y = make_targets(50)
    limits = dict.fromkeys(("max_depth", "max_leaf_nodes", "n_candidates"), 10**20)
    for lookahead in (None, "light", "strong"):
        model = DPDTBoostingRegressor(max_iter=2, lookahead=lookahead, **limits)
        model.fit(X, y)
    model.set_params(min_samples_leaf=10**20, newton=np.True_).fit(X, y)
    assert np.ptp(model.predict(X)) == 0.0


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class only"):
        DPDTBoostingClassifier().fit(np.zeros((5, 1)), np.zeros(5))


def test_monotonic_constraint():
    X, y = make_targets(600)
    y = y + X[:, 3] / 10
    model = fitted(
        DPDTBoostingRegressor, X, y, monotonic_cst=[0, 0, 0, 1, 0], max_iter=30
    )
    line = np.tile(X[:20].mean(axis=0), (50, 1))
    line[:, 3] = np.linspace(X[:, 3].min(), X[:, 3].max(), 50)
    assert (np.diff(model.predict(line)) >= 0).all()
    X, y = make_classes(100)
    with pytest.raises(ValueError, match="three or more classes"):
        fitted(DPDTBoostingClassifier, X, y, monotonic_cst=[1, 0, 0, 0, 0])


def test_class_weight_is_sample_weight():
    X, y = make_classes(300)
    weights = {0: 1.0, 1: 5.0, 2: 0.5}
    one = fitted(DPDTBoostingClassifier, X, y, class_weight=weights)
    other = DPDTBoostingClassifier(max_iter=12, random_state=0, early_stopping=False)
    other.fit(X, y, sample_weight=np.array([1.0, 5.0, 0.5])[y])
    assert_same_model(one, other, X)


@pytest.mark.parametrize(("estimator", "make"), BOTH)
def test_pickles_are_small_and_equal(estimator, make):
    X, y = make(3000)
    model = fitted(estimator, X, y)
    text = pickle.dumps(model)
    assert_same_model(pickle.loads(text), model, X)
    trees = model.n_iter_ * model.n_trees_per_iteration_
    assert len(text) < 8_000 + trees * 61 * 120


def test_frames_and_tools():
    X, y = make_classes(300, n_classes=2)
    y = np.minimum(y, 1)
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = fitted(DPDTBoostingClassifier, frame, y, monotonic_cst={"a": 1})
    assert list(model.feature_names_in_) == list("abcde")
    search = GridSearchCV(
        make_pipeline(StandardScaler(), DPDTBoostingClassifier(max_iter=5)),
        {"dpdtboostingclassifier__lookahead": [None, "light"]},
        cv=2,
    ).fit(X, y)
    assert search.best_score_ > 0.5
    calibrated = CalibratedClassifierCV(DPDTBoostingClassifier(max_iter=5), cv=2)
    assert calibrated.fit(X, y).predict_proba(X).shape == (300, 2)
