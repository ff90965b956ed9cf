"""Processor time of a whole `fit` on one thread, relative to scikit-learn's CART."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks._data import (
    REGRESSION_SETS,
    TABLE1_SETS,
    Dataset,
    load_regression,
    load_table1,
)
from benchmarks._markdown import table
from benchmarks._timing import best_of, geometric_mean, print_table, ratios, write_json
from dpdtree import DPDTreeClassifier, DPDTreeRegressor

DEPTH, DEPTH_OF_DEFAULTS = 3, 5
GREEDY, BALANCED, DEFAULT = "greedy", "balanced", "default"


@dataclass(frozen=True)
class Task:
    """The sets and the estimators of one comparison."""

    title: str
    sets: Sequence[str]
    quick: Sequence[str]
    load: Callable[[str], Dataset]
    peer: type
    ours: type
    variants: tuple[str, ...]
    depth: int = DEPTH  # of the peer, and of ours unless it is the default fit


def load_small(name: str) -> Dataset:
    """Iris: what a fit costs where there is hardly anything to search."""
    X, y = load_iris(return_X_y=True)
    return Dataset(name, X, y)


TASKS = {
    "classification": Task(
        "Classification, 16 sets of Table 1 (fit time / DecisionTreeClassifier)",
        TABLE1_SETS,
        ("bank", "raisin", "wilt", "segment"),
        load_table1,
        DecisionTreeClassifier,
        DPDTreeClassifier,
        (GREEDY, "7,1,1", "7,7,7", BALANCED),
    ),
    "default_classifier": Task(
        "Classifier as it is, 16 sets of Table 1 (fit time / depth 5)",
        TABLE1_SETS,
        ("bank", "raisin"),
        load_table1,
        DecisionTreeClassifier,
        DPDTreeClassifier,
        (DEFAULT,),
        DEPTH_OF_DEFAULTS,
    ),
    "regression": Task(
        "Regression, numerical benchmark sets (fit time / DecisionTreeRegressor)",
        REGRESSION_SETS,
        ("abalone", "wine_quality"),
        load_regression,
        DecisionTreeRegressor,
        DPDTreeRegressor,
        (GREEDY, "3,3,3"),
    ),
    "default_regressor": Task(
        "Regressor as it is, numerical benchmark sets (fit time / depth 5)",
        REGRESSION_SETS,
        ("abalone",),
        load_regression,
        DecisionTreeRegressor,
        DPDTreeRegressor,
        (DEFAULT,),
        DEPTH_OF_DEFAULTS,
    ),
    "small": Task(
        "Iris, 150 rows (fit time / DecisionTreeClassifier)",
        ("iris",),
        ("iris",),
        load_small,
        DecisionTreeClassifier,
        DPDTreeClassifier,
        (GREEDY, DEFAULT),
        DEPTH_OF_DEFAULTS,
    ),
}


def arguments(variant: str, depth: int) -> dict[str, Any]:
    """Constructor arguments of a variant: a name, or its n_candidates per depth."""
    if variant == DEFAULT:
        return {}
    if variant == GREEDY:
        return {"max_depth": depth, "strategy": GREEDY}
    if variant == BALANCED:
        exact: dict[str, Any] = {"alpha": 0.0, "loss": "zero_one"}
        return {"max_depth": depth, "strategy": BALANCED, **exact}
    counts = tuple(map(int, variant.split(",")))
    return {"max_depth": depth, "strategy": "paper", "n_candidates": counts}


def measure(task: Task, data: Dataset, repeat: int) -> dict[str, Any]:
    """Seconds of the peer, ratios and training scores of every variant."""
    models = {"sklearn": task.peer(max_depth=task.depth, random_state=0)}
    for variant in task.variants:
        models[variant] = task.ours(n_jobs=1, **arguments(variant, task.depth))

    def fitter(model: Any) -> Callable[[], object]:
        return lambda: model.fit(data.X, data.y)

    calls = {name: fitter(model) for name, model in models.items()}
    seconds = best_of(calls, repeat, process_time)
    return {
        "n": data.X.shape[0],
        "p": data.X.shape[1],
        "sklearn_seconds": seconds["sklearn"],
        "ratio": ratios(seconds, "sklearn"),
        "score": {k: float(m.score(data.X, data.y)) for k, m in models.items()},
    }


def summary(task: Task, results: dict[str, Any]) -> dict[str, Any]:
    """Geometric mean and largest ratio of each variant."""
    found = {}
    for variant in task.variants:
        own = [result["ratio"][variant] for result in results.values()]
        found[variant] = {"mean": geometric_mean(own), "largest": max(own)}
    return found


def report(task: Task, results: dict[str, Any], means: dict[str, Any]) -> None:
    """Print one line per set and the geometric means."""
    rows: list[list[object]] = [
        [name, r["n"], r["p"], 1e3 * r["sklearn_seconds"], *r["ratio"].values()]
        for name, r in results.items()
    ]
    mean = [means[variant]["mean"] for variant in task.variants]
    rows.append(["geometric mean", "", "", "", *mean])
    print_table(task.title, ["set", "N", "p", "sklearn ms", *task.variants], rows)


def rendered(content: dict[str, Any]) -> str:
    """Geometric means and the largest ratio of every variant that was measured."""
    rows = [
        [task.replace("_", " "), variant, f"{own['mean']:.2f}", f"{own['largest']:.2f}"]
        for task in TASKS
        for variant, own in content.get(task, {}).items()
    ]
    return table(["task", "candidates", "geometric mean", "largest"], rows)


def run(task: Task, names: Sequence[str], repeat: int) -> dict[str, Any]:
    """Measure a task on the named sets."""
    results = {name: measure(task, task.load(name), repeat) for name in names}
    means = summary(task, results)
    report(task, results, means)
    return means


def main() -> None:
    """Measure all tasks and store the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=[*TASKS, "all"], default="all")
    parser.add_argument("--sets", nargs="+", help="only these sets; nothing is stored")
    parser.add_argument("--repeat", type=int, default=5, help="timed rounds per set")
    parser.add_argument("--quick", action="store_true", help="a few small sets")
    options = parser.parse_args()
    payload: dict[str, Any] = {"repeat": options.repeat, "threads": 1}
    for key, task in TASKS.items():
        if options.task not in (key, "all"):
            continue
        names = task.quick if options.quick else task.sets
        if options.sets:
            names = [name for name in task.sets if name in options.sets]
        payload[key] = run(task, names, options.repeat)
    if options.task == "all" and not (options.sets or options.quick):
        write_json("speed", payload)


if __name__ == "__main__":
    main()
