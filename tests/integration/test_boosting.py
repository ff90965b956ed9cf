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

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor, DPDTreeRegressor
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


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_infinite_values_are_refused(value, dtype):
    X, y = make_classes(100, n_classes=2)
    model = fitted(DPDTBoostingClassifier, X.astype(dtype), y)
    bad = X.astype(dtype)
    bad[3, 4] = value
    calls = {
        "predict": lambda: model.predict(bad),
        "proba": lambda: model.predict_proba(bad),
        "staged": lambda: list(model.staged_predict(bad)),
        "fit": lambda: fitted(DPDTBoostingClassifier, bad, y),
        "X_val": lambda: DPDTBoostingClassifier().fit(X, y, X_val=bad, y_val=y),
    }
    for name, call in calls.items():
        with pytest.raises(ValueError, match=r"X contains infinity.* in X\[:, 4\]"):
            pytest.fail(f"{name}: {call()}")


def test_missing_values_go_where_the_fit_sent_them():
    X, y = make_targets(300)
    X = np.where(X < -1, np.nan, X)
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


@pytest.mark.parametrize("loss", ["log_loss", lambda y, raw: (raw - 7, raw * 0 + 1)])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_one_class_is_the_prediction(loss, early_stopping):
    X, _ = make_classes(40)
    model = DPDTBoostingClassifier(
        loss=loss,
        max_iter=5,
        early_stopping=early_stopping,
        scoring="accuracy",
        l2_regularization=0.0,
    ).fit(X, np.full(40, "only"))
    assert list(model.classes_) == ["only"]
    assert (model.predict(X) == "only").all()
    np.testing.assert_array_equal(model.predict_proba(X), np.ones((40, 1)))
    assert all((p == 1.0).all() for p in model.staged_predict_proba(X))


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize(("estimator", "make"), BOTH)
def test_nothing_is_random(estimator, make, lookahead):
    X, y = make(10_050)
    drawn = {"subsample": 0.5, "max_features": 0.5, "lookahead": lookahead}
    one, other = (estimator(max_iter=3, **drawn).fit(X, y) for _ in range(2))
    assert one.do_early_stopping_
    assert_same_model(one, other, X)
    zero = estimator(max_iter=3, random_state=0, **drawn).fit(X, y)
    assert_same_model(one, zero, X)
    seeded = estimator(max_iter=3, random_state=1, **drawn).fit(X, y)
    assert seeded.booster_.to_bytes() != one.booster_.to_bytes()


def test_a_class_with_one_row():
    X, y = make_classes(10_050, n_classes=2)
    y = np.where(y > 0, "many", "some").astype("<U5")
    y[77] = "one"
    model = DPDTBoostingClassifier(max_iter=2).fit(X, y)
    assert model.do_early_stopping_
    assert list(model.classes_) == ["many", "one", "some"]


TOO_LARGE = [
    ("squared_error", 1.7e308, None, "y must lie between -1e.150 and 1e.150, got"),
    ("squared_error", -1e151, None, "y must lie between .* size 1e.151"),
    ("gamma", 1.7e308, None, "y must lie between -1e.300 and 1e.300"),
    ("absolute_error", 1.7e308, None, "y must lie between"),
    ("quantile", -1.7e308, None, "y must lie between"),
    ("squared_error", 1e150, 1e10, "y times sample_weight is too large"),
    ("gamma", 1e299, 1e10, "y times sample_weight is too large"),
    ("absolute_error", -1e299, 1e10, "y times sample_weight is too large"),
]


@pytest.mark.parametrize(("loss", "target", "weight", "text"), TOO_LARGE)
def test_targets_that_overflow_in_sum(loss, target, weight, text):
    X, y = make_targets(20)
    y = np.abs(y)
    y[0] = target
    weights = None if weight is None else np.full(20, weight)
    quantile = 0.5 if loss == "quantile" else None
    model = DPDTBoostingRegressor(loss=loss, quantile=quantile)
    with pytest.raises(ValueError, match=text):
        model.fit(X, y, weights)
    validation = {"X_val": X, "y_val": y, "sample_weight_val": weights}
    text = text.replace("y ", "y_val ", 1).replace("weight ", "weight_val ")
    with pytest.raises(ValueError, match=text):
        model.fit(X, np.ones(20), **validation)


@pytest.mark.parametrize("loss", ["squared_error", "poisson"])
def test_targets_too_far_spread(loss):
    X, y = make_targets(20)
    with pytest.raises(ValueError, match="y is too far spread"):
        DPDTBoostingRegressor(loss=loss).fit(X, np.abs(y) * 1e45)


def test_weights_too_small_to_divide_by():
    X, y = make_targets(20)
    with pytest.raises(
        ValueError, match=r"sample_weight must have a sum of at least 2\.23e-308"
    ):
        DPDTBoostingRegressor().fit(X, y, np.full(20, 1e-310))


def test_monotonic_constraint_of_categories_is_refused():
    frame = pd.DataFrame(
        {"a": np.arange(60) % 9, "c": pd.Categorical(list("xyz") * 20)}
    )
    y = np.arange(60) % 2
    for estimator in (DPDTBoostingClassifier, DPDTBoostingRegressor):
        with pytest.raises(ValueError, match=r"monotonic_cst .*\['c'\], which are cat"):
            estimator(monotonic_cst={"c": 1}).fit(frame, y)
        with pytest.raises(ValueError, match=r"monotonic_cst .*\[1\], which are cat"):
            estimator(monotonic_cst=[0, -1], categorical_features=[1]).fit(
                np.column_stack([frame["a"], y]), y
            )
        estimator(monotonic_cst={"a": 1}, max_iter=2).fit(frame, y)


@pytest.mark.parametrize("kind", [float, np.float32, int, np.int8])
@pytest.mark.parametrize("estimator", [DPDTBoostingRegressor, DPDTreeRegressor])
def test_directions_of_any_numeric_type(estimator, kind):
    X, y = make_targets(200)
    wanted = np.array([0, 1, 0, -1, 0])
    model = estimator(monotonic_cst=wanted.astype(kind)).fit(X, y)
    same = estimator(monotonic_cst=wanted.tolist()).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    by_name = {name: kind(d) for name, d in zip("abcde", wanted, strict=True)}
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = estimator(monotonic_cst=by_name).fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), same.predict(X))


def test_no_direction_for_three_classes():
    X, y = make_classes(100)
    fitted(DPDTBoostingClassifier, X, y, monotonic_cst=np.zeros(5))
    with pytest.raises(ValueError, match="three or more classes"):
        fitted(DPDTBoostingClassifier, X, y, monotonic_cst=[0, 0.0, 1, 0, 0])


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
