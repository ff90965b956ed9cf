"""The everyday ("wild") sets and the benchmark sets, and who may look at which.

Defaults are chosen on one half of the wild sets and confirmed on the other. A set's
half is a fixed function of its name (see `half`), so that nobody can move a set.
"""

from __future__ import annotations

import csv
import hashlib

import numpy as np

from benchmarks._data import Dataset, data_file, load
from benchmarks._splits import all_sets, load_whole

FOLDER = "wild"
BENCH = "bench"
#: The halves of the wild sets, then the benchmark sets.
GROUPS = ("choose", "confirm", BENCH)


def tasks() -> dict[str, str]:
    """Task of each wild set, by `folder/name`, as the folder's index lists them."""
    with data_file(f"{FOLDER}/INDEX.csv").open(encoding="utf-8") as file:
        rows = {row["name"]: row["task"] for row in csv.DictReader(file)}
    return {f"{FOLDER}/{name}": rows[name] for name in sorted(rows)}


def half(name: str) -> str:
    """ "choose" or "confirm": the lowest bit of the SHA-256 of the bare name."""
    bare = name.rsplit("/", 1)[-1]
    digest = hashlib.sha256(bare.encode()).digest()
    return "confirm" if digest[-1] & 1 else "choose"


def group(name: str) -> str:
    """One of `GROUPS` for `folder/name`."""
    return half(name) if name.startswith(f"{FOLDER}/") else BENCH


def sets_of(groups: list[str]) -> list[str]:
    """`folder/name` of all sets of these groups, the wild ones first."""
    return [name for name in [*tasks(), *all_sets()] if group(name) in groups]


def quick(names: list[str], every: int = 3, most_rows: int = 2500) -> list[str]:
    """A cheap part of these sets: every third of the small wild ones."""
    with data_file(f"{FOLDER}/INDEX.csv").open(encoding="utf-8") as file:
        rows = {row["name"]: int(row["rows_here"]) for row in csv.DictReader(file)}
    known = tasks()
    small = [n for n in names if n in known and rows[n[5:]] <= most_rows]
    by_task = sorted(small, key=lambda name: (known[name], name))
    return by_task[::every]


def load_set(name: str) -> tuple[str, Dataset]:
    """Task and all rows of a set; labels become codes, strings ordinal codes."""
    known = tasks()
    if name not in known:
        return load_whole(name)
    data = load(name)
    if known[name] == "regression":
        return "regression", Dataset(name, data.X, data.y.astype(np.float64))
    return "classification", Dataset(
        name, data.X, np.unique(data.y, return_inverse=True)[1]
    )
