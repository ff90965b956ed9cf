"""The benchmark sets: one parquet file each, below the directory DPDTREE_DATA."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

PROJECT_ROOT = Path(__file__).resolve().parent.parent

#: The classification sets of the paper's Table 1, in its order.
TABLE1_SETS = [
    "room", "bean", "eeg", "avila", "magic", "htru", "occupancy", "skin", "fault",
    "segment", "page", "bidding", "raisin", "rice", "wilt", "bank"
]  # fmt: skip

#: Training errors of the optimal tree of depth 3, proven by benchmarks/optimal.py.
OPTIMAL_ERRORS = {
    "room": 62, "bean": 1406, "eeg": 3495, "avila": 4329, "magic": 2567, "htru": 275,
    "occupancy": 47, "skin": 6161, "fault": 494, "segment": 208, "page": 125,
    "bidding": 37, "raisin": 76, "rice": 189, "wilt": 18, "bank": 19
}  # fmt: skip

#: Classification sets beyond Table 1; strings as ordinal codes.
OTHER_SETS = [
    "grinsztajn/abalone", "grinsztajn/compas_cat", "grinsztajn/bank_marketing",
    "grinsztajn/wine_quality", "grinsztajn/california", "grinsztajn/MagicTelescope",
    "grinsztajn/credit", "grinsztajn/electricity", "grinsztajn/Diabetes130US",
    "grinsztajn/house_16H_clf", "grinsztajn/default_credit", "grinsztajn/Higgs7k",
    "grinsztajn/pol_clf", "grinsztajn/pol", "grinsztajn/jannis",
    "grinsztajn/MiniBooNE", "grinsztajn/covertype20k", "grinsztajn/Bioresponse",
    "misc/mushroom", "misc/adult", "misc/give_me_some_credit",
    "categorical/balance_scale_enc", "categorical/car_evaluation_enc",
    "categorical/tic_tac_toe_enc", "binary/lymph", "binary/audiology",
    "binary/anneal", "binary/diabetes", "binary/breast_wisconsin", "binary/yeast",
    "binary/german_credit", "binary/hypothyroid", "binary/vehicle",
    "binary/ionosphere"
]  # fmt: skip

#: The numerical regression sets of the tabular benchmark the paper uses.
REGRESSION_SETS = [
    "abalone", "Ailerons", "Bike_Sharing", "Brazilian_houses", "diamonds",
    "elevators", "house_16H", "house_sales", "houses", "MiamiHousing2016", "pol",
    "wine_quality", "yprop_41"
]  # fmt: skip


class DataMissing(SystemExit):
    """A benchmark file that is not there; ends a script with one clear line."""


@dataclass(frozen=True)
class Dataset:
    """Train part, and test part where the set has one."""

    name: str
    X: npt.NDArray[np.float64]
    y: npt.NDArray[Any]
    X_test: npt.NDArray[np.float64] | None = None
    y_test: npt.NDArray[Any] | None = None


def data_root() -> Path:
    """The directory of the data sets: DPDTREE_DATA, else ../shared/data."""
    default = PROJECT_ROOT.parent / "shared" / "data"
    return Path(os.environ.get("DPDTREE_DATA", default))


def data_file(relative: str) -> Path:
    """Path of one file below the data directory, or a clear message."""
    path = data_root() / relative
    if not path.is_file():
        raise DataMissing(
            f"benchmark data not found: {relative}. Set the environment variable "
            "DPDTREE_DATA to the directory that holds it "
            "(default: ../shared/data beside the project)."
        )
    return path


def paper_tables() -> dict[str, Any]:
    """The figures the paper prints, as a nested dictionary."""
    path = PROJECT_ROOT / "benchmarks" / "paper" / "published.json"
    tables: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return tables


def load(relative: str) -> Dataset:
    """Read `folder/name`; strings become ordinal codes, nulls become NaN."""
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

    frame = pd.read_parquet(data_file(f"{relative}.parquet"))
    target = frame.pop("target").to_numpy()
    split = frame.pop("split").to_numpy() if "split" in frame else None
    X = _numeric(frame)
    name = relative.rsplit("/", 1)[-1]
    if split is None:
        return Dataset(name, X, target)
    train, test = split == "train", split == "test"
    return Dataset(name, X[train], target[train], X[test], target[test])


def load_table1(name: str) -> Dataset:
    """One of `TABLE1_SETS`."""
    return load(f"quantbnb/{name}")


def load_regression(name: str) -> Dataset:
    """One of `REGRESSION_SETS`, its target as float64."""
    data = load(f"grinsztajn/{name}")
    return Dataset(data.name, data.X, data.y.astype(np.float64))


def load_kdd() -> Dataset:
    """KDD Cup 1999, the 10 % train file and its test file; attack names as codes.

    Classes that only the test part has get codes no train row has: they always
    count as errors.
    """
    data = load("large/kddcup99_10pct")
    assert data.y_test is not None
    names = {name: code for code, name in enumerate(np.unique(data.y))}
    for name in np.unique(data.y_test):
        names.setdefault(name, len(names))
    y, y_test = (np.array([names[v] for v in part]) for part in (data.y, data.y_test))
    return Dataset(data.name, data.X, y, data.X_test, y_test)


def synthetic(n: int, p: int = 28, seed: int = 0) -> Dataset:
    """Two noisy classes decided by interactions of a few of `p` normal features."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p), dtype=np.float32)
    score = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) - 0.8 + 0.5 * X[:, 3]
    score += np.where(X[:, 4] > 0.3, X[:, 5], -X[:, 6])
    noise = rng.standard_normal(n, dtype=np.float32)
    y = (score + 0.5 * noise > 0).astype(np.int64)
    return Dataset(f"synthetic_{n}", X, y)  # type: ignore[arg-type]


def _numeric(frame: Any) -> npt.NDArray[np.float64]:
    import pandas as pd  # type: ignore[import-untyped,unused-ignore]

    for column in frame.columns:
        if not pd.api.types.is_numeric_dtype(frame[column]):
            codes, _ = pd.factorize(frame[column], sort=True)
            frame[column] = np.where(codes < 0, np.nan, codes)
    return np.ascontiguousarray(frame.to_numpy(dtype=np.float64, na_value=np.nan))
