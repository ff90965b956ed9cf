"""How well trees of depth 5 do on rows they have not seen.

70/30 splits, several seeds, against CART tuned by grid search, CART pruned by
cross-validation and, on some sets, the optimal-tree solvers ConTree and STreeD. What
has been measured is stored set by set: a run that is stopped goes on where it was, and
`--models` and `--sets` run parts of it.
"""

from __future__ import annotations

import argparse
import json
import math
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from benchmarks import _cart
from benchmarks._data import REGRESSION_SETS, Dataset, data_root, load
from benchmarks._generalization import report
from benchmarks._peers import contree, missing_peers, peer_versions, streed
from benchmarks._timing import RESULTS, machine
from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)

Array = npt.NDArray[Any]
Fitter = Callable[[str, Array, Array], Any]

DEPTH = 5
FOLDERS = ("grinsztajn", "quantbnb", "binary", "categorical")
CANDIDATES = (15, 5, 3, 2, 1)  # of the paths that cross-validation takes
SEEDS, FEWER_SEEDS, MANY_ROWS = 5, 3, 20_000
#: The optimal-tree solvers take minutes a set: one seed, small sets.
PEER_ROWS, PEER_LIMIT = 6_000, 20.0
#: Regression sets whose target is a whole number.
INTEGER_TARGETS = {*REGRESSION_SETS, "visualizing_soil"}
MEASURES = ("score", "log_loss", "leaves", "seconds")


def ours(task: str, **arguments: Any) -> Any:
    """One of our trees, unfitted."""
    kinds = {"classification": DPDTreeClassifier, "regression": DPDTreeRegressor}
    return kinds[task](max_depth=DEPTH, **arguments)


def ours_cv(task: str) -> Any:
    """One of our cross-validated trees, unfitted."""
    if task == "classification":
        return DPDTreeClassifierCV(
            max_depth=DEPTH, strategy="paper", n_candidates=CANDIDATES
        )
    return DPDTreeRegressorCV(max_depth=DEPTH)


def default_of(task: str) -> dict[str, Any]:
    """What makes a tree generalise without cross-validation."""
    if task == "classification":
        return {"alpha": "mdl"}
    return {"alpha": 0.0, "min_samples_leaf": 5}


FITTERS: dict[str, Fitter] = {
    "CART tuned": _cart.tuned,
    "CART pruned": lambda task, X, y: _cart.pruned(task, X, y, DEPTH),
    "DPDT alpha=0": lambda task, X, y: ours(task, alpha=0.0, min_samples_leaf=1).fit(
        X, y
    ),
    "DPDT default": lambda task, X, y: ours(task, **default_of(task)).fit(X, y),
    "DPDT CV": lambda task, X, y: ours_cv(task).fit(X, y),
}
PEERS: dict[str, Fitter] = {
    "ConTree": lambda task, X, y: contree(DEPTH, PEER_LIMIT)().fit(X, y),
    "STreeD": lambda task, X, y: streed(DEPTH, PEER_LIMIT)().fit(X, y),
}


def all_sets() -> list[str]:
    """`folder/name` of every set; of a set and its 0/1 encoded copy, the copy."""
    names = [
        f"{folder}/{path.stem}"
        for folder in FOLDERS
        for path in sorted((data_root() / folder).glob("*.parquet"))
    ]
    return [name for name in names if f"{name}_enc" not in names]


def load_whole(name: str) -> tuple[str, Dataset]:
    """The task and all rows of a set, its own split undone, labels as codes."""
    data = load(name)
    X, y = data.X, data.y
    if data.X_test is not None and data.y_test is not None:
        X, y = np.vstack([X, data.X_test]), np.concatenate([y, data.y_test])
    if y.dtype.kind == "f" or data.name.removesuffix("_cat") in INTEGER_TARGETS:
        return "regression", Dataset(name, X, y.astype(np.float64))
    return "classification", Dataset(name, X, np.unique(y, return_inverse=True)[1])


def split(task: str, data: Dataset, seed: int) -> list[Array]:
    """Train and test part: X, X_test, y, y_test."""
    by_class = task == "classification" and np.bincount(data.y).min() > 1
    parts: list[Array] = train_test_split(
        data.X,
        data.y,
        test_size=0.3,
        random_state=seed,
        stratify=data.y if by_class else None,
    )
    return parts


def measure(fitter: Fitter, task: str, parts: list[Array]) -> dict[str, float]:
    """One fit: accuracy or R² and log-loss on the test part, leaves, seconds."""
    X, X_test, y, y_test = parts
    start = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rare classes in folds, time limits
        model = fitter(task, X, y)
    seconds = perf_counter() - start
    result = {"seconds": seconds, "leaves": _leaves(model)}
    if task == "regression":
        return result | {"score": float(model.score(X_test, y_test))}
    score = float(np.mean(np.asarray(model.predict(X_test)) == y_test))
    return result | {"score": score, "log_loss": _log_loss(model, X_test, y_test)}


def _leaves(model: Any) -> float:
    if hasattr(model, "get_n_leaves"):
        return float(model.get_n_leaves())
    return math.nan


def _log_loss(model: Any, X: Array, y: Array) -> float:
    """Over the classes of the training part; rows of other classes are left out."""
    if not hasattr(model, "classes_") or not hasattr(model, "predict_proba"):
        return math.nan
    known = np.isin(y, model.classes_)
    labels = model.classes_
    return float(log_loss(y[known], model.predict_proba(X[known]), labels=labels))


def wanted_seeds(model: str, n_rows: int) -> int:
    """How many splits of a set a model is fitted on."""
    if model in PEERS:
        return 1 if n_rows <= PEER_ROWS else 0
    return FEWER_SEEDS if n_rows > MANY_ROWS else SEEDS


def run_set(
    name: str, models: dict[str, Fitter], stored: dict[str, Any], most: int = SEEDS
) -> bool:
    """Fill in what is missing of one set; True if there was anything."""
    entry = stored.setdefault(name, {"models": {}})
    rows = entry.get("n", 0)
    if rows and all(
        _done(entry, m) >= min(most, wanted_seeds(m, rows)) for m in models
    ):
        return False
    task, data = load_whole(name)
    entry |= {"task": task, "n": len(data.y), "p": data.X.shape[1]}
    for model, fitter in models.items():
        if task == "regression" and model in PEERS:
            continue
        seeds = min(most, wanted_seeds(model, entry["n"]))
        for seed in range(_done(entry, model), seeds):
            found = measure(fitter, task, split(task, data, seed))
            kept = entry["models"].setdefault(model, {})
            for key in MEASURES:
                if key in found and not math.isnan(found[key]):
                    kept.setdefault(key, []).append(float(f"{found[key]:.5g}"))
    return True


def _done(entry: dict[str, Any], model: str) -> int:
    return len(entry["models"].get(model, {}).get("score", []))


def read_stored() -> dict[str, Any]:
    """What earlier runs have measured, by set."""
    path = RESULTS / "generalization.json"
    if not path.is_file():
        return {}
    sets: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["sets"]
    return sets


def store(sets: dict[str, Any]) -> None:
    """Write all results, one line per set."""
    head: dict[str, Any] = {
        "depth": DEPTH,
        "peer_limit": PEER_LIMIT,
        "peer_rows": PEER_ROWS,
    }
    if any(peer in entry["models"] for entry in sets.values() for peer in PEERS):
        head["peers"] = peer_versions("pycontree", "pystreed")
    lines = [f'  "{name}": {json.dumps(entry)}' for name, entry in sets.items()]
    text = json.dumps({"machine": machine(), **head}, indent=1).removesuffix("\n}")
    text += ',\n "sets": {\n' + ",\n".join(lines) + "\n }\n}\n"
    RESULTS.mkdir(exist_ok=True)
    draft = RESULTS / "generalization.json.new"
    draft.write_text(text, encoding="utf-8")
    draft.replace(RESULTS / "generalization.json")


def available(names: list[str]) -> dict[str, Fitter]:
    """The fitters of these models, without those that are not installed."""
    packages = {"ConTree": "pycontree", "STreeD": "pystreed"}
    missing = missing_peers(*(packages[m] for m in names if m in packages))
    fitters = FITTERS | PEERS
    return {m: fitters[m] for m in names if packages.get(m) not in missing}


def main() -> None:
    """Measure what is missing, then print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    every = [*FITTERS, *PEERS]
    parser.add_argument("--sets", nargs="+", default=all_sets(), metavar="FOLDER/NAME")
    parser.add_argument("--models", nargs="+", default=every, choices=every)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="splits at most")
    parser.add_argument("--redo", action="store_true", help="forget stored results")
    options = parser.parse_args()
    stored = read_stored()
    if options.redo:
        for name in options.sets:
            for model in options.models:
                stored.get(name, {"models": {}})["models"].pop(model, None)
    models = available(options.models)
    for name in options.sets:
        start = perf_counter()
        if run_set(name, models, stored, options.seeds):
            store(stored)
            print(f"{name}: {perf_counter() - start:.1f} s", flush=True)
    report(stored)


if __name__ == "__main__":
    main()
