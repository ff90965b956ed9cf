"""Fits on blocks of a Parquet file beside fits in memory: time, memory, test loss.

    python -m benchmarks.blocks                 # 10 million rows, 28 features
    python -m benchmarks.blocks --rows 1000000

Every fit is a process of its own that reads the file, so that its peak memory is its
own; times are processor seconds, reading included. One of them gets less memory than
the fit in memory needs.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._isolated import _memory
from benchmarks._timing import print_table, write_json

N_FEATURES, TREES, TEST_ROWS = 28, 10, 200_000
BATCH = 250_000
PARAMETERS = {
    "max_iter": TREES,
    "learning_rate": 0.1,
    "max_leaf_nodes": 31,
    "lookahead": None,
    "early_stopping": False,
}


def batches(n_rows: int, seed: int) -> Any:
    """Yield (X, y) of a table that no batch knows whole."""
    rng = np.random.default_rng(seed)
    for first in range(0, n_rows, BATCH):
        n = min(BATCH, n_rows - first)
        X = rng.normal(size=(n, N_FEATURES)).astype(np.float32)
        score = X[:, 0] * X[:, 1] + X[:, 2] + np.abs(X[:, 3]) + rng.normal(size=n)
        yield X, (score > 0.8).astype(np.int8)


def write(path: str, n_rows: int) -> None:
    """Write the table as Parquet, and rows to test on beside it."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"x{j}" for j in range(N_FEATURES)]
    schema = pa.schema([*((n, pa.float32()) for n in names), ("y", pa.int8())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for X, y in batches(n_rows, 0):
            columns = [*(pa.array(column) for column in X.T), pa.array(y)]
            writer.write_table(pa.table(columns, schema=schema))
    X, y = next(batches(TEST_ROWS, 1))
    np.savez(path + ".test.npz", X=X, y=y)


def fit_memory(path: str, folder: str) -> Any:
    """Read the whole table, then fit."""
    import pyarrow.parquet as pq

    from dpdtree import DPDTBoostingClassifier

    table = pq.read_table(path)
    X = np.empty((table.num_rows, N_FEATURES), dtype=np.float32, order="F")
    for j in range(N_FEATURES):
        X[:, j] = table.column(j).to_numpy()
    y = table.column("y").to_numpy()
    del table
    return DPDTBoostingClassifier(**PARAMETERS).fit(X, y)


def fit_blocks(path: str, folder: str, *, cached: bool = False) -> Any:
    """Fit block by block."""
    from dpdtree import DPDTBoostingClassifier, RowBlocks

    cache_dir = folder if cached else None
    blocks = RowBlocks.from_parquet(path, target="y", cache_dir=cache_dir)
    return DPDTBoostingClassifier(**PARAMETERS).fit(blocks)


def fit_cached(path: str, folder: str) -> Any:
    """Fit block by block, codes in a mapped file."""
    return fit_blocks(path, folder, cached=True)


def fit_xgboost(path: str, folder: str) -> Any:
    """XGBoost's external memory."""
    import pyarrow.parquet as pq
    import xgboost

    class Batches(xgboost.DataIter):  # type: ignore[misc]
        def __init__(self) -> None:
            self._batches = None
            super().__init__(cache_prefix=str(Path(folder) / "cache"))

        def reset(self) -> None:
            self._batches = pq.ParquetFile(path).iter_batches(batch_size=BATCH)

        def next(self, input_data: Any) -> bool:
            batch = next(self._batches, None)  # type: ignore[call-overload]
            if batch is None:
                return False
            X = np.column_stack([batch.column(j) for j in range(N_FEATURES)])
            input_data(data=X, label=batch.column("y").to_numpy())
            return True

    data = xgboost.ExtMemQuantileDMatrix(Batches(), max_bin=255)
    parameters = {
        "objective": "binary:logistic",
        "grow_policy": "lossguide",
        "max_leaves": 31,
        "max_depth": 0,
        "learning_rate": 0.1,
        "nthread": 1,
        "tree_method": "hist",
        "max_bin": 255,
    }
    return xgboost.train(parameters, data, TREES)


FITS = {
    "memory": fit_memory,
    "blocks": fit_blocks,
    "blocks, mapped": fit_cached,
    "XGBoost": fit_xgboost,
}


def log_loss(model: Any, path: str) -> float:
    """Return the mean loss of the test rows."""
    test = np.load(path + ".test.npz")
    if hasattr(model, "predict_proba"):
        names = getattr(model, "feature_names_in_", None)
        X = test["X"] if names is None else pd.DataFrame(test["X"], columns=names)
        p = model.predict_proba(X)[:, 1]
    else:
        import xgboost

        p = model.predict(xgboost.DMatrix(test["X"]))
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return float(-np.where(test["y"] == 1, np.log(p), np.log(1 - p)).mean())


def measure(name: str, path: str, folder: str, limit: int) -> dict[str, Any]:
    """Fit in this process; return what it took."""
    import pyarrow.parquet  # noqa: F401

    import dpdtree  # noqa: F401

    before = _memory("VmRSS")
    if limit:  # beside what Python and its libraries take
        most = int(_memory("VmData") * 2**20) + limit
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    start = process_time()
    model = FITS[name](path, folder)
    seconds = process_time() - start
    peak = _memory("VmHWM") - before
    result = {"seconds": seconds, "peak_mb": peak, "log_loss": log_loss(model, path)}
    if hasattr(model, "booster_"):
        import hashlib

        result["model"] = hashlib.sha256(model.booster_.to_bytes()).hexdigest()
    return result


def isolated(name: str, path: str, folder: str, limit: int = 0) -> dict[str, Any]:
    """Measure a fit in a process of its own."""
    job = json.dumps([name, path, folder, limit])
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.blocks", "--job", job],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).resolve().parent.parent,
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def run(n_rows: int) -> None:
    """Measure everything and store it."""
    cells = n_rows * N_FEATURES
    limit = 8 * cells  # what the table takes as float64; fits in memory need more
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "table.parquet")
        write(path, n_rows)
        for name in FITS:
            results[name] = isolated(name, path, folder)
            print(name, results[name], flush=True)
        results["blocks, limited"] = isolated("blocks", path, folder, limit)
        assert results["blocks"]["model"] == results["memory"]["model"]
    content = {"rows": n_rows, "features": N_FEATURES, "trees": TREES}
    write_json("blocks", content | {"limit_mb": limit / 2**20, "fits": results})
    rows = []
    for name, r in results.items():
        per_row = (r["peak_mb"] * 2**20 - 1.5 * cells) / n_rows
        ratio = r["seconds"] / results["memory"]["seconds"]
        rows.append([name, r["seconds"], ratio, r["peak_mb"], per_row, r["log_loss"]])
    print_table(
        f"{n_rows} x {N_FEATURES} from Parquet, {TREES} trees (aim: time 1.3, memory"
        " 1.5 bytes per cell + 60 per row)",
        ["fit", "seconds", "ratio", "peak MB", "bytes/row beyond", "log-loss"],
        rows,
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--job")
    options = parser.parse_args()
    if options.job:
        name, path, folder, limit = json.loads(options.job)
        print(json.dumps(measure(name, path, folder, limit)))
    else:
        run(options.rows)


if __name__ == "__main__":
    main()
