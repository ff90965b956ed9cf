"""Which defaults do well on unseen rows without any tuning.

Depth, candidates, least leaf size and smoothing of the leaves are varied one at a time,
on the splits of `benchmarks.generalization` (and beside its tuned CART). What has been
measured is stored set by set: a run that is stopped goes on where it was.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks import _cart
from benchmarks._generalization import BASE, TASKS, count_text, versus
from benchmarks._markdown import table
from benchmarks._splits import (
    Array,
    Fitter,
    StoredRuns,
    all_sets,
    test_log_loss,
)
from benchmarks._timing import geometric_mean, print_table, write_json
from dpdtree import DPDTreeClassifier, DPDTreeRegressor

SEEDS = 2
DEPTH = 5
BALANCED: dict[str, Any] = {"strategy": "balanced"}
DEPTHS = (3, 4, 5, 6)
CANDIDATES = ((4, 1), (8,))
LEAF_SIZES = (5, 0.005, 0.01)
SMOOTHINGS = (None, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, "laplace")


def classifier(arguments: Mapping[str, Any], _: str, X: Array, y: Array) -> Any:
    """The classifier that charges splits by their description."""
    own = {"max_depth": DEPTH, "alpha": "mdl", **BALANCED, **arguments}
    return DPDTreeClassifier(**own).fit(X, y)


def regressor(arguments: Mapping[str, Any], _: str, X: Array, y: Array) -> Any:
    """The regressor with a least leaf size."""
    return DPDTreeRegressor(max_depth=DEPTH, alpha=0.0, **BALANCED, **arguments).fit(
        X, y
    )


def cart(depth: int, task: str, X: Array, y: Array) -> Any:
    """scikit-learn's tree of the same depth, for its time."""
    return _cart.plain(task, max_depth=depth).fit(X, y)


def fitters() -> dict[str, dict[str, Fitter]]:
    """The variants of each task, by name."""
    carts: dict[str, Fitter] = {f"CART depth {d}": partial(cart, d) for d in DEPTHS}
    one_cart = f"CART depth {DEPTH}"
    classifiers = {
        **{f"depth {d}": {"max_depth": d} for d in DEPTHS},
        **{f"candidates {c}": {"n_candidates": c} for c in CANDIDATES},
    }
    regressors = {f"leaf {n}": {"min_samples_leaf": n} for n in LEAF_SIZES}
    return {
        "classification": carts
        | {name: partial(classifier, a) for name, a in classifiers.items()},
        "regression": {one_cart: carts[one_cart]}
        | {name: partial(regressor, a) for name, a in regressors.items()},
    }


def smoothed(model: Any, X: Array, y: Array) -> dict[str, float]:
    """The log-loss with each smoothing: predictions alone change."""
    if not isinstance(model, DPDTreeClassifier):
        return {}
    found = {}
    for smoothing in SMOOTHINGS:
        model.set_params(leaf_smoothing=smoothing)
        found[f"log_loss {smoothing}"] = test_log_loss(model, X, y)
    return found


def summarize(sets: Mapping[str, Any], task: str) -> dict[str, dict[str, Any]]:
    """One row of figures for each variant."""
    tuned = StoredRuns("generalization").sets
    rows = {}
    for model in fitters()[task]:
        runs = {
            name: (entry["models"][model], entry["models"])
            for name, entry in sets.items()
            if entry.get("task") == task and entry["models"].get(model, {}).get("score")
        }
        if not runs:
            continue
        scores = np.array([np.mean(own["score"]) for own, _ in runs.values()])
        theirs = [
            np.mean(tuned[name]["models"][BASE]["score"][: len(own["score"])])
            for name, (own, _) in runs.items()
        ]
        depth = model.split()[-1] if "depth" in model else DEPTH
        rows[model] = {
            "sets": len(runs),
            "score": float(scores.mean()),
            "versus": versus(scores, np.array(theirs)),
            "leaves": float(
                np.mean([np.mean(own["leaves"]) for own, _ in runs.values()])
            ),
            "ratio": geometric_mean(
                min(own["seconds"]) / min(every[f"CART depth {depth}"]["seconds"])
                for own, every in runs.values()
            ),
        }
    return rows


def smoothing_table(sets: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """Mean log-loss of each smoothing, and where it is better than none."""
    runs = [
        entry["models"][f"depth {DEPTH}"]
        for entry in sets.values()
        if entry.get("task") == "classification"
        and entry["models"].get(f"depth {DEPTH}", {}).get("score")
    ]
    losses = {
        str(s): np.array([np.mean(run[f"log_loss {s}"]) for run in runs])
        for s in SMOOTHINGS
    }
    return {
        s: {"log_loss": float(v.mean()), "better": int((v < losses["None"]).sum())}
        for s, v in losses.items()
    }


def rendered(content: Mapping[str, Any]) -> str:
    """Each variant of each task against tuned CART; then the smoothing of leaves."""
    parts = []
    for task in TASKS:
        rows = []
        for variant, row in content["tasks"][task].items():
            duel = row["versus"]
            cells = [row["sets"], f"{row['score']:.4f}", f"{duel['gain']:+.4f}"]
            cells += [count_text(duel), f"{row['leaves']:.1f}"]
            rows.append([variant, *cells])
        score = "accuracy" if task == "classification" else "R²"
        header = ["variant", "sets", f"mean {score}", f"gain over {BASE}"]
        header += [f"against {BASE}", "leaves"]
        parts.append(f"{task.capitalize()}:\n\n{table(header, rows)}")
    parts.append(rendered_smoothing(content))
    return "\n\n".join(parts)


def rendered_depths(content: Mapping[str, Any]) -> str:
    """The classifier by depth, a column each."""
    found = {d: content["tasks"]["classification"][f"depth {d}"] for d in DEPTHS}
    counts = ["{win}/{tie}/{loss}".format(**row["versus"]) for row in found.values()]
    rows = [
        ["mean accuracy", *(f"{row['score']:.3f}" for row in found.values())],
        ["better / equal / worse than tuned CART", *counts],
        ["leaves", *(f"{row['leaves']:.1f}" for row in found.values())],
    ]
    return table(["`max_depth`", *found], rows)


def rendered_smoothing(content: Mapping[str, Any]) -> str:
    """Log-loss by smoothing of the leaves."""
    found = content["smoothing"]
    losses = ["mean log-loss", *(f"{row['log_loss']:.3f}" for row in found.values())]
    better = ["better than None on", *(row["better"] for row in found.values())]
    return table(["`leaf_smoothing`", *found], [losses, better])


def report(sets: Mapping[str, Any]) -> None:
    """Print the tables."""
    for task in TASKS:
        header = ["variant", "sets", "score", "gain", f"vs {BASE}", "leaves", "÷ CART"]
        rows: list[list[object]] = [
            [
                model,
                r["sets"],
                r["score"],
                r["versus"]["gain"],
                count_text(r["versus"]),
                r["leaves"],
                r["ratio"],
            ]
            for model, r in summarize(sets, task).items()
        ]
        print_table(task, header, rows)
    rows = [[s, *r.values()] for s, r in smoothing_table(sets).items()]
    print_table("smoothing", ["leaf_smoothing", "log-loss", "better on"], rows)


def main() -> None:
    """Measure what is missing, then print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=all_sets(), metavar="FOLDER/NAME")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="splits at most")
    parser.add_argument("--redo", action="store_true", help="forget stored results")
    options = parser.parse_args()
    stored = StoredRuns("defaults")
    by_task = fitters()
    every = {name: None for some in by_task.values() for name in some}
    if options.redo:
        stored.forget(options.sets, list(every))

    def fit(name: str, task: str, X: Array, y: Array) -> Any:
        return by_task[task][name](task, X, y)

    stored.run(
        options.sets,
        {name: partial(fit, name) for name in every},
        lambda model, task, _: options.seeds if model in by_task[task] else 0,
        smoothed,
    )
    report(stored.sets)
    if len(stored.sets) == len(all_sets()):
        tasks = {task: summarize(stored.sets, task) for task in TASKS}
        smoothing = smoothing_table(stored.sets)
        content = {"depth": DEPTH, "tasks": tasks, "smoothing": smoothing}
        write_json("defaults", content)


if __name__ == "__main__":
    main()
