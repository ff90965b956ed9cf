"""How long one row takes, from a frame, an array and in exported code.

    python -m benchmarks.latency

Adult, with its categories and missing values, and its numbers alone as an array.
Processor time of one thread, the best of several rounds of many rows, one at a time.
LightGBM predicts from the same frame. `python -m benchmarks.document` writes the table
of docs/deployment.md.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._data import data_file
from benchmarks._markdown import table
from benchmarks._timing import best_of, print_table, write_json
from dpdtree import (
    DPDTBoostingClassifier,
    DPDTreeClassifier,
    export_c,
    export_python,
)

ROWS = 200
ROUNDS = 7
TREES = 100
MODELS = {
    "tree": "tree",
    "boosted": f"{TREES} trees of 31 leaves",
    "LightGBM": f"LightGBM, {TREES} trees of 31 leaves",
}
WAYS = {
    "array": "`predict`, array of numbers",
    "frame": "`predict`, frame with categories",
    "onnx": "`to_onnx`, onnxruntime, array",
    "python": "`export_python`, dict",
    "c": "`export_c`",
    "batch": "`predict`, frame of 10 000 rows, per row",
}

Calls = dict[str, Callable[[], object]]


def adult() -> tuple[pd.DataFrame, pd.Series]:
    """Features and labels."""
    frame = pd.read_parquet(data_file("misc/adult.parquet"))
    X = frame.drop(columns=["target", "split"])
    texts = X.select_dtypes(exclude="number").columns
    return X.astype(dict.fromkeys(texts, "category")), frame["target"]


def one_by_one(
    predict: Callable[[Any], object], rows: list[Any]
) -> Callable[[], object]:
    """A call that predicts each row by itself."""

    def run() -> None:
        for row in rows:
            predict(row)

    return run


def single_rows(X: pd.DataFrame) -> list[pd.DataFrame]:
    """The first rows, a frame each."""
    return [X.iloc[i : i + 1] for i in range(ROWS)]


def plain_rows(X: pd.DataFrame) -> list[dict[str, Any]]:
    """The same as dictionaries; missing values are None."""
    objects = X.head(ROWS).astype(object)
    return list(objects.where(objects.notna(), None).to_dict("records"))


def in_python(model: Any, X: pd.DataFrame) -> Callable[[], object]:
    """The exported function on rows as dictionaries."""
    module: dict[str, Any] = {}
    exec(export_python(model), module)
    return one_by_one(module["predict"], plain_rows(X))


def in_c(model: Any, numbers: np.ndarray[Any, Any], folder: str) -> Callable[[], None]:
    """The exported function in a loop, compiled with -O2."""
    source = Path(folder, "model.c")
    loop = (
        "int run(const double *x, int n, int width) {\n"
        "  int i, sum = 0;\n"
        "  for (i = 0; i < n; ++i) sum += model_predict(x + i * width);\n"
        "  return sum;\n"
        "}\n"
    )
    source.write_text(export_c(model) + loop)
    library = Path(folder, "model.so")
    options = ["-std=c99", "-O2", "-shared", "-fPIC"]
    subprocess.run(["cc", *options, str(source), "-o", str(library), "-lm"], check=True)
    run = ctypes.CDLL(str(library)).run
    rows = np.ascontiguousarray(numbers[:ROWS])
    pointer = rows.ctypes.data_as(ctypes.c_void_p)
    return lambda: run(pointer, *map(ctypes.c_int, rows.shape))


def in_onnx(model: Any, numbers: np.ndarray[Any, Any]) -> Callable[[], object]:
    """onnxruntime with one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.to_onnx().SerializeToString(), options)
    rows = [{"X": numbers[i : i + 1]} for i in range(ROWS)]
    return one_by_one(lambda row: session.run(["label"], row), rows)


def calls_of(make: Callable[[], Any], folder: str) -> Iterator[tuple[str, Any]]:
    """What is timed of one kind of model: on the frame, and on its numbers alone."""
    X, y = adult()
    numbers = X.select_dtypes("number").to_numpy(dtype=np.float64)
    model, plain = make().fit(X, y), make().fit(numbers, y)
    rows = [numbers[i : i + 1] for i in range(ROWS)]
    yield "array", one_by_one(plain.predict, rows)
    yield "frame", one_by_one(model.predict, single_rows(X))
    yield "onnx", in_onnx(plain, numbers)
    yield "python", in_python(model, X)
    yield "c", in_c(plain, numbers, folder)
    many = X.head(10_000)
    yield "batch", lambda: model.predict(many)


def lightgbm_calls() -> Iterator[tuple[str, Any]]:
    """The same two of LightGBM's."""
    import lightgbm

    X, y = adult()
    numbers = X.select_dtypes("number").to_numpy(dtype=np.float64)
    labels = (y == y.iloc[0]).to_numpy()
    options = {"num_leaves": 31, "num_threads": 1, "verbose": -1}
    models = {}
    for name, data in (("frame", X), ("array", numbers)):
        rows = lightgbm.Dataset(data, labels)
        models[name] = lightgbm.train({"objective": "binary", **options}, rows, TREES)
    rows = [numbers[i : i + 1] for i in range(ROWS)]
    yield "array", one_by_one(models["array"].predict, rows)
    yield "frame", one_by_one(models["frame"].predict, single_rows(X))
    many = X.head(10_000)
    yield "batch", lambda: models["frame"].predict(many)


def measured() -> dict[str, dict[str, float]]:
    """Microseconds per row, by model and way."""
    calls: Calls = {}
    boosted = {"max_iter": TREES, "max_leaf_nodes": 31, "early_stopping": False}
    with tempfile.TemporaryDirectory() as folder:
        made = {
            "tree": DPDTreeClassifier,
            "boosted": lambda: DPDTBoostingClassifier(**boosted),
        }
        for name, make in made.items():
            own = Path(folder, name)
            own.mkdir()
            for way, call in calls_of(make, str(own)):
                calls[f"{name} {way}"] = call
        for way, call in lightgbm_calls():
            calls[f"LightGBM {way}"] = call
        seconds = best_of(calls, ROUNDS, process_time)
    found: dict[str, dict[str, float]] = {name: {} for name in MODELS}
    for key, value in seconds.items():
        name, way = key.split()
        found[name][way] = 1e6 * value / (10_000 if way == "batch" else ROWS)
    return found


def rendered(content: dict[str, Any]) -> str:
    """A row per way to predict, a column per model."""
    found = content["microseconds"]
    rows = [
        [text, *(_cell(found[name].get(way)) for name in MODELS)]
        for way, text in WAYS.items()
    ]
    return table(["µs per row", *MODELS.values()], rows)


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.2g}" if value < 100 else f"{value:.0f}"


def main() -> None:
    """Measure, print and store."""
    found = measured()
    rows = [[text, *(found[m].get(w) for m in MODELS)] for w, text in WAYS.items()]
    print_table("Microseconds per row", ["", *MODELS.values()], rows)
    write_json("latency", {"microseconds": found})


if __name__ == "__main__":
    main()
