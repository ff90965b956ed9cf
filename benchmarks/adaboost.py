"""AdaBoost over trees that look ahead against AdaBoost over CART, same settings.

The paper's figure of Boosted-DPDT: test accuracy of SAMME with trees of depth 3.
`python -m benchmarks.adaboost` goes on where the last run stopped, and publishes its
results when all sets are measured.
"""

from __future__ import annotations

import argparse
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks._markdown import table
from benchmarks._quality import CLASSIFICATION, Split, Store, duel, mean_ranks, short
from benchmarks._quality import splits as splits_of
from benchmarks._timing import print_table
from dpdtree import DPDTAdaBoostClassifier

DEPTH, TREES, SPLITS, MAX_TRAIN = 3, 50, 3, 3000
BASE = "CART"


def models() -> dict[str, Any]:
    """Every contestant; all with the same number of trees, depth and learning rate."""
    common = {"n_estimators": TREES, "random_state": 0}
    tree = DecisionTreeClassifier(max_depth=DEPTH)

    def ours(**parameters: Any) -> DPDTAdaBoostClassifier:
        return DPDTAdaBoostClassifier(max_depth=DEPTH, **common, **parameters)

    return {
        BASE: AdaBoostClassifier(tree, **common),
        "greedy": ours(strategy="greedy"),
        "(4,1,1)": ours(strategy="paper", n_candidates=(4, 1, 1)),
        "(4,4,1)": ours(strategy="paper", n_candidates=(4, 4, 1)),
    }


def measure(split: Split) -> dict[str, dict[str, float]]:
    """Test accuracy and seconds of every model on one split."""
    found = {}
    for name, model in models().items():
        start = perf_counter()
        model.fit(split.X, split.y)
        seconds = perf_counter() - start
        accuracy = model.score(split.X_test, split.y_test)
        found[name] = {"accuracy": accuracy, "seconds": seconds}
    return found


def averaged(rounds: list[dict[str, dict[str, float]]]) -> dict[str, dict[str, float]]:
    """Means over the splits."""
    return {
        model: {key: float(np.mean([r[model][key] for r in rounds])) for key in values}
        for model, values in rounds[0].items()
    }


def summary(sets: dict[str, Any]) -> dict[str, Any]:
    """Mean ranks, and wins and losses against AdaBoost over CART."""
    scores = [{m: v["accuracy"] for m, v in models.items()} for models in sets.values()]
    names = [name for name in scores[0] if name != BASE]
    return {
        "mean_rank": mean_ranks(scores),
        "mean_accuracy": {m: float(np.mean([s[m] for s in scores])) for m in scores[0]},
        "duels": {name: duel(scores, name, BASE) for name in names},
    }


def rendered(content: dict[str, Any]) -> str:
    """Test accuracy of every model, mean ranks, wins and losses."""
    part, settings = content["accuracy"], content["settings"]
    facts = part["summary"]
    models = list(facts["mean_rank"])
    rows = [
        [name, *(f"{found[m]:.4f}" for m in models)]
        for name, found in part["sets"].items()
    ]
    rows.append(["**mean**", *(f"{facts['mean_accuracy'][m]:.4f}" for m in models)])
    rows.append(["**mean rank**", *(f"{facts['mean_rank'][m]:.2f}" for m in models)])
    duels = "; ".join(
        f"{name}: {d['wins']} wins, {d['losses']} losses, {d['ties']} ties, p ="
        f" {d['p']:.2g}"
        for name, d in facts["duels"].items()
    )
    return (
        f"{table(['set', *models], rows)}\n\n{settings['trees']} trees of depth"
        f" {settings['depth']}, learning rate 1, {settings['splits']} splits, at most"
        f" {settings['rows']} training rows. Against AdaBoost over CART: {duels}."
    )


def main() -> None:
    """Measure the sets that are missing, print and store the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=CLASSIFICATION)
    options = parser.parse_args()
    settings = {"depth": DEPTH, "trees": TREES, "splits": SPLITS, "rows": MAX_TRAIN}
    store = Store("adaboost", settings)
    sets = store.part("accuracy")
    for name in options.sets:
        if short(name) in sets:
            continue
        rounds = [measure(split) for split in splits_of(name, SPLITS, MAX_TRAIN)]
        sets[short(name)] = averaged(rounds)
        store.save()
    facts = summary(sets)
    rows = [
        [name, *(value["accuracy"] for value in found.values())]
        for name, found in sets.items()
    ]
    ranks = facts["mean_rank"]
    print_table(
        "Test accuracy", ["set", *ranks], [*rows, ["mean rank", *ranks.values()]]
    )
    if len(sets) == len(CLASSIFICATION):
        scores = {
            name: {model: value["accuracy"] for model, value in found.items()}
            for name, found in sets.items()
        }
        store.publish({"accuracy": {"sets": scores, "summary": facts}})


if __name__ == "__main__":
    main()
