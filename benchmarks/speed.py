"""Time of a whole `fit` call on one thread, relative to scikit-learn's CART."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks._data import (
    REGRESSION_SETS,
    TABLE1_SETS,
    Dataset,
    load_regression,
    load_table1,
)
from benchmarks._timing import best_of, geometric_mean, print_table, ratios, write_json
from dpdtree import DPDTreeClassifier, DPDTreeRegressor

DEPTH = 3
GREEDY = "greedy"


@dataclass(frozen=True)
class Task:
    """The sets and the estimators of one comparison, with the ratios aimed at."""

    title: str
    sets: Sequence[str]
    quick: Sequence[str]
    load: Callable[[str], Dataset]
    peer: type
    ours: type
    targets: dict[str, float]


TASKS = {
    "classification": Task(
        "Classification, 16 sets of Table 1 (fit time / DecisionTreeClassifier)",
        TABLE1_SETS,
        ("bank", "raisin", "wilt", "segment"),
        load_table1,
        DecisionTreeClassifier,
        DPDTreeClassifier,
        {GREEDY: 0.35, "7,1,1": 0.6, "7,7,7": 2.5},
    ),
    "regression": Task(
        "Regression, numerical benchmark sets (fit time / DecisionTreeRegressor)",
        REGRESSION_SETS,
        ("abalone", "wine_quality"),
        load_regression,
        DecisionTreeRegressor,
        DPDTreeRegressor,
        {GREEDY: 0.35, "3,3,3": 1.5},
    ),
}


def arguments(variant: str) -> dict[str, Any]:
    """Constructor arguments of a variant: "greedy", or its n_candidates per depth."""
    if variant == GREEDY:
        return {"strategy": GREEDY}
    return {"strategy": "paper", "n_candidates": tuple(map(int, variant.split(",")))}


def measure(task: Task, data: Dataset, repeat: int) -> dict[str, Any]:
    """Seconds of the peer, ratios and training scores of every variant."""
    models = {"sklearn": task.peer(max_depth=DEPTH, random_state=0)}
    for variant in task.targets:
        models[variant] = task.ours(max_depth=DEPTH, n_jobs=1, **arguments(variant))

    def fitter(model: Any) -> Callable[[], object]:
        return lambda: model.fit(data.X, data.y)

    seconds = best_of({name: fitter(model) for name, model in models.items()}, repeat)
    return {
        "n": data.X.shape[0],
        "p": data.X.shape[1],
        "sklearn_seconds": seconds["sklearn"],
        "ratio": ratios(seconds, "sklearn"),
        "score": {k: float(m.score(data.X, data.y)) for k, m in models.items()},
    }


def summary(task: Task, results: dict[str, Any]) -> dict[str, Any]:
    """Geometric mean of each variant beside its target."""
    means = {
        variant: geometric_mean(result["ratio"][variant] for result in results.values())
        for variant in task.targets
    }
    return {
        variant: {"mean": means[variant], "target": target}
        for variant, target in task.targets.items()
    }


def report(task: Task, results: dict[str, Any], means: dict[str, Any]) -> None:
    """Print one line per set, the geometric means and the targets."""
    rows: list[list[object]] = [
        [name, r["n"], r["p"], 1e3 * r["sklearn_seconds"], *r["ratio"].values()]
        for name, r in results.items()
    ]
    for label, key in (("geometric mean", "mean"), ("target", "target")):
        rows.append([label, "", "", "", *(means[v][key] for v in task.targets)])
    print_table(task.title, ["set", "N", "p", "sklearn ms", *task.targets], rows)


def run(task: Task, names: Sequence[str], repeat: int) -> dict[str, Any]:
    """Measure a task on the named sets."""
    results = {name: measure(task, task.load(name), repeat) for name in names}
    means = summary(task, results)
    report(task, results, means)
    return {"sets": results, "geometric_mean": means}


def main() -> None:
    """Measure both tasks and store the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=[*TASKS, "both"], default="both")
    parser.add_argument("--sets", nargs="+", help="only these sets; nothing is stored")
    parser.add_argument("--repeat", type=int, default=5, help="timed rounds per set")
    parser.add_argument("--quick", action="store_true", help="a few small sets")
    options = parser.parse_args()
    payload: dict[str, Any] = {"repeat": options.repeat, "threads": 1}
    for key, task in TASKS.items():
        if options.task not in (key, "both"):
            continue
        names = task.quick if options.quick else task.sets
        if options.sets:
            names = [name for name in task.sets if name in options.sets]
        payload[key] = run(task, names, options.repeat)
    if options.task == "both" and not (options.sets or options.quick):
        write_json("speed", payload)


if __name__ == "__main__":
    main()
