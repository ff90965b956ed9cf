"""A tree in ONNX predicts what the tree predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import pytest
from hypothesis import given

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
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
    halves = pd.DataFrame({"c": pd.Categorical([0.5, 1.5, 2.5] * 20)})
    model = DPDTreeRegressor(min_samples_leaf=1, alpha=0.0).fit(halves, [1, 2, 3] * 20)
    with pytest.raises(ValueError, match="sets of whole numbers"):
        model.to_onnx()
    large = DPDTreeRegressor(min_samples_leaf=1).fit([[0.0], [1e300]], [0.0, 1.0])
    if large.get_n_leaves() > 1:
        with pytest.raises(ValueError, match="which float32 cannot"):
            large.to_onnx(np.float32)
