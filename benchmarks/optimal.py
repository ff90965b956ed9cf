"""Proven optima: strategy="optimal" against its peers, one thread, one run.

Against ConTree: depth 2 and 3 to the end on all sets of Table 1; depth 4 on six of them
with a time limit; and the objective over time, as a plot. Against STreeD: depth 3 and 4
on sets of binary features.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks._data import PROJECT_ROOT, TABLE1_SETS, Dataset, load, load_table1
from benchmarks._peers import (
    Fit,
    Maker,
    cart,
    coded,
    contree,
    fit_once,
    missing_peers,
    ours,
    peer_versions,
    race,
    streed,
)
from benchmarks._timing import print_table, stored_json, write_json
from dpdtree import DPDTreeClassifier

DEEP_SETS = ("bank", "wilt", "raisin", "rice", "segment", "bidding")
BINARY_SETS = (
    "lymph", "audiology", "ionosphere", "breast_wisconsin", "diabetes", "anneal",
    "vehicle", "german_credit", "yeast", "hypothyroid",
)  # fmt: skip
PANELS = (("magic", 3), ("raisin", 4), ("segment", 4))
LEAST_SPEED_UP, MEDIAN_SPEED_UP = 2.0, 10.0
QUICK = ("raisin", "wilt", "bank")
IMAGE = PROJECT_ROOT / "docs" / "images" / "anytime.png"

Pair = dict[str, Fit]


def peer_of(pair: Pair) -> Fit | None:
    """What the other solver did, if it could run."""
    return next((fit for solver, fit in pair.items() if solver != "ours"), None)


def speed_up(pair: Pair) -> float:
    """The peer's time over ours; a lower bound where it hit its limit."""
    peer = peer_of(pair)
    return math.nan if peer is None else peer.seconds / pair["ours"].seconds


def verdict(pair: Pair) -> str:
    """How our number of errors compares with the peer's."""
    peer = peer_of(pair)
    if peer is None:
        return ""
    difference = pair["ours"].errors - peer.errors
    return "same" if difference == 0 else f"{difference:+d}"


def compare(
    names: Sequence[str], depth: int, limit: float, *, limit_ours: bool
) -> dict[str, Pair]:
    """Both solvers on every set, in turn."""
    makers = {"ours": ours(depth, "optimal", limit if limit_ours else None)}
    if not missing_peers("pycontree"):
        makers["ConTree"] = contree(depth, limit)
    return race_on(names, load_table1, makers)


def race_on(
    names: Sequence[str],
    load_set: Callable[[str], Dataset],
    makers: Mapping[str, Maker],
) -> dict[str, Pair]:
    """All solvers on every set, in turn."""
    results = {}
    for name in names:
        results[name] = race(makers, coded(load_set(name)))
        print(".", end="", flush=True)
    return results


def row(name: str, pair: Pair) -> list[object]:
    """One line: errors, what is proven, seconds, the ratio."""
    own, peer = pair["ours"], peer_of(pair)
    cells: list[object] = [name, own.errors, "yes" if own.proven else "no"]
    cells += [round(own.errors - own.lower_bound), own.seconds]
    if peer is None:
        return [*cells, None, None, None, None]
    at_least = "" if peer.finished else ">"
    ratio = f"{at_least}{speed_up(pair):.1f}" if own.proven else None
    return [*cells, peer.errors, f"{at_least}{peer.seconds:.3f}", ratio, verdict(pair)]


def show(title: str, results: dict[str, Pair], peer: str = "ConTree") -> None:
    """The table of one depth."""
    header = ["set", "ours", "proven", "gap", "s"]
    header += [peer, "s", "speed-up", "errors"]
    print_table(title, header, [row(name, pair) for name, pair in results.items()])


def summary(results: dict[str, Pair]) -> dict[str, Any]:
    """Speed-ups and the sets that miss what is aimed at."""
    pairs = {name: pair for name, pair in results.items() if len(pair) > 1}
    ups = {name: speed_up(pair) for name, pair in pairs.items()}
    if not ups:
        return {}
    return {
        "least_speed_up": min(ups.values()),
        "median_speed_up": median(ups.values()),
        "slow": [name for name, up in ups.items() if up < LEAST_SPEED_UP],
        "worse": [name for name, p in pairs.items() if verdict(p).startswith("+")],
        "unproven": [name for name, p in pairs.items() if not p["ours"].proven],
        "several_threads": [n for n, p in pairs.items() if not _one_thread(p)],
    }


def _one_thread(pair: Pair) -> bool:
    return all(fit.cpu_seconds < 1.3 * fit.seconds + 0.02 for fit in pair.values())


def exact_part(depth: int) -> Callable[[argparse.Namespace], Any]:
    """Depth 2 or 3 on all chosen sets: ours to the end, ConTree within the limit."""

    def run(options: argparse.Namespace) -> Any:
        results = compare(options.sets, depth, options.limit, limit_ours=False)
        show(
            f"Proven optimum, depth {depth} (ConTree: limit {options.limit:g} s)",
            results,
        )
        return concluded(results, options.limit)

    return run


def concluded(results: dict[str, Pair], limit: float) -> dict[str, Any]:
    """Say how it went, and what is stored."""
    facts = summary(results)
    if facts:
        print(
            f"\nspeed-up: least {facts['least_speed_up']:.1f}"
            f" (target {LEAST_SPEED_UP:g}),"
            f" median {facts['median_speed_up']:.1f} (target {MEDIAN_SPEED_UP:g});"
            f" below target: {facts['slow'] or 'none'};"
            f" more errors: {facts['worse'] or 'none'};"
            f" not proven: {facts['unproven'] or 'none'}"
        )
    return {"limit": limit, "sets": as_json(results), "summary": facts}


def binary_part(depth: int) -> Callable[[argparse.Namespace], Any]:
    """Sets of binary features, where STreeD searches all trees as well."""

    def run(options: argparse.Namespace) -> Any:
        makers = {"ours": ours(depth, "optimal", None)}
        if not missing_peers("pystreed"):
            makers["STreeD"] = streed(depth, options.limit)
        names = BINARY_SETS[:3] if options.quick else BINARY_SETS
        results = race_on(names, lambda name: load(f"binary/{name}"), makers)
        title = f"Binary features, depth {depth} (STreeD: limit {options.limit:g} s)"
        show(title, results, "STreeD")
        return concluded(results, options.limit)

    return run


def deep_part(options: argparse.Namespace) -> Any:
    """Depth 4 with a limit: the objective of both, our gap."""
    names = [name for name in DEEP_SETS if name in options.sets]
    results = compare(names, 4, options.deep_limit, limit_ours=True)
    show(f"Depth 4 (limit {options.deep_limit:g} s)", results)
    worse = summary(results).get("worse", [])
    print(f"\nmore errors than ConTree: {worse or 'none'}")
    return {"limit": options.deep_limit, "sets": as_json(results), "worse": worse}


def as_json(results: dict[str, Pair]) -> dict[str, Any]:
    """Results of one depth for the file."""
    return {
        name: {
            "speed_up": speed_up(pair),
            **{solver: fit.as_dict() for solver, fit in pair.items()},
        }
        for name, pair in results.items()
    }


def anytime_part(options: argparse.Namespace) -> Any:
    """Errors over seconds: our trace, ConTree at several limits, CART."""
    curves = {
        f"{name}, depth {depth}": anytime(name, depth, options.deep_limit)
        for name, depth in PANELS
        if name in options.sets
    }
    if curves and not options.quick:
        draw(curves, IMAGE)
    return curves


def anytime(name: str, depth: int, limit: float) -> dict[str, Any]:
    """The three curves of one panel, in training errors."""
    data = coded(load_table1(name))
    n = len(data.y)
    model: DPDTreeClassifier = ours(depth, "optimal", limit)()
    model.fit(data.X, data.y)
    trace = [(s, n * value, n * bound) for s, value, bound in model.report_.trace]
    greedy = fit_once(cart(depth), data)
    peer = [] if missing_peers("pycontree") else contree_curve(data, depth, limit)
    return {
        "ours": trace,
        "proven": model.is_optimal_,
        "ConTree": peer,
        "CART": (greedy.seconds, greedy.errors),
    }


def contree_curve(data: Any, depth: int, limit: float) -> list[tuple[float, int]]:
    """(seconds, errors) at growing limits, until it finishes or reaches `limit`."""
    points = []
    allowed = 0.03
    while True:
        fit = fit_once(contree(depth, min(allowed, limit)), data)
        points.append((fit.seconds, fit.errors))
        if fit.finished or allowed >= limit:
            return points
        allowed *= math.sqrt(10)


def draw(curves: dict[str, Any], path: Path) -> None:
    """One panel per set, seconds on a logarithmic axis."""
    import matplotlib as mpl

    mpl.use("agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(curves), figsize=(4.4 * len(curves), 3.4), squeeze=False
    )
    for axis, (title, curve) in zip(axes[0], curves.items(), strict=True):
        panel(axis, title, curve)
    axes[0][0].set_ylabel("training errors")
    axes[0][0].legend(loc="lower right", fontsize=8)
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    print(f"\nwritten: {path.relative_to(PROJECT_ROOT)}")


def panel(axis: Any, title: str, curve: dict[str, Any]) -> None:
    """Our best tree and bound as steps, ConTree's best so far, CART as a line."""
    seconds, errors, bounds = zip(*curve["ours"], strict=True)
    colour = "tab:blue"
    axis.step(seconds, errors, where="post", color=colour, label="dpdtree")
    axis.plot(seconds[0], errors[0], ".", color=colour)
    axis.step(
        seconds, bounds, where="post", color=colour, ls=":", label="its lower bound"
    )
    if curve["proven"]:
        axis.plot(seconds[-1], errors[-1], "*", ms=11, color=colour, label="proven")
    if curve["ConTree"]:
        x, y = zip(*sorted(curve["ConTree"]), strict=True)
        style = {"color": "tab:orange", "ls": "--", "lw": 1, "marker": "o", "ms": 4}
        axis.plot(x, list(accumulate(y, min)), **style, label="ConTree")
    start, level = curve["CART"]
    axis.plot(start, level, "s", color="tab:gray", ms=5, label="CART")
    last = max([seconds[-1], *(x for x, _ in curve["ConTree"])])
    axis.plot([start, last], [level, level], color="tab:gray", lw=0.8)
    axis.set_xscale("log")
    axis.set_ylim(0, 1.25 * level)  # ConTree's first trees may be far above CART's
    axis.set_xlabel("seconds")
    axis.set_title(title, fontsize=10)
    axis.grid(alpha=0.25)


PARTS: dict[str, Callable[[argparse.Namespace], Any]] = {
    "depth2": exact_part(2),
    "depth3": exact_part(3),
    "depth4": deep_part,
    "binary3": binary_part(3),
    "binary4": binary_part(4),
    "anytime": anytime_part,
}


def main() -> None:
    """Run the chosen parts; each is stored when it ran on all sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=TABLE1_SETS, choices=TABLE1_SETS)
    parser.add_argument("--parts", nargs="+", default=list(PARTS), choices=PARTS)
    parser.add_argument("--limit", type=float, default=120, help="s, depth 2 and 3")
    parser.add_argument("--deep-limit", type=float, default=60, help="s, depth 4")
    parser.add_argument("--quick", action="store_true", help="three sets, 2 s limits")
    options = parser.parse_args()
    if options.quick:
        options.sets, options.limit, options.deep_limit = list(QUICK), 2.0, 2.0
    for part in options.parts:
        result = PARTS[part](options)
        if list(options.sets) == TABLE1_SETS:
            payload: dict[str, Any] = {"threads": 1}
            payload["peers"] = peer_versions("pycontree", "pystreed")
            payload[part] = result
            write_json("optimal", {**stored_json("optimal"), **payload})


if __name__ == "__main__":
    main()
