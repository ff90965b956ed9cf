"""Boosted trees that take part in `benchmarks.wild`: one line each in `BOOSTERS`.

Two leagues: all with 150 trees at a learning rate of 0.1 ("150"), and each as it
comes ("own"). One thread.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._splits import Fitter
from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor

Array = npt.NDArray[Any]
EQUAL: dict[str, Any] = {"trees": 150, "rate": 0.1}


def lightgbm(trees: int | None = None, rate: float | None = None) -> Fitter:
    def fit(task: str, X: Array, y: Array) -> Any:
        from lightgbm import LGBMClassifier, LGBMRegressor

        kinds = {"classification": LGBMClassifier, "regression": LGBMRegressor}
        settings = _given(n_estimators=trees, learning_rate=rate)
        return kinds[task](n_jobs=1, verbose=-1, **settings).fit(X, y)

    return fit


def xgboost(trees: int | None = None, rate: float | None = None) -> Fitter:
    def fit(task: str, X: Array, y: Array) -> Any:
        from xgboost import XGBClassifier, XGBRegressor

        kinds = {"classification": XGBClassifier, "regression": XGBRegressor}
        settings = _given(n_estimators=trees, learning_rate=rate)
        model = kinds[task](n_jobs=1, **settings)
        return _Coded(model).fit(X, y) if task == "classification" else model.fit(X, y)

    return fit


def hist_gradient_boosting(
    trees: int | None = None, rate: float | None = None
) -> Fitter:
    def fit(task: str, X: Array, y: Array) -> Any:
        from sklearn import ensemble
        from threadpoolctl import threadpool_limits

        kinds = {
            "classification": ensemble.HistGradientBoostingClassifier,
            "regression": ensemble.HistGradientBoostingRegressor,
        }
        settings = _given(max_iter=trees, learning_rate=rate)
        with threadpool_limits(1):
            return kinds[task](random_state=0, **settings).fit(X, y)

    return fit


def catboost(trees: int | None = None, rate: float | None = None) -> Fitter:
    def fit(task: str, X: Array, y: Array) -> Any:
        from catboost import CatBoostClassifier, CatBoostRegressor

        kinds = {"classification": CatBoostClassifier, "regression": CatBoostRegressor}
        quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
        settings = _given(iterations=trees, learning_rate=rate)
        model = kinds[task](random_seed=0, **quiet, **settings)
        return _Flat(model.fit(X, y))

    return fit


def ours(**settings: Any) -> Fitter:
    def fit(task: str, X: Array, y: Array) -> Any:
        kinds = {
            "classification": DPDTBoostingClassifier,
            "regression": DPDTBoostingRegressor,
        }
        return kinds[task](random_state=0, **settings).fit(X, y)

    return fit


def _given(**settings: Any) -> dict[str, Any]:
    return {name: value for name, value in settings.items() if value is not None}


class _Coded:
    """XGBoost takes labels 0 … K-1 only; a training part may lack a class."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Array, y: Array) -> _Coded:
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.model.fit(X, codes)
        return self

    def predict(self, X: Array) -> Array:
        return np.asarray(self.classes_[self.model.predict(X)])

    def predict_proba(self, X: Array) -> Array:
        return np.asarray(self.model.predict_proba(X))


class _Flat:
    """CatBoost predicts labels as a column."""

    def __init__(self, model: Any) -> None:
        self.model = model
        if hasattr(model, "predict_proba"):
            self.classes_ = model.classes_
            self.predict_proba = model.predict_proba

    def predict(self, X: Array) -> Array:
        return np.asarray(self.model.predict(X)).ravel()


_RIVALS: dict[str, Callable[..., Fitter]] = {
    "LightGBM": lightgbm,
    "XGBoost": xgboost,
    "HistGradientBoosting": hist_gradient_boosting,
    "CatBoost": catboost,
}
RIVALS = tuple(_RIVALS)
LEAGUES = ("150", "own")

BOOSTERS: dict[str, Fitter] = {
    **{f"{name} 150": make(**EQUAL) for name, make in _RIVALS.items()},
    **{f"{name} own": make() for name, make in _RIVALS.items()},
    "DPDT boosting 150": ours(max_iter=150, learning_rate=0.1),
    "DPDT boosting own": ours(),
}
