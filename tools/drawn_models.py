"""Small sets and the parameters drawn for models of them, for `hash_models.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_wine,
    make_friedman1,
)

Data = Mapping[str, Any]  # X, y, task, categorical, share
Draw = np.random.RandomState

MONOTONE_LOSSES = ("zero_one", "gini", "log_loss", "squared_error")


# ------------------------------------------------------------------------------ data


def class_sets() -> dict[str, Data]:
    """Return small sets with labels."""
    rng = np.random.RandomState(1)
    iris, wine, cancer = load_iris(), load_wine(), load_breast_cancer()
    some = rng.permutation(len(cancer.data))[:220]
    bits = rng.randint(0, 2, (180, 9)).astype(float)
    mixed = rng.randn(160, 6)
    mixed[:, 4] = rng.randint(0, 7, 160)
    mixed[:, 5] = rng.randint(0, 12, 160)
    mixed_y = (mixed[:, 0] + (mixed[:, 4] % 3) + 0.5 * rng.randn(160) > 1).astype(int)
    mixed[rng.rand(160, 6) < 0.06] = np.nan
    coarse = np.round(rng.randn(240, 7), 1)
    two = np.column_stack([coarse[:, 0] > 0, coarse[:, 1] + coarse[:, 2] > 0.5])
    wide = rng.randn(120, 80)
    many = np.column_stack([rng.randn(5000, 6), rng.randint(0, 5, (5000, 3))])
    noisy = many[:, :4].prod(1) + many[:, 6] - 2 + rng.randn(5000) > 0
    return {
        "iris": _classes(iris.data, iris.target),
        "wine": _classes(wine.data[:, :8], wine.target),
        "cancer": _classes(cancer.data[some, :12], cancer.target[some]),
        "bits": _classes(bits, (bits[:, :3].sum(1) > 1) ^ (rng.rand(180) < 0.1)),
        "mixed": _classes(mixed, mixed_y, categorical=(4, 5)),
        "coarse": _classes(coarse, np.digitize(coarse[:, :2].sum(1), [-1, 0, 1.5])),
        "outputs": _classes(coarse, two.astype(int)),
        "wide": _classes(wide, wide[:, 70] * wide[:, 5] > 0, share=0.2),
        "many": _classes(many, noisy, share=0.15),
    }


def number_sets() -> dict[str, Data]:
    """Return small sets with numbers to predict."""
    rng = np.random.RandomState(2)
    diabetes = load_diabetes()
    friedman_x, friedman_y = make_friedman1(180, n_features=6, random_state=3)
    mixed = rng.randn(150, 5)
    mixed[:, 3] = rng.randint(0, 9, 150)
    counts = rng.poisson(np.exp(0.5 * mixed[:, 0] + 0.2 * (mixed[:, 3] % 3)))
    mixed[rng.rand(150, 5) < 0.06] = np.nan
    rounded = np.round(friedman_x, 1)
    many_x, many_y = make_friedman1(4000, n_features=6, noise=1.0, random_state=4)
    return {
        "diabetes": _numbers(diabetes.data[:200], diabetes.target[:200]),
        "friedman": _numbers(friedman_x, friedman_y),
        "counts": _numbers(mixed, counts.astype(float), categorical=(3,)),
        "outputs": _numbers(rounded, np.column_stack([friedman_y, rounded[:, 1] * 5])),
        "many": _numbers(many_x, many_y, share=0.15),
    }


def _classes(X: Any, y: Any, **more: Any) -> Data:
    return _set(X, np.asarray(y).astype(int), "classes", **more)


def _numbers(X: Any, y: Any, **more: Any) -> Data:
    return _set(X, y, "numbers", **more)


def _set(
    X: Any, y: Any, task: str, categorical: tuple[int, ...] = (), share: float = 1
) -> Data:
    """Return a set; large ones get only a share of the models."""
    return {"X": X, "y": y, "task": task, "categorical": categorical, "share": share}


def weights_of(kind: str, n: int) -> NDArray[Any] | None:
    """Return sample weights of a kind: none, whole (some 0) or real ones."""
    rng = np.random.RandomState(5)
    if kind == "whole":
        return rng.randint(0, 4, n).astype(float)
    return rng.rand(n) + 0.1 if kind == "real" else None


# ---------------------------------------------------------------------------- models


def pick(draw: Draw, *options: Any) -> Any:
    """Return one of the options."""
    return options[draw.randint(len(options))]


def rarely(draw: Draw, share: float = 0.15) -> bool:
    """Return True for so large a share of the draws."""
    return bool(draw.rand() < share)


def limits(draw: Draw) -> dict[str, Any]:
    """Return some limits of a tree."""
    out: dict[str, Any] = {}
    if rarely(draw):
        out["min_samples_leaf"] = pick(draw, 3, 8, 0.05)
    if rarely(draw, 0.08):
        out["min_samples_split"] = pick(draw, 10, 0.2)
    if rarely(draw, 0.08):
        out["min_weight_fraction_leaf"] = 0.06
    if rarely(draw, 0.08):
        out["min_impurity_decrease"] = pick(draw, 0.002, 0.02)
    if rarely(draw, 0.08):
        out["max_features"] = pick(draw, 2, "sqrt")
    if rarely(draw, 0.12):
        out["max_bins"] = pick(draw, 6, 32)
    return out


def constraints(draw: Draw, data: Data) -> dict[str, Any]:
    """Return constraints on the features."""
    p = data["X"].shape[1]
    out: dict[str, Any] = {}
    if rarely(draw, 0.2) and two_classes_or_numbers(data):
        out["monotonic_cst"] = directions(data)
    if rarely(draw, 0.06):
        out["interaction_cst"] = [[0, 1], [2, 3]]
    if rarely(draw, 0.06):
        out["feature_costs"] = [0.01 * (f % 3) for f in range(p)]
    if rarely(draw, 0.06):
        out["allowed_features"] = {0: [0, 1], 1: [1, 2, 3]}
    return out


def two_classes_or_numbers(data: Data) -> bool:
    """Tell whether features may be monotone."""
    one = data["y"].ndim == 1
    return one and (data["task"] == "numbers" or data["y"].max() == 1)


def directions(data: Data) -> list[int]:
    """Return in which direction each feature has to act."""
    p = data["X"].shape[1]
    return [0 if f in data["categorical"] else f % 3 - 1 for f in range(p)]


def losses(draw: Draw, data: Data) -> dict[str, Any]:
    """Return a loss and a criterion."""
    if data["task"] == "numbers":
        names = "squared_error", "squared_error", "absolute_error", "quantile"
        loss = pick(draw, *names)
        if np.min(data["y"]) >= 0 and rarely(draw, 0.3):
            loss = "poisson"
        criterion = loss if rarely(draw, 0.7) else "squared_error"
        return {"loss": loss, "criterion": criterion, "quantile": 0.3}
    out = {
        "loss": pick(draw, "zero_one", "zero_one", "zero_one", "gini", "log_loss"),
        "criterion": pick(draw, "gini", "gini", "entropy"),
    }
    if rarely(draw, 0.08) and data["y"].ndim == 1:
        k = int(data["y"].max()) + 1
        costs = np.arange(k * k, dtype=float).reshape(k, k) % 5 + 1
        np.fill_diagonal(costs, 0)
        out |= {"loss": "cost_matrix", "cost_matrix": costs}
    return out


def search(draw: Draw, data: Data) -> dict[str, Any]:
    """Return a strategy and what belongs to it."""
    strategy = pick(draw, "greedy", "paper", "paper", "balanced", "balanced")
    deep = {"greedy": (2, 4, None), "paper": (1, 2, 3, 4), "balanced": (1, 2, 3, 4, 5)}
    out = {"strategy": strategy, "max_depth": pick(draw, *deep[strategy])}
    if strategy == "paper":
        out["n_candidates"] = pick(draw, None, 3, (4, 2, 1), (8, 4))
        generators = "cart", "cart", "cart", "top_b", "top_b_per_feature"
        out["generator"] = pick(draw, *generators)
        if out["max_depth"] <= 2 and len(data["X"]) < 170 and rarely(draw, 0.1):
            out["generator"] = "exhaustive"
    if rarely(draw):
        out["max_leaf_nodes"] = pick(draw, 3, 6)
    return out


def tree_params(draw: Draw, data: Data) -> dict[str, Any]:
    """Return the parameters of one tree."""
    out = search(draw, data) | losses(draw, data) | limits(draw)
    out |= constraints(draw, data)
    if out.get("monotonic_cst") and out["loss"] not in MONOTONE_LOSSES:
        out["loss"] = "squared_error" if data["task"] == "numbers" else "zero_one"
        out["criterion"] = "squared_error" if data["task"] == "numbers" else "gini"
        out.pop("cost_matrix", None)
    out["alpha"] = pick(draw, 0.0, 0.0, 0.004, 0.02, "mdl", "auto")
    out["complexity"] = pick(draw, "path_length", "path_length", "n_leaves")
    out["n_jobs"] = pick(draw, None, None, 2)
    out["random_state"] = 0
    if data["task"] == "classes" and rarely(draw, 0.08):
        out["class_weight"] = "balanced"
    if data["categorical"]:
        out["categorical_features"] = pick(draw, list(data["categorical"]), None)
    return out


def boosting_params(draw: Draw, data: Data) -> dict[str, Any]:
    """Return the parameters of one booster."""
    out: dict[str, Any] = {
        "lookahead": pick(draw, None, "light", "strong", "full"),
        "max_iter": int(pick(draw, 5, 12)),
        "max_leaf_nodes": pick(draw, 4, 8, 31),
        "n_jobs": pick(draw, None, 2),
        "random_state": 0,
    }
    if data["task"] == "numbers":
        options = ["squared_error", "absolute_error", "quantile"]
        options += ["poisson"] if np.min(data["y"]) >= 0 else []
        options += ["gamma"] if np.min(data["y"]) > 0 else []
        out["loss"] = pick(draw, *options)
        out["quantile"] = 0.7 if out["loss"] == "quantile" else None
    extras = {
        "newton": False,
        "subsample": 0.6,
        "max_features": 0.5,
        "max_bins": 16,
        "min_samples_leaf": 6,
        "gamma": 0.3,
        "reg_alpha": 0.2,
        "max_depth": 3,
        "early_stopping": True,
        "interaction_cst": [[0, 1], [2, 3]],
    }
    out |= {name: value for name, value in extras.items() if rarely(draw, 0.12)}
    if rarely(draw, 0.15) and two_classes_or_numbers(data):
        out["monotonic_cst"] = directions(data)
    if data["categorical"]:
        out["categorical_features"] = pick(draw, list(data["categorical"]), None)
    return out
