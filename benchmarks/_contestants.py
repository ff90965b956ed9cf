"""Gradient boosting libraries behind one interface, on one thread.

A contestant fits a model of so many iterations and predicts with the first k of them:
probabilities of the classes, or values. All build trees of at most 31 leaves, best leaf
first, with learning rate 0.1 and without early stopping. Everything else is each
library's own default, ours included: bins, least rows or hessians of a leaf, penalties.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from itertools import islice
from time import process_time
from typing import Any

import numpy as np
from scipy.special import expit, softmax
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)

from benchmarks._quality import Floats
from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor

PEERS = ("lightgbm", "xgboost", "catboost")


@dataclass(frozen=True)
class Contestant:
    """make(classifies, **parameters) and predict(model, X, k, classifies)."""

    make: Callable[..., Any]
    predict: Callable[[Any, Floats, int, bool], Floats]

    def fit(self, X: Floats, y: Any, classifies: bool, **parameters: Any) -> Any:
        """A fitted model and the processor seconds it took."""
        model = self.make(classifies, **parameters)
        start = process_time()
        model.fit(X, y)
        return model, process_time() - start


def peer_versions() -> dict[str, str]:
    """Versions of the other libraries."""
    return {name: version(name) for name in PEERS}


def loss(y: Any, predicted: Floats, classifies: bool) -> float:
    """Mean log-loss, or mean squared error."""
    if not classifies:
        return float(np.mean((y - predicted) ** 2))
    chosen = predicted[np.arange(len(y)), y]
    return float(-np.mean(np.log(np.clip(chosen, 1e-15, None))))


#: What the others have, too: nothing that depends on the number of rows.
_ALIKE: dict[str, Any] = {
    "early_stopping": False,
    "learning_rate": 0.1,
    "max_leaf_nodes": 31,
    "max_features": 1.0,
}


def _ours(lookahead: str | None, **own: Any) -> Contestant:
    def make(classifies: bool, max_iter: int, **parameters: Any) -> Any:
        kind = DPDTBoostingClassifier if classifies else DPDTBoostingRegressor
        return kind(
            max_iter=max_iter,
            lookahead=lookahead,
            random_state=0,
            n_jobs=1,
            **{**_ALIKE, **own, **parameters},
        )

    def predict(model: Any, X: Floats, k: int, classifies: bool) -> Floats:
        raw: Floats = model.booster_.predict_raw(X, 1, min(k, model.n_iter_))
        if not classifies:
            return raw[:, 0]
        if raw.shape[1] > 1:
            return np.asarray(softmax(raw, axis=1))
        return np.column_stack([expit(-raw[:, 0]), expit(raw[:, 0])])

    return Contestant(make, predict)


def _lightgbm() -> Contestant:
    def make(classifies: bool, max_iter: int, **parameters: Any) -> Any:
        import lightgbm

        kind = lightgbm.LGBMClassifier if classifies else lightgbm.LGBMRegressor
        given = {"num_leaves": 31, "learning_rate": 0.1, **parameters}
        return kind(n_estimators=max_iter, n_jobs=1, verbose=-1, **given)

    def predict(model: Any, X: Floats, k: int, classifies: bool) -> Floats:
        call = model.predict_proba if classifies else model.predict
        return np.asarray(call(X, num_iteration=k))

    return Contestant(make, predict)


def _xgboost() -> Contestant:
    def make(classifies: bool, max_iter: int, **parameters: Any) -> Any:
        import xgboost

        kind = xgboost.XGBClassifier if classifies else xgboost.XGBRegressor
        leafwise = {"grow_policy": "lossguide", "max_depth": 0, "max_leaves": 31}
        given = {"learning_rate": 0.1, **leafwise, **parameters}
        return kind(n_estimators=max_iter, tree_method="hist", n_jobs=1, **given)

    def predict(model: Any, X: Floats, k: int, classifies: bool) -> Floats:
        call = model.predict_proba if classifies else model.predict
        return np.asarray(call(X, iteration_range=(0, k)))

    return Contestant(make, predict)


def _catboost() -> Contestant:
    def make(classifies: bool, max_iter: int, **parameters: Any) -> Any:
        import catboost

        kind = catboost.CatBoostClassifier if classifies else catboost.CatBoostRegressor
        leafwise = {"grow_policy": "Lossguide", "max_leaves": 31, "depth": 16}
        quiet = {"verbose": 0, "allow_writing_files": False, "thread_count": 1}
        given = {"learning_rate": 0.1, **leafwise, **quiet, **parameters}
        return kind(iterations=max_iter, random_seed=0, **given)

    def predict(model: Any, X: Floats, k: int, classifies: bool) -> Floats:
        call = model.predict_proba if classifies else model.predict
        return np.asarray(call(X, ntree_end=k))

    return Contestant(make, predict)


def _hist() -> Contestant:
    def make(classifies: bool, max_iter: int, **parameters: Any) -> Any:
        kind = (
            HistGradientBoostingClassifier
            if classifies
            else HistGradientBoostingRegressor
        )
        given = {"early_stopping": False, **parameters}
        return kind(max_iter=max_iter, random_state=0, **given)

    def predict(model: Any, X: Floats, k: int, classifies: bool) -> Floats:
        call = model.staged_predict_proba if classifies else model.staged_predict
        return np.asarray(next(islice(call(X), k - 1, None)))

    return Contestant(make, predict)


#: Trees of 31 leaves, grown best first.
LEAFWISE = {
    "None": _ours(None),
    "light": _ours("light"),
    "strong": _ours("strong"),
    "LightGBM": _lightgbm(),
    "XGBoost": _xgboost(),
    "CatBoost": _catboost(),
    "HistGB": _hist(),
}

#: Trees of depth 3: greedy and by dynamic programming, as published.
DEPTH_3 = {
    "greedy": _ours("full", max_depth=3, n_candidates=1),
    "(4,1,1)": _ours("full", max_depth=3, n_candidates=(4, 1, 1)),
    "(4,4,1)": _ours("full", max_depth=3, n_candidates=(4, 4, 1)),
}
