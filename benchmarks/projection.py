"""How long fits on 10 million to 10⁹ rows would take, from measured constants.

    python -m benchmarks.projection
    python -m benchmarks.projection --page  # only the tables, from what is stored

Measures nanoseconds per value of binning, and per value and tree of boosting; then
calculates, and copies the stored results of `blocks`, `cluster` and this into the
tables of docs/large-data.md.
"""

from __future__ import annotations

import argparse
import json
import re
from time import process_time
from typing import Any

import numpy as np

from benchmarks._data import PROJECT_ROOT
from benchmarks._markdown import table
from benchmarks._timing import RESULTS, write_json

PAGE = PROJECT_ROOT / "docs" / "large-data.md"
N_FEATURES, TREES, CORES = 28, 150, 8
ROWS = (10**7, 10**8, 10**9)
MEASURED_ROWS, MEASURED_TREES = 200_000, 10


def constants() -> dict[str, float]:
    """Processor nanoseconds of one thread."""
    from dpdtree import DPDTBoostingClassifier, RowBlocks

    rng = np.random.default_rng(0)
    X = rng.normal(size=(MEASURED_ROWS, N_FEATURES))
    y = (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=MEASURED_ROWS) > 0).astype(int)
    blocks = RowBlocks.from_arrays([X], [y])
    fixed = {"learning_rate": 0.1, "max_leaf_nodes": 31, "early_stopping": False}

    def seconds(n_trees: int) -> float:
        model = DPDTBoostingClassifier(max_iter=n_trees, **fixed)
        start = process_time()
        model.fit(blocks)
        return process_time() - start

    seconds(1)
    first, all_of_them = seconds(1), seconds(1 + MEASURED_TREES)
    values = MEASURED_ROWS * N_FEATURES
    per_tree = (all_of_them - first) / MEASURED_TREES
    return {
        "bin": (first - per_tree) / values * 1e9,
        "tree": per_tree / values * 1e9,
        **_of_rounds(),
    }


def _of_rounds() -> dict[str, float]:
    """Rounds of a tree; processor milliseconds of a round for each partition."""
    fits = json.loads((RESULTS / "cluster.json").read_text(encoding="utf-8"))["fits"]
    ours = fits["dpdtree, 20 boosted trees"]
    setup = fits["dpdtree, tree (4, 1, 1), one worker"]
    seconds = ours["seconds"] - setup["seconds"]
    rounds = ours["rounds"] - setup["rounds"]
    return {"rounds": ours["tree_rounds"], "round": seconds / rounds / 2 * 1e3}


def projected(found: dict[str, float]) -> list[list[str]]:
    """Seconds for each number of rows: one machine, and two clusters."""
    cases = {
        "one machine, 16 cores": (16, 0),
        "10 workers of 8 cores": (10 * CORES, 10),
        "100 workers of 8 cores": (100 * CORES, 100),
    }
    rows = []
    for name, (cores, partitions) in cases.items():
        cells = []
        for n in ROWS:
            values = n * N_FEATURES
            seconds = values * found["bin"] / cores * 1e-9
            seconds += TREES * values * found["tree"] / cores * 1e-9
            seconds += TREES * found["rounds"] * partitions * found["round"] * 1e-3
            cells.append(f"{seconds:.0f}")
        rows.append([name, *cells])
    return rows


def projection_table(content: dict[str, Any]) -> str:
    """The calculated table and its constants."""
    body = table(
        ["seconds", *(f"{n:,} rows".replace(",", " ") for n in ROWS)],
        content["seconds"],
    )
    found = content["constants"]
    return (
        f"{body}\n\nConstants: {found['bin']:.1f} ns per value to bin,"
        f" {found['tree']:.2f} ns per value and tree, {found['rounds']:.0f} rounds of"
        f" a tree, {found['round']:.1f} ms of a round for each partition, one after the"
        " other."
    )


def blocks_table(content: dict[str, Any]) -> str:
    """Time, memory and loss of fits on one file."""
    base = content["fits"]["memory"]["seconds"]
    rows = []
    limited = f"blocks, {content['limit_mb']:.0f} MB beside the libraries"
    for name, r in content["fits"].items():
        rows.append(
            [
                limited if "limited" in name else name,
                f"{r['seconds']:.1f}",
                f"{r['seconds'] / base:.2f}",
                f"{r['peak_mb']:.0f}",
                f"{r['log_loss']:.4f}",
            ]
        )
    head = f"{content['rows']:,} x {content['features']} from Parquet"
    return table([head.replace(",", " "), "s", "ratio", "peak MB", "log-loss"], rows)


def cluster_table(content: dict[str, Any]) -> str:
    """Time, rounds and bytes of fits on two workers."""
    rows = [
        [
            name,
            f"{r['seconds']:.1f}",
            str(r.get("rounds", "")),
            f"{r['client_bytes'] / 1e6:.1f}" if "client_bytes" in r else "",
            f"{r['code_bytes'] / 1e6:.1f}" if "code_bytes" in r else "",
            f"{r['tree_rounds']:.1f}" if "tree_rounds" in r else "",
            f"{r['tree_bytes'] / 1e6:.1f}" if "tree_bytes" in r else "",
        ]
        for name, r in content["fits"].items()
    ]
    head = f"{content['rows']:,} x {content['features']} on two workers"
    header = ["processor s", "rounds", "MB to client", "MB of codes"]
    header += ["rounds per tree", "MB per tree and worker"]
    return table([head.replace(",", " "), *header], rows)


TABLES = {
    "blocks": blocks_table,
    "cluster": cluster_table,
    "projection": projection_table,
}


def filled(page: str) -> str:
    """Return the page with its tables made from the stored results."""
    for name, make in TABLES.items():
        content = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
        begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
        text = f"{begin}\n{make(content)}\n{end}"
        page = re.sub(
            f"{begin}.*?{end}", lambda _, text=text: text, page, flags=re.DOTALL
        )
    return page


def main() -> None:
    """Measure, calculate, and fill the tables of the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="fill the tables only")
    if not parser.parse_args().page:
        found = constants()
        write_json("projection", {"constants": found, "seconds": projected(found)})
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
