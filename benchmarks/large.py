"""Large sets: time, memory and accuracy against CART; two threads; growth."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import _isolated
from benchmarks._markdown import table
from benchmarks._timing import print_table, stored_json, write_json

Result = dict[str, Any]
Model = dict[str, Any]


def paper_model(depth: int, candidates: tuple[int, ...], n_jobs: int = 1) -> Model:
    """The published algorithm with these candidates per depth."""
    return {
        "name": "dpdtree",
        "strategy": "paper",
        "max_depth": depth,
        "alpha": 0.0,
        "n_candidates": candidates,
        "n_jobs": n_jobs,
    }


def cart(depth: int) -> Model:
    """scikit-learn's tree of that depth."""
    return {"name": "sklearn", "max_depth": depth}


def compare(folder: Path, models: dict[str, Model], repeat: int) -> dict[str, Result]:
    """Fit every model `repeat` times in turn; shortest time, smallest peak."""
    results: dict[str, Result] = {}
    for _ in range(repeat):
        for name, model in models.items():
            new = _isolated.fit(folder, model)
            old = results.get(name, new)
            for key in ("seconds", "peak_mb", "extra_mb"):
                new[key] = min(new[key], old[key])
            results[name] = new
    return results


def show(title: str, results: dict[str, Result], base: str) -> None:
    """Print the results with time and memory ratios to `base`."""
    header = "model,seconds,ratio,peak MB,ratio,fit MB,train,test".split(",")  # noqa: SIM905
    rows = [
        [
            name,
            r["seconds"],
            r["seconds"] / results[base]["seconds"],
            f"{r['peak_mb']:.0f}",
            r["peak_mb"] / results[base]["peak_mb"],
            f"{r['extra_mb']:.0f}",
            f"{r['train_accuracy']:.4f}",
            f"{r['test_accuracy']:.4f}" if "test_accuracy" in r else None,
        ]
        for name, r in results.items()
    ]
    print_table(title, header, rows)


def kdd(folder: Path, options: argparse.Namespace) -> Any:
    """KDD Cup 1999 (10 %): depth 10 with candidates at the first one or two levels."""
    _isolated.prepare("kdd", folder)
    models = {"CART": cart(10), "greedy": paper_model(10, (1,))}
    models |= {"(4,)": paper_model(10, (4,)), "(4,4)": paper_model(10, (4, 4))}
    models["greedy"]["strategy"] = "greedy"
    results = compare(folder, models, options.repeat)
    show("KDD Cup 1999, depth 10", results, "CART")
    return results


def two_million(folder: Path, options: argparse.Namespace) -> Any:
    """A synthetic set, depth 5, eight candidates at the root."""
    rows = 100_000 if options.quick else 2_000_000
    _isolated.prepare(f"synthetic:{rows}", folder)
    models = {"CART": cart(5), "(8,1,1,1,1)": paper_model(5, (8, 1, 1, 1, 1))}
    results = compare(folder, models, 1 if rows > 10**6 else options.repeat)
    show(f"Synthetic {rows} x 28, depth 5", results, "CART")
    return {"rows": rows, "models": results}


def threads(folder: Path, options: argparse.Namespace) -> Any:
    """One thread against two on sets above 100 000 rows."""
    sources = ["skin"] if options.quick else ["skin", "kdd", "synthetic:1000000"]
    cases = {"greedy": (1, 1, 1), "(7,1,1)": (7, 1, 1), "(7,7,7)": (7, 7, 7)}
    rows, results = [], {}
    for source in sources:
        part = folder / source.replace(":", "_")
        _isolated.prepare(source, part)
        for label, candidates in cases.items():
            models = {str(n): paper_model(3, candidates, n) for n in (1, 2)}
            if label == "greedy":
                for model in models.values():
                    model["strategy"] = label
            # A process is lucky or not with its two processors, which fits of some
            # milliseconds feel most.
            rounds = options.repeat * (3 if source == "skin" else 1)
            timed = compare(part, models, rounds)
            seconds = {n: result["seconds"] for n, result in timed.items()}
            speedup = seconds["1"] / seconds["2"]
            results[f"{source} {label}"] = {"seconds": seconds, "speedup": speedup}
            rows.append([source, label, seconds["1"], seconds["2"], speedup])
    header = ["set", "candidates", "1 thread s", "2 threads s", "speed-up"]
    print_table("Two threads, depth 3", header, rows)
    return results


def growth(folder: Path, options: argparse.Namespace) -> Any:
    """Time and memory as the rows grow tenfold, CART's own growth beside ours."""
    sizes = [10**4, 10**5] if options.quick else [10**4, 10**5, 10**6]
    models = {"CART": cart(3), "(7,1,1)": paper_model(3, (7, 1, 1))}
    models["(7,7,7)"] = paper_model(3, (7, 7, 7))
    results: dict[str, list[Result]] = {label: [] for label in models}
    for size in sizes:
        part = folder / str(size)
        _isolated.prepare(f"synthetic:{size}", part)
        for label, result in compare(part, models, options.repeat).items():
            results[label].append({"rows": size, **result})
    rows = [_growth_row(label, i, series) for label, series in results.items()
            for i in range(len(series))]  # fmt: skip
    header = ["model", "rows", "seconds", "growth", "fit MB", "growth", "searches"]
    print_table("Growth with the rows, 28 features", header, rows)
    return results


def _growth_row(label: str, index: int, series: list[Result]) -> list[object]:
    now = series[index]
    row = [label, now["rows"], now["seconds"], None, now["extra_mb"], None]
    row.append(now.get("searches"))
    if index > 0:
        before = series[index - 1]
        row[3] = now["seconds"] / before["seconds"]
        row[5] = now["extra_mb"] / max(before["extra_mb"], 1.0)
    return row


def rendered(content: dict[str, Any]) -> str:
    """Accuracy, time and memory against CART; two threads; growth with the rows."""
    kdd, big = content["kdd"], content["two_million"]
    parts = [
        "KDD Cup 1999 (10 %), 494 021 rows, 41 features, 23 classes, depth 10:",
        _against_cart(kdd),
        f"Synthetic, {big['rows']} rows, 28 features, depth 5:",
        _against_cart(big["models"]),
        "Two threads against one, depth 3:",
        _threads(content["threads"]),
        "Ten times the rows: factor of time (and of the fit's memory):",
        _growth(content["growth"]),
    ]
    return "\n\n".join(parts)


def _against_cart(models: dict[str, Any]) -> str:
    cart = models["CART"]
    rows = []
    for name, m in models.items():
        scores = [m.get(f"{part}_accuracy") for part in ("train", "test")]
        ratios = [f"{m[k] / cart[k]:.2f}" for k in ("seconds", "peak_mb")]
        cells = [f"{m['seconds']:.2f}", *ratios, f"{m['extra_mb']:.0f}"]
        cells += ["" if score is None else f"{score:.4f}" for score in scores]
        rows.append([name, *cells])
    header = ["model", "s", "÷ CART", "peak memory ÷ CART", "fit MB", "train", "test"]
    return table(header, rows)


def _threads(results: dict[str, Any]) -> str:
    """One line per set: `results` has the keys "set candidates"."""
    lines: dict[str, list[str]] = {}
    for key, r in results.items():
        lines.setdefault(key.split(" ")[0], []).append(f"{r['speedup']:.2f}")
    columns = list(dict.fromkeys(key.split(" ")[1] for key in results))
    return table(["set", *columns], [[name, *cells] for name, cells in lines.items()])


def _growth(series: dict[str, Any]) -> str:
    def factor(now: dict[str, Any], before: dict[str, Any], key: str) -> str:
        return f"{now[key] / max(before[key], 1.0 if key == 'extra_mb' else 0.0):.1f}"

    steps = list(pairwise(next(iter(series.values()))))
    steps.append((steps[0][0], steps[-1][1]))  # the whole way
    header = [f"{a['rows']:.0e} → {b['rows']:.0e}" for a, b in steps]
    rows = []
    for name, fits in series.items():
        cells = []
        for a, b in [*pairwise(fits), (fits[0], fits[-1])]:
            found = f"{factor(b, a, 'seconds')} ({factor(b, a, 'extra_mb')})"
            if "searches" in a:
                found += f", searches {b['searches'] / a['searches']:.2f}"
            cells.append(found)
        rows.append([name, *cells])
    return table(["model", *header], rows)


PARTS: dict[str, Callable[[Path, argparse.Namespace], Any]] = {
    "kdd": kdd,
    "two_million": two_million,
    "threads": threads,
    "growth": growth,
}


def main() -> None:
    """Run the chosen parts and store them, unless at reduced size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--repeat", type=int, default=3, help="rounds per model")
    parser.add_argument("--quick", action="store_true", help="smaller synthetic sets")
    options = parser.parse_args()
    payload: dict[str, Any] = stored_json("large") | {"repeat": options.repeat}
    for name in options.sets:
        with tempfile.TemporaryDirectory() as folder:
            payload[name] = PARTS[name](Path(folder), options)
        if not options.quick:
            write_json("large", payload)


if __name__ == "__main__":
    main()
