"""Hash what fits find, so that a rebuilt core can be compared with the one before.

Fits some 2000 small models with fixed seeds (trees, paths, boosted trees, AdaBoost,
cross-validation; sets x strategy x loss x criterion x weights x constraints x
categories x missing values x threads x limits) by the public interface alone, and
writes one hash per model: of the arrays of its trees, its objective and its bound, or
of its predictions. The counters of a search have a hash of their own behind a colon: a
search may take another way to the same tree.

    python tools/hash_models.py before.json
    python tools/hash_models.py after.json
    python tools/hash_models.py --compare before.json after.json
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import dpdtree
from drawn_models import (
    Data,
    Draw,
    boosting_params,
    class_sets,
    limits,
    losses,
    number_sets,
    pick,
    rarely,
    search,
    tree_params,
    weights_of,
)

TREE_ARRAYS = (
    "children_left",
    "children_right",
    "feature",
    "threshold",
    "missing_go_to_left",
    "impurity",
    "n_node_samples",
    "weighted_n_node_samples",
    "value",
)
RESULTS = ("loss_", "complexity_", "objective_", "lower_bound_", "is_optimal_")
COUNTERS = (
    "states",
    "candidates",
    "splits_searched",
    "split_memo_hits",
    "state_memo_hits",
    "pruned",
)


# --------------------------------------------------------------------------- content


class Content:
    """Collects what a model is made of, and hashes it."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._counters: list[int] = []

    def add(self, name: str, value: Any) -> None:
        """Add an array or a number under a name."""
        array = np.ascontiguousarray(value)
        self._hash.update(f"{name} {array.dtype} {array.shape} ".encode())
        self._hash.update(array.tobytes())

    def count(self, counters: Iterable[int]) -> None:
        """Add what a search did, which is no part of the model."""
        self._counters.extend(counters)

    def digest(self) -> str:
        """Return the hash of all that was added, and that of the counters."""
        counters = hashlib.sha256(repr(self._counters).encode()).hexdigest()[:6]
        return f"{self._hash.hexdigest()[:16]}:{counters}"


def add_tree(content: Content, tree: Any) -> None:
    """Add the arrays of a fitted tree."""
    for name in TREE_ARRAYS:
        content.add(name, getattr(tree, name))
    for i, categories in enumerate(tree.categories_left):
        if categories is not None:
            content.add(f"categories {i}", categories)


def add_counters(content: Content, report: Any) -> None:
    """Add the counters of a search; with several threads they vary."""
    content.count(int(getattr(report, name)) for name in COUNTERS)


def add_fit(content: Content, model: Any) -> None:
    """Add a fitted tree estimator."""
    add_tree(content, model.tree_)
    for name in RESULTS:
        content.add(name, getattr(model, name))
    if model.n_jobs in (None, 1):
        add_counters(content, model.report_)


def add_path(content: Content, path: Any) -> None:
    """Add all trees of a path."""
    for name in ("alphas", "losses", "complexities", "feature_costs", "n_leaves"):
        content.add(name, getattr(path, name))
    for model in path:
        add_tree(content, model.tree_)


Estimators = Mapping[str, Callable[..., Any]]
TREES: Estimators = {
    "classes": dpdtree.DPDTreeClassifier,
    "numbers": dpdtree.DPDTreeRegressor,
}
BOOSTERS: Estimators = {
    "classes": dpdtree.DPDTBoostingClassifier,
    "numbers": dpdtree.DPDTBoostingRegressor,
}
CROSS_VALIDATED: Estimators = {
    "classes": dpdtree.DPDTreeClassifierCV,
    "numbers": dpdtree.DPDTreeRegressorCV,
}


def hash_tree(draw: Draw, data: Data) -> str:
    """Fit a tree."""
    content = Content()
    model = TREES[data["task"]](**tree_params(draw, data))
    weight = weights_of(pick(draw, "", "", "whole", "real"), len(data["X"]))
    add_fit(content, model.fit(data["X"], data["y"], sample_weight=weight))
    return content.digest()


def hash_proof(draw: Draw, data: Data) -> str:
    """Fit a tree and prove that there is no better one."""
    content = Content()
    params: dict[str, Any] = {
        "strategy": "optimal",
        "max_depth": pick(draw, 1, 2, 2, 3),
        "alpha": pick(draw, 0.0, 0.0, 0.01, 0.03),
        "complexity": pick(draw, "path_length", "n_leaves"),
        "n_jobs": pick(draw, None, 2),
        "categorical_features": None,
    }
    if data["task"] == "numbers":
        params |= {"max_depth": pick(draw, 1, 2), "loss": "squared_error"}
    some = {"max_leaf_nodes": 4, "min_samples_leaf": 6, "max_bins": 8}
    params |= {name: value for name, value in some.items() if rarely(draw, 0.2)}
    weight = weights_of(pick(draw, "", "", "whole", "real"), len(data["X"]))
    model = TREES[data["task"]](**params)
    add_fit(content, model.fit(data["X"], data["y"], sample_weight=weight))
    return content.digest()


def hash_path(draw: Draw, data: Data) -> str:
    """Make a path by alpha or by leaves."""
    content = Content()
    params = tree_params(draw, data)
    model = TREES[data["task"]](**(params | {"alpha": 0.0, "max_leaf_nodes": None}))
    method = pick(draw, "regularization_path", "leaf_path")
    weight = weights_of(pick(draw, "", "", "whole", "real"), len(data["X"]))
    add_path(content, getattr(model, method)(data["X"], data["y"], weight))
    return content.digest()


def hash_booster(draw: Draw, data: Data) -> str:
    """Boost trees by gradients."""
    content = Content()
    model = BOOSTERS[data["task"]](**boosting_params(draw, data))
    weight = weights_of(pick(draw, "", "", "whole", "real"), len(data["X"]))
    model.fit(data["X"], data["y"], sample_weight=weight)
    raw = getattr(model, "decision_function", model.predict)
    content.add("raw", raw(data["X"]))
    content.add("importances", model.feature_importances_)
    return content.digest()


def hash_adaboost(draw: Draw, data: Data) -> str:
    """Boost trees by weights."""
    content = Content()
    params = search(draw, data) | losses(draw, data) | limits(draw)
    params = {k: v for k, v in params.items() if k != "cost_matrix"}
    if params["loss"] == "cost_matrix":
        params["loss"] = "zero_one"
    model = dpdtree.DPDTAdaBoostClassifier(**params, n_estimators=4, random_state=0)
    model.fit(data["X"], data["y"])
    content.add("weights", model.estimator_weights_)
    for tree in model.estimators_:
        add_tree(content, tree.tree_)
    return content.digest()


def hash_cv(draw: Draw, data: Data) -> str:
    """Choose a tree by cross-validation."""
    content = Content()
    params = losses(draw, data) | {"strategy": pick(draw, "greedy", "paper")}
    params |= {"by": pick(draw, "n_leaves", "alpha", "min_samples_leaf"), "cv": 3}
    params |= {"max_depth": 3, "n_candidates": (3, 1)}
    model = CROSS_VALIDATED[data["task"]](**params, random_state=0)
    add_fit(content, model.fit(data["X"], data["y"]))
    return content.digest()


FAMILIES: Mapping[str, tuple[Callable[[Draw, Data], str], int]] = {
    "tree": (hash_tree, 150),
    "proof": (hash_proof, 16),
    "path": (hash_path, 35),
    "booster": (hash_booster, 40),
    "adaboost": (hash_adaboost, 8),
    "cv": (hash_cv, 4),
}


def suited(family: str, name: str, data: Data) -> bool:
    """Tell whether a set is one for these models."""
    if family not in ("tree", "path") and name == "outputs":
        return False
    if family == "proof" and data["share"] < 1:
        return False  # it would take long
    return family != "adaboost" or data["task"] == "classes"


def models() -> Iterator[tuple[str, Callable[[], str]]]:
    """Yield each model's name and the function that fits and hashes it."""
    sets = {f"classes/{name}": data for name, data in class_sets().items()}
    sets |= {f"numbers/{name}": data for name, data in number_sets().items()}
    for family, (fit, n) in FAMILIES.items():
        for label, data in sets.items():
            if not suited(family, label.split("/")[1], data):
                continue
            for i in range(round(n * data["share"])):
                name = f"{family}/{label}/{i}"
                seed = int(hashlib.sha256(name.encode()).hexdigest()[:8], 16)
                yield name, lambda f=fit, s=seed, d=data: f(np.random.RandomState(s), d)


def hash_of(fit: Callable[[], str]) -> str:
    """Return the hash of a model, or which error says that it cannot be."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit()
    except (ValueError, TypeError) as error:
        return type(error).__name__


def compare(a: Mapping[str, str], b: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Return the names of the models that differ, and of those found another way.

    A model that is only in one of the two differs.
    """
    models = {n for n in {*a, *b} if _model(a.get(n)) != _model(b.get(n))}
    ways = {n for n in {*a, *b} if a.get(n) != b.get(n)} - models
    return sorted(models), sorted(ways)


def _model(digest: str | None) -> str | None:
    return None if digest is None else digest.partition(":")[0]


def main(arguments: list[str] | None = None) -> int:
    """Write the hashes of all models, or compare two such files."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE.json")
    parser.add_argument("--compare", action="store_true", help="compare two files")
    parser.add_argument("--only", default="", help="models whose name starts so")
    args = parser.parse_args(arguments)
    if args.compare:
        before, after = (json.loads(path.read_text()) for path in args.files)
        different, ways = compare(before, after)
        for name in different:
            print(name)
        for name in ways:
            print(f"{name}: the same model, but other counters of the search")
        print(f"{len(different)} of {len({*before, *after})} models differ.")
        return 1 if different else 0
    start = time.perf_counter()
    hashes = {n: hash_of(f) for n, f in models() if n.startswith(args.only)}
    args.files[0].write_text(json.dumps(hashes, indent=0))
    errors = Counter(value for value in hashes.values() if value.endswith("Error"))
    seconds = time.perf_counter() - start
    print(f"{len(hashes)} models in {seconds:.0f} s; errors: {dict(errors)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
