"""What the measured splits say: means, ranks, wins and losses, the paired plot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks._data import PROJECT_ROOT
from benchmarks._timing import geometric_mean, print_table

Sets = Mapping[str, Mapping[str, Any]]
Floats = npt.NDArray[np.float64]

TASKS = ("classification", "regression")
BASE = "CART tuned"
RIVALS = (BASE, "CART pruned")
OURS = ("DPDT default", "DPDT CV")
PEERS = ("ConTree", "STreeD")
TIE = 0.001
PLOT = PROJECT_ROOT / "docs" / "images" / "generalization.png"
COLORS = {"DPDT default": "#c8553d", "DPDT CV": "#1f6f8b"}


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p of so uneven a count if both were equally good."""
    n, few = wins + losses, min(wins, losses)
    tail = sum(math.comb(n, i) for i in range(few + 1)) / 2**n
    return min(1.0, 2 * tail)


def complete(sets: Sets, task: str, models: Sequence[str]) -> dict[str, Any]:
    """The sets of a task on which all these models were measured."""
    return {
        name: entry["models"]
        for name, entry in sets.items()
        if entry.get("task") == task
        and all(entry["models"].get(model, {}).get("score") for model in models)
    }


def mean_scores(results: Mapping[str, Any], model: str, seeds: int = 99) -> Floats:
    """Mean over the seeds for each set."""
    return np.array([np.mean(r[model]["score"][:seeds]) for r in results.values()])


def versus(ours: Floats, theirs: Floats) -> dict[str, Any]:
    """Wins, ties and losses; closer than TIE is a tie."""
    gain = ours - theirs
    wins, losses = int((gain > TIE).sum()), int((gain < -TIE).sum())
    return {
        "win": wins,
        "tie": len(gain) - wins - losses,
        "loss": losses,
        "p": sign_test(wins, losses),
        "gain": float(gain.mean()),
    }


def mean_ranks(results: Mapping[str, Any], models: Sequence[str]) -> Floats:
    """Mean rank of each model, 1 is best; equal scores share their ranks."""
    from scipy.stats import rankdata

    scores = np.array([mean_scores(results, model) for model in models])
    ranks: Floats = rankdata(-scores.round(6), axis=0).mean(axis=1)
    return ranks


def summarize(sets: Sets, task: str) -> dict[str, dict[str, Any]]:
    """One row of figures for each model, over the sets that all have run on."""
    seen = {m for entry in sets.values() for m in entry["models"]}
    models = [m for m in (*RIVALS, "DPDT alpha=0", *OURS) if m in seen]
    results = complete(sets, task, models)
    if not results:
        return {}
    ranks = mean_ranks(results, models)
    return {
        model: _row(results, model) | {"rank": float(rank)}
        for model, rank in zip(models, ranks, strict=True)
    }


def _row(results: Mapping[str, Any], model: str) -> dict[str, Any]:
    own = [r[model] for r in results.values()]
    losses = [np.mean(r["log_loss"]) for r in own if r.get("log_loss")]
    scores = mean_scores(results, model)
    row: dict[str, Any] = {
        "sets": len(own),
        "score": float(scores.mean()),
        "leaves": float(np.mean([np.mean(r["leaves"]) for r in own])),
        "seconds": geometric_mean(float(np.mean(r["seconds"])) for r in own),
        "log_loss": float(np.mean(losses)) if losses else math.nan,
    }
    for rival in RIVALS:
        if rival != model and all(rival in r for r in results.values()):
            row[f"vs {rival}"] = versus(scores, mean_scores(results, rival))
    return row


def peers(sets: Sets, peer: str) -> dict[str, Any]:
    """A solver of the literature beside ours, on the sets and the seed it ran on."""
    models = (BASE, *OURS, peer)
    results = complete(sets, "classification", models)
    if not results:
        return {}
    scores = {m: mean_scores(results, m, seeds=1) for m in models}
    return {
        "sets": len(results),
        "score": {m: float(s.mean()) for m, s in scores.items()},
        "seconds": {
            m: geometric_mean(r[m]["seconds"][0] for r in results.values())
            for m in models
        },
        "ours": {m: versus(scores[m], scores[peer]) for m in OURS},
    }


def count_text(found: Mapping[str, Any] | None) -> str:
    """Win / tie / loss and the sign test in a few characters."""
    if found is None:
        return ""
    return f"{found['win']}/{found['tie']}/{found['loss']} (p={found['p']:.2g})"


def report(sets: Sets) -> None:
    """Print the tables and draw the plot."""
    for task in TASKS:
        rows = []
        for model, row in summarize(sets, task).items():
            against = [row.get(f"vs {rival}") for rival in RIVALS]
            cells = [row["score"], row["rank"], *map(count_text, against)]
            cells += [row["log_loss"], row["leaves"], row["seconds"]]
            rows.append([model, *cells])
        n = len(complete(sets, task, RIVALS))
        header = ["model", "score", "rank", *(f"vs {r}" for r in RIVALS)]
        header += ["log-loss", "leaves", "seconds"]
        print_table(f"{task}, {n} sets: means on unseen rows", header, rows)
    for peer in PEERS:
        found = peers(sets, peer)
        if found:
            print(f"\n{peer} on {found['sets']} sets: {found['score']}")
            counts = {m: count_text(v) for m, v in found["ours"].items()}
            print(f"ours against it: {counts}; seconds {found['seconds']}")
    draw(sets)


def draw(sets: Sets) -> None:
    """Each set's gain over tuned CART, sorted, one panel per task."""
    import matplotlib.pyplot as plt

    panels = {task: complete(sets, task, (BASE, *OURS)) for task in TASKS}
    panels = {task: results for task, results in panels.items() if results}
    if not panels:
        return
    sizes = [len(results) for results in panels.values()]
    height = 1.6 + 0.17 * max(sizes)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(11, height), layout="constrained", squeeze=False
    )
    for ax, (task, results) in zip(axes[0], panels.items(), strict=True):
        _panel(ax, task, results)
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, dpi=110)
    plt.close(figure)
    print(f"\nwritten: {PLOT.relative_to(PROJECT_ROOT)}")


def _panel(ax: Any, task: str, results: Mapping[str, Any]) -> None:
    base = mean_scores(results, BASE)
    gains = {model: mean_scores(results, model) - base for model in OURS}
    order = np.argsort(gains["DPDT CV"], kind="stable")
    names = np.array([name.rsplit("/", 1)[-1] for name in results])[order]
    rows = np.arange(len(order))
    ax.axvline(0.0, color="0.35", linewidth=1)
    pairs = np.array([gains[model][order] for model in OURS])
    ax.hlines(rows, pairs.min(axis=0), pairs.max(axis=0), color="0.8", linewidth=1.5)
    for model in OURS:
        ax.plot(gains[model][order], rows, "o", ms=4.5, color=COLORS[model])
    for model in OURS:
        found = versus(gains[model], np.zeros(len(rows)))
        score = f"{found['win']} better, {found['tie']} equal, {found['loss']} worse"
        ax.plot([], [], "o", color=COLORS[model], label=f"{model}: {score}")
    ax.set_yticks(rows, names, fontsize=7)
    ax.set_ylim(-1, len(rows))
    ax.set_xscale("symlog", linthresh=0.02, linscale=1.5)
    ticks = (-0.1, -0.02, -0.01, 0, 0.01, 0.02, 0.05, 0.1, 0.2)
    ax.set_xticks(ticks, [f"{t:+g}" if t else "0" for t in ticks], fontsize=7)
    ax.minorticks_off()
    measure = "accuracy" if task == "classification" else "R²"
    ax.set_title(f"{task}: test {measure} minus that of tuned CART", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", alpha=0.25, linewidth=0.6)
    ax.legend(loc="upper left", frameon=False, fontsize=8)
