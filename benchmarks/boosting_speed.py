"""Seconds per boosted tree, everything included, beside LightGBM, XGBoost & co.

All build the same number of trees of the same size, with the same bins and the same
number of threads; each table's base is LightGBM. Peak memory is that of a process that
does nothing else. Run: `python -m benchmarks.boosting_speed [--quick]`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._boosters import Fitter, depth_limited, leafwise, n_classes, ours
from benchmarks._boosters import lightgbm as lightgbm_fitter
from benchmarks._data import Dataset, load, synthetic
from benchmarks._isolated import _memory
from benchmarks._timing import best_of, print_table, ratios, write_json

DEPTH = 3
#: Trees per set: enough that binning does not dominate, few enough to wait for.
TREES = {"100k": 100, "1M": 30, "covertype20k": 100, "adult": 100}
QUICK_TREES = {"covertype20k": 30, "adult": 30}
PREDICTED_TREES = 500
MEMORY_OF = ("LightGBM", "None", "light", "strong")

#: time ÷ LightGBM's, at most
TARGETS = {
    "None": 0.7, "light": 0.8, "strong": 1.1, "full (4,1,1)": 1.4, "full (4,4,1)": 2.5,
}  # fmt: skip


def dataset(name: str) -> Dataset:
    """One of `TREES`, labels as 0 … K-1."""
    if name in ("100k", "1M"):
        return synthetic(100_000 if name == "100k" else 1_000_000)
    data = load("misc/adult" if name == "adult" else f"grinsztajn/{name}")
    _, labels = np.unique(data.y, return_inverse=True)
    return Dataset(name, data.X, labels)


def seconds_per_tree(
    fitters: dict[str, Fitter], data: Dataset, n_trees: int, threads: int, repeat: int
) -> dict[str, float]:
    """Shortest of some rounds; a tree of each class counts."""
    outputs = n_classes(data) if n_classes(data) > 2 else 1
    calls = {
        name: lambda fit=fit: fit(data, n_trees, threads)
        for name, fit in fitters.items()
    }
    best = best_of(calls, repeat)
    return {name: s / (n_trees * outputs) for name, s in best.items()}


def tables(name: str, n_trees: int, threads: int, repeat: int) -> dict[str, Any]:
    """Seconds and ratios of all, on one set with so many threads."""
    data = dataset(name)
    out: dict[str, Any] = {"n": data.X.shape[0], "p": data.X.shape[1]}
    for key, fitters in (("leaves", leafwise()), ("depth", depth_limited(DEPTH))):
        seconds = seconds_per_tree(fitters, data, n_trees, threads, repeat)
        base = next(iter(fitters))
        out[key] = {"seconds": seconds, "ratio": ratios(seconds, base)}
        rows = [
            [who, 1e3 * s, s / seconds[base], TARGETS.get(who)]
            for who, s in seconds.items()
        ]
        title = f"{name}, {threads} thread(s), {n_trees} iterations: {key}"
        print_table(title, ["", "ms per tree", "÷ LightGBM", "target"], rows)
    return out


def prediction(n_trees: int, repeat: int) -> dict[str, Any]:
    """Seconds to predict 100 000 rows, one thread and two."""
    data = dataset("100k")
    models = {
        "LightGBM": lightgbm_fitter()(data, n_trees, 1),
        "ours": ours("light")(data, n_trees, 1),
    }
    out = {}
    for threads in (1, 2):
        calls = {k: lambda m=m, t=threads: m(data.X, t) for k, m in models.items()}
        out[str(threads)] = best_of(calls, repeat)
    rows = [
        [t, s["LightGBM"], s["ours"], s["ours"] / s["LightGBM"]] for t, s in out.items()
    ]
    title = f"Prediction, 100k x 28, {n_trees} trees"
    print_table(title, ["threads", "LightGBM s", "ours s", "÷"], rows)
    return out


def memory(name: str, n_trees: int) -> dict[str, float]:
    """Megabytes that a fit adds to those of the data, each in a process of its own."""
    out = {}
    for who in MEMORY_OF:
        job = json.dumps({"set": name, "who": who, "trees": n_trees})
        command = [sys.executable, "-m", "benchmarks.boosting_speed", "--job", job]
        root = Path(__file__).resolve().parent.parent
        done = subprocess.run(
            command, check=True, capture_output=True, text=True, cwd=root
        )
        out[who] = float(done.stdout)
    rows = [[who, mb, mb / out["LightGBM"]] for who, mb in out.items()]
    print_table(f"Peak memory beside the data, {name}", ["", "MB", "÷ LightGBM"], rows)
    return out


def memory_job(job: dict[str, Any]) -> None:
    """Print the megabytes one fit needs beside its data."""
    data = dataset(job["set"])
    fit = leafwise()[job["who"]]
    small = Dataset("warm", data.X[:200], np.arange(200) % n_classes(data))
    fit(small, 1, 1)  # libraries are loaded now
    with suppress(OSError):  # Linux: forget the peak of making the data
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    before = _memory("VmRSS")
    fit(data, job["trees"], 1)
    print(max(0.0, _memory("VmHWM") - before))


def main() -> None:
    """Measure all sets; results are stored when all were measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=[*TREES])
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--repeat", type=int, default=2, help="timed rounds")
    parser.add_argument("--quick", action="store_true", help="small sets, few trees")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        memory_job(json.loads(options.job))
        return
    trees = QUICK_TREES if options.quick else TREES
    names = [n for n in trees if not options.sets or n in options.sets]
    payload: dict[str, Any] = {"repeat": options.repeat, "targets": TARGETS}
    for name in names:
        payload[name] = {
            str(t): tables(name, trees[name], t, options.repeat)
            for t in options.threads
        }
        payload[name]["memory_mb"] = memory(name, 10)
    payload["prediction"] = prediction(50 if options.quick else PREDICTED_TREES, 2)
    if not (options.sets or options.quick):
        write_json("boosting_speed", payload)


if __name__ == "__main__":
    main()
