"""A few rows of a frame, cell by cell, are what they are by columns."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier
from dpdtree._input import few_rows as module
from dpdtree._input import validation
from dpdtree._input.few_rows import MOST_ROWS, few_rows

CELLS = {
    "size": [1.5, math.nan, None, 3, True, np.float32(2.5), 2**70, -0.0, 1e300],
    "color": ["red", "blue", "grey", None, math.nan, "unheard of"],
    "count": [0, 1, 7, None],
    "grade": [1, 2, 3, None],
}


@pytest.fixture(scope="module")
def model():
    n = 60
    frame = pd.DataFrame(
        {
            "size": np.linspace(0, 1, n),
            "color": ["red", "blue", "grey"] * 20,
            "count": np.arange(n),
            "grade": pd.Categorical([1, 2, 3] * 20),
        }
    )
    return DPDTreeClassifier().fit(frame, np.arange(n) % 2)


def by_columns(model, X):
    """Encode without reading cell by cell."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "few_rows", lambda *_: None)
        return validation.check_X(model, X, reset=False)


rows = st.lists(
    st.tuples(*(st.sampled_from(cells) for cells in CELLS.values())),
    min_size=1,
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from(["object", "inferred", "category", "polars"]))
def test_as_by_columns(model, cells, library):
    columns = dict(zip(CELLS, zip(*cells, strict=True), strict=True))
    if library == "polars":
        X = pl.DataFrame({k: list(v) for k, v in columns.items()}, strict=False)
    else:
        X = pd.DataFrame(columns, dtype=object)
        if library != "object":
            X = X.infer_objects()
        if library == "category":
            X = X.astype({"color": "category", "grade": "category"})
    found = few_rows(model, X)
    try:
        expected = by_columns(model, X)
    except (TypeError, ValueError):
        assert found is None
        return
    texts = any(isinstance(value, str) for value in columns["color"])
    if found is None:  # numbers throughout, or what the fit has not seen
        assert "unheard of" in columns["color"] or library == "polars" or not texts
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint64, bool])
@pytest.mark.parametrize("n", [1, MOST_ROWS, MOST_ROWS + 1, 500])
def test_numbers_of_one_kind(dtype, n):
    X = pd.DataFrame(np.arange(2 * n).reshape(n, 2).astype(dtype), columns=["a", "b"])
    model = DPDTreeClassifier().fit(X, np.arange(n) % 2)
    found = few_rows(model, X)
    np.testing.assert_array_equal(found, by_columns(model, X))
    mixed = X.assign(b=X.b.astype(float))
    found = few_rows(model, mixed)
    assert (found is None) == (n > MOST_ROWS and dtype is not np.float64)
    if found is not None:
        np.testing.assert_array_equal(found, by_columns(model, mixed))


@pytest.mark.parametrize(
    "value",
    ["text", Decimal("1.5"), datetime.date(2020, 1, 1), 1j, [1], 10**400, pd.NaT],
)
def test_what_is_unclear_is_read_by_columns(model, value):
    X = pd.DataFrame(
        {"size": [value], "color": ["red"], "count": [1], "grade": [1]}, dtype=object
    )
    assert few_rows(model, X) is None or value is pd.NaT
    outcomes = [
        outcome(lambda: by_columns(model, X)),
        outcome(lambda: validation.check_X(model, X, reset=False)),
    ]
    assert outcomes[0] == outcomes[1]


def outcome(encode):
    try:
        return repr(encode())
    except (TypeError, ValueError) as error:
        return repr(error)


def test_other_names_are_left_to_the_columns(model):
    X = pd.DataFrame([[1.0, "red", 1, 1]], columns=["size", "color", "count", "other"])
    assert few_rows(model, X) is None
    with pytest.raises(ValueError, match="feature names"):
        model.predict(X)
    assert few_rows(model, X.to_numpy()) is None
    assert few_rows(model, X.iloc[:0]) is None


def test_categories_are_those_of_the_last_fit():
    frame = pd.DataFrame({"c": ["a", "b"] * 20})
    y = [0, 1] * 20
    model = DPDTreeClassifier().fit(frame, y)
    assert few_rows(model, frame[:2]).tolist() == [[0.0], [1.0]]
    model.fit(frame.replace({"a": "z"}), y)
    assert few_rows(model, frame[1:2]).tolist() == [[0.0]]
    assert model.predict(frame.replace({"a": "z"})[:2]).tolist() == [0, 1]


def test_places_are_forgotten_with_the_estimator():
    frame = pd.DataFrame({"c": ["a", "b"] * 20})
    model = DPDTreeClassifier().fit(frame, [0, 1] * 20)
    before = len(module._known)
    model.predict(frame[:1])
    assert len(module._known) == before + 1
    del model
    assert len(module._known) <= before + 1
