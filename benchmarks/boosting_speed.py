"""Seconds per boosted tree, everything included, beside LightGBM, XGBoost & co.

    python -m benchmarks.boosting_speed                    # everything
    python -m benchmarks.boosting_speed --parts prediction
    python -m benchmarks.boosting_speed --sets adult --threads 1

All build the same number of trees of the same size, with the same bins and the same
number of threads; each table's base is LightGBM. Ratios are of the shortest wall time,
with those of processor time beside them, for machines that others use too. Peak memory
is that of a process that does nothing else. What is measured is kept in a work file, so
that a run that was stopped goes on; results are published once everything is there.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks._boosters import (
    Fitter,
    depth_limited,
    leafwise,
    n_classes,
    ours,
    several_targets,
)
from benchmarks._boosters import lightgbm as lightgbm_fitter
from benchmarks._contestants import peer_versions
from benchmarks._data import Dataset, load, synthetic
from benchmarks._isolated import _memory
from benchmarks._markdown import table
from benchmarks._quality import Store
from benchmarks._timing import geometric_mean, print_table

DEPTH, REPEAT = 3, 2
#: Trees per set: enough that binning does not dominate, few enough to wait for.
TREES = {"100k": 100, "1M": 30, "covertype20k": 100, "adult": 100}
THREADS = (1, 2)
PREDICTED_TREES, MEMORY_TREES = 500, 10
MEMORY_OF = ("LightGBM", "None", "light", "strong")
SIZES: dict[str, Callable[[], dict[str, Fitter]]] = {
    "leaves": leafwise,
    "depth": lambda: depth_limited(DEPTH),
}
PARTS = ("fit", "outputs", "prediction", "memory")
#: Of a regression with several targets, and its trees for each of them.
TARGETS, TARGET_TREES = 3, 50

OURS = ("None", "light", "strong", "full (4,1,1)", "full (4,4,1)")


def dataset(name: str) -> Dataset:
    """One of `TREES`, labels as 0 … K-1."""
    if name in ("100k", "1M"):
        return synthetic(100_000 if name == "100k" else 1_000_000)
    data = load("misc/adult" if name == "adult" else f"grinsztajn/{name}")
    _, labels = np.unique(data.y, return_inverse=True)
    return Dataset(name, data.X, labels)


def timed(calls: Mapping[str, Callable[[], object]], repeat: int) -> dict[str, Any]:
    """Shortest wall and processor seconds of each call; they take turns."""
    best = {name: {"wall": math.inf, "cpu": math.inf} for name in calls}
    for _ in range(repeat):
        for name, call in calls.items():
            wall, cpu = perf_counter(), process_time()
            call()
            spent = {"wall": perf_counter() - wall, "cpu": process_time() - cpu}
            best[name] = {k: min(best[name][k], s) for k, s in spent.items()}
    return best


def fit_times(name: str, size: str, threads: int) -> dict[str, Any]:
    """Milliseconds per tree of all contestants; a tree of each class counts."""
    data = dataset(name)
    calls = {
        who: lambda fit=fit: fit(data, TREES[name], threads)
        for who, fit in SIZES[size]().items()
    }
    for fit in SIZES[size]().values():
        fit(data, 1, threads)  # libraries are loaded now
    n_trees = TREES[name] * (n_classes(data) if n_classes(data) > 2 else 1)
    times = timed(calls, REPEAT)
    return {
        who: {k: 1e3 * s / n_trees for k, s in spent.items()}
        for who, spent in times.items()
    }


def outputs(threads: int) -> dict[str, Any]:
    """Milliseconds per tree of a regression with several targets."""
    rows = dataset("100k").X
    rng = np.random.default_rng(0)
    y = np.sin(rows @ rng.normal(size=(rows.shape[1], TARGETS)))
    data = Dataset("targets", rows, y)
    for fit in several_targets().values():
        fit(data, 1, threads)  # libraries are loaded now
    calls = {
        who: lambda fit=fit: fit(data, TARGET_TREES, threads)
        for who, fit in several_targets().items()
    }
    n_trees = TARGET_TREES * TARGETS
    return {
        who: {k: 1e3 * s / n_trees for k, s in spent.items()}
        for who, spent in timed(calls, REPEAT).items()
    }


def prediction(threads: int) -> dict[str, Any]:
    """Seconds to predict 100 000 rows with many trees."""
    data = dataset("100k")
    models = {
        "LightGBM": lightgbm_fitter()(data, PREDICTED_TREES, 1),
        "ours": ours("light")(data, PREDICTED_TREES, 1),
    }
    calls = {k: lambda m=m: m(data.X, threads) for k, m in models.items()}
    return timed(calls, REPEAT + 1)


def memory(name: str) -> dict[str, float]:
    """Megabytes that a fit adds to those of the data, each in a process of its own."""
    out = {}
    for who in MEMORY_OF:
        job = json.dumps({"set": name, "who": who, "trees": MEMORY_TREES})
        command = [sys.executable, "-m", "benchmarks.boosting_speed", "--job", job]
        root = Path(__file__).resolve().parent.parent
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=root
        )
        out[who] = float(done.stdout)
    return out


def memory_job(job: dict[str, Any]) -> None:
    """Print the megabytes one fit needs beside its data."""
    data = dataset(job["set"])
    fit = leafwise()[job["who"]]
    small = Dataset("warm", data.X[:200], np.arange(200) % n_classes(data))
    fit(small, 1, 1)  # libraries are loaded now
    # Linux: give back what making the data has left behind, and forget its peak.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _memory("VmRSS")
    fit(data, job["trees"], 1)
    print(max(0.0, _memory("VmHWM") - before))


def jobs(parts: list[str], sets: list[str], threads: list[int]) -> dict[str, Any]:
    """Everything there is to measure, by the name it is stored under."""
    found: dict[str, Callable[[], Any]] = {}
    if "fit" in parts:
        for name in sets:
            for t in threads:
                for size in SIZES:
                    found[f"{name}, {t} thread(s), {size}"] = (
                        lambda name=name, size=size, t=t: fit_times(name, size, t)
                    )
    by_threads = {
        "outputs": (f"{TARGETS} targets", outputs),
        "prediction": ("prediction", prediction),
    }
    for part, (name, measure) in by_threads.items():
        for t in threads if part in parts else []:
            found[f"{name}, {t} thread(s)"] = lambda t=t, measure=measure: measure(t)
    if "memory" in parts:
        for name in sets:
            found[f"memory, {name}"] = lambda name=name: memory(name)
    return found


def show(title: str, found: Mapping[str, Any]) -> None:
    """Print one table; its first line is the base."""
    base = next(iter(found.values()))
    if title.startswith("memory"):
        rows = [[who, mb, mb / base, ""] for who, mb in found.items()]
        print_table(title, ["", "MB on top of the data", "÷ LightGBM", ""], rows)
        return
    rows = [
        [who, t["wall"], t["wall"] / base["wall"], t["cpu"] / base["cpu"]]
        for who, t in found.items()
    ]
    unit = "s" if title.startswith("prediction") else "ms per tree"
    print_table(title, ["", unit, "÷ LightGBM", "processor time ÷"], rows)


def summary(tables: Mapping[str, Any]) -> dict[str, Any]:
    """Geometric means over the sets of the times ÷ LightGBM's, by threads."""
    out: dict[str, Any] = {}
    for who in OURS:
        for t in THREADS:
            found = [v for k, v in tables.items() if f"{t} thread" in k and who in v]
            ratio = {
                clock: geometric_mean(
                    v[who][clock] / next(iter(v.values()))[clock] for v in found
                )
                for clock in ("wall", "cpu")
            }
            if found:
                out[f"{who}, {t} thread(s)"] = ratio
    return out


def rendered(content: dict[str, Any]) -> str:
    """Geometric means, then every set; prediction and memory."""
    means = [
        [who, f"{m['wall']:.2f}", f"{m['cpu']:.2f}"]
        for who, m in content["summary"].items()
    ]
    header = ["", "time ÷ LightGBM", "processor time ÷"]
    text = "\n\n".join(
        [
            f"Geometric means over the sets:\n\n{table(header, means)}",
            *(
                f"{title[0].upper()}{title[1:]}:\n\n{_speed_table(title, found)}"
                for title, found in content["tables"].items()
            ),
        ]
    )
    return text.replace(" 1 thread(s)", " 1 thread").replace(" thread(s)", " threads")


def _speed_table(title: str, found: dict[str, Any]) -> str:
    base = next(iter(found.values()))
    if title.startswith("memory"):
        rows = [[who, f"{mb:.1f}", f"{mb / base:.2f}"] for who, mb in found.items()]
        return table(["", "MB on top of the data", "÷ LightGBM"], rows)
    rows = []
    for who, t in found.items():
        ratios = [f"{t[clock] / base[clock]:.2f}" for clock in ("wall", "cpu")]
        rows.append([who, f"{t['wall']:.3g}", *ratios])
    unit = "s" if title.startswith("prediction") else "ms per tree"
    return table(["", unit, "÷ LightGBM", "processor time ÷"], rows)


def main() -> None:
    """Measure what is missing; publish when nothing is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    parser.add_argument("--sets", nargs="+", choices=[*TREES], default=[*TREES])
    parser.add_argument("--threads", nargs="+", type=int, default=THREADS)
    parser.add_argument("--again", action="store_true", help="measure stored ones, too")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        memory_job(json.loads(options.job))
        return
    settings = {"trees": TREES, "repeat": REPEAT, "predicted_trees": PREDICTED_TREES}
    store = Store("boosting_speed", settings)
    tables = store.part("tables")
    for title, measure in jobs(options.parts, options.sets, options.threads).items():
        if title not in tables or options.again:
            tables[title] = measure()
            store.save()
        show(title, tables[title])
    means = summary(tables)
    rows = [[who, m["wall"], m["cpu"]] for who, m in means.items()]
    header = ["", "÷ LightGBM", "processor time ÷"]
    print_table("Geometric means over the sets", header, rows)
    everything = jobs([*PARTS], [*TREES], [*THREADS])
    if all(title in tables for title in everything):
        ordered = {title: tables[title] for title in everything}
        store.publish({"peers": peer_versions(), "tables": ordered, "summary": means})


if __name__ == "__main__":
    main()
