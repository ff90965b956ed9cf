"""A tree in ONNX predicts what the tree predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from hypothesis import given

from dpdtree import DPDTBoostingRegressor, DPDTreeClassifier, DPDTreeRegressor
from tests.integration.data import make_classes
from tests.integration.exported import is_classifier
from tests.integration.stored import EVERY_KIND
from tests.property.fitted import Case, fitted_cases
from tests.property.problems import examples

KINDS = ("number", "extreme", "text", "codes")


def feeds(model: Any, session: Any, X: pd.DataFrame, dtype: Any) -> dict[str, Any]:
    inputs = [entry.name for entry in session.get_inputs()]
    columns = [_column(model, j, X[name], dtype) for j, name in enumerate(X.columns)]
    if inputs == ["X"] and len(columns) >= 1 and columns[0].dtype != object:
        return {"X": np.hstack(columns)}
    return dict(zip(inputs, columns, strict=True))


def _column(model: Any, feature: int, column: pd.Series, dtype: Any) -> Any:
    known = model.categories_[feature]
    if known is not None and len(known) and isinstance(known[0], str):
        values = column.astype(object).where(column.notna(), "")
        return values.to_numpy(dtype=object)[:, None]
    return column.astype(float).to_numpy(dtype=dtype)[:, None]


def run(model: Any, X: pd.DataFrame, dtype: Any = np.float64) -> list[Any]:
    text = model.to_onnx(dtype).SerializeToString()
    session = onnxruntime.InferenceSession(text, providers=["CPUExecutionProvider"])
    return session.run(None, feeds(model, session, X, dtype))


@examples(60)
@given(fitted_cases(boosted=False, kinds=KINDS))
def test_double_precision(case: Case) -> None:
    model, X = case.model, case.X
    first, *shares = run(model, X)
    if is_classifier(model):
        assert first.tolist() == model.predict(X).tolist()
        np.testing.assert_array_equal(shares[0], model.predict_proba(X))
    else:
        np.testing.assert_array_equal(first[:, 0], model.predict(X))


def test_single_precision() -> None:
    X, y = make_classes()
    frame = pd.DataFrame(X / 3, columns=list("abcde")).astype(np.float32)
    model = DPDTreeClassifier(alpha=0.0).fit(frame, y)
    labels, shares = run(model, frame, np.float32)
    np.testing.assert_array_equal(labels, model.predict(frame))
    np.testing.assert_allclose(shares, model.predict_proba(frame), rtol=1e-6)
    assert shares.dtype == np.float32


def test_more_categories_than_boosting_takes() -> None:
    rng = np.random.default_rng(0)
    names = np.array([f"category {i}" for i in range(700)], dtype=object)
    codes = rng.integers(0, 700, 20_000)
    X = pd.DataFrame({"c": pd.Categorical(names[codes], categories=names)})
    model = DPDTreeRegressor(max_depth=3, alpha=0.0).fit(X, np.sin(codes))
    (values,) = run(model, X)
    np.testing.assert_array_equal(values[:, 0], model.predict(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("boosted", [False, True])
@pytest.mark.parametrize(
    "values",
    [[1, 2, 3], [-1, 2, 3], [0.5, 1.5, 2.5], [1, 2, 2**20], [0, 64, 2.0**40], [2, 70]],
)
def test_numbers_as_categories(values: list[float], boosted: bool, dtype: Any) -> None:
    """Neighbours of a category are unseen ones: a runtime must not round them."""
    rng = np.random.default_rng(0)
    codes = rng.integers(0, len(values), 300)
    X = pd.DataFrame({"x": rng.normal(size=300).astype(np.float32)})
    X["c"] = pd.Categorical.from_codes(codes, values)
    y = np.array([3.0, 0.0, 1.5])[codes] + (X["x"] > 0)
    model: Any = DPDTreeRegressor(max_depth=3)
    if boosted:
        model = DPDTBoostingRegressor(max_iter=5, early_stopping=False)
    model.fit(X, y)
    known = np.array(values, dtype=float)
    steps = [0.25, 0.5, 1.0, -0.25, -1.0]
    tried = np.unique([known, -known, *(known + step for step in steps)])
    tried = np.concatenate([tried.astype(dtype), [np.nan, 0.0, 1e30, -(2.0**40)]])
    codes = [values.index(v) if v in values else -1 for v in tried]
    new = pd.DataFrame({"x": np.float32(0.5), "c": tried})
    expected = model.predict(new.assign(c=pd.Categorical.from_codes(codes, values)))
    (predicted,) = run(model, new, dtype)
    np.testing.assert_allclose(predicted[:, 0], expected, rtol=1e-6)


def test_least_cost_decides() -> None:
    model, X = EVERY_KIND["costs"]()
    assert run(model, X)[0].tolist() == model.predict(X).tolist()


def test_what_is_refused() -> None:
    several, _ = EVERY_KIND["outputs"]()
    with pytest.raises(ValueError, match="one output, and this tree has 2"):
        several.to_onnx()
    model, _ = EVERY_KIND["regressor"]()
    with pytest.raises(ValueError, match="dtype must be float32 or float64"):
        model.to_onnx(np.int64)
    large = DPDTreeRegressor(min_samples_leaf=1).fit([[1e200], [1e300]], [0.0, 1.0])
    if large.get_n_leaves() > 1:
        with pytest.raises(ValueError, match="which float32 cannot"):
            large.to_onnx(np.float32)
