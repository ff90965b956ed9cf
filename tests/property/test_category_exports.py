"""Exported models with categories predict what the model predicts, or refuse.

New rows come with other levels, in another order, some of them unseen: whatever codes
pandas gives them, none may be taken for that of another category.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
import pandas as pd
import pytest
import xgboost
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
)

NAMES = ["ash", "birch", "cedar", "elm", "fir", "hazel", "lime", "maple", "oak", "yew"]
NUMBERS = [0, 2, 3, 7, 11, 40, 41, 300, 4000, 65535]
UNSEEN: dict[str, Any] = {"str": "zelkova", "int": 5}
LEVELS: dict[str, list[Any]] = {"str": NAMES, "int": NUMBERS}


def make_rows(
    kind: str, n: int, seed: int, *, n_levels: int = 10, unseen: bool = False
) -> tuple[pd.DataFrame, Any]:
    """A frame whose categories matter; its levels are in the order of appearance."""
    rng = np.random.default_rng(seed)
    levels = rng.permutation(len(LEVELS[kind]))[:n_levels]
    codes = rng.choice(levels, n)
    x = rng.normal(size=n).astype(np.float32).astype(np.float64)
    y = 2.0 * (codes % 3 == 1) + (codes % 2) * x
    values = [LEVELS[kind][code] for code in codes]
    column = pd.Series(values, dtype=object)
    if unseen:
        column[rng.random(n) < 0.2] = UNSEEN[kind]
    order = column.drop_duplicates().tolist()
    column = column.astype(pd.CategoricalDtype(order))
    column[rng.random(n) < 0.1] = None
    x[rng.random(n) < 0.1] = np.nan
    return pd.DataFrame({"wood": column, "x": x}), y


def boosted(kind: str, estimator: Any = DPDTBoostingRegressor, **more: Any) -> Any:
    X, y = make_rows(kind, 500, 0)
    target = y if estimator is DPDTBoostingRegressor else (y > 1.0)
    return estimator(max_iter=15, early_stopping=False, random_state=0, **more).fit(
        X, target
    )


@pytest.fixture(scope="module")
def models() -> dict[str, Any]:
    """One boosted model for each kind of category."""
    return {kind: boosted(kind) for kind in LEVELS}


@pytest.fixture(scope="module")
def exported(models: dict[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Each model for XGBoost, and in a session of ONNX."""
    return {
        kind: (
            model.to_xgboost(),
            onnxruntime.InferenceSession(
                model.to_onnx().SerializeToString(), providers=["CPUExecutionProvider"]
            ),
        )
        for kind, model in models.items()
    }


def run_onnx(session: Any, X: pd.DataFrame) -> Any:
    """Feed the rows as they are: a column per input, or a matrix of numbers."""
    if [node.name for node in session.get_inputs()] == ["X"]:
        feed = {"X": X.astype(object).to_numpy(dtype=float, na_value=np.nan)}
    else:
        feed = {
            "wood": X[["wood"]].astype(object).fillna("").to_numpy(dtype=object),
            "x": X[["x"]].to_numpy(),
        }
    return session.run(None, feed)[-1]


@given(
    kind=st.sampled_from(sorted(LEVELS)),
    seed=st.integers(1, 10**6),
    n_levels=st.integers(1, 10),
    unseen=st.booleans(),
)
def test_new_rows(
    models: dict[str, Any],
    exported: dict[str, tuple[Any, Any]],
    kind: str,
    seed: int,
    n_levels: int,
    unseen: bool,
) -> None:
    model, (booster, session) = models[kind], exported[kind]
    X, _ = make_rows(kind, 50, seed, n_levels=n_levels, unseen=unseen)
    expected = model.predict(X)
    encoded = model.encode_categories(X)
    np.testing.assert_allclose(
        booster.predict(xgboost.DMatrix(encoded)), expected, rtol=1e-5, atol=1e-6
    )
    try:
        natural = booster.predict(xgboost.DMatrix(X, enable_categorical=True))
    except xgboost.core.XGBoostError as error:
        assert "not in the training set" in str(error)  # noqa: PT017
        assert UNSEEN[kind] in X["wood"].cat.categories or X["wood"].isna().all()
    else:
        np.testing.assert_allclose(natural, expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(run_onnx(session, X)[:, 0], expected, rtol=1e-12)


@given(kind=st.sampled_from(sorted(LEVELS)), seed=st.integers(1, 10**6))
def test_encoded_categories_are_what_predict_sees(
    models: dict[str, Any], kind: str, seed: int
) -> None:
    model = models[kind]
    X, _ = make_rows(kind, 40, seed, unseen=True)
    encoded = model.encode_categories(X)
    assert list(encoded.columns) == ["wood", "x"]
    assert encoded.index.equals(X.index)
    known = list(model.categories_[0])
    for value, code in zip(X["wood"], encoded["wood"], strict=True):
        if value not in known:
            assert np.isnan(code)
        else:
            assert code == (known.index(value) if kind == "str" else value)
    np.testing.assert_array_equal(encoded["x"], X["x"])


def test_numbers_as_they_are(models: dict[str, Any]) -> None:
    """Without a categorical dtype XGBoost looks nothing up."""
    booster, model = models["int"].to_xgboost(), models["int"]
    X, _ = make_rows("int", 200, 5, unseen=True)
    plain = X.astype({"wood": object}).astype(float)
    expected = model.predict(X)
    np.testing.assert_allclose(
        booster.predict(xgboost.DMatrix(plain)), expected, rtol=1e-5, atol=1e-6
    )
    np.testing.assert_allclose(
        booster.inplace_predict(plain.to_numpy()), expected, rtol=1e-5, atol=1e-6
    )
    np.testing.assert_array_equal(model.predict(plain), expected)


def test_arrays() -> None:
    X, y = make_rows("int", 400, 0)
    array = X.astype({"wood": object}).astype(float).to_numpy()
    parameters: dict[str, Any] = {"early_stopping": False, "categorical_features": [0]}
    model = DPDTBoostingRegressor(max_iter=10, **parameters).fit(array, y)
    booster, session = model.to_xgboost(), model.to_onnx().SerializeToString()
    for rows in (array, model.encode_categories(array)):
        predicted = booster.predict(xgboost.DMatrix(rows))
        np.testing.assert_allclose(predicted, model.predict(array), atol=1e-5)
        [predicted] = onnxruntime.InferenceSession(session).run(None, {"X": rows})
        np.testing.assert_allclose(predicted[:, 0], model.predict(array), rtol=1e-12)


@pytest.mark.parametrize("kind", sorted(LEVELS))
def test_classifiers(kind: str) -> None:
    model = boosted(kind, DPDTBoostingClassifier)
    X, _ = make_rows(kind, 50, 3, n_levels=4)
    data = xgboost.DMatrix(X, enable_categorical=True)
    expected = model.predict_proba(X)[:, 1]
    np.testing.assert_allclose(model.to_xgboost().predict(data), expected, atol=1e-6)
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    np.testing.assert_allclose(run_onnx(session, X)[:, 1], expected, rtol=1e-12)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_frames(models: dict[str, Any], library: str) -> None:
    polars = pytest.importorskip("polars")
    X, _ = make_rows("str", 60, 9, n_levels=5)
    frame = polars.from_pandas(X.fillna({"x": 0.5}))
    frame = frame.to_arrow() if library == "pyarrow" else frame
    model = models["str"]
    data = xgboost.DMatrix(frame, enable_categorical=True)
    expected = model.predict(frame)
    np.testing.assert_allclose(model.to_xgboost().predict(data), expected, atol=1e-5)
    encoded = model.encode_categories(frame)
    assert isinstance(encoded, np.ndarray)
    np.testing.assert_array_equal(
        encoded, model.encode_categories(X.fillna({"x": 0.5}))
    )


@pytest.mark.parametrize(
    "estimator", [DPDTreeClassifier, DPDTreeClassifierCV, DPDTAdaBoostClassifier]
)
def test_every_estimator_encodes(estimator: Any) -> None:
    X, y = make_rows("str", 300, 0)
    model = estimator(max_depth=2).fit(X, y > 1.0)
    new = pd.DataFrame({"wood": ["oak", "zelkova", None], "x": [1.0, 2.0, np.nan]})
    place = list(model.categories_[0]).index("oak")
    np.testing.assert_array_equal(
        model.encode_categories(new), [[place, 1.0], [np.nan, 2.0], [np.nan, np.nan]]
    )
    with pytest.raises(ValueError, match="feature names should match"):
        model.encode_categories(new.rename(columns={"x": "z"}))


@pytest.mark.parametrize(
    ("values", "xgboost_says", "onnx_says"),
    [
        ([-1, 2, 3], "whole numbers from 0 to 65535", None),
        ([0.5, 1.5, 2.5], "whole numbers from 0 to 65535", None),
        ([1, 2, 65536], "whole numbers from 0 to 65535", None),
        ([2**24, 2**24 + 1, 0], "whole numbers", "equal numbers in dtype float32"),
        ([2**53, 2**53 + 1, 0], "equal as float64", "equal as float64"),
        (
            list(pd.date_range("2020-01-01", periods=3)),
            "numbers or strings can be exported",
            "numbers or strings can be exported",
        ),
    ],
)
def test_categories_that_cannot_be_exported(
    values: list[Any], xgboost_says: str, onnx_says: str | None
) -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 200)
    X = pd.DataFrame({"c": pd.Categorical.from_codes(codes, values)})
    y = (codes == 1) + rng.normal(size=200) / 10
    model = DPDTBoostingRegressor(max_iter=3, early_stopping=False).fit(X, y)
    with pytest.raises(ValueError, match=xgboost_says):
        model.to_xgboost()
    if onnx_says is not None:
        with pytest.raises(ValueError, match=onnx_says):
            model.to_onnx(np.float32)
        return
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    raw = X.astype({"c": object}).to_numpy(dtype=float)
    np.testing.assert_allclose(session.run(None, {"X": raw})[0][:, 0], model.predict(X))


def test_an_xgboost_without_names_of_categories(monkeypatch: Any) -> None:
    """What version 3.0 writes has no place for them."""
    model = boosted("str")
    write = xgboost.Booster.save_raw

    def without_names(booster: Any, *arguments: Any) -> Any:
        text = write(booster, *arguments).decode()
        return text.replace('"cats":', '"dogs":').encode()

    monkeypatch.setattr(xgboost.Booster, "save_raw", without_names)
    with pytest.raises(ImportError, match=r"from version 3\.1 on"):
        model.to_xgboost()


def test_names_that_the_graph_needs() -> None:
    names = ["X", "label", "label_", "", "X[0]", "probabilities"]
    X, y = make_rows("str", 300, 0)
    rest = np.random.default_rng(0).normal(size=(300, 5))
    frame = pd.concat([X["wood"], pd.DataFrame(rest)], axis=1).set_axis(names, axis=1)
    model = boosted("str", DPDTBoostingClassifier).fit(frame, y > 1.0)
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString())
    given_names = [node.name for node in session.get_inputs()]
    assert given_names == ["X_", "label_", "label__", "_", "X[0]_", "probabilities_"]
    columns: list[Any] = [frame[["X"]].astype(object).fillna("").to_numpy(dtype=object)]
    columns += [frame[[name]].to_numpy() for name in names[1:]]
    label, shares = session.run(None, dict(zip(given_names, columns, strict=True)))
    np.testing.assert_allclose(shares, model.predict_proba(frame), rtol=1e-12)
    np.testing.assert_array_equal(label, model.predict(frame))
