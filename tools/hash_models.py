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
from numpy.typing import NDArray
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_wine,
    make_friedman1,
)

import dpdtree

Data = Mapping[str, Any]  # X, y, task, categorical, share
Draw = np.random.RandomState

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
MONOTONE_LOSSES = ("zero_one", "gini", "log_loss", "squared_error")
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


# ------------------------------------------------------------------------------ data


def class_sets() -> dict[str, Data]:
    """Return small sets with labels."""
    rng = np.random.RandomState(1)
    iris, wine, cancer = load_iris(), load_wine(), load_breast_cancer()
    some = rng.permutation(len(cancer.data))[:220]
    bits = rng.randint(0, 2, (180, 9)).astype(float)
    mixed = rng.randn(160, 6)
    mixed[:, 4] = rng.randint(0, 7, 160)
    mixed[:, 5] = rng.randint(0, 12, 160)
    mixed_y = (mixed[:, 0] + (mixed[:, 4] % 3) + 0.5 * rng.randn(160) > 1).astype(int)
    mixed[rng.rand(160, 6) < 0.06] = np.nan
    coarse = np.round(rng.randn(240, 7), 1)
    two = np.column_stack([coarse[:, 0] > 0, coarse[:, 1] + coarse[:, 2] > 0.5])
    wide = rng.randn(120, 80)
    many = np.column_stack([rng.randn(5000, 6), rng.randint(0, 5, (5000, 3))])
    noisy = many[:, :4].prod(1) + many[:, 6] - 2 + rng.randn(5000) > 0
    return {
        "iris": _classes(iris.data, iris.target),
        "wine": _classes(wine.data[:, :8], wine.target),
        "cancer": _classes(cancer.data[some, :12], cancer.target[some]),
        "bits": _classes(bits, (bits[:, :3].sum(1) > 1) ^ (rng.rand(180) < 0.1)),
        "mixed": _classes(mixed, mixed_y, categorical=(4, 5)),
        "coarse": _classes(coarse, np.digitize(coarse[:, :2].sum(1), [-1, 0, 1.5])),
        "outputs": _classes(coarse, two.astype(int)),
        "wide": _classes(wide, wide[:, 70] * wide[:, 5] > 0, share=0.2),
        "many": _classes(many, noisy, share=0.15),
    }


def number_sets() -> dict[str, Data]:
    """Return small sets with numbers to predict."""
    rng = np.random.RandomState(2)
    diabetes = load_diabetes()
    friedman_x, friedman_y = make_friedman1(180, n_features=6, random_state=3)
    mixed = rng.randn(150, 5)
    mixed[:, 3] = rng.randint(0, 9, 150)
    counts = rng.poisson(np.exp(0.5 * mixed[:, 0] + 0.2 * (mixed[:, 3] % 3)))
    mixed[rng.rand(150, 5) < 0.06] = np.nan
    rounded = np.round(friedman_x, 1)
    many_x, many_y = make_friedman1(4000, n_features=6, noise=1.0, random_state=4)
    return {
        "diabetes": _numbers(diabetes.data[:200], diabetes.target[:200]),
        "friedman": _numbers(friedman_x, friedman_y),
        "counts": _numbers(mixed, counts.astype(float), categorical=(3,)),
        "outputs": _numbers(rounded, np.column_stack([friedman_y, rounded[:, 1] * 5])),
        "many": _numbers(many_x, many_y, share=0.15),
    }


def _classes(X: Any, y: Any, **more: Any) -> Data:
    return _set(X, np.asarray(y).astype(int), "classes", **more)


def _numbers(X: Any, y: Any, **more: Any) -> Data:
    return _set(X, y, "numbers", **more)


def _set(
    X: Any, y: Any, task: str, categorical: tuple[int, ...] = (), share: float = 1
) -> Data:
    """Return a set; large ones get only a share of the models."""
    return {"X": X, "y": y, "task": task, "categorical": categorical, "share": share}


def weights_of(kind: str, n: int) -> NDArray[Any] | None:
    """Return sample weights of a kind: none, whole (some 0) or real ones."""
    rng = np.random.RandomState(5)
    if kind == "whole":
        return rng.randint(0, 4, n).astype(float)
    return rng.rand(n) + 0.1 if kind == "real" else None


# ---------------------------------------------------------------------------- models


def pick(draw: Draw, *options: Any) -> Any:
    """Return one of the options."""
    return options[draw.randint(len(options))]


def rarely(draw: Draw, share: float = 0.15) -> bool:
    """Return True for so large a share of the draws."""
    return bool(draw.rand() < share)


def limits(draw: Draw) -> dict[str, Any]:
    """Return some limits of a tree."""
    out: dict[str, Any] = {}
    if rarely(draw):
        out["min_samples_leaf"] = pick(draw, 3, 8, 0.05)
    if rarely(draw, 0.08):
        out["min_samples_split"] = pick(draw, 10, 0.2)
    if rarely(draw, 0.08):
        out["min_weight_fraction_leaf"] = 0.06
    if rarely(draw, 0.08):
        out["min_impurity_decrease"] = pick(draw, 0.002, 0.02)
    if rarely(draw, 0.08):
        out["max_features"] = pick(draw, 2, "sqrt")
    if rarely(draw, 0.12):
        out["max_bins"] = pick(draw, 6, 32)
    return out


def constraints(draw: Draw, data: Data) -> dict[str, Any]:
    """Return constraints on the features."""
    p = data["X"].shape[1]
    out: dict[str, Any] = {}
    if rarely(draw, 0.2) and two_classes_or_numbers(data):
        out["monotonic_cst"] = directions(data)
    if rarely(draw, 0.06):
        out["interaction_cst"] = [[0, 1], [2, 3]]
    if rarely(draw, 0.06):
        out["feature_costs"] = [0.01 * (f % 3) for f in range(p)]
    if rarely(draw, 0.06):
        out["allowed_features"] = {0: [0, 1], 1: [1, 2, 3]}
    return out


def two_classes_or_numbers(data: Data) -> bool:
    """Tell whether features may be monotone."""
    one = data["y"].ndim == 1
    return one and (data["task"] == "numbers" or data["y"].max() == 1)


def directions(data: Data) -> list[int]:
    """Return in which direction each feature has to act."""
    p = data["X"].shape[1]
    return [0 if f in data["categorical"] else f % 3 - 1 for f in range(p)]


def losses(draw: Draw, data: Data) -> dict[str, Any]:
    """Return a loss and a criterion."""
    if data["task"] == "numbers":
        names = "squared_error", "squared_error", "absolute_error", "quantile"
        loss = pick(draw, *names)
        if np.min(data["y"]) >= 0 and rarely(draw, 0.3):
            loss = "poisson"
        criterion = loss if rarely(draw, 0.7) else "squared_error"
        return {"loss": loss, "criterion": criterion, "quantile": 0.3}
    out = {
        "loss": pick(draw, "zero_one", "zero_one", "zero_one", "gini", "log_loss"),
        "criterion": pick(draw, "gini", "gini", "entropy"),
    }
    if rarely(draw, 0.08) and data["y"].ndim == 1:
        k = int(data["y"].max()) + 1
        costs = np.arange(k * k, dtype=float).reshape(k, k) % 5 + 1
        np.fill_diagonal(costs, 0)
        out |= {"loss": "cost_matrix", "cost_matrix": costs}
    return out


def search(draw: Draw, data: Data) -> dict[str, Any]:
    """Return a strategy and what belongs to it."""
    strategy = pick(draw, "greedy", "paper", "paper", "balanced", "balanced")
    deep = {"greedy": (2, 4, None), "paper": (1, 2, 3, 4), "balanced": (1, 2, 3, 4, 5)}
    out = {"strategy": strategy, "max_depth": pick(draw, *deep[strategy])}
    if strategy == "paper":
        out["n_candidates"] = pick(draw, None, 3, (4, 2, 1), (8, 4))
        generators = "cart", "cart", "cart", "top_b", "top_b_per_feature"
        out["generator"] = pick(draw, *generators)
        if out["max_depth"] <= 2 and len(data["X"]) < 170 and rarely(draw, 0.1):
            out["generator"] = "exhaustive"
    if rarely(draw):
        out["max_leaf_nodes"] = pick(draw, 3, 6)
    return out


def tree_params(draw: Draw, data: Data) -> dict[str, Any]:
    """Return the parameters of one tree."""
    out = search(draw, data) | losses(draw, data) | limits(draw)
    out |= constraints(draw, data)
    if out.get("monotonic_cst") and out["loss"] not in MONOTONE_LOSSES:
        out["loss"] = "squared_error" if data["task"] == "numbers" else "zero_one"
        out["criterion"] = "squared_error" if data["task"] == "numbers" else "gini"
        out.pop("cost_matrix", None)
    out["alpha"] = pick(draw, 0.0, 0.0, 0.004, 0.02, "mdl", "auto")
    out["complexity"] = pick(draw, "path_length", "path_length", "n_leaves")
    out["n_jobs"] = pick(draw, None, None, 2)
    out["random_state"] = 0
    if data["task"] == "classes" and rarely(draw, 0.08):
        out["class_weight"] = "balanced"
    if data["categorical"]:
        out["categorical_features"] = pick(draw, list(data["categorical"]), None)
    return out


def boosting_params(draw: Draw, data: Data) -> dict[str, Any]:
    """Return the parameters of one booster."""
    out: dict[str, Any] = {
        "lookahead": pick(draw, None, "light", "strong", "full"),
        "max_iter": int(pick(draw, 5, 12)),
        "max_leaf_nodes": pick(draw, 4, 8, 31),
        "n_jobs": pick(draw, None, 2),
        "random_state": 0,
    }
    if data["task"] == "numbers":
        options = ["squared_error", "absolute_error", "quantile"]
        options += ["poisson"] if np.min(data["y"]) >= 0 else []
        options += ["gamma"] if np.min(data["y"]) > 0 else []
        out["loss"] = pick(draw, *options)
        out["quantile"] = 0.7 if out["loss"] == "quantile" else None
    extras = {
        "newton": False,
        "subsample": 0.6,
        "max_features": 0.5,
        "max_bins": 16,
        "min_samples_leaf": 6,
        "gamma": 0.3,
        "reg_alpha": 0.2,
        "max_depth": 3,
        "early_stopping": True,
        "interaction_cst": [[0, 1], [2, 3]],
    }
    out |= {name: value for name, value in extras.items() if rarely(draw, 0.12)}
    if rarely(draw, 0.15) and two_classes_or_numbers(data):
        out["monotonic_cst"] = directions(data)
    if data["categorical"]:
        out["categorical_features"] = pick(draw, list(data["categorical"]), None)
    return out


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
