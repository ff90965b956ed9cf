"""Our trees and the solvers they are compared with, behind one interface.

All get the same float64 matrix and the labels as codes 0 … K-1, and one thread.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier

from benchmarks._data import Dataset
from dpdtree import DPDTreeClassifier

#: A fresh, unfitted estimator: solvers may keep what an earlier fit has cached.
Maker = Callable[[], Any]

#: Thresholds per feature for STreeD, which knows only binary features.
STREED_THRESHOLDS = 10


@dataclass(frozen=True)
class Fit:
    """What one estimator reached on one set.

    Seconds are the processor's, the least of all rounds.
    """

    errors: int
    train: float
    test: float
    seconds: float
    finished: bool  # False: the time limit ended it
    proven: bool
    lower_bound: float = math.nan  # of the errors


def ours(
    depth: int, strategy: str, limit: float | None = None, price: float = 0.0
) -> Maker:
    """Our classifier with the least training error that strategy finds.

    Or the least error and price per leaf together.
    """
    return lambda: DPDTreeClassifier(
        max_depth=depth, alpha=price, complexity="n_leaves", strategy=strategy,
        time_limit=limit, n_jobs=1,
    )  # fmt: skip


def cart(depth: int) -> Maker:
    """scikit-learn's tree."""
    return lambda: DecisionTreeClassifier(max_depth=depth, random_state=0)


def contree(depth: int, limit: float) -> Maker:
    """ConTree: optimal trees on continuous features (package pycontree)."""
    from pycontree import ConTree  # type: ignore[import-not-found,unused-ignore]

    return lambda: ConTree(max_depth=depth, time_limit=limit)


def streed(depth: int, limit: float, price: float = 0.0) -> Maker:
    """STreeD: optimal trees on binary features (package pystreed)."""
    from pystreed import (  # type: ignore[import-not-found,unused-ignore]
        STreeDClassifier,
    )

    return lambda: STreeDClassifier(
        "cost-complex-accuracy" if price > 0 else "accuracy",
        cost_complexity=price,
        max_depth=depth,
        time_limit=limit,
        n_thresholds=STREED_THRESHOLDS,
    )


def missing_peers(*packages: str) -> list[str]:
    """Those of the packages that cannot be imported, with a word about each."""
    missing = [name for name in packages if find_spec(name) is None]
    for name in missing:
        print(f"{name} is not installed: its columns are left out")
    return missing


def peer_versions(*packages: str) -> dict[str, str]:
    """Versions of the installed ones."""
    return {name: version(name) for name in packages if find_spec(name) is not None}


def coded(data: Dataset) -> Dataset:
    """The same set, labels as codes; unknown test labels get -1 (always errors)."""
    classes, y = np.unique(data.y, return_inverse=True)
    if data.y_test is None:
        return Dataset(data.name, data.X, y.astype(np.int32))
    at = np.minimum(np.searchsorted(classes, data.y_test), len(classes) - 1)
    y_test = np.where(classes[at] == data.y_test, at, -1).astype(np.int32)
    return Dataset(data.name, data.X, y.astype(np.int32), data.X_test, y_test)


def race(
    makers: Mapping[str, Maker], data: Dataset, *, budget: float = 3.0, rounds: int = 5
) -> dict[str, Fit]:
    """Fit all in turn: one round, then more of them while `budget` seconds last.

    A contender that cannot run is left out, with its reason on the terminal.
    """
    fits: dict[str, Fit] = {}
    makers = dict(makers)
    start = perf_counter()
    for _ in range(rounds):
        for name, maker in list(makers.items()):
            new = _attempt(name, maker, data)
            if new is None:
                del makers[name]
            elif name not in fits or new.seconds < fits[name].seconds:
                fits[name] = new
        if perf_counter() - start > budget:
            break
    return fits


def _attempt(name: str, maker: Maker, data: Dataset) -> Fit | None:
    try:
        return fit_once(maker, data)
    except (ValueError, RuntimeError, AttributeError, MemoryError) as error:
        print(f"{name} failed on {data.name}: {type(error).__name__}: {error}")
        return None


def fit_once(maker: Maker, data: Dataset) -> Fit:
    """One timed fit and the errors of its predictions."""
    model = maker()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        start = process_time()
        model.fit(data.X, data.y)
        seconds = process_time() - start
    errors = _errors(model, data.X, data.y)
    test = math.nan
    if data.X_test is not None and data.y_test is not None:
        test = 1 - _errors(model, data.X_test, data.y_test) / len(data.y_test)
    finished = _finished(model, caught)
    n = len(data.y)
    return Fit(
        errors=errors,
        train=1 - errors / n,
        test=test,
        seconds=seconds,
        finished=finished,
        proven=bool(getattr(model, "is_optimal_", finished)),
        lower_bound=n * float(getattr(model, "lower_bound_", math.nan)),
    )


def _errors(model: Any, X: npt.NDArray[np.float64], y: npt.NDArray[Any]) -> int:
    return int(np.count_nonzero(np.asarray(model.predict(X)) != y))


def _finished(model: Any, caught: list[warnings.WarningMessage]) -> bool:
    if hasattr(model, "report_"):
        return bool(model.report_.stop_reason == "completed")
    if hasattr(model, "fit_result"):  # STreeD
        return bool(model.fit_result.is_optimal())
    return not any("time limit" in str(w.message) for w in caught)  # ConTree
