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
    """The sets of a task on which all these models were measured, and their splits."""
    found = {}
    for name, entry in sets.items():
        if entry.get("task") != task:
            continue
        own = [entry["models"].get(model, {}) for model in models]
        splits = min(len(results.get("score", ())) for results in own)
        if splits:
            found[name] = {
                model: {key: values[:splits] for key, values in results.items()}
                for model, results in zip(models, own, strict=True)
            }
    return found


def mean_scores(results: Mapping[str, Any], model: str) -> Floats:
    """Mean over the splits for each set."""
    return np.array([np.mean(r[model]["score"]) for r in results.values()])


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
    """One row of figures for each model, over the sets it has run on.

    Ranks are over the sets that all have run on.
    """
    seen = {m for e in sets.values() if e.get("task") == task for m in e["models"]}
    models = [m for m in (*RIVALS, "DPDT alpha=0", *OURS) if m in seen]
    joint = complete(sets, task, models)
    if not joint:
        return {}
    ranks = mean_ranks(joint, models)
    rows = {}
    for model, rank in zip(models, ranks, strict=True):
        rivals = [m for m in RIVALS if m in seen]
        results = complete(sets, task, list(dict.fromkeys([*rivals, model])))
        rows[model] = _row(results, model) | {"rank": float(rank)}
    return rows


def _row(results: Mapping[str, Any], model: str) -> dict[str, Any]:
    own = [r[model] for r in results.values()]
    losses = [np.mean(r["log_loss"]) for r in own if r.get("log_loss")]
    scores = mean_scores(results, model)
    row: dict[str, Any] = {
        "sets": len(own),
        "score": float(scores.mean()),
        "leaves": float(np.mean([np.mean(r["leaves"]) for r in own])),
        "seconds": geometric_mean(float(np.mean(r["seconds"])) for r in own),
    }
    if losses:
        row["log_loss"] = float(np.mean(losses))
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
    scores = {m: mean_scores(results, m) for m in models}
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
            gain = math.nan if against[0] is None else against[0]["gain"]
            cells = [row["sets"], row["score"], gain, row["rank"]]
            cells += map(count_text, against)
            cells += [row.get("log_loss"), row["leaves"], row["seconds"]]
            rows.append([model, *cells])
        header = ["model", "sets", "score", "gain", "rank"]
        header += [*(f"vs {r}" for r in RIVALS), "log-loss", "leaves", "seconds"]
        print_table(f"{task}: means on unseen rows", header, rows)
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

    panels = {task: gains(sets, task) for task in TASKS}
    panels = {task: found for task, found in panels.items() if any(found.values())}
    if not panels:
        return
    sizes = [len(set().union(*found.values())) for found in panels.values()]
    height = 1.6 + 0.17 * max(sizes)
    figure, axes = plt.subplots(
        1, len(panels), figsize=(11, height), layout="constrained", squeeze=False
    )
    for ax, (task, found) in zip(axes[0], panels.items(), strict=True):
        _panel(ax, task, found)
    PLOT.parent.mkdir(exist_ok=True)
    figure.savefig(PLOT, dpi=110)
    plt.close(figure)
    print(f"\nwritten: {PLOT.relative_to(PROJECT_ROOT)}")


def gains(sets: Sets, task: str) -> dict[str, dict[str, float]]:
    """Mean score minus that of tuned CART, by model and set."""
    found = {}
    for model in OURS:
        results = complete(sets, task, (BASE, model))
        gain = mean_scores(results, model) - mean_scores(results, BASE)
        found[model] = dict(zip(results, gain.tolist(), strict=True))
    return found


def _panel(ax: Any, task: str, found: Mapping[str, Mapping[str, float]]) -> None:
    best = {name: found[m][name] for m in OURS for name in found[m]}
    order = sorted(best, key=lambda name: best[name])
    names = [name.rsplit("/", 1)[-1] for name in order]
    rows = np.arange(len(order))
    ax.axvline(0.0, color="0.35", linewidth=1)
    columns = [[found[m].get(name, math.nan) for name in order] for m in OURS]
    both = np.array(columns)
    low, high = np.nanmin(both, axis=0), np.nanmax(both, axis=0)
    ax.hlines(rows, low, high, color="0.8", linewidth=1.5)
    for model, values in zip(OURS, both, strict=True):
        won = versus(values[~np.isnan(values)], np.zeros(1))
        score = f"{won['win']} better, {won['tie']} equal, {won['loss']} worse"
        label = f"{model}: {score}"
        ax.plot(values, rows, "o", ms=4.5, color=COLORS[model], label=label)
    ax.set_yticks(rows, names, fontsize=7)
    ax.set_ylim(-1, len(rows))
    ax.set_xscale("symlog", linthresh=0.02, linscale=1.5)
    ticks = (-0.1, -0.02, -0.01, 0, 0.01, 0.02, 0.1)
    ax.set_xticks(ticks, [f"{t:+g}" if t else "0" for t in ticks], fontsize=7)
    ax.minorticks_off()
    measure = "accuracy" if task == "classification" else "R²"
    ax.set_title(f"{task}: test {measure} minus that of tuned CART", fontsize=10)
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="x", alpha=0.25, linewidth=0.6)
    ax.legend(
        loc="upper center", bbox_to_anchor=(0.5, -0.03), frameon=False, fontsize=8
    )
