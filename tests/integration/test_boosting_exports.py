"""Boosted trees elsewhere: XGBoost, ONNX; and categories split by sets."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pandas as pd
import pytest
import treelite
import xgboost

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor
from tests.integration.data import make_classes, make_targets, with_missing
from tests.integration.test_boosting import fitted


def single(X):
    """X in the precision of the other tools."""
    return X.astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_to_xgboost_and_onnx_of_classifiers(n_classes):
    X, y = make_classes(400, n_classes=3)
    X, y = with_missing(single(X)), np.minimum(y, n_classes - 1)
    model = fitted(DPDTBoostingClassifier, X, y, max_iter=40)
    expected = model.predict_proba(X)
    predicted = model.to_xgboost().predict(xgboost.DMatrix(X))
    if n_classes == 2:
        predicted = np.column_stack([1 - predicted, predicted])
    np.testing.assert_allclose(predicted, expected, atol=1e-6)
    label, probabilities = run_onnx(model.to_onnx(), X)
    np.testing.assert_allclose(probabilities, expected, atol=1e-12)
    np.testing.assert_array_equal(label, model.predict(X))


@pytest.mark.parametrize("loss", ["squared_error", "poisson", "quantile"])
def test_to_xgboost_and_onnx_of_regressors(loss):
    X, y = make_targets(400)
    X, y = with_missing(single(X)), np.exp(y / 4)
    quantile = 0.3 if loss == "quantile" else None
    model = fitted(DPDTBoostingRegressor, X, y, loss=loss, quantile=quantile)
    predicted = model.to_xgboost().predict(xgboost.DMatrix(X))
    np.testing.assert_allclose(predicted, model.predict(X), rtol=1e-6)
    (predicted,) = run_onnx(model.to_onnx(), X)
    np.testing.assert_allclose(predicted[:, 0], model.predict(X), rtol=1e-12)


@pytest.mark.parametrize("loss", ["log_loss", "squared_error", "poisson"])
def test_treelite_reads_the_xgboost_model(loss):
    X, y = make_classes(400, n_classes=3)
    X = with_missing(single(X))
    if loss == "log_loss":
        model = fitted(DPDTBoostingClassifier, X, y, max_iter=20)
        expected = model.predict_proba(X)
    else:
        model = fitted(DPDTBoostingRegressor, X, y + 1.0, loss=loss, max_iter=20)
        expected = model.predict(X)[:, np.newaxis]
    read = treelite.frontend.from_xgboost(model.to_xgboost())
    predicted = treelite.gtil.predict(read, X.astype(np.float32))
    np.testing.assert_allclose(predicted[:, 0], expected, rtol=1e-5, atol=1e-6)


def test_treelite_refuses_categories():
    """It knows no names of categories, and says so."""
    X, y = make_categories()
    model = fitted(DPDTBoostingRegressor, X, y, max_iter=3)
    with pytest.raises(treelite.TreeliteError, match="categorical encoder"):
        treelite.frontend.from_xgboost(model.to_xgboost())


def collisions(n=3000, seed=0):
    """Doubles that single precision maps to few numbers, and classes of them."""
    rng = np.random.default_rng(seed)
    X = 1.0 + rng.normal(size=(n, 4)) * [1e-7, 1e-6, 1e-5, 1.0]
    z = X[:, 0] * 1e7 + X[:, 1] * 1e6 + rng.normal(size=n)
    return X, np.digitize(z, np.quantile(z, [0.3, 0.6]))


@pytest.mark.parametrize("n", [3000, 12_000])
def test_exports_agree_on_float64_training_data(n):
    X, y = collisions(n)
    model = DPDTBoostingClassifier(max_iter=20).fit(X, y)
    assert model.do_early_stopping_ == (n > 10_000)
    expected = model.predict_proba(X)
    predicted = model.to_xgboost().predict(xgboost.DMatrix(X))
    np.testing.assert_allclose(predicted, expected, atol=1e-6)
    _, predicted = run_onnx(model.to_onnx(np.float32), X.astype(np.float32))
    np.testing.assert_allclose(predicted, expected, atol=1e-6)


@pytest.mark.parametrize("scale", [1e-60, 1e200])
def test_exports_refuse_thresholds_that_float32_does_not_know(scale):
    X, y = make_targets(200)
    model = fitted(DPDTBoostingRegressor, X * scale, y)
    same = fitted(DPDTBoostingRegressor, X, y)
    np.testing.assert_allclose(model.predict(X * scale), same.predict(X))
    for export in (model.to_xgboost, lambda: model.to_onnx(np.float32)):
        with pytest.raises(ValueError, match=r"compares X\[:, \d\] with .* float32"):
            export()
    (predicted,) = run_onnx(model.to_onnx(), X * scale)
    np.testing.assert_allclose(predicted[:, 0], model.predict(X * scale))


def test_exports_of_one_class():
    X, _ = make_classes(50)
    model = fitted(DPDTBoostingClassifier, X, np.full(50, "only"))
    label, probabilities = run_onnx(model.to_onnx(), X)
    assert list(label) == ["only"] * 50
    np.testing.assert_array_equal(probabilities, np.ones((50, 1)))
    assert (model.to_xgboost().predict(xgboost.DMatrix(X)) < 1e-6).all()


def run_onnx(model, X):
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    return session.run(None, {"X": X})


def make_categories(n=600, seed=0):
    """A frame with a category that matters, a number and missing values."""
    rng = np.random.default_rng(seed)
    letters = rng.choice(list("abcdefgh"), n)
    number = rng.normal(size=n).astype(np.float32).astype(np.float64)
    y = np.isin(letters, list("bdg")) * 2.0 + number + rng.normal(size=n) / 10
    number[rng.random(n) < 0.1] = np.nan
    frame = pd.DataFrame({"letter": pd.Categorical(letters), "number": number})
    frame.loc[rng.random(n) < 0.05, "letter"] = None
    return frame, y


def test_categories_are_split_by_sets():
    X, y = make_categories()
    model = fitted(DPDTBoostingRegressor, X, y, max_iter=40, max_leaf_nodes=4)
    codes = fitted(
        DPDTBoostingRegressor,
        X.assign(letter=X["letter"].cat.codes),
        y,
        max_iter=40,
        max_leaf_nodes=4,
    )
    assert list(model.is_categorical_) == [True, False]
    assert model.score(X, y) > codes.score(X.assign(letter=X["letter"].cat.codes), y)
    unknown = X.assign(letter=pd.Categorical(["zz"] * len(X)))
    missing = X.assign(letter=pd.Categorical([None] * len(X)))
    np.testing.assert_array_equal(model.predict(unknown), model.predict(missing))


def test_many_categories():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 400, 3000)
    frame = pd.DataFrame({"many": pd.Categorical([f"c{code}" for code in codes])})
    model = fitted(DPDTBoostingRegressor, frame, (codes % 2).astype(float))
    assert np.isfinite(model.predict(frame)).all()
