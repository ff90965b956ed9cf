"""XGBoost and ONNX models of hand-made boosted trees, against plain evaluation."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
import xgboost
from scipy.special import expit, softmax

from dpdtree.export._boosted import largest_float32_below, smallest_float32_above
from dpdtree.export.onnx import to_onnx
from dpdtree.export.xgboost import to_xgboost
from tests.unit.boosted import random_model, random_rows

NUMBERS = [False] * 3
MIXED = [False, True, False, True]
KINDS = {
    "binary": (1, {"loss": "log_loss", "classes_": np.array([0, 1])}),
    "strings": (1, {"loss": "log_loss", "classes_": np.array(["no", "yes"])}),
    "multiclass": (3, {"loss": "log_loss", "classes_": np.array([3, 5, 9])}),
    "squared_error": (1, {"loss": "squared_error"}),
    "absolute_error": (1, {"loss": "absolute_error"}),
    "quantile": (1, {"loss": "quantile", "quantile": 0.3}),
    "poisson": (1, {"loss": "poisson"}),
    "gamma": (1, {"loss": "gamma"}),
    "own": (1, {"loss": lambda y, raw: (raw - y, np.ones_like(y))}),
}


def expected(model, X):
    raw = model.booster_.predict_raw(X)
    if hasattr(model, "classes_"):
        if raw.shape[1] == 1:
            return np.column_stack([expit(-raw), expit(raw)])
        return softmax(raw, axis=1)
    return np.exp(raw[:, 0]) if model.loss in ("poisson", "gamma") else raw[:, 0]


def from_xgboost(model, booster, X):
    types = ["c" if c else "q" for c in model.is_categorical_]
    data = xgboost.DMatrix(X, feature_types=types, enable_categorical=True)
    predicted = booster.predict(data)
    if hasattr(model, "classes_") and predicted.ndim == 1:
        return np.column_stack([1 - predicted, predicted])
    return predicted


@pytest.mark.parametrize("categorical", [NUMBERS, MIXED])
@pytest.mark.parametrize("kind", KINDS)
def test_xgboost(kind, categorical):
    n_outputs, attributes = KINDS[kind]
    model = random_model(0, n_outputs, categorical, **attributes)
    X = random_rows(0, categorical)
    booster = to_xgboost(model)
    assert isinstance(booster, xgboost.Booster)
    assert booster.num_boosted_rounds() == model.booster_.n_iterations
    np.testing.assert_allclose(
        from_xgboost(model, booster, X), expected(model, X), rtol=1e-6, atol=1e-6
    )


def test_xgboost_survives_saving(tmp_path):
    model = random_model(1, 3, MIXED, **KINDS["multiclass"][1])
    X = random_rows(1, MIXED)
    to_xgboost(model).save_model(tmp_path / "model.ubj")
    again = xgboost.Booster(model_file=tmp_path / "model.ubj")
    np.testing.assert_allclose(
        from_xgboost(model, again, X), expected(model, X), atol=1e-6
    )


def test_xgboost_knows_the_names():
    names = np.array(["a", "b[0]", "c<d"])
    model = random_model(1, 1, NUMBERS, feature_names_in_=names, **KINDS["binary"][1])
    assert to_xgboost(model).feature_names == ["a", "b(0)", "c_d"]


def run_onnx(model, X, dtype):
    text = to_onnx(model, dtype).SerializeToString()
    session = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    return session.run(None, {"X": X.astype(dtype)})


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("categorical", [NUMBERS, MIXED])
@pytest.mark.parametrize("kind", KINDS)
def test_onnx(kind, categorical, dtype):
    n_outputs, attributes = KINDS[kind]
    model = random_model(0, n_outputs, categorical, **attributes)
    X = random_rows(0, categorical)
    *label, predicted = run_onnx(model, X, dtype)
    wanted = expected(model, X)
    tolerance = 1e-12 if dtype is np.float64 else 1e-6
    np.testing.assert_allclose(
        predicted.reshape(wanted.shape), wanted, rtol=tolerance, atol=tolerance
    )
    if label:
        own = model.classes_[wanted.argmax(axis=1)]
        np.testing.assert_array_equal(label[0], own)


def test_onnx_trees_without_splits():
    model = random_model(0, 1, NUMBERS, n_iterations=0, loss="squared_error")
    model.booster_.n_iterations = 1
    model.booster_.trees = [[random_model(3, 1, NUMBERS).booster_.tree(0, 0)]]
    tree = model.booster_.trees[0][0]
    for name, array in vars(tree).items():
        setattr(tree, name, array[:1] if name != "node_count" else 1)
    tree.children_left[0] = tree.children_right[0] = -1
    X = random_rows(0, NUMBERS, 5)
    np.testing.assert_allclose(
        run_onnx(model, X, np.float64)[0][:, 0], expected(model, X)
    )
    data = xgboost.DMatrix(X)
    np.testing.assert_allclose(
        to_xgboost(model).predict(data), expected(model, X), rtol=1e-6
    )


def test_onnx_refuses():
    model = random_model(0, 1, NUMBERS, loss="log_loss", classes_=np.array([None, "a"]))
    with pytest.raises(ValueError, match="numbers or strings"):
        to_onnx(model)
    with pytest.raises(ValueError, match="dtype must be float32 or float64"):
        to_onnx(model, np.int64)


def test_thresholds_in_single_precision():
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.normal(size=200), [0.0, 1.0, 1e39, -1e39, 1e-50]])
    below = largest_float32_below(values)
    assert below.dtype == np.float32
    assert (below.astype(float) <= values).all()
    above = smallest_float32_above(values)
    moderate = np.abs(values) < 1e38
    assert (above.astype(float)[moderate] > values[moderate]).all()
    normal = moderate & (np.abs(values) > 1e-30)
    between = np.nextafter(below[normal], np.float32(np.inf))
    np.testing.assert_array_equal(between, above[normal])
    assert above[200] == above[-1] == np.finfo(np.float32).tiny


@pytest.mark.parametrize("package", ["xgboost", "onnx"])
def test_missing_package(monkeypatch, package):
    monkeypatch.setitem(__import__("sys").modules, package, None)
    model = random_model(0, 1, NUMBERS, **KINDS["binary"][1])
    with pytest.raises(ImportError, match=r"dpdtree\[export\]"):
        (to_xgboost if package == "xgboost" else to_onnx)(model)
