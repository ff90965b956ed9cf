"""Random search as in the paper's section 5.2: spaces of the appendix, best so far."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Space = Mapping[str, Callable[[np.random.Generator], Any]]

#: The appendix says "8 configs" and "5 configs" without listing them.
TREE_CONFIGS = (
    (4,), (8,), (15,), (4, 4), (8, 4), (4, 4, 4), (8, 8, 4), (4, 4, 4, 4)
)  # fmt: skip
BOOSTED_CONFIGS = ((4,), (8,), (4, 4), (8, 4), (4, 4, 4))


def choice(values: Mapping[Any, float]) -> Callable[[np.random.Generator], Any]:
    """Draw one of the values with these probabilities."""
    names, shares = list(values), np.array(list(values.values()))
    return lambda rng: names[int(rng.choice(len(names), p=shares / shares.sum()))]


def uniform(values: tuple[Any, ...]) -> Callable[[np.random.Generator], Any]:
    """Draw one of the values."""
    return choice(dict.fromkeys(values, 1.0))


def log_int(low: float, high: float) -> Callable[[np.random.Generator], int]:
    """Draw a whole number whose logarithm is uniform."""
    return lambda rng: round(math.exp(rng.uniform(math.log(low), math.log(high))))


_COMMON: Space = {
    "min_samples_split": choice({2: 0.95, 3: 0.05}),
    "min_impurity_decrease": choice({0.0: 0.85, 0.01: 0.05, 0.02: 0.05, 0.05: 0.05}),
    "min_samples_leaf": log_int(2, 51),
    "min_weight_fraction_leaf": choice({0.0: 0.95, 0.01: 0.05}),
    "max_features": choice({"sqrt": 0.5, "log2": 0.25, None: 0.25}),
}
_SINGLE: Space = {"max_depth": choice({5: 0.7, 2: 0.1, 3: 0.1, 4: 0.1}), **_COMMON}
_BOOSTED: Space = {
    "max_depth": choice({2: 0.4, 3: 0.6}),
    **_COMMON,
    "learning_rate": lambda rng: float(rng.lognormal(math.log(0.01), math.log(10))),
}
SPACES: Mapping[str, Space] = {
    "CART": _SINGLE
    | {"max_leaf_nodes": choice({32: 0.85, 5: 0.05, 10: 0.05, 15: 0.05})},
    "DPDT": _SINGLE | {"n_candidates": uniform(TREE_CONFIGS)},
    "AdaBoost CART": _BOOSTED | {"max_leaf_nodes": choice({8: 0.85, 5: 0.05, 7: 0.1})},
    "AdaBoost DPDT": _BOOSTED | {"n_candidates": uniform(BOOSTED_CONFIGS)},
    "STreeD": {
        "min_leaf_node_size": log_int(2, 51),
        "max_num_nodes": uniform((3, 5, 7, 11, 17, 25, 31)),
        "n_thresholds": uniform((5, 10, 20, 50)),
    },
}


def draw(model: str, n: int, seed: int = 0) -> list[dict[str, Any]]:
    """The defaults (nothing set), then n - 1 random settings."""
    rng = np.random.default_rng([seed, len(model)])
    space = SPACES[model]
    drawn = [{name: value(rng) for name, value in space.items()} for _ in range(n - 1)]
    return [{}, *drawn]


def best_so_far(
    validation: Floats, test: Floats, shuffles: int = 15, seed: int = 0
) -> Floats:
    """Test score of the best on validation after 1, 2, … settings, for each shuffle.

    The default stays first, as in the paper; shape (shuffles, n).
    """
    return np.array(
        [_curve(validation[o], test[o]) for o in _orders(validation, shuffles, seed)]
    )


def best_by_time(
    validation: Floats, test: Floats, seconds: Floats, grid: Floats, shuffles: int = 15
) -> Floats:
    """The same against seconds spent; NaN before the first setting is done."""
    rows = []
    for order in _orders(validation, shuffles, 0):
        spent = seconds[order].cumsum()
        at = np.searchsorted(spent, grid, side="right") - 1
        curve = _curve(validation[order], test[order])
        rows.append(np.where(at >= 0, curve[np.maximum(at, 0)], np.nan))
    return np.array(rows)


def _orders(validation: Floats, shuffles: int, seed: int) -> list[npt.NDArray[np.intp]]:
    rng = np.random.default_rng(seed)
    rest = np.arange(1, len(validation))
    return [np.concatenate([[0], rng.permutation(rest)]) for _ in range(shuffles)]


def _curve(validation: Floats, test: Floats) -> Floats:
    best = np.maximum.accumulate(validation)
    new = np.concatenate([[True], validation[1:] > best[:-1]])
    holder = np.maximum.accumulate(np.where(new, np.arange(len(validation)), 0))
    return test[holder]


def importances(settings: list[dict[str, Any]], scores: Floats) -> list[float]:
    """Random-forest importances of the settings, in the order of their space."""
    from sklearn.ensemble import RandomForestRegressor
    from sklearn.preprocessing import OrdinalEncoder

    drawn = settings[1:]  # the default sets nothing
    names = list(drawn[0])
    table = [[str(s[name]) for name in names] for s in drawn]
    codes = OrdinalEncoder().fit_transform(table)
    for at, name in enumerate(names):
        if all(isinstance(s[name], int | float) for s in drawn):
            codes[:, at] = [s[name] for s in drawn]
    forest = RandomForestRegressor(200, random_state=0).fit(codes, scores[1:])
    shares: list[float] = forest.feature_importances_.round(4).tolist()
    return shares
