"""Boosting from iteration to iteration: stopping, going on, own losses, callbacks."""

from __future__ import annotations

import re
import time

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor
from dpdtree._fitted import fitted_attributes
from tests.integration.boosted import (
    BOTH,
    LOOKAHEADS,
    assert_same_model,
    fitted,
    pace_of,
)
from tests.integration.data import make_classes, make_targets


def squared(y, raw):
    return raw - y, np.ones_like(y)


@pytest.mark.parametrize("lookahead", LOOKAHEADS)
@pytest.mark.parametrize(("estimator", "make"), BOTH)
def test_warm_start_continues_bit_equally(estimator, make, lookahead):
    X, y = make(400)
    sampled = {"subsample": 0.7, "max_features": 0.6, "lookahead": lookahead}
    model = fitted(estimator, X, y, max_iter=4, warm_start=True, **sampled)
    model.set_params(max_iter=9).fit(X, y)
    rate = model.learning_rate_
    whole = fitted(estimator, X, y, max_iter=9, learning_rate=rate, **sampled)
    assert_same_model(model, whole, X)


def test_warm_start_keeps_what_was_chosen():
    X, y = make_targets(400)
    model = fitted(DPDTBoostingRegressor, X, y, max_iter=20)
    assert model.learning_rate_ == 0.3  # few iterations
    model.set_params(warm_start=True, max_iter=30).fit(X, y)
    whole = fitted(DPDTBoostingRegressor, X, y, max_iter=30, learning_rate=0.3)
    assert_same_model(model, whole, X)


def test_warm_start_with_early_stopping():
    X, y = make_classes(600, seed=5)
    stop = {"early_stopping": True, "n_iter_no_change": 5, "learning_rate": 0.5}
    whole = fitted(DPDTBoostingClassifier, X, y, max_iter=60, **stop)
    model = fitted(DPDTBoostingClassifier, X, y, max_iter=3, warm_start=True, **stop)
    model.set_params(max_iter=60).fit(X, y)
    assert_same_model(model, whole, X)
    np.testing.assert_array_equal(model.validation_score_, whole.validation_score_)


def test_warm_start_refuses_what_does_not_continue():
    X, y = make_classes(200)
    model = fitted(DPDTBoostingClassifier, X, y, max_iter=5, warm_start=True)
    before = model.booster_.to_bytes()
    with pytest.raises(ValueError, match="max_iter=3 must not be below the 5"):
        model.set_params(max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="labels must stay the same"):
        model.set_params(max_iter=6).fit(X, y + 1)
    with pytest.raises(ValueError, match="features"):
        model.fit(X[:, :2], y)
    assert model.booster_.to_bytes() == before
    assert model.fit(X, y).n_iter_ == 6


@pytest.mark.parametrize(("estimator", "make"), BOTH)
@pytest.mark.parametrize("fraction", [0.2, 50, None])
def test_early_stopping_keeps_the_best_iteration(estimator, make, fraction):
    X, y = make(500)
    model = fitted(
        estimator,
        X,
        y,
        max_iter=200,
        learning_rate=1.0,
        early_stopping=True,
        validation_fraction=fraction,
        n_iter_no_change=4,
        tol=0.0 if fraction else 1e-2,
    )
    assert model.do_early_stopping_
    assert model.stop_reason_ == "early_stopping"
    deciding = model.train_score_ if fraction is None else model.validation_score_
    assert len(deciding) == len(model.train_score_) == model.n_iter_ + 1
    assert deciding[-1] == max(deciding)
    assert model.n_iter_ < 200


def test_given_validation_rows():
    X, y = make_classes(900)
    model = fitted(DPDTBoostingClassifier, X, y, early_stopping="auto")
    assert not model.do_early_stopping_
    assert len(model.validation_score_) == 0
    model.set_params(max_iter=100, learning_rate=0.5)
    model.fit(X[:600], y[:600], X_val=X[600:], y_val=y[600:])
    assert model.do_early_stopping_
    assert model.validation_score_[-1] == pytest.approx(
        -log_loss(y[600:], model.predict_proba(X[600:]))
    )
    assert model.train_score_[-1] == pytest.approx(
        -log_loss(y[:600], model.predict_proba(X[:600]))
    )
    weight = np.random.default_rng(0).random(300)
    model.fit(X[:600], y[:600], X_val=X[600:], y_val=y[600:], sample_weight_val=weight)
    assert model.validation_score_[-1] == pytest.approx(
        -log_loss(y[600:], model.predict_proba(X[600:]), sample_weight=weight)
    )


@pytest.mark.parametrize(("estimator", "make"), BOTH)
@pytest.mark.parametrize("scoring", ["loss", None])
def test_learning_curves_are_kept_without_early_stopping(estimator, make, scoring):
    X, y = make(600)
    model = estimator(max_iter=15, early_stopping=False, scoring=scoring)
    model.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    assert not model.do_early_stopping_
    assert model.n_iter_ == 15
    assert len(model.train_score_) == len(model.validation_score_) == 16
    if scoring is None:
        assert model.train_score_[-1] == model.score(X[:400], y[:400])
        assert model.validation_score_[-1] == model.score(X[400:], y[400:])
    plain = estimator(max_iter=15, scoring=scoring).fit(X[:400], y[:400])
    assert_same_model(model, plain, X)
    np.testing.assert_array_equal(plain.train_score_, model.train_score_)


@pytest.mark.parametrize("scoring", ["accuracy", "neg_log_loss", None, "callable"])
def test_scorers(scoring):
    X, y = make_classes(500)
    if scoring == "callable":

        def scoring(estimator, X, y):
            return estimator.score(X, y)

    model = fitted(
        DPDTBoostingClassifier, X, y, early_stopping=True, scoring=scoring, max_iter=30
    )
    assert len(model.validation_score_) == model.n_iter_ + 1
    if scoring == "neg_log_loss":
        loss = fitted(DPDTBoostingClassifier, X, y, early_stopping=True, max_iter=30)
        np.testing.assert_allclose(model.validation_score_, loss.validation_score_)


def test_scorers_get_predictions_of_the_rows_they_ask_for():
    X, y = make_classes(500)
    seen = []

    def score(estimator, X, y):
        other = estimator.predict_proba(X[::2]), estimator.predict(X * 0)
        seen.append((estimator.predict(X), *other))
        return len(seen)  # the last iteration is the best

    model = DPDTBoostingClassifier(max_iter=5, scoring=score)
    model.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    assert model.n_iter_ == 5
    same, half, zeros = seen[-1]
    np.testing.assert_array_equal(same, model.predict(X[400:]))
    np.testing.assert_array_equal(half, model.predict_proba(X[400::2]))
    np.testing.assert_array_equal(zeros, model.predict(X[400:] * 0))


def test_scorers_get_categories_as_the_model_sees_them():
    X, y = make_classes(400, n_classes=2)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["a"] = pd.Categorical(np.where(X[:, 0] > 10, "high", "low"))
    seen = []

    def score(estimator, X, y):
        seen.append(estimator.predict_proba(X.copy()))
        return len(seen)

    model = DPDTBoostingClassifier(max_iter=5, scoring=score)
    model.fit(frame, y, X_val=frame, y_val=y)
    np.testing.assert_array_equal(seen[-1], model.predict_proba(frame))


def unweighted(estimator, X, y):
    return estimator.score(X, y)


class Weighted:
    """A scorer that notes the weights it gets."""

    def __init__(self):
        self.weights = []

    def __call__(self, estimator, X, y, sample_weight=None):
        self.weights.append(sample_weight)
        return estimator.score(X, y, sample_weight)


@pytest.mark.parametrize("weights", ["sample_weight", "class_weight"])
def test_scorers_with_and_without_weights(weights):
    X, y = make_classes(300, n_classes=2)
    weight = 1.0 + y
    given = {"early_stopping": True, "max_iter": 3}
    if weights == "class_weight":
        given["class_weight"] = {0: 1.0, 1: 2.0, 2: 3.0}
    sample_weight = weight if weights == "sample_weight" else None
    noting = Weighted()
    for scoring in (unweighted, noting, "adjusted_rand_score", "accuracy", max_raw):
        model = DPDTBoostingClassifier(scoring=scoring, **given)
        model.fit(X, y, sample_weight)
        assert np.isfinite(model.validation_score_).all()
    for seen in noting.weights:
        assert set(seen) <= {1.0, 2.0, 3.0}


def max_raw(estimator, X, y):
    return float(np.max(estimator.decision_function(X)))


@pytest.mark.parametrize(
    ("parameters", "arguments", "text"),
    [
        ({"loss": squared}, {"X_val": 1, "y_val": 1}, "no score to watch"),
        ({}, {"X_val": 1}, "X_val is given, but y_val is not"),
        ({}, {"y_val": 1}, "y_val is given, but X_val is not"),
        ({}, {"sample_weight_val": 1}, "sample_weight_val is given, but X_val"),
        ({}, {"X_val": 1, "y_val": 9}, "labels that y does not"),
    ],
)
def test_bad_validation_rows(parameters, arguments, text):
    X, y = make_classes(100)
    rows = {"X_val": X, "y_val": y, "sample_weight_val": np.ones(100)}
    given = {name: rows[name] for name in arguments}
    if arguments.get("y_val") == 9:
        given["y_val"] = y + 9
    with pytest.raises(ValueError, match=text):
        DPDTBoostingClassifier(**parameters).fit(X, y, **given)


def test_own_loss():
    X, y = make_targets(400)
    y = y - y.mean()
    own = fitted(DPDTBoostingRegressor, X, y, loss=squared)
    pace = pace_of(own)  # by the noise, which a loss of one's own does not tell
    stock = fitted(DPDTBoostingRegressor, X, y, **pace)
    np.testing.assert_allclose(own.predict(X), stock.predict(X), atol=1e-8)


def test_own_loss_for_classes():
    X, y = make_classes(400, n_classes=2)
    y = np.minimum(y, 1)

    def logistic(y, raw):
        p = expit(raw)
        return p - y, p * (1 - p)

    model = fitted(DPDTBoostingClassifier, X, y, loss=logistic, max_iter=40)
    stock = fitted(DPDTBoostingClassifier, X, y, max_iter=40)
    difference = np.abs(model.predict_proba(X) - stock.predict_proba(X)).mean()
    assert difference < 0.05


def test_nan_of_own_loss_names_the_iteration():
    X, y = make_targets(100)
    calls = []

    def loss(y, raw):
        calls.append(None)
        gradient = raw - y
        gradient[0] = np.nan if len(calls) == 3 else gradient[0]
        return gradient, np.ones_like(y)

    model = DPDTBoostingRegressor(loss=loss)
    with pytest.raises(ValueError, match=r"gradient .* at iteration 3 contains NaN"):
        model.fit(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_own_loss_and_early_stopping():
    X, y = make_targets(200)
    model = DPDTBoostingRegressor(loss=squared, early_stopping=True, max_iter=20)
    with pytest.raises(ValueError, match="no score to watch"):
        model.fit(X, y)
    assert len(model.set_params(scoring="r2").fit(X, y).validation_score_) > 1


def test_callbacks():
    X, y = make_classes(200)
    seen = []

    def stop_at_five(state):
        seen.append(state)
        return state.iteration == 5

    model = DPDTBoostingClassifier(max_iter=50).fit(X, y, callbacks=[stop_at_five])
    assert model.n_iter_ == 5
    assert model.stop_reason_ == "callback"
    assert [state.iteration for state in seen] == [1, 2, 3, 4, 5]
    assert seen[0].max_iter == 50
    assert [state.train_score for state in seen] == model.train_score_[1:].tolist()
    assert seen[0].validation_score is None


@pytest.mark.parametrize("warm_start", [False, True])
def test_interruption_leaves_nothing_half_made(warm_start):
    X, y = make_classes(200)
    model = fitted(DPDTBoostingClassifier, X, y, max_iter=3, warm_start=warm_start)
    before = model.booster_.to_bytes()

    def interrupt(state):
        if state.iteration == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.set_params(max_iter=9).fit(X, y, callbacks=[interrupt])
    if warm_start:
        assert model.booster_.to_bytes() == before
        assert model.n_iter_ == 3
    else:
        assert not fitted_attributes(model)


def test_time_limit():
    X, y = make_classes(2000)
    model = DPDTBoostingClassifier(max_iter=1_000_000, time_limit=0.3).fit(X, y)
    assert model.stop_reason_ == "time_limit"
    assert 1 <= model.n_iter_ < 1_000_000


class SlowArray:
    """Data that takes its time to become an array."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        time.sleep(0.2)
        return np.asarray(self.array, dtype)


@pytest.mark.parametrize("loss", ["squared_error", "own"])
@pytest.mark.parametrize("early_stopping", [False, True])
def test_time_limit_counts_from_the_beginning_of_fit(loss, early_stopping):
    X, y = make_targets(200)
    model = DPDTBoostingRegressor(
        loss=squared if loss == "own" else loss,
        max_iter=1000,
        time_limit=0.2,
        early_stopping=early_stopping,
        scoring="r2",
    ).fit(SlowArray(X), y)
    assert model.stop_reason_ == "time_limit"
    assert model.n_iter_ == 0
    assert np.ptp(model.predict(X)) == 0.0


def test_own_loss_with_weights_is_repeated_rows():
    X, y = make_targets(200, seed=0)
    weight = np.random.default_rng(0).integers(0, 4, 200)
    rows = np.repeat(np.arange(200), weight)
    one, other = (
        DPDTBoostingRegressor(
            loss=lambda y, raw: (raw - y, np.ones_like(y)), min_samples_leaf=1
        )
        for _ in range(2)
    )
    one.fit(X, y, sample_weight=weight)
    other.fit(X[rows], y[rows])
    np.testing.assert_allclose(one.predict(X), other.predict(X), rtol=1e-12)


def test_verbose_shows_the_iteration(capsys, monkeypatch):
    monkeypatch.setattr("dpdtree._progress.INTERVAL", 0.0)
    monkeypatch.setattr("dpdtree._progress.STRETCH", 0.0)
    X, y = make_classes(100)
    fitted(DPDTBoostingClassifier, X, y, verbose=1, early_stopping=True, max_iter=3)
    printed = capsys.readouterr().out
    assert re.search(r"iteration [123] of 3 \(\d+ %\), train score -", printed)
    assert "validation score -" in printed
