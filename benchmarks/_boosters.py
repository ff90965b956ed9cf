"""Our boosting engine and its peers at equal settings, behind one function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._data import Dataset

LEARNING_RATE = 0.1
MAX_BINS = 255
LEAVES = 31

#: Fits a number of trees on a set with a number of threads; returns raw predictions of
#: any matrix.
Fitter = Callable[[Dataset, int, int], Callable[[npt.NDArray[Any], int], Any]]


def n_classes(data: Dataset) -> int:
    """Of a set with labels 0 … K-1."""
    return int(data.y.max()) + 1


def ours(lookahead: str, depth: int = 0, n_candidates: tuple[int, ...] = ()) -> Fitter:
    """The native engine, binning included."""
    from dpdtree import _core

    def fit(data: Dataset, n_trees: int, threads: int) -> Any:
        params = _core.BoostingParams()
        params.loss = "log_loss"
        params.lookahead = lookahead
        params.learning_rate = LEARNING_RATE
        params.max_bins = MAX_BINS
        params.max_leaf_nodes = 0 if depth else LEAVES
        params.max_depth = depth
        params.n_threads = threads
        if n_candidates:
            params.n_candidates = list(n_candidates)
        y = data.y.astype(np.float64)
        session = _core.BoostingSession(data.X, y, None, n_classes(data), params)
        session.run(n_trees)
        return session.model.predict_raw

    return fit


def lightgbm(depth: int = 0) -> Fitter:
    """LightGBM's own interface: no estimator around it."""

    def fit(data: Dataset, n_trees: int, threads: int) -> Any:
        import lightgbm

        params = {
            "objective": "binary" if n_classes(data) == 2 else "multiclass",
            "num_leaves": 2**depth if depth else LEAVES,
            "max_depth": depth or -1,
            "learning_rate": LEARNING_RATE,
            "max_bin": MAX_BINS,
            "num_threads": threads,
            "verbose": -1,
        }
        if n_classes(data) > 2:
            params["num_class"] = n_classes(data)
        train = lightgbm.Dataset(data.X, data.y)
        booster = lightgbm.train(params, train, n_trees)
        return lambda X, k: booster.predict(X, raw_score=True, num_threads=k)

    return fit


def ours_of_targets(lookahead: str | None) -> Fitter:
    """Our regressor; y has a column per target."""
    from dpdtree import DPDTBoostingRegressor

    def fit(data: Dataset, n_trees: int, threads: int) -> Any:
        model = DPDTBoostingRegressor(
            max_iter=n_trees, lookahead=lookahead, learning_rate=LEARNING_RATE,
            max_leaf_nodes=LEAVES, max_bins=MAX_BINS, max_features=1.0,
            early_stopping=False, n_jobs=threads,
        )  # fmt: skip
        return model.fit(data.X, data.y).predict

    return fit


def lightgbm_of_targets(data: Dataset, n_trees: int, threads: int) -> Any:
    """LightGBM, which has a model per target, on bins that these share."""
    import lightgbm

    params = {
        "objective": "regression", "num_leaves": LEAVES, "max_bin": MAX_BINS,
        "learning_rate": LEARNING_RATE, "num_threads": threads, "verbose": -1,
    }  # fmt: skip
    train = lightgbm.Dataset(data.X, data.y[:, 0], free_raw_data=False)
    models = []
    for target in data.y.T:
        train.set_label(target)
        models.append(lightgbm.train(params, train, n_trees))
    return lambda X, k: np.column_stack([m.predict(X, num_threads=k) for m in models])


def several_targets() -> dict[str, Fitter]:
    """All with 31 leaves; LightGBM first."""
    looks = {"None": None, "light": "light", "strong": "strong"}
    return {"LightGBM, a model each": lightgbm_of_targets} | {
        f"ours, {name}": ours_of_targets(look) for name, look in looks.items()
    }


def xgboost(data: Dataset, n_trees: int, threads: int) -> Any:
    """XGBoost, leaf-wise histograms."""
    import xgboost

    params = {
        "objective": "binary:logistic" if n_classes(data) == 2 else "multi:softprob",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": LEAVES,
        "max_depth": 0,
        "eta": LEARNING_RATE,
        "max_bin": MAX_BINS,
        "nthread": threads,
    }
    if n_classes(data) > 2:
        params["num_class"] = n_classes(data)
    train = xgboost.QuantileDMatrix(data.X, data.y, nthread=threads, max_bin=MAX_BINS)
    booster = xgboost.train(params, train, n_trees)
    return lambda X, k: booster.inplace_predict(X, predict_type="margin")


def hist_gradient_boosting(data: Dataset, n_trees: int, threads: int) -> Any:
    """scikit-learn's booster, its threads limited from outside."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    model = HistGradientBoostingClassifier(
        learning_rate=LEARNING_RATE, max_iter=n_trees, max_leaf_nodes=LEAVES,
        max_bins=MAX_BINS, early_stopping=False,
    )  # fmt: skip
    with threadpool_limits(threads):
        model.fit(data.X, data.y)
    return lambda X, k: model.decision_function(X)


def catboost(data: Dataset, n_trees: int, threads: int) -> Any:
    """CatBoost, leaf-wise."""
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(
        iterations=n_trees, learning_rate=LEARNING_RATE, grow_policy="Lossguide",
        max_leaves=LEAVES, border_count=MAX_BINS - 1, thread_count=threads,
        allow_writing_files=False, verbose=False,
    )  # fmt: skip
    model.fit(data.X, data.y)
    return lambda X, k: model.predict(X, prediction_type="RawFormulaVal")


def leafwise() -> dict[str, Fitter]:
    """All with 31 leaves; LightGBM first: the others are divided by it."""
    return {
        "LightGBM": lightgbm(),
        "None": ours("none"),
        "light": ours("light"),
        "strong": ours("strong"),
        "XGBoost": xgboost,
        "HistGradientBoosting": hist_gradient_boosting,
        "CatBoost": catboost,
    }


def depth_limited(depth: int) -> dict[str, Fitter]:
    """Trees of limited depth."""
    return {
        f"LightGBM depth {depth}": lightgbm(depth),
        f"greedy depth {depth}": ours("none", depth),
        "full (4,1,1)": ours("full", depth, (4, 1, 1)),
        "full (4,4,1)": ours("full", depth, (4, 4, 1)),
    }
