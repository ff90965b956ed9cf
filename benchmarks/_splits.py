"""Fits on 70/30 splits of whole sets, stored set by set so that a run can go on."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Mapping
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks._data import REGRESSION_SETS, Dataset, data_root, load
from benchmarks._timing import WORK

Array = npt.NDArray[Any]
Fitter = Callable[[str, Array, Array], Any]
#: How many splits a model is fitted on: (model, task, number of rows) → number.
Seeds = Callable[[str, str, int], int]
#: More figures of a fitted model: (model, X_test, y_test) → name: figure.
Extra = Callable[[Any, Array, Array], Mapping[str, float]]

FOLDERS = ("grinsztajn", "quantbnb", "binary", "categorical")
#: Regression sets whose target is a whole number.
INTEGER_TARGETS = {*REGRESSION_SETS, "visualizing_soil"}


def all_sets() -> list[str]:
    """`folder/name` of every set; of a set and its 0/1 encoded copy, the copy."""
    names = [
        f"{folder}/{path.stem}"
        for folder in FOLDERS
        for path in sorted((data_root() / folder).glob("*.parquet"))
    ]
    return [name for name in names if f"{name}_enc" not in names]


def load_whole(name: str) -> tuple[str, Dataset]:
    """The task and all rows of a set, its own split undone, labels as codes."""
    data = load(name)
    X, y = data.X, data.y
    if data.X_test is not None and data.y_test is not None:
        X, y = np.vstack([X, data.X_test]), np.concatenate([y, data.y_test])
    if y.dtype.kind == "f" or data.name.removesuffix("_cat") in INTEGER_TARGETS:
        return "regression", Dataset(name, X, y.astype(np.float64))
    return "classification", Dataset(name, X, np.unique(y, return_inverse=True)[1])


def split(task: str, data: Dataset, seed: int) -> list[Array]:
    """Train and test part: X, X_test, y, y_test."""
    by_class = task == "classification" and np.bincount(data.y).min() > 1
    parts: list[Array] = train_test_split(
        data.X,
        data.y,
        test_size=0.3,
        random_state=seed,
        stratify=data.y if by_class else None,
    )
    return parts


def measure(
    fitter: Fitter, task: str, parts: list[Array], extra: Extra | None = None
) -> dict[str, float]:
    """One fit: its scores on the test part, leaves, processor seconds."""
    X, X_test, y, y_test = parts
    start = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare classes in folds, time limits
        model = fitter(task, X, y)
    seconds = process_time() - start
    result = {"seconds": seconds, "leaves": _leaves(model)}
    if extra is not None:
        result |= extra(model, X_test, y_test)
    if task == "regression":
        return result | {"score": float(model.score(X_test, y_test))}
    score = float(np.mean(np.asarray(model.predict(X_test)) == y_test))
    return result | {"score": score, "log_loss": test_log_loss(model, X_test, y_test)}


def _leaves(model: Any) -> float:
    if hasattr(model, "get_n_leaves"):
        return float(model.get_n_leaves())
    return math.nan


def test_log_loss(model: Any, X: Array, y: Array) -> float:
    """Over the classes of the training part; rows of other classes are left out."""
    if not hasattr(model, "classes_") or not hasattr(model, "predict_proba"):
        return math.nan
    known = np.isin(y, model.classes_)
    labels = model.classes_
    return float(log_loss(y[known], model.predict_proba(X[known]), labels=labels))


class StoredRuns:
    """What has been measured, by set, in build/benchmarks/`name`.json."""

    def __init__(self, name: str) -> None:
        self._path = WORK / f"{name}.json"
        self.sets: dict[str, Any] = {}
        if self._path.is_file():
            text = self._path.read_text(encoding="utf-8")
            self.sets = json.loads(text)["sets"]

    def forget(self, sets: list[str], models: list[str]) -> None:
        """Measure these anew."""
        for name in sets:
            for model in models:
                self.sets.get(name, {"models": {}})["models"].pop(model, None)

    def complete(
        self, name: str, fitters: Mapping[str, Fitter], seeds: Seeds, extra: Any = None
    ) -> bool:
        """Fill in what is missing of one set; True if there was anything."""
        entry = self.sets.setdefault(name, {"models": {}})
        if "n" in entry and not _missing(entry, fitters, seeds):
            return False
        task, data = load_whole(name)
        entry |= {"task": task, "n": len(data.y), "p": data.X.shape[1]}
        missing = _missing(entry, fitters, seeds)
        for seed in sorted({seed for _, seed in missing}):
            parts = split(task, data, seed)
            for model in [m for m, s in missing if s == seed]:
                found = measure(fitters[model], task, parts, extra)
                kept = entry["models"].setdefault(model, {})
                for key, value in found.items():
                    if not math.isnan(value):
                        kept.setdefault(key, []).append(float(f"{value:.5g}"))
        return bool(missing)

    def write(self) -> None:
        """Write all results, one line per set."""
        lines = [
            f'  "{name}": {json.dumps(entry)}' for name, entry in self.sets.items()
        ]
        text = '{"sets": {\n' + ",\n".join(lines) + "\n }}\n"
        self._path.parent.mkdir(parents=True, exist_ok=True)
        draft = self._path.with_suffix(".json.new")
        draft.write_text(text, encoding="utf-8")
        draft.replace(self._path)

    def run(
        self,
        sets: list[str],
        fitters: Mapping[str, Fitter],
        seeds: Seeds,
        extra: Extra | None = None,
    ) -> None:
        """Fill in and store one set after the other."""
        for name in sets:
            start = perf_counter()
            if self.complete(name, fitters, seeds, extra):
                self.write()
                print(f"{name}: {perf_counter() - start:.1f} s", flush=True)


def _missing(
    entry: Mapping[str, Any], fitters: Mapping[str, Fitter], seeds: Seeds
) -> list[tuple[str, int]]:
    """(model, seed) of what has not been measured of a set."""
    found = []
    for model in fitters:
        done = len(entry["models"].get(model, {}).get("score", []))
        wanted = seeds(model, entry["task"], entry["n"])
        found += [(model, seed) for seed in range(done, wanted)]
    return found
