"""The figures of README.md, written from the stored results.

    python -m benchmarks.readme

They stand between `<!-- measured: begin -->` and `<!-- measured: end -->`; a test fails
when they no longer say what the results say.
"""

from __future__ import annotations

import json
from statistics import median
from typing import Any

from benchmarks._data import PROJECT_ROOT
from benchmarks._timing import RESULTS
from benchmarks.paper.piece import table
from benchmarks.paper.pieces import wild

PAGE = PROJECT_ROOT / "README.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->"
GROUPS = (("bench", "benchmark"), ("confirm", "everyday, held back"))


def stored(name: str) -> dict[str, Any]:
    """A result file."""
    text = (RESULTS / f"{name}.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def carries_over() -> str:
    """Default fits against tuned CART: won, tied, lost, and the price."""
    rows = []
    for task, scores in wild.SCORES.items():
        for group, label in GROUPS:
            for key, (name, base, larger) in scores.items():
                ours, theirs = wild.scores(
                    wild.sets_of(group, task), wild.OURS[0], base, key
                )
                if not len(ours):
                    continue
                sign = 1 if larger else -1
                counts = wild.win_tie_loss(sign * ours, sign * theirs)
                time = wild.time_of(group, task, wild.OURS[0])
                shown = "" if time is None else f"{time[0]:.1f} (at most {time[1]:.0f})"
                model = "classifier" if task == "classification" else "regressor"
                cells = [f"{model}, {name}", label, len(ours), *counts, shown]
                rows.append(cells)
    header = ["default", "sets", "n", "better", "equal", "worse"]
    return (
        "Held-out rows, default settings, against CART tuned by grid search (AUC and"
        " log-loss: tuned for log-loss). The everyday sets are small, noisy tables;"
        " those held back played no part in choosing the defaults. Time is that of the"
        " default fit ÷ a CART of depth 5.\n\n"
        + table([*header, "time ÷ CART"], rows)
        + "\n\n`python -m benchmarks.wild`"
    )


def near_optimal() -> str:
    """Training errors and time at depth 3."""
    speed = stored("speed")["classification"]["geometric_mean"]
    near = stored("near_optimal")["depth3"]
    balanced, sets = near["summary"]["balanced"], near["sets"]
    gap = sum((s["CART"]["errors"] - s["optimum"]) / s["n"] for s in sets.values())
    rows = [
        ["scikit-learn's CART", "1", f"{gap / len(sets):.1%}", ""],
        ['`strategy="greedy"`', f"{speed['greedy']['mean']:.2f}", "the same tree", ""],
        ['`"paper"`, 7 at the root', f"{speed['7,1,1']['mean']:.2f}", "", ""],
        ['`"paper"`, 7 everywhere', f"{speed['7,7,7']['mean']:.2f}", "", ""],
        [
            '`"balanced"`',
            f"{balanced['mean_ratio']:.1f}",
            f"{balanced['mean_gap']:.2%}",
            f"{balanced['optimal']} of {balanced['sets']}",
        ],
    ]
    header = ["depth 3, 16 sets of the paper", "time ÷ CART"]
    return (
        'Smallest training error (`alpha=0.0`, `loss="zero_one"`):\n\n'
        + table([*header, "errors above the optimum", "optimal on"], rows)
        + f"\n\n{proofs()}"
    )


def proofs() -> str:
    """How much faster than ConTree."""
    pairs = stored("optimal")["depth3"]["sets"].values()
    ratios = [
        pair["ConTree"]["seconds"] / pair["ours"]["seconds"]
        for pair in pairs
        if "ConTree" in pair
    ]
    return (
        f'`strategy="optimal"` proves these optima; ConTree takes {min(ratios):.0f} to'
        f" {max(ratios):.0f} times as long (median {median(ratios):.0f})."
        " `python -m benchmarks.speed`, `near_optimal`, `optimal`"
    )


def figures() -> str:
    """The whole section."""
    return f"{carries_over()}\n\n{near_optimal()}\n"


def written(text: str) -> str:
    """The page with its figures replaced."""
    head, found, rest = text.partition(BEGIN)
    _, closed, tail = rest.partition(END)
    if not found or not closed:
        raise ValueError("README.md has lost the marks around its figures")
    return f"{head}{BEGIN}{figures()}{END}{tail}"


def main() -> None:
    """Write README.md anew."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print("written: README.md")


if __name__ == "__main__":
    main()
