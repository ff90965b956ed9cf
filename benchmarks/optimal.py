"""Proven optima: strategy="optimal" against its peers, one thread, one run.

Against ConTree: depth 2 to the end on all sets of Table 1, depth 4 on six of them with
a time limit. Against STreeD: depth 3 to 5 on sets of binary features, and depth 4 and 5
with a price per leaf. Processor seconds. Against itself: two threads on the longer
proofs of depth 3, seconds of the clock. (Depth 3 on the sets of Table 1 and the best
tree over time are pieces of `python -m benchmarks paper`.)
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks._data import TABLE1_SETS, Dataset, load, load_table1
from benchmarks._markdown import table
from benchmarks._peers import (
    Fit,
    Maker,
    coded,
    contree,
    missing_peers,
    ours,
    peer_versions,
    race,
    streed,
)
from benchmarks._timing import geometric_mean, stored_json, write_json
from dpdtree import DPDTreeClassifier

DEEP_SETS = ("bank", "wilt", "raisin", "rice", "segment", "bidding")
BINARY_SETS = (
    "lymph", "audiology", "ionosphere", "breast_wisconsin", "diabetes", "anneal",
    "vehicle", "german_credit", "yeast", "hypothyroid",
)  # fmt: skip


class Part(NamedTuple):
    """Which sets are raced with whom, and by which rules."""

    sets: Sequence[str]
    depth: int
    peer: str
    limited: bool = False  # has ours the limit of the peer?
    price: float = 0.0  # per leaf


PARTS = {
    "depth2": Part(TABLE1_SETS, 2, "ConTree"),
    "depth4": Part(DEEP_SETS, 4, "ConTree", limited=True),
    "binary3": Part(BINARY_SETS, 3, "STreeD"),
    "binary4": Part(BINARY_SETS, 4, "STreeD"),
    "binary5": Part(BINARY_SETS, 5, "STreeD", limited=True),
    "binary4_priced": Part(BINARY_SETS, 4, "STreeD", price=0.01),
    "binary5_priced": Part(BINARY_SETS, 5, "STreeD", limited=True, price=0.01),
}
THREADS = "two_threads"  # a part of its own
THREAD_SETS = ("bean", "eeg", "avila", "magic", "htru", "fault", "rice")
THREAD_ROUNDS = 3
PACKAGES = {"ConTree": "pycontree", "STreeD": "pystreed"}
SOLVERS: dict[str, Callable[..., Maker]] = {"ConTree": contree, "STreeD": streed}
QUICK = ("raisin", "wilt", "bank", "lymph", "anneal")

Content = dict[str, Any]


def load_set(part: str, name: str) -> Dataset:
    """A set of a part, labels as codes."""
    return coded(load(f"binary/{name}") if "binary" in part else load_table1(name))


def run(part: str, options: argparse.Namespace) -> Content:
    """Both solvers on every set, in turn."""
    names, depth, solver, limited, price = PARTS[part]
    priced = {"price": price} if price > 0 else {}
    stored = stored_json("optimal").get(part, {}) if options.ours else {}
    limit = stored.get("limit", options.limit)
    own_limit = limit if limited else None
    makers = {"ours": ours(depth, "optimal", own_limit, **priced)}
    if not options.ours and not missing_peers(PACKAGES[solver]):
        makers[solver] = SOLVERS[solver](depth, limit, **priced)
    results = {}
    for name in names:
        if options.quick and name not in QUICK:
            continue
        fits = race(makers, load_set(part, name))
        kept = stored.get("sets", {}).get(name, {})
        results[name] = {solver: kept[solver]} if solver in kept else {}
        results[name] |= {model: entry_of(fit) for model, fit in fits.items()}
        print(".", end="", flush=True)
    return {"limit": limit, "peer": solver, **priced, "sets": results}


class Entry(NamedTuple):
    """What is kept of a fit: the gap is in errors, 0 if proven or never bounded."""

    errors: int
    seconds: float
    gap: int = 0
    stopped: bool = False


def entry_of(fit: Fit) -> list[Any]:
    """An entry as it is stored: three digits, without what is 0 at its end."""
    gap = 0
    if not fit.proven and fit.lower_bound == fit.lower_bound:
        gap = round(fit.errors - fit.lower_bound)
    entry: list[Any] = [fit.errors, float(f"{fit.seconds:.3g}"), gap]
    entry.append(int(not fit.finished))
    while not entry[-1]:
        entry.pop()
    return entry


def run_threads(options: argparse.Namespace) -> Content:
    """Proofs of depth 3 with one thread and with two, in turn: the least seconds."""
    results: dict[str, dict[str, float]] = {}
    for name in ("rice",) if options.quick else THREAD_SETS:
        data = coded(load_table1(name))
        seconds: dict[str, float] = {}
        for _ in range(THREAD_ROUNDS):
            for jobs in (1, 2):
                model = DPDTreeClassifier(
                    max_depth=3, alpha=0.0, strategy="optimal", n_jobs=jobs
                )
                start = perf_counter()
                model.fit(data.X, data.y)
                taken = perf_counter() - start
                seconds[str(jobs)] = min(taken, seconds.get(str(jobs), taken))
        results[name] = seconds
        print(".", end="", flush=True)
    return {"sets": results}


def rendered_threads(part: Content) -> str:
    """Seconds of the clock with one thread and two, and how much faster two are."""
    ups = {name: s["1"] / s["2"] for name, s in part["sets"].items()}
    rows = [
        [name, f"{s['1']:.3g}", f"{s['2']:.3g}", f"{ups[name]:.2f}"]
        for name, s in part["sets"].items()
    ]
    text = table(["set", "one thread, s", "two threads, s", "speed-up"], rows)
    return f"{text}\n\nGeometric mean: {geometric_mean(ups.values()):.2f}."


def speed_ups(part: Content) -> dict[str, float]:
    """The peer's time over ours where ours is proven; a lower bound if it stopped."""
    return {
        name: Entry(*pair[part["peer"]]).seconds / own.seconds
        for name, pair in part["sets"].items()
        if part["peer"] in pair and not (own := Entry(*pair["ours"])).gap
    }


def rendered(part: Content) -> str:
    """Errors, what is left to prove, seconds of both, and how much faster ours is."""
    if "peer" not in part:
        return rendered_threads(part)
    solver, ups, rows = part["peer"], speed_ups(part), []
    for name, pair in part["sets"].items():
        own = Entry(*pair["ours"])
        cells = [own.errors, own.gap, f"{own.seconds:.3g}"]
        if solver not in pair:
            rows.append([name, *cells, "-", "-", "-"])
            continue
        peer = Entry(*pair[solver])
        mark = ">" if peer.stopped else ""
        ratio = f"{mark}{ups[name]:.1f}" if name in ups else "-"
        cells += [peer.errors, f"{mark}{peer.seconds:.3g}", ratio]
        rows.append([name, *cells])
    header = ["set", "errors", "gap", "s", f"{solver} errors", "s", "speed-up"]
    text = f"{table(header, rows)}\n\nTime limit of {solver}: {part['limit']:g} s."
    if part.get("price"):
        text += f" Both minimise training error + {part['price']:g} · leaves."
    if not ups:
        return text
    least, middle = min(ups.values()), median(ups.values())
    mean = geometric_mean(ups.values())
    return (
        f"{text} Speed-up: least {least:.1f}, median {middle:.1f}, geometric mean"
        f" {mean:.1f}."
    )


def main() -> None:
    """Run the chosen parts; each is stored."""
    names = [*PARTS, THREADS]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", default=names, choices=names)
    parser.add_argument("--limit", type=float, default=60, help="s")
    parser.add_argument("--quick", action="store_true", help="a few sets, 2 s limits")
    parser.add_argument("--ours", action="store_true", help="keep the peers' results")
    options = parser.parse_args()
    if options.quick:
        options.limit = 2.0
    for part in options.parts:
        result = run_threads(options) if part == THREADS else run(part, options)
        print(f"\n{part}\n\n{rendered(result)}", flush=True)
        if not options.quick:
            peers = peer_versions("pycontree", "pystreed")
            payload: Mapping[str, Any] = {"threads": 1, "peers": peers, part: result}
            write_json("optimal", {**stored_json("optimal"), **payload})


if __name__ == "__main__":
    main()
