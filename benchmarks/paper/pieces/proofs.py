"""Proofs: time to a proven optimum against ConTree, and the anytime curve."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np

from benchmarks._data import TABLE1_SETS, load_table1
from benchmarks._peers import coded
from benchmarks.paper.peers import PEERS, installed
from benchmarks.paper.piece import Cell, Piece, Results, table

MODELS = ("dpdtree optimal", "ConTree")
DEEP = ("bank", "wilt", "raisin", "bidding")
LIMIT, DEEP_LIMIT = 200.0, 30.0
QUICK = ("bank", "wilt")


def cells(quick: bool) -> list[Cell]:
    """Depth 3 on all sets; depths 4 and 5 on a few, with a limit."""
    models = [m for m in MODELS if installed(m)]
    names = QUICK if quick else TABLE1_SETS
    wanted = [(name, 3, LIMIT) for name in names]
    if not quick:
        wanted += [(name, depth, DEEP_LIMIT) for depth in (4, 5) for name in DEEP]
    return [
        {"set": name, "depth": depth, "model": model, "limit": limit}
        for name, depth, limit in wanted
        for model in models
    ]


def run(set: str, depth: int, model: str, limit: float) -> dict[str, Any]:
    """Seconds, errors, whether proven; for ours the primal integral."""
    data = coded(load_table1(set))
    fitted = PEERS[model].make(depth, limit)
    start = process_time()
    fitted.fit(data.X, data.y)
    seconds = process_time() - start
    errors = int(np.sum(np.asarray(fitted.predict(data.X)) != data.y))
    proven = bool(getattr(fitted, "is_optimal_", seconds < limit))
    found = {"seconds": seconds, "errors": errors, "proven": proven}
    if hasattr(fitted, "report_"):
        trace = [(t, value) for t, value, _ in fitted.report_.trace]
        found["primal_integral"] = primal_integral(trace, errors / len(data.y), limit)
    return found


def primal_integral(
    trace: list[tuple[float, float]], best: float, limit: float
) -> float:
    """Seconds times the relative gap to the best objective, over the whole limit.

    Before the first tree the gap is 1 (Berthold 2013); smaller is better.
    """
    total, last_time, last_gap = 0.0, 0.0, 1.0
    for time, value in trace:
        total += (min(time, limit) - last_time) * last_gap
        worse = max(abs(value), abs(best))
        last_time = min(time, limit)
        last_gap = 0.0 if worse == 0 else min(1.0, abs(value - best) / worse)
    return total + (limit - last_time) * last_gap


def speed_ups(results: Results, depth: int) -> dict[str, float]:
    """ConTree's time over ours where both finished."""
    found = {}
    for name in results.each("set"):
        pair = [results.value(set=name, depth=depth, model=m) for m in MODELS]
        if all(v is not None and v["proven"] for v in pair):
            found[name] = pair[1]["seconds"] / pair[0]["seconds"]
    return found


def draw(results: Results, folder: Path) -> None:
    """Seconds to the proof, a line per set."""
    import matplotlib.pyplot as plt

    names = [n for n in results.each("set") if results.where(set=n, depth=3)]
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for y, name in enumerate(reversed(names)):
        pair = [results.value(set=name, depth=3, model=m) for m in MODELS]
        shown = [v["seconds"] for v in pair if v is not None]
        if len(shown) == 2:
            ax.plot(shown, [y, y], color="0.8", zorder=1)
        for value, color in zip(pair, ("#c8553d", "#5a6f7f"), strict=True):
            if value is not None:
                fill = color if value["proven"] else "white"
                ax.scatter(value["seconds"], y, color=fill, edgecolors=color, zorder=2)
    ax.set_yticks(range(len(names)), list(reversed(names)), fontsize=8)
    ax.set_xscale("log")
    ax.set_xlabel("processor seconds to the proof (hollow: not proven)")
    for label, color in zip(MODELS, ("#c8553d", "#5a6f7f"), strict=True):
        ax.scatter([], [], color=color, label=label)
    ax.legend(frameon=False, fontsize=8)
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / "proofs.png", dpi=110)
    plt.close(figure)


def render(results: Results) -> str:
    """Times, and how much faster."""
    rows = []
    for depth in results.each("depth"):
        for name in results.each("set"):
            pair = [results.value(set=name, depth=depth, model=m) for m in MODELS]
            if not results.where(set=name, depth=depth):
                continue
            shown = [_cell(results, name, depth, m) for m in MODELS]
            ours = pair[0]
            integral = "–" if ours is None else f"{ours['primal_integral']:.3f}"
            rows.append([name, depth, *shown, integral])
    ratios = list(speed_ups(results, 3).values())
    line = ""
    if ratios:
        line = (
            f"Depth 3, ConTree's time ÷ ours where both prove: least {min(ratios):.1f},"
            f" median {median(ratios):.1f}, {len(ratios)} sets. "
        )
    header = ["set", "depth", "ours, s", "ConTree, s", "primal integral, ours"]
    return (
        f"![Proofs](images/paper/proofs.png)\n\n{line}A star: not proven within the"
        f" limit ({LIMIT:g} s at depth 3, {DEEP_LIMIT:g} s deeper), errors in brackets."
        f"\n\n{table(header, rows)}"
    )


def _cell(results: Results, name: str, depth: int, model: str) -> str:
    value = results.value(set=name, depth=depth, model=model)
    if value is None:
        return "no result"
    star = "" if value["proven"] else "*"
    return f"{value['seconds']:.2f}{star} ({value['errors']})"


PIECE = Piece(
    "proofs",
    "Proven optima against ConTree",
    cells,
    run,
    render,
    draw,
    limit=260,
    differs="Not in the paper, which quotes Quant-BnB's optima.",
)
