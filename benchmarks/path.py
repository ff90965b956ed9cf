"""Time of a whole path of trees, divided by that of one fit at alpha = 0.

The best trees for all alphas, and for all numbers of leaves, come from one search each;
the same strategy and the same depth on both sides, encoding included. One thread, in
seconds of the processor, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from time import process_time
from typing import Any

from benchmarks._data import TABLE1_SETS, Dataset, load_table1
from benchmarks._markdown import table
from benchmarks._timing import (
    best_of,
    geometric_mean,
    print_table,
    stored_json,
    write_json,
)
from dpdtree import DPDTreeClassifier

QUICK = ("bank", "raisin", "wilt", "segment", "fault", "eeg", "page")
#: what is searched → the public method that does it
KINDS = {"alpha": "regularization_path", "leaves": "leaf_path"}

#: variant → constructor arguments
VARIANTS: dict[str, dict[str, Any]] = {
    "greedy, depth 3": {"strategy": "greedy", "max_depth": 3},
    "paper (8, 8, 8), depth 3": {
        "strategy": "paper",
        "max_depth": 3,
        "n_candidates": (8, 8, 8),
    },
    "paper (15, 5, 3, 2, 1), depth 5": {
        "strategy": "paper",
        "max_depth": 5,
        "n_candidates": (15, 5, 3, 2, 1),
    },
    "balanced, depth 3": {"strategy": "balanced", "max_depth": 3},
    "balanced, depth 5": {"strategy": "balanced", "max_depth": 5},
}


def measure(data: Dataset, arguments: dict[str, Any], repeat: int) -> dict[str, Any]:
    """Seconds of one fit and of both paths, and how many trees the paths have."""
    model = DPDTreeClassifier(n_jobs=1, alpha=0.0, **arguments)

    def path(kind: str) -> Callable[[], Sequence[Any]]:
        return lambda: getattr(model, KINDS[kind])(data.X, data.y)

    calls: dict[str, Callable[[], object]] = {"fit": lambda: model.fit(data.X, data.y)}
    calls |= {kind: path(kind) for kind in KINDS}
    seconds = best_of(calls, repeat, process_time)
    return {
        "seconds": seconds["fit"],
        "ratio": {kind: seconds[kind] / seconds["fit"] for kind in KINDS},
        "trees": {kind: len(path(kind)()) for kind in KINDS},
    }


def summary(sets: dict[str, Any]) -> dict[str, Any]:
    """Geometric mean and largest ratio of each kind of path."""
    ratios = {kind: [s["ratio"][kind] for s in sets.values()] for kind in KINDS}
    return {
        kind: {"mean": geometric_mean(values), "largest": max(values)}
        for kind, values in ratios.items()
    }


def run(variant: str, names: Sequence[str], repeat: int) -> dict[str, Any]:
    """Measure one variant on the named sets and print its table."""
    sets = {
        name: measure(load_table1(name), VARIANTS[variant], repeat) for name in names
    }
    facts = summary(sets)
    rows: list[list[object]] = [
        [name, 1e3 * s["seconds"], *s["ratio"].values(), *s["trees"].values()]
        for name, s in sets.items()
    ]
    rows += [
        [key, "", *(facts[kind][key] for kind in KINDS), "", ""]
        for key in ("mean", "largest")
    ]
    header = ["set", "fit ms", "all alphas ÷ fit", "all leaves ÷ fit", "trees", "trees"]
    print_table(variant, header, rows)
    return facts


def rendered(content: dict[str, Any]) -> str:
    """Both kinds of path of every variant: geometric mean and largest ratio."""
    rows = []
    for variant, facts in content["variants"].items():
        cells = [f"{facts[k][f]:.2f}" for k in ("alpha", "leaves") for f in facts[k]]
        rows.append([variant, *cells])
    header = ["strategy", "all alphas ÷ fit", "largest", "all leaves ÷ fit", "largest"]
    return table(header, rows)


def main() -> None:
    """Measure all variants and store the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="timed rounds per set")
    parser.add_argument("--quick", action="store_true", help="a few small sets")
    parser.add_argument("--variant", choices=VARIANTS, help="only this one")
    options = parser.parse_args()
    names = QUICK if options.quick else TABLE1_SETS
    chosen = [options.variant] if options.variant else list(VARIANTS)
    variants = {variant: run(variant, names, options.repeat) for variant in chosen}
    if not options.quick:
        payload = {"repeat": options.repeat, "threads": 1}
        variants = stored_json("path").get("variants", {}) | variants
        write_json("path", {**payload, "variants": variants})


if __name__ == "__main__":
    main()
