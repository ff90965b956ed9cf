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
from benchmarks._generalization import (
    RIVALS,
    TASKS,
    count_text,
    peers,
    report,
    summarize,
)
from benchmarks._markdown import table
from benchmarks._peers import contree, missing_peers, peer_versions, streed
from benchmarks._splits import Fitter, StoredRuns, all_sets
from benchmarks._timing import write_json
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
    "DPDT alpha=0": lambda task, X, y: ours(
        task, strategy="balanced", alpha=0.0, min_samples_leaf=1
    ).fit(X, y),
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


def published(sets: Mapping[str, Any]) -> dict[str, Any]:
    """What the page needs of the runs."""
    found: dict[str, Any] = {"depth": DEPTH, "peer_limit": PEER_LIMIT}
    found["peer_rows"] = PEER_ROWS
    if any(peer in entry["models"] for entry in sets.values() for peer in PEERS):
        found["peers"] = peer_versions("pycontree", "pystreed")
    found["tasks"] = {task: summarize(sets, task) for task in TASKS}
    found["against"] = {peer: peers(sets, peer) for peer in PEERS}
    return found


def rendered(content: dict[str, Any]) -> str:
    """Both tasks: means, ranks, wins and losses of every model."""
    parts = [_task_table(content["tasks"][task], task) for task in TASKS]
    parts += [_peer_line(content, peer) for peer in PEERS]
    return "\n\n".join(part for part in parts if part)


def _task_table(found: Mapping[str, Any], task: str) -> str:
    rows = []
    for model, row in found.items():
        against = [count_text(row.get(f"vs {rival}")) or "-" for rival in RIVALS]
        tuned, loss = row.get(f"vs {RIVALS[0]}"), row.get("log_loss")
        gain = f"{tuned['gain']:+.4f}" if tuned else "-"
        cells = [row["sets"], f"{row['score']:.4f}", gain, f"{row['rank']:.2f}"]
        cells += against
        cells += [f"{loss:.3f}"] if task == "classification" else []
        rows.append([model, *cells, f"{row['leaves']:.1f}"])
    if not rows:
        return ""
    score = "accuracy" if task == "classification" else "R²"
    header = ["model", "sets", f"mean {score}", f"gain over {RIVALS[0]}", "mean rank"]
    header += [f"against {rival}" for rival in RIVALS]
    header += ["log-loss"] if task == "classification" else []
    text = table([*header, "leaves"], rows)
    return f"{task.capitalize()}:\n\n{text}"


def _peer_line(content: Mapping[str, Any], peer: str) -> str:
    found = content["against"].get(peer)
    if not found:
        return ""
    means = ", ".join(f"{m} {v:.4f}" for m, v in found["score"].items())
    counts = "; ".join(f"{m} {count_text(v)}" for m, v in found["ours"].items())
    return (
        f"{peer} (depth {content['depth']}, limit {content['peer_limit']:g} s, one"
        f" split of each of {found['sets']} classification sets with at most"
        f" {content['peer_rows']} rows): mean accuracy {means}. Ours against it:"
        f" {counts}."
    )


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
    stored = StoredRuns("generalization")
    if options.redo:
        stored.forget(options.sets, options.models)
    stored.run(
        options.sets,
        available(options.models),
        lambda *key: min(options.seeds, wanted_seeds(*key)),
    )
    report(stored.sets)
    if len(stored.sets) == len(all_sets()):
        write_json("generalization", published(stored.sets))


if __name__ == "__main__":
    main()
