"""Beyond the paper: our defaults on everyday sets that nobody tuned them on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks._markdown import table
from benchmarks._timing import RESULTS
from benchmarks._wild_report import COMPARED, TITLES, rendered_boosters
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.statistics import sign_test

SOURCE = RESULTS / "wild.json"
#: Contestants that the page shows.
MODELS = ("DPDT default", "DPDT CV", "CART tuned, shrunk")
OURS = MODELS[0]
LABELS = {"accuracy": "accuracy", "auc": "AUC", "log_loss": "log-loss", "r2": "R²"}
#: Groups in the order of pictures: benchmark sets, everyday sets held back.
SHOWN = {"bench": "benchmark", "confirm": "everyday"}


def cells(quick: bool) -> list[Cell]:
    """None of its own: `python -m benchmarks.wild` measures and keeps them."""
    return []


def run() -> None:
    """Nothing to measure."""


def published() -> dict[str, Any]:
    """What `benchmarks.wild` has published."""
    content: dict[str, Any] = json.loads(SOURCE.read_text(encoding="utf-8"))
    return content


def counts() -> list[list[str]]:
    """A line per group, model and score."""
    rows = []
    for task, groups in published()["trees"].items():
        for group, title in TITLES.items():
            for model in MODELS:
                row = groups.get(group, {}).get(model, {})
                rows += [
                    [title, model, LABELS[score], *_figures(row[score])]
                    for score, _, _ in COMPARED[task]
                    if score in row
                ]
    return rows


def _figures(found: dict[str, Any]) -> list[str]:
    won, tied, lost = (found[key] for key in ("win", "tie", "loss"))
    n = won + tied + lost
    shares = f"{won / n:.0%} / {lost / n:.0%}"
    tested = f"{sign_test(won, lost):.3f}"
    trimmed = f"{found['trimmed']:+.4f}"
    return [str(n), f"{won}/{tied}/{lost}", shares, trimmed, tested]


def bars() -> list[tuple[str, str, tuple[int, int, int]]]:
    """Score, kind of sets, and how many of them the default wins, ties and loses."""
    return [
        (LABELS[score], kind, tuple(row[score][k] for k in ("win", "tie", "loss")))
        for task, groups in published()["trees"].items()
        for group, kind in SHOWN.items()
        if (row := groups.get(group, {}).get(OURS))
        for score, _, _ in COMPARED[task]
    ]


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
    """Wins and losses of every group, then the price; then boosters."""
    if not SOURCE.is_file():
        return "Not measured: `python -m benchmarks.wild`."
    content = published()
    header = ["sets", "model", "score", "n", "win/tie/loss", "won / lost"]
    times = []
    for task, groups in content["trees"].items():
        own = groups.get("confirm", {}).get(OURS)
        if own:
            times.append(
                f"{task} {own['time']:.1f} (largest {own['largest_time']:.1f})"
            )
    return (
        "![Wins and losses](images/paper/wild.png)\n\n"
        + table([*header, "trimmed mean", "sign test p"], counts())
        + "\n\nAccuracy and R² against CART tuned by grid search (depth 2–5, leaf size"
        " 1/5/20, five folds); AUC and log-loss against CART tuned for log-loss. A"
        " difference below .001 is a tie. Time of the default fit ÷ CART of depth 5 on"
        f" the confirmation sets: {'; '.join(times)}.\n\nBoosters on the confirmation"
        " sets, mean rank by test loss (processor time ÷ the slowest's):\n\n"
        + rendered_boosters(content)
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
