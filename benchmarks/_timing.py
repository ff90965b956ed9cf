"""Timing of peers in one run, tables on the terminal, results as JSON."""

from __future__ import annotations

import gc
import json
import math
import os
import platform
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

#: What is published: small files, from which the pages are made.
RESULTS = Path(__file__).resolve().parent / "results"
#: What was measured run by run: not published, but a run goes on from there.
WORK = RESULTS.parents[1] / "build" / "benchmarks"


def best_of(
    calls: Mapping[str, Callable[[], object]],
    repeat: int,
    clock: Callable[[], float] = perf_counter,
) -> dict[str, float]:
    """Shortest seconds of each call over `repeat` rounds, by that clock.

    The calls take turns within a round, so that a slow phase of the machine hits
    all of them alike. One untimed round comes first.
    """
    for call in calls.values():
        call()
    best = dict.fromkeys(calls, math.inf)
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeat):
            for name, call in calls.items():
                best[name] = min(best[name], _seconds(call, clock))
    finally:
        gc.enable()
    return best


def _seconds(call: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    call()
    return clock() - start


def ratios(seconds: Mapping[str, float], base: str) -> dict[str, float]:
    """Every other entry of `seconds` divided by entry `base`."""
    return {k: v / seconds[base] for k, v in seconds.items() if k != base}


def geometric_mean(values: Iterable[float]) -> float:
    """exp of the mean logarithm; NaN for no values."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs)) if logs else math.nan


def format_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Aligned text: the first column to the left, the others to the right."""
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(_aligned(line, widths)).rstrip() for line in cells]
    rule = "  ".join("-" * width for width in widths)
    return "\n".join([lines[0], rule, *lines[1:]])


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.3f}"
    return "" if value is None else str(value)


def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
    first, *rest = zip(line, widths, strict=True)
    return [first[0].ljust(first[1]), *(text.rjust(width) for text, width in rest)]


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]]
) -> None:
    """Title, blank line, table."""
    print(f"\n{title}\n\n{format_table(header, rows)}", flush=True)


def machine() -> dict[str, Any]:
    """What a reader needs to judge the times: processor, cores, versions."""
    from importlib.metadata import version

    packages = ("dpdtree", "scikit-learn", "numpy")
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or platform.machine()
    models = [line for line in text.splitlines() if line.startswith("model name")]
    return models[0].split(":", 1)[1].strip() if models else platform.machine()


def write_json(name: str, payload: Mapping[str, Any]) -> None:
    """Write `payload` and the machine's description to results/`name`.json."""
    RESULTS.mkdir(exist_ok=True)
    content = {"machine": machine(), **payload}
    path = RESULTS / f"{name}.json"
    path.write_text(compact(_rounded(content)) + "\n", encoding="utf-8")
    print(f"\nwritten: {RESULTS.parent.name}/{RESULTS.name}/{path.name}")


def compact(value: Any, levels: int = 3) -> str:
    """JSON with a line for each entry of the first levels, and no room otherwise."""
    if levels == 0 or not isinstance(value, dict) or not value:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = [f"{json.dumps(k)}:{compact(v, levels - 1)}" for k, v in value.items()]
    long = sum(map(len, lines)) > 88
    return "{\n" + ",\n".join(lines) + "\n}" if long else "{" + ",".join(lines) + "}"


def stored_json(name: str) -> dict[str, Any]:
    """What `write_json` has stored, without the machine; empty if nothing yet.

    For scripts whose parts are run, and stored, one at a time.
    """
    path = RESULTS / f"{name}.json"
    if not path.is_file():
        return {}
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    del content["machine"]
    return content


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, Mapping):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return value
