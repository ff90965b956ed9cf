"""Scores of one contestant on one split of one set, kept so that a run goes on."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

from benchmarks._splits import Fitter, split, test_log_loss
from benchmarks._timing import machine
from benchmarks._wild_sets import group, load_set

Array = npt.NDArray[Any]
Scores = dict[str, float]
#: Scores by set, contestant and seed (a string: the file is JSON).
Runs = dict[str, dict[str, dict[str, Scores]]]

#: Shorter fits are repeated, the shortest time counts.
SHORT, REPEATS = 0.2, 3


def auc(model: Any, X: Array, y: Array) -> float:
    """Area under the ROC curve; of three or more classes the mean, one against rest.

    Classes that either part lacks are left out.
    """
    if not hasattr(model, "predict_proba"):
        return math.nan
    shares = model.predict_proba(X)
    areas = [
        roc_auc_score(y == label, shares[:, at])
        for at, label in enumerate(model.classes_)
        if 0 < np.count_nonzero(y == label) < len(y)
    ]
    return float(np.mean(areas)) if areas else math.nan


def timed(fitter: Fitter, task: str, X: Array, y: Array) -> tuple[Any, float]:
    """A fitted model and its processor seconds, the shortest of a few if short."""
    best = math.inf
    for _ in range(REPEATS):
        start = process_time()
        model = fitter(task, X, y)
        best = min(best, process_time() - start)
        if best > SHORT:
            break
    return model, best


def measure(fitter: Fitter, task: str, parts: list[Array]) -> Scores:
    """Fit on the training part, score on the test part."""
    X, X_test, y, y_test = parts
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare classes in folds
        model, seconds = timed(fitter, task, X, y)
    found = {"seconds": seconds}
    if hasattr(model, "get_n_leaves"):
        found["leaves"] = float(model.get_n_leaves())
    predicted = np.asarray(model.predict(X_test))
    if task == "regression":
        rest = np.square(y_test - y_test.mean()).sum()
        found["r2"] = float(1 - np.square(y_test - predicted).sum() / rest)
    else:
        found["accuracy"] = float(np.mean(predicted == y_test))
        found["auc"] = auc(model, X_test, y_test)
        found["log_loss"] = test_log_loss(model, X_test, y_test)
    return {k: float(f"{v:.6g}") for k, v in found.items() if not math.isnan(v)}


class Store:
    """What has been measured, in one JSON file with one line per set."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.runs: Runs = {}
        self.facts: dict[str, dict[str, Any]] = {}
        if path.is_file():
            content = json.loads(path.read_text(encoding="utf-8"))
            for name, entry in content["sets"].items():
                self.runs[name] = entry.pop("runs")
                self.facts[name] = entry

    def of(self, task: str, group: str) -> Runs:
        """The runs on the sets of a task and group."""
        wanted = {"task": task, "group": group}
        return {
            name: runs
            for name, runs in self.runs.items()
            if self.facts[name].items() >= wanted.items()
        }

    def forget(self, names: list[str], contestants: list[str]) -> None:
        """Measure these anew."""
        for name in names:
            for contestant in contestants:
                self.runs.get(name, {}).pop(contestant, None)

    def missing(
        self, name: str, contestants: list[str], seeds: int
    ) -> list[tuple[int, str]]:
        """(seed, contestant) of a set that are not measured, seed by seed."""
        done = self.runs.get(name, {})
        return [
            (seed, contestant)
            for seed in range(seeds)
            for contestant in contestants
            if str(seed) not in done.get(contestant, {})
        ]

    def complete(self, name: str, registry: dict[str, Fitter], seeds: int) -> bool:
        """Measure what is missing of one set; True if there was anything."""
        missing = self.missing(name, list(registry), seeds)
        if not missing:
            return False
        task, data = load_set(name)
        n, p = data.X.shape
        self.facts[name] = {"group": group(name), "task": task, "n": n, "p": p}
        runs = self.runs.setdefault(name, {})
        parts: list[Array] = []
        last = -1
        for seed, contestant in missing:
            if seed != last:
                parts, last = split(task, data, seed), seed
            scores = measure(registry[contestant], task, parts)
            runs.setdefault(contestant, {})[str(seed)] = scores
        return True

    def run(self, names: list[str], registry: dict[str, Fitter], seeds: int) -> None:
        """Measure and store one set after the other."""
        for name in names:
            start = perf_counter()
            if self.complete(name, registry, seeds):
                self.write()
                print(f"{name}: {perf_counter() - start:.1f} s", flush=True)

    def write(self) -> None:
        """Write all results; a crash leaves the old file."""
        lines = [
            f'  "{name}": {json.dumps({**self.facts[name], "runs": runs})}'
            for name, runs in sorted(self.runs.items())
        ]
        text = json.dumps({"machine": machine()}, indent=1).removesuffix("\n}")
        text += ',\n "sets": {\n' + ",\n".join(lines) + "\n }\n}\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".json.new")
        draft.write_text(text, encoding="utf-8")
        draft.replace(self.path)
