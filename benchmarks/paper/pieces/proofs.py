"""Proofs: time to a proven optimum of depth 3 against ConTree."""

from __future__ import annotations

from pathlib import Path
from statistics import median

from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.pieces.near_optimal import DEPTH, LIMITS

MODELS = ("dpdtree optimal", "ConTree")
COLORS = ("#c8553d", "#5a6f7f")


def cells(quick: bool) -> list[Cell]:
    """None of its own: the fits are those of the errors above the optimum."""
    return []


def run() -> None:
    """Nothing to measure."""


def speed_ups(results: Results) -> dict[str, float]:
    """ConTree's time over ours where ours is proven; at least that where its is not.

    Both as multiples of CART's time in their own process: so they may have run at
    different hours of a machine that is not always equally fast.
    """
    found = {}
    for name in results.each("set"):
        own, theirs = (results.value(set=name, model=m) for m in MODELS)
        if own is not None and theirs is not None and own["proven"]:
            found[name] = theirs["time"] / own["time"]
    return found


def draw(results: Results, folder: Path) -> None:
    """Seconds to the proof, a line per set."""
    import matplotlib.pyplot as plt

    names = sorted(results.each("set"), key=lambda name: _sort_key(results, name))
    figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for y, name in enumerate(names):
        pair = [results.value(set=name, model=m) for m in MODELS]
        shown = [v["seconds"] for v in pair if v is not None]
        if len(shown) == 2:
            ax.plot(shown, [y, y], color="0.8", zorder=1)
        for value, color in zip(pair, COLORS, strict=True):
            if value is not None:
                fill = color if value["proven"] else "white"
                ax.scatter(value["seconds"], y, color=fill, edgecolors=color, zorder=2)
    ax.set_yticks(range(len(names)), names, fontsize=8)
    ax.set_xscale("log")
    ax.set_xlabel("processor seconds to the proof (hollow: stopped by the limit)")
    for label, color in zip(MODELS, COLORS, strict=True):
        ax.scatter([], [], color=color, label=label)
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    ax.spines[["top", "right"]].set_visible(False)
    figure.savefig(folder / "proofs.png", dpi=110)
    plt.close(figure)


def _sort_key(results: Results, name: str) -> float:
    value = results.value(set=name, model=MODELS[0])
    return 0.0 if value is None else float(value["seconds"])


def verdict(results: Results) -> str:
    """The speed-ups in a sentence."""
    ratios = speed_ups(results)
    if not ratios:
        return ""
    faster = [name for name, ratio in ratios.items() if ratio < 1]
    line = (
        f"ConTree's time ÷ ours: least {min(ratios.values()):.1f}, median"
        f" {median(ratios.values()):.0f}, largest {max(ratios.values()):.0f} on"
        f" {len(ratios)} sets."
    )
    return f"{line} ConTree is faster on {', '.join(faster)}." if faster else line


def render(results: Results) -> str:
    """Times, and how much faster."""
    rows = [
        [name, *(_cell(results, name, m) for m in MODELS)]
        for name in results.each("set")
    ]
    return (
        f"![Proofs](images/paper/proofs.png)\n\n{verdict(results)} Processor seconds to"
        f" the proof at depth {DEPTH}, errors in brackets; a star: stopped after"
        f" {LIMITS['ConTree']:g} s. The ratios compare multiples of CART's time.\n\n"
        + table(["set", *MODELS], rows)
    )


def _cell(results: Results, name: str, model: str) -> str:
    value = results.value(set=name, model=model)
    if value is None:
        return "no result"
    star = "" if value["proven"] else "*"
    return f"{value['seconds']:.3g}{star} ({value['errors']})"


PIECE = Piece(
    "proofs",
    "Proven optima against ConTree",
    cells,
    run,
    render,
    draw,
    differs="Not in the paper, which quotes Quant-BnB's optima.",
    uses="near_optimal",
)
