"""How well trees of depth 5 do on rows they have not seen.

70/30 splits, several seeds, against CART tuned by grid search, CART pruned by
cross-validation and, on some sets, the optimal-tree solvers ConTree and STreeD. What
has been measured is stored set by set: a run that is stopped goes on where it was, and
`--models` and `--sets` run parts of it.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from benchmarks import _cart
from benchmarks._generalization import report
from benchmarks._peers import contree, missing_peers, peer_versions, streed
from benchmarks._splits import Fitter, StoredRuns, all_sets
from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)

DEPTH = 5
SEEDS, FEWER_SEEDS, MANY_ROWS = 5, 3, 20_000
#: The optimal-tree solvers take minutes a set: one seed, small sets.
PEER_ROWS, PEER_LIMIT = 6_000, 60.0


def ours(task: str, **arguments: Any) -> Any:
    """One of our trees, unfitted."""
    kinds = {"classification": DPDTreeClassifier, "regression": DPDTreeRegressor}
    return kinds[task](max_depth=DEPTH, **arguments)


def ours_cv(task: str) -> Any:
    """One of our cross-validated trees, unfitted."""
    kinds = {"classification": DPDTreeClassifierCV, "regression": DPDTreeRegressorCV}
    return kinds[task](max_depth=DEPTH)


FITTERS: dict[str, Fitter] = {
    "CART tuned": _cart.tuned,
    "CART pruned": lambda task, X, y: _cart.pruned(task, X, y, DEPTH),
    "DPDT alpha=0": lambda task, X, y: ours(task, alpha=0.0, min_samples_leaf=1).fit(
        X, y
    ),
    "DPDT default": lambda task, X, y: ours(task).fit(X, y),
    "DPDT CV": lambda task, X, y: ours_cv(task).fit(X, y),
}
PEERS: dict[str, Fitter] = {
    "ConTree": lambda task, X, y: contree(DEPTH, PEER_LIMIT)().fit(X, y),
    "STreeD": lambda task, X, y: streed(DEPTH, PEER_LIMIT)().fit(X, y),
}


def wanted_seeds(model: str, task: str, n_rows: int) -> int:
    """How many splits of a set a model is fitted on."""
    if model in PEERS:
        return int(task == "classification" and n_rows <= PEER_ROWS)
    return FEWER_SEEDS if n_rows > MANY_ROWS else SEEDS


def head(sets: Mapping[str, Any]) -> dict[str, Any]:
    """What the file says beside the results of the sets."""
    facts: dict[str, Any] = {
        "depth": DEPTH,
        "peer_limit": PEER_LIMIT,
        "peer_rows": PEER_ROWS,
    }
    if any(peer in entry["models"] for entry in sets.values() for peer in PEERS):
        facts["peers"] = peer_versions("pycontree", "pystreed")
    return facts


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
    stored = StoredRuns("generalization", head)
    if options.redo:
        stored.forget(options.sets, options.models)
    stored.run(
        options.sets,
        available(options.models),
        lambda *key: min(options.seeds, wanted_seeds(*key)),
    )
    report(stored.sets)


if __name__ == "__main__":
    main()
