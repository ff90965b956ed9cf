"""Anytime curves: the best tree so far, and the primal integral, at depth 3 to 5."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks._data import load_table1
from benchmarks._markdown import table
from benchmarks._peers import coded
from benchmarks._timing import geometric_mean
from benchmarks.paper.peers import peer
from benchmarks.paper.piece import Cell, Piece, Results, number

MODELS = ("dpdtree optimal", "dpdtree balanced", "ConTree", "STreeD", "CART")
COLORS = dict(
    zip(MODELS, ("#c8553d", "#d98324", "#5a6f7f", "#8a5fa0", "#9a9a9a"), strict=True)
)
#: Depth → sets: large ones where a proof takes long, small ones deeper.
SETS = {
    3: ("magic", "eeg", "fault"),
    4: ("raisin", "segment", "rice", "bidding"),
    5: ("raisin", "segment", "fault", "page"),
}
QUICK = {4: ("raisin",)}
#: Solvers that only tell of their last tree are run with growing limits.
LIMITS = (0.1, 0.3, 1.0, 3.0, 10.0)
LIMIT = LIMITS[-1]


def cells(quick: bool) -> list[Cell]:
    """One per depth, set and solver."""
    chosen = QUICK if quick else SETS
    return [
        {"depth": depth, "set": name, "model": model}
        for depth, names in chosen.items()
        for name in names
        for model in MODELS
    ]


def run(depth: int, set: str, model: str) -> dict[str, Any]:
    """(seconds, errors) of every better tree; the seconds of this machine's clock."""
    maker = peer(model).make
    data = coded(load_table1(set))
    n, points = len(data.y), []
    if model == "dpdtree optimal":
        ours = maker(depth, LIMIT).set_params(time_limit=LIMIT)
        fitted = ours.fit(data.X, data.y)
        trace = [(t, round(n * value)) for t, value, _ in fitted.report_.trace]
        return {"trace": improvements(trace), "n": n}
    limits = LIMITS if model in ("ConTree", "STreeD") else (LIMIT,)
    for limit in limits:
        start = perf_counter()
        fitted = maker(depth, limit)
        fitted.fit(data.X, data.y)
        seconds = perf_counter() - start
        points.append((seconds, int(np.sum(fitted.predict(data.X) != data.y))))
        if seconds < 0.9 * limit:
            break
    return {"trace": improvements(points), "n": n}


def improvements(trace: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """The points that are better than all before."""
    kept: list[tuple[float, int]] = []
    for time, errors in sorted(trace):
        if not kept or errors < kept[-1][1]:
            kept.append((time, errors))
    return kept


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


def integrals(results: Results, depth: int, name: str) -> dict[str, float]:
    """By solver, against the best tree that any of them found."""
    found = {
        o.cell["model"]: o.value["trace"]
        for o in results.where(depth=depth, set=name)
        if o.value
    }
    if not found:
        return {}
    best = min(trace[-1][1] for trace in found.values())
    return {m: primal_integral(trace, best, LIMIT) for m, trace in found.items()}


def panels(results: Results) -> list[tuple[int, str]]:
    """Depth and set of every panel."""
    pairs = [(o.cell["depth"], o.cell["set"]) for o in results.outcomes]
    return list(dict.fromkeys(pairs))


def draw(results: Results, folder: Path) -> None:
    """A panel per depth and set: share of rows above the best tree over time."""
    import matplotlib.pyplot as plt

    shown = panels(results)
    columns = min(4, len(shown))
    lines = -(-len(shown) // columns)
    figure, axes = plt.subplots(
        lines, columns, figsize=(2.5 * columns, 2.1 * lines), layout="constrained",
        squeeze=False, sharex=True,
    )  # fmt: skip
    for ax in axes.flat[len(shown) :]:
        ax.axis("off")
    for ax, (depth, name) in zip(axes.flat, shown, strict=False):
        _panel(ax, results, depth, name)
    handles = [plt.Line2D([], [], color=c, label=m) for m, c in COLORS.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=5, fontsize=8,
                  frameon=False)  # fmt: skip
    figure.supxlabel("seconds", fontsize=9)
    figure.supylabel("errors above the best tree, % of rows", fontsize=9)
    figure.savefig(folder / "anytime.png", dpi=110)
    plt.close(figure)


def _panel(ax: Any, results: Results, depth: int, name: str) -> None:
    found = [o for o in results.where(depth=depth, set=name) if o.value]
    if not found:
        return
    best = min(o.value["trace"][-1][1] for o in found)
    for o in found:
        trace, n = o.value["trace"], o.value["n"]
        x = [t for t, _ in trace] + [LIMIT]
        y = [100 * (e - best) / n for _, e in trace]
        color = COLORS[o.cell["model"]]
        ax.step(x, [*y, y[-1]], where="post", color=color, lw=1.4)
        ax.plot(x[0], y[0], "o", color=color, ms=3)
    ax.set_xscale("log")
    ax.set_yscale("symlog", linthresh=1)
    ax.set_ylim(bottom=-0.1)
    ax.set_title(f"{name}, depth {depth}", fontsize=9)
    ax.tick_params(labelsize=7)
    ax.spines[["top", "right"]].set_visible(False)


def mean_integrals(results: Results, depth: int) -> dict[str, float]:
    """Geometric mean over the sets of a depth, by solver."""
    sets = [name for d, name in panels(results) if d == depth]
    values = [integrals(results, depth, name) for name in sets]
    found = {m: [max(v[m], 1e-3) for v in values if m in v] for m in MODELS}
    return {m: geometric_mean(own) for m, own in found.items() if own}


def means(results: Results) -> dict[int, str]:
    """The means of every depth in a line."""
    return {
        depth: ", ".join(
            f"{m} {v:.2f}" for m, v in mean_integrals(results, depth).items()
        )
        for depth in results.each("depth")
    }


def render(results: Results) -> str:
    """The integrals, and their geometric means by depth."""
    rows = []
    for depth, name in panels(results):
        found = integrals(results, depth, name)
        rows.append([depth, name, *(number(found.get(m), 2) for m in MODELS)])
    for depth in results.each("depth"):
        found = mean_integrals(results, depth)
        cells_ = [number(found.get(m), 2) for m in MODELS]
        rows.append([depth, "**geometric mean**", *cells_])
    return (
        "![Anytime curves](images/paper/anytime.png)\n\nPrimal integral over"
        f" {LIMIT:g} seconds: the area below the relative gap to the best tree that any"
        f" of them found; {LIMIT:g} means no tree at all, smaller is better. ConTree"
        " and STreeD tell only of their last tree and were run with growing limits;"
        " `balanced` and CART end by themselves.\n\n"
        f"{table(['depth', 'set', *MODELS], rows)}"
    )


PIECE = Piece(
    "anytime",
    "The best tree so far, depth 3 to 5",
    cells,
    run,
    render,
    draw,
    limit=120,
    differs="Not in the paper. Seconds of the clock, of one run.",
)
