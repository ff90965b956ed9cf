"""Beyond the paper: our defaults on everyday sets that nobody tuned them on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._timing import RESULTS, geometric_mean
from benchmarks.paper.piece import Cell, Piece, Results, table
from benchmarks.paper.statistics import sign_test, win_tie_loss

SOURCE = RESULTS / "wild.json"
GROUPS = {
    "choose": "wild, chosen on",
    "confirm": "wild, confirmed on",
    "bench": "benchmark",
}
#: score → (name, reference, larger is better)
SCORES = {
    "classification": {
        "accuracy": ("accuracy", "CART tuned", True),
        "auc": ("AUC", "CART tuned log-loss", True),
        "log_loss": ("log-loss", "CART tuned log-loss", False),
    },
    "regression": {"r2": ("R²", "CART tuned", True)},
}
OURS = ("DPDT default", "DPDT CV", "CART tuned, shrunk")
BASE_TIME = "CART depth 5"


def cells(quick: bool) -> list[Cell]:
    """None of its own: `python -m benchmarks.wild` measures and keeps them."""
    return []


def run() -> None:
    """Nothing to measure."""


def sets_of(group: str, task: str) -> dict[str, Any]:
    """The measured sets of a group."""
    content = json.loads(SOURCE.read_text(encoding="utf-8"))
    return {
        name: entry["runs"]
        for name, entry in content["sets"].items()
        if entry["group"] == group and entry["task"] == task
    }


def scores(sets: dict[str, Any], model: str, base: str, key: str) -> Any:
    """Mean scores of both on the sets that have both."""
    pairs = []
    for runs in sets.values():
        seeds = set(runs.get(model, {})) & set(runs.get(base, {}))
        own = [runs[model][s][key] for s in seeds if key in runs[model][s]]
        theirs = [runs[base][s][key] for s in seeds if key in runs[base][s]]
        if own and len(own) == len(theirs):
            pairs.append((np.mean(own), np.mean(theirs)))
    return np.array(pairs).reshape(-1, 2).T


def counts(group: str, task: str) -> list[list[str]]:
    """A line per model and score."""
    sets, rows = sets_of(group, task), []
    for model in OURS:
        for key, (label, base, larger) in SCORES[task].items():
            ours, theirs = scores(sets, model, base, key)
            if not len(ours):
                continue
            sign = 1 if larger else -1
            won, tied, lost = win_tie_loss(sign * ours, sign * theirs)
            gain = np.sort(sign * (ours - theirs))
            cut = len(gain) // 10
            trimmed = gain[cut : len(gain) - cut].mean()
            shares = f"{won / len(gain):.0%} / {lost / len(gain):.0%}"
            tested = f"{sign_test(won, lost):.3f}"
            row = [
                GROUPS[group],
                model,
                label,
                len(gain),
                f"{won}/{tied}/{lost}",
                shares,
            ]
            rows.append([*map(str, row), f"{trimmed:+.4f}", tested])
    return rows


def time_of(group: str, task: str, model: str) -> tuple[float, float] | None:
    """Processor time ÷ that of CART of depth 5: geometric mean and largest."""
    ratios: list[float] = []
    for runs in sets_of(group, task).values():
        own, base = runs.get(model, {}), runs.get(BASE_TIME, {})
        ratios += [
            own[seed]["seconds"] / base[seed]["seconds"] for seed in own.keys() & base
        ]
    return (geometric_mean(ratios), max(ratios)) if ratios else None


def bars() -> list[tuple[str, str, tuple[int, int, int]]]:
    """Score, kind of sets, and how many of them the default wins, ties and loses."""
    found = []
    for task, keys in SCORES.items():
        for group in ("bench", "confirm"):
            for key, (label, base, larger) in keys.items():
                own, theirs = scores(sets_of(group, task), OURS[0], base, key)
                if len(own):
                    sign = 1 if larger else -1
                    counted = win_tie_loss(sign * own, sign * theirs)
                    kind = "benchmark" if group == "bench" else "everyday"
                    found.append((label, kind, counted))
    return found


def draw(results: Results, folder: Path) -> None:
    """Wins, ties and losses as bars."""
    import matplotlib.pyplot as plt

    if not SOURCE.is_file():
        return
    found = [(f"{label}, {kind} sets", counted) for label, kind, counted in bars()]
    figure, ax = plt.subplots(
        figsize=(7, 0.5 + 0.36 * len(found)), layout="constrained"
    )
    for y, (_, (won, tied, lost)) in enumerate(reversed(found)):
        total, left = won + tied + lost, 0.0
        for n, color in ((won, "#2a7f62"), (tied, "#cccccc"), (lost, "#c8553d")):
            ax.barh(y, n / total, left=left, color=color)
            if n:
                ax.text(
                    left + n / total / 2,
                    y,
                    str(n),
                    ha="center",
                    va="center",
                    fontsize=8,
                )
            left += n / total
    ax.set_yticks(
        range(len(found)), [label for label, _ in reversed(found)], fontsize=8
    )
    ax.set_xticks([])
    ax.set_title("Default fit against tuned CART: sets won, tied, lost", fontsize=10)
    ax.spines[["top", "right", "bottom"]].set_visible(False)
    figure.savefig(folder / "wild.png", dpi=110)
    plt.close(figure)


def render(results: Results) -> str:
    """Wins and losses of every group, then the price."""
    if not SOURCE.is_file():
        return "Not measured: `python -m benchmarks.wild`."
    rows = [r for task in SCORES for group in GROUPS for r in counts(group, task)]
    header = ["sets", "model", "score", "n", "win/tie/loss", "won / lost"]
    times = []
    for task in SCORES:
        found = time_of("confirm", task, OURS[0])
        if found:
            times.append(f"{task} {found[0]:.1f} (largest {found[1]:.1f})")
    return (
        "![Wins and losses](images/paper/wild.png)\n\n"
        + table([*header, "trimmed mean", "sign test p"], rows)
        + "\n\nAccuracy and R² against CART tuned by grid search (depth 2–5, leaf size"
        " 1/5/20, five folds); AUC and log-loss against CART tuned for log-loss. A"
        " difference below .001 is a tie. Time of the default fit ÷ CART of depth 5 on"
        f" the confirmation sets: {'; '.join(times)}."
    )


PIECE = Piece(
    "wild",
    "Beyond the paper: everyday sets",
    cells,
    run,
    render,
    draw,
    differs="Not in the paper.",
)
