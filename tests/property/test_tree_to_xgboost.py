"""A tree in XGBoost predicts what the tree predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
import treelite
import xgboost
from hypothesis import given

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from tests.integration.data import make_classes
from tests.integration.exported import is_classifier
from tests.integration.stored import EVERY_KIND
from tests.property.fitted import Case, fitted_cases
from tests.property.problems import examples


def in_single_precision(X: pd.DataFrame) -> pd.DataFrame:
    """The rows as XGBoost sees them."""
    return X.apply(lambda c: c.astype(np.float32) if c.dtype.kind == "f" else c)


def expected(model: Any, X: pd.DataFrame) -> Any:
    if not is_classifier(model):
        return model.predict(X)
    shares = model.predict_proba(X)
    if shares.shape[1] == 1:
        return np.zeros(len(X))
    return shares[:, 1] if shares.shape[1] == 2 else shares


@examples(60)
@given(fitted_cases(boosted=False, kinds=("number", "text", "codes")))
def test_encoded_rows(case: Case) -> None:
    """Missing values, unseen categories, values next to thresholds."""
    model, X = case.model, in_single_precision(case.X)
    if any(known is not None and -3 in known for known in model.categories_):
        with pytest.raises(ValueError, match="strings or whole numbers from 0"):
            model.to_xgboost()
        return
    data = xgboost.DMatrix(
        np.asarray(model.encode_categories(X), float),
        feature_types=["q" if known is None else "c" for known in model.categories_],
    )
    said = model.to_xgboost().predict(data, validate_features=False)
    np.testing.assert_allclose(said, expected(model, X), rtol=2e-6, atol=1e-6)


def test_frames_bring_their_own_codes() -> None:
    rng = np.random.default_rng(0)
    names = np.array(["ash", "birch", "cedar", "elm"])
    codes = rng.integers(0, 4, 400)
    X = pd.DataFrame({"wood": pd.Categorical(names[codes]), "x": rng.normal(size=400)})
    y = (codes % 2) * (X["x"] > 0) + codes / 4
    model = DPDTreeRegressor(max_depth=3).fit(X, y)
    other = X.assign(wood=X["wood"].cat.reorder_categories(names[::-1]))
    data = xgboost.DMatrix(other, enable_categorical=True)
    np.testing.assert_allclose(
        model.to_xgboost().predict(data), model.predict(X), rtol=1e-6
    )


def test_treelite_reads_it() -> None:
    X, y = make_classes()
    X = X.astype(np.float32)
    model = DPDTreeClassifier(alpha=0.0, max_depth=3).fit(X, y)
    read = treelite.frontend.from_xgboost(model.to_xgboost())
    said = treelite.gtil.predict(read, X).reshape(len(X), -1)
    np.testing.assert_allclose(
        said, model.predict_proba(X)[:, -said.shape[1] :], atol=1e-6
    )


def test_gains_and_covers_are_those_of_the_tree() -> None:
    X, y = make_classes()
    model = DPDTreeClassifier(strategy="greedy", max_depth=2).fit(X, y)
    table = model.to_xgboost().trees_to_dataframe()
    first = table[(table["Tree"] == 0) & (table["Node"] == 0)].iloc[0]
    assert first["Cover"] == len(X)
    assert first["Gain"] > 0.0


def test_several_outputs_are_refused() -> None:
    several, _ = EVERY_KIND["outputs"]()
    with pytest.raises(ValueError, match="one output, and this tree has 2"):
        several.to_xgboost()
