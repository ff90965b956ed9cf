"""How often trees of resampled rows ask the same thing at the same place.

A place is the way to it: the features asked above and the sides taken. So the trees
that agree so far are compared, and those that have gone another way are not.
"""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.base import clone

from dpdtree._progress import StatusLine
from dpdtree._structure import TreeStructure
from dpdtree.explorer.graph import splits_of


def bootstrap_splits(
    plain: Any, X: Any, y: Any, sample_weight: Any, n: int
) -> dict[str, Any]:
    """Fit `n` trees on resampled rows and count the splits of each place.

    Returns the number of fits, and for each place the feature, how many trees ask for
    it there, and the quartiles of their thresholds. A row that is drawn k times has k
    times its weight, so that all trees know all categories.
    """
    rng = np.random.default_rng(0)
    rows = len(y)
    weight = np.ones(rows) if sample_weight is None else np.asarray(sample_weight)
    places: dict[str, dict[int, list[float]]] = {}
    begin = perf_counter()
    with StatusLine("explore") as line:
        for done in range(n):
            drawn = rng.multinomial(rows, np.full(rows, 1.0 / rows))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model = clone(plain).set_params(verbose=0)
                model.fit(X, y, weight * drawn)
            _count(model.tree_, places)
            seconds = perf_counter() - begin
            if line.due(seconds):
                line.show(seconds, f"{done + 1} of {n} resampled fits")
    return {"fits": n, "places": {key: _summed(some) for key, some in places.items()}}


def _count(tree: TreeStructure, places: dict[str, dict[int, list[float]]]) -> None:
    ways = [""] * tree.node_count
    for node, split in enumerate(splits_of(tree)):
        if split is None:
            continue
        at = places.setdefault(ways[node], {})
        threshold = np.nan if split.threshold is None else split.threshold
        at.setdefault(split.feature, []).append(threshold)
        ways[tree.children_left[node]] = f"{ways[node]}/{split.feature}L"
        ways[tree.children_right[node]] = f"{ways[node]}/{split.feature}R"


def _summed(at: dict[int, list[float]]) -> list[list[Any]]:
    """Return [feature, trees, quartiles of the threshold], the most frequent first."""
    found = []
    for feature, thresholds in at.items():
        numeric = [t for t in thresholds if t == t]
        quartiles = np.quantile(numeric, [0.25, 0.5, 0.75]).tolist() if numeric else []
        found.append([feature, len(thresholds), quartiles])
    return sorted(found, key=lambda entry: (-entry[1], entry[0]))
