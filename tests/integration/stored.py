"""Fitted models of every class, with names and categories, and their comparison."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
    FitReport,
)


@cache
def data() -> tuple[pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(0)
    n = 240
    jobs = np.array(["clerk", "größe", "it's"], dtype=object)
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 80, n)),
            "job": pd.Categorical(rng.choice(jobs, n), categories=jobs),
            "income": rng.normal(size=n),
            "zone": pd.Categorical(rng.integers(0, 5, n)),
        }
    )
    score = X["income"] + (X["age"] > 40) + (X["job"] == "clerk") * (X["zone"] == 2)
    y = np.array(["no", "perhaps", "yes"], dtype=object)[
        np.digitize(score + rng.normal(size=n) / 2, [0.3, 1.2])
    ]
    return X, y, np.exp(score)


def _fitted(estimator: Any, *, labels: bool) -> tuple[Any, pd.DataFrame]:
    X, y, target = data()
    return estimator.fit(X, y if labels else target), X


def _several_outputs() -> tuple[Any, pd.DataFrame]:
    X, y, _ = data()
    outputs = np.column_stack([y, np.where(X["age"] > 50, "old", "young")])
    return DPDTreeClassifier(max_depth=3).fit(X, outputs), X


def _unnamed() -> tuple[Any, Any]:
    X, _, target = data()
    numbers = X[["age", "income"]].to_numpy()
    return DPDTreeRegressor(max_depth=2).fit(numbers, target), numbers


#: Models of every class and shape; each is fitted once.
EVERY_KIND: dict[str, Callable[[], tuple[Any, Any]]] = {
    "classifier": lambda: _fitted(DPDTreeClassifier(), labels=True),
    "costs": lambda: _fitted(
        DPDTreeClassifier(
            loss="cost_matrix", cost_matrix=[[0, 1, 2], [1, 0, 1], [5, 1, 0]]
        ),
        labels=True,
    ),
    "outputs": _several_outputs,
    "regressor": lambda: _fitted(DPDTreeRegressor(max_depth=3), labels=False),
    "unnamed": _unnamed,
    "classifier_cv": lambda: _fitted(
        DPDTreeClassifierCV(max_depth=3, cv=3), labels=True
    ),
    "regressor_cv": lambda: _fitted(DPDTreeRegressorCV(max_depth=2), labels=False),
    "boosting": lambda: _fitted(
        DPDTBoostingClassifier(max_iter=3, max_leaf_nodes=5, random_state=0),
        labels=True,
    ),
    "boosting_regressor": lambda: _fitted(
        DPDTBoostingRegressor(
            loss="poisson", max_iter=4, max_leaf_nodes=5, random_state=0
        ),
        labels=False,
    ),
    "adaboost": lambda: _fitted(
        DPDTAdaBoostClassifier(n_estimators=3, max_depth=2, random_state=0),
        labels=True,
    ),
}
EVERY_KIND = {kind: cache(make) for kind, make in EVERY_KIND.items()}


def same_model(one: Any, other: Any, X: Any) -> None:
    """Check that two estimators are equal in class, parameters, fit and predictions."""
    assert type(one) is type(other)
    assert repr(one.get_params()) == repr(other.get_params())
    assert vars(one).keys() == vars(other).keys()
    for name, value in vars(one).items():
        same_value(value, getattr(other, name), name)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
    if hasattr(one, "predict_proba"):
        same_value(one.predict_proba(X), other.predict_proba(X), "probabilities")
    if hasattr(one, "feature_importances_"):
        np.testing.assert_array_equal(
            one.feature_importances_, other.feature_importances_
        )


def same_value(a: Any, b: Any, name: str) -> None:
    assert type(a) is type(b), name
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, name
        np.testing.assert_array_equal(a, b, err_msg=name)
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), name
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            same_value(x, y, f"{name}[{i}]")
    elif isinstance(a, dict):
        assert a.keys() == b.keys(), name
        for key in a:
            same_value(a[key], b[key], f"{name}[{key!r}]")
    else:
        same_object(a, b, name)


def same_object(a: Any, b: Any, name: str) -> None:
    if isinstance(a, FitReport):
        assert a == b, name  # but for the seconds, which pickles leave out
    elif hasattr(a, "_data"):
        assert a._data.to_bytes() == b._data.to_bytes(), name
    elif hasattr(a, "to_bytes") and not isinstance(a, int):
        assert a.to_bytes() == b.to_bytes(), name
    elif hasattr(a, "_points"):
        same_value(a.to_frame().to_dict(), b.to_frame().to_dict(), name)
    elif name.endswith("]") and hasattr(a, "get_params"):
        same_value(vars(a), vars(b), name)
    else:
        assert repr(a) == repr(b), name
