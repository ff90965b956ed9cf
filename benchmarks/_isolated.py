"""One fit in a process of its own, so that its peak memory is its own.

The parent never loads the data: a child writes the arrays once, each fit maps a copy of
them into a fresh process, fits, and prints what it measured as one line of JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

#: The first fit in a process takes longer (memory is new to it), so all but very long
#: ones are repeated: for this many seconds, and up to a limit at least this often.
SHORT, LONG, AT_LEAST = 0.5, 5.0, 3
#: Bytes that GOSDT may take: it would bring down whatever else runs.
MOST_MEMORY = 8 * 2**30
PARTS = ("X", "y", "X_test", "y_test")


def prepare(source: str, folder: Path) -> None:
    """Write the arrays of `source` ("kdd", "skin" or "synthetic:N") into `folder`."""
    _call({"action": "prepare", "source": source, "folder": str(folder)})


def fit(folder: Path, model: dict[str, Any]) -> dict[str, Any]:
    """Fit `model` ({"name": "sklearn" | "dpdtree" | "gosdt", …}) on a folder's data."""
    return _call({"action": "fit", "folder": str(folder), "model": model})


def _call(job: dict[str, Any]) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks._isolated", json.dumps(job)]
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=root
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"code {done.returncode}"]
        raise RuntimeError(
            f"the fit of {job.get('model', {}).get('name')}: {lines[-1]}"
        )
    # Packages may print, too, before the answer or after it.
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    answer: dict[str, Any] = json.loads(lines[-1])
    return answer


def _memory(field: str) -> float:
    """Megabytes of this process: VmHWM (peak) or VmRSS (now).

    Not ru_maxrss where /proc exists: Linux lets it survive exec, so that a child would
    report its parent's peak.
    """
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (2**20 if sys.platform == "darwin" else 2**10)
    [line] = [line for line in lines if line.startswith(field + ":")]
    return int(line.split()[1]) / 2**10


def _write_arrays(source: str, folder: Path) -> dict[str, Any]:
    from benchmarks._data import load_kdd, load_table1, synthetic

    if source == "kdd":
        data = load_kdd()
    elif source.startswith("synthetic:"):
        data = synthetic(int(source.split(":")[1]))
    else:
        data = load_table1(source)
    folder.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        array = getattr(data, part)
        if array is not None:
            np.save(folder / f"{part}.npy", array)
    return {}


def _build(model: dict[str, Any]) -> Any:
    own = ("name", "every")
    arguments = {key: value for key, value in model.items() if key not in own}
    if model["name"] == "sklearn":
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(random_state=0, **arguments)
    if model["name"] == "gosdt":
        from benchmarks.paper.peers import gosdt

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        return gosdt.make(**arguments)
    from dpdtree import DPDTreeClassifier

    return DPDTreeClassifier(**arguments)


def _fit(folder: Path, model: dict[str, Any]) -> dict[str, Any]:
    estimator = _build(model)
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    every = model.get("every", 1)  # the n-th row, if a package cannot take them all
    if every > 1:
        X, y = X[::every].copy(), y[::every].copy()
    before = _memory("VmRSS")
    times = [_time_of_fit(estimator, X, y)]
    peak = _memory("VmHWM")
    while sum(wall for wall, _ in times) < (SHORT if len(times) >= AT_LEAST else LONG):
        times.append(_time_of_fit(estimator, X, y))
    wall, processor = map(min, zip(*times, strict=True))
    result = {"seconds": wall, "processor_seconds": processor, "peak_mb": peak}
    result["extra_mb"] = peak - before
    if model["name"] == "dpdtree":
        result["searches"] = estimator.report_.splits_searched
    result["train_accuracy"] = estimator.score(X, y)
    if (folder / "X_test.npy").exists():
        X_test, y_test = np.load(folder / "X_test.npy"), np.load(folder / "y_test.npy")
        result["test_accuracy"] = estimator.score(X_test, y_test)
    return result


def _time_of_fit(estimator: Any, X: Any, y: Any) -> tuple[float, float]:
    """Seconds of the clock and of the processor."""
    start, used = perf_counter(), process_time()
    estimator.fit(X, y)
    return perf_counter() - start, process_time() - used


def _main(job: dict[str, Any]) -> None:
    folder = Path(job["folder"])
    if job["action"] == "prepare":
        answer = _write_arrays(job["source"], folder)
    else:
        answer = _fit(folder, job["model"])
    print(json.dumps(answer))


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
