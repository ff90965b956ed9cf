"""How near the balanced tree comes to the optimum, and at what price.

Depth 4 and 5 on the 16 sets of Table 1: accuracy and time of balanced, CART, ConTree
and STreeD. Depth 3 on other sets: errors beside the optimum, where that is proven.
Depth 4 and 5 on ten sets of binary features: licketysplit, which looks for near-optimal
trees, too; there also with a price per leaf.
(Depth 3 on the sets of Table 1 is a piece of `python -m benchmarks paper`.) One thread,
processor seconds.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks._data import OTHER_SETS, TABLE1_SETS, Dataset, load, load_table1
from benchmarks._markdown import table
from benchmarks._peers import (
    Fit,
    Maker,
    cart,
    coded,
    contree,
    missing_peers,
    ours,
    peer_versions,
    race,
    streed,
)
from benchmarks._timing import geometric_mean, stored_json, write_json
from benchmarks.paper.peers import licketysplit
from dpdtree import DPDTreeClassifier

DEPTHS, OTHERS_DEPTH = (4, 5), 3
PEERS = ("ConTree", "STreeD")
PEER = "licketysplit"  # on binary features
QUICK = ("raisin", "wilt", "bank")
BINARY_SETS = ("anneal", "audiology", "breast_wisconsin", "diabetes", "german_credit",
               "hypothyroid", "ionosphere", "lymph", "vehicle", "yeast")  # fmt: skip
NEAR = 0.001  # of the rows
PRICES, PRICED_ROUNDS = (0.001, 0.003, 0.01), 4  # per leaf

Fits = dict[str, Fit]
Content = dict[str, Any]


def run_others(options: argparse.Namespace) -> Content:
    """Depth 3 on other sets: the optimum where it is proven within the limit."""
    results: dict[str, Content] = {}
    for name in OTHER_SETS[:3] if options.quick else OTHER_SETS:
        data = coded(load(name))
        makers = {
            "CART": cart(OTHERS_DEPTH),
            "balanced": ours(OTHERS_DEPTH, "balanced"),
        }
        fits, n = race(makers, data), len(data.y)
        best = ours(OTHERS_DEPTH, "optimal", options.limit)().fit(data.X, data.y)
        results[name] = {
            "n": n,
            "optimum": round(best.loss_ * n),
            "proven": bool(best.is_optimal_),
            "CART": fits["CART"].errors,
            "balanced": fits["balanced"].errors,
            "time": fits["balanced"].seconds / fits["CART"].seconds,
        }
        print(".", end="", flush=True)
    return {"limit": options.limit, "sets": results}


def rendered_others(part: Content) -> str:
    """Errors beside the optimum, and time."""
    rows, gaps, times = [], [], []
    for name, s in part["sets"].items():
        gap = (s["balanced"] - s["optimum"]) / s["n"]
        optimum = f"{s['optimum']}{'' if s['proven'] else '?'}"
        shown = [f"{100 * gap:.3f}", f"{s['time']:.2f}"]
        rows.append([name, s["n"], optimum, s["CART"], s["balanced"], *shown])
        if s["proven"]:
            gaps.append(gap)
            times.append(s["time"])
    header = ["set", "N", "optimum", "CART", "balanced", "gap %", "÷ CART time"]
    text = table(header, rows)
    if not gaps:
        return text
    return (
        f"{text}\n\nOf the {len(gaps)} sets whose optimum is proven within"
        f" {part['limit']:g} s (the others have a ?) balanced is optimal on"
        f" {sum(g <= 0 for g in gaps)}, within 0.1 % of the rows on"
        f" {sum(g <= NEAR for g in gaps)}; mean gap {sum(gaps) / len(gaps):.3%};"
        f" time ÷ CART: geometric mean {geometric_mean(times):.2f}, largest"
        f" {max(times):.1f}."
    )


def run_binary(options: argparse.Namespace) -> Content:
    """Errors and time on binary features, and the optimum where it is proven."""
    peer = not missing_peers(PEER)
    results: dict[str, Content] = {}
    found_with_prices: dict[tuple[int, float], list[Content]] = {}
    for name in BINARY_SETS[:3] if options.quick else BINARY_SETS:
        data = coded(load(f"binary/{name}"))
        answers = Dataset(data.name, data.X.astype(np.uint8), data.y)
        results[name] = {"n": len(data.y)}
        for depth in DEPTHS:
            fits = race({"balanced": ours(depth, "balanced")}, data)
            if peer:
                fits |= race({PEER: partial(licketysplit.make, depth)}, answers)
            best = ours(depth, "optimal", options.limit)().fit(data.X, data.y)
            optimum = [round(best.loss_ * len(data.y)), bool(best.is_optimal_)]
            found = {model: [fit.errors, fit.seconds] for model, fit in fits.items()}
            results[name][str(depth)] = {"optimum": optimum, **found}
            for price in PRICES if peer else ():
                of_price = found_with_prices.setdefault((depth, price), [])
                of_price.append(priced(depth, price, data, answers))
        print(".", end="", flush=True)
    prices = [[*key, *compared(fits)] for key, fits in found_with_prices.items()]
    return {"limit": options.limit, "sets": results, "prices": sorted(prices)}


def compared(fits: list[Content]) -> list[float]:
    """Sets where ours is better, and worse; the differences' sum; time ÷ theirs."""
    apart = [fit["balanced"][0] - fit[PEER][0] for fit in fits]
    ratio = geometric_mean([fit["balanced"][1] / fit[PEER][1] for fit in fits])
    better, worse = (sum(sign * d < -1e-6 for d in apart) for sign in (1, -1))
    return [better, worse, sum(apart), ratio]


def priced(
    depth: int, price: float, data: Dataset, answers: Dataset
) -> dict[str, list[float]]:
    """Errors and the price of all leaves, in rows, and the least seconds of both."""
    n = len(data.y)
    found: dict[str, list[float]] = {}

    def keep(
        name: str, model: Any, rows: Dataset, value: Callable[[Any], float]
    ) -> None:
        start = process_time()
        model.fit(rows.X, rows.y)
        seconds = process_time() - start
        least = min(seconds, found.get(name, [0, math.inf])[1])
        found[name] = [value(model), least]

    for _ in range(PRICED_ROUNDS):
        model = DPDTreeClassifier(
            strategy="balanced", loss="zero_one", max_depth=depth, alpha=price,
            complexity="n_leaves", n_jobs=1,
        )  # fmt: skip
        keep("balanced", model, data, lambda m: float(m.objective_) * n)
        peer = licketysplit.make(depth, price)
        keep(PEER, peer, answers, lambda m: float(m.objective_))
    return found


def rendered_prices(prices: list[list[float]]) -> str:
    """Per depth and price, who ends with less, and the ratio of the times."""
    if not prices:
        return ""
    rows = [
        [
            str(depth),
            str(price),
            str(better),
            str(worse),
            f"{apart:.1f}",
            f"{ratio:.2f}",
        ]
        for depth, price, better, worse, apart, ratio in prices
    ]
    header = ["depth", "price", "balanced better", f"{PEER} better",
              "difference in rows", "time ÷ theirs"]  # fmt: skip
    title = "With a price per leaf, errors and prices together:"
    return f"\n\n{title}\n\n{table(header, rows)}"


def rendered_binary(part: Content) -> str:
    """Errors above the best tree known, and seconds."""
    models, rows, sums = ("balanced", PEER), [], []
    for depth in map(str, DEPTHS):
        for name, s in part["sets"].items():
            fits, (best, proven) = s[depth], s[depth]["optimum"]
            known = [
                f"{fits[m][0]}, {1000 * fits[m][1]:.2g} ms" if m in fits else "-"
                for m in models
            ]
            rows.append([name, depth, f"{best}{'' if proven else '?'}", *known])
        own = [s[depth] for s in part["sets"].values() if PEER in s[depth]]
        if not own:
            continue
        ours_above, above = (
            sum(fits[m][0] - fits["optimum"][0] for fits in own) for m in models
        )
        ratio = geometric_mean([fits["balanced"][1] / fits[PEER][1] for fits in own])
        sums.append(
            f"Depth {depth}: balanced has {ours_above} errors above the best trees"
            f" known, {PEER} {above}; it takes {ratio:.2f} of the time."
        )
    header = ["set", "depth", "optimum", *models]
    text = f"{table(header, rows)}\n\n" + " ".join(sums)
    text += f" A ? marks what was not proven within {part['limit']:g} s."
    return text + rendered_prices(part.get("prices", []))


def makers_of(depth: int, options: argparse.Namespace) -> dict[str, Maker]:
    """All contenders of a depth that are installed and wanted."""
    makers = {"CART": cart(depth), "balanced": ours(depth, "balanced")}
    if options.ours:
        return makers
    missing = missing_peers("pycontree", "pystreed")
    if "pycontree" not in missing:
        makers["ConTree"] = contree(depth, options.limit)
    if "pystreed" not in missing:
        makers["STreeD"] = streed(depth, options.limit)
    return makers


def run_deep(depth: int, options: argparse.Namespace) -> Content:
    """Training and test accuracy and time of all solvers at one depth."""
    makers = makers_of(depth, options)
    stored = (
        stored_json("near_optimal").get(f"depth{depth}", {}) if options.ours else {}
    )
    results = {}
    for name in options.sets:
        fits = race(makers, coded(load_table1(name)), rounds=2, budget=1.0)
        kept = stored.get("sets", {}).get(name, {})
        found = {model: kept[model] for model in PEERS if model in kept}
        results[name] = {model: entry_of(fit) for model, fit in fits.items()} | found
        print(".", end="", flush=True)
    found = {"limit": stored.get("limit", options.limit), "sets": results}
    return found | {"kept": list(PEERS)} if options.ours else found


def entry_of(fit: Fit) -> list[Any]:
    """What is kept of a fit: accuracies, seconds, and a mark if it was stopped."""
    found = [fit.train, fit.test, fit.seconds]
    return found if fit.finished else [*found, "stopped"]


def rendered(part: Content) -> str:
    """Depth 4 or 5: train / test accuracy and seconds of every solver."""
    sets = part["sets"]
    models = list(next(iter(sets.values())))

    def cell(fit: list[Any] | None) -> str:
        if fit is None:
            return "-"
        train, test, seconds, *stopped = fit
        return f"{train:.3f} / {test:.3f}, {seconds:.2g} s{'*' if stopped else ''}"

    rows = [[name, *(cell(fits.get(m)) for m in models)] for name, fits in sets.items()]
    means = []
    for model in models:
        own = [fits for fits in sets.values() if model in fits]
        train, test = (sum(fits[model][i] for fits in own) / len(own) for i in (0, 1))
        times = [fits[model][2] / fits["CART"][2] for fits in own]
        ratio = geometric_mean(times) if times else math.nan
        kept = model in part.get("kept", ())
        time = "" if kept else f", {ratio:.3g} times CART"
        means.append(f"{train:.4f} / {test:.4f}{time}")
    text = table(["set", *models], [*rows, ["**mean**", *means]])
    text += f"\n\nTime limit of ConTree and STreeD: {part['limit']:g} s."
    if "kept" in part:
        text += " Their seconds come from another run than those of CART and balanced."
    return text


def main() -> None:
    """Run the chosen depths; each is stored when it ran on all sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=TABLE1_SETS, choices=TABLE1_SETS)
    parser.add_argument("--depths", nargs="+", type=int, default=DEPTHS, choices=DEPTHS)
    parser.add_argument("--limit", type=float, default=60, help="s, of the solvers")
    parser.add_argument("--quick", action="store_true", help="three sets, 2 s limit")
    parser.add_argument("--others", action="store_true", help="other sets, depth 3")
    parser.add_argument("--binary", action="store_true", help="sets of 0/1 columns")
    parser.add_argument("--ours", action="store_true", help="keep the peers' results")
    options = parser.parse_args()
    if options.quick:
        options.sets, options.limit = list(QUICK), 2.0
    parts: dict[str, Callable[[argparse.Namespace], Content]] = {}
    if options.others:
        parts["others"] = run_others
    if options.binary:
        parts["binary"] = run_binary
    for depth in () if parts else options.depths:
        parts[f"depth{depth}"] = partial(run_deep, depth)
    show = {"others": rendered_others, "binary": rendered_binary}
    for key, run in parts.items():
        result = run(options)
        print(f"\n{show.get(key, rendered)(result)}")
        if list(options.sets) == TABLE1_SETS and not options.quick:
            peers = peer_versions("pycontree", "pystreed", PEER)
            payload = {"threads": 1, "peers": peers, key: result}
            write_json("near_optimal", {**stored_json("near_optimal"), **payload})


if __name__ == "__main__":
    main()
