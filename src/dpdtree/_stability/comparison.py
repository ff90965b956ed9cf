"""Trees of drawn rows compared with a given one: splits, features, predictions."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._stability.refits import Data, Floats, Place, Refit
from dpdtree.explorer.graph import splits_of
from dpdtree.explorer.rows import Split
from dpdtree.export.conditions import describe_split

#: A split at another threshold is the same one if it moves so few rows of its node.
SAME_ROWS = 0.1
#: The quantiles that tell the spread of a threshold.
SPREAD = (0.05, 0.25, 0.5, 0.75, 0.95)


class NodeStability(NamedTuple):
    """How often a split of the given tree comes again."""

    node: int
    depth: int
    split: str
    #: Of all fits, those that come to this node: the same features and sides above.
    reached: float
    #: Of all fits, those that ask the same feature here.
    same_feature: float
    #: Of all fits, those that divide the rows of the node alike, up to a tenth of them.
    same_split: float
    #: Quantiles (5, 25, 50, 75, 95 %) of the thresholds of `same_feature`; NaN where
    #: there are none, as for categories.
    thresholds: tuple[float, ...]


def compare_nodes(
    given: Any, data: Data, fits: list[Refit], names: list[str]
) -> list[NodeStability]:
    """Return how often each split of the given tree comes again, the root first."""
    tree = given.tree_
    splits = splits_of(tree)
    found = []
    waiting: list[tuple[int, Place, NDArray[Any]]] = [(0, (), data.encoded.all())]
    while waiting:
        node, place, rows = waiting.pop()
        split = splits[node]
        if split is None:
            continue
        found.append(_compare(given, node, place, rows, data, fits, names))
        left, right = data.encoded.sides(rows, split)
        sides = (
            ("right", tree.children_right[node], right),
            ("left", tree.children_left[node], left),
        )
        for side, child, part in sides:
            waiting.append((int(child), (*place, (split.feature, side)), part))
    return found


def _compare(
    given: Any,
    node: int,
    place: Place,
    rows: NDArray[Any],
    data: Data,
    fits: list[Refit],
    names: list[str],
) -> NodeStability:
    own = splits_of(given.tree_)[node]
    assert own is not None
    others = [fit.splits[place] for fit in fits if place in fit.splits]
    reached = sum(_reaches(fit.splits, place) for fit in fits)
    same = [split for split in others if split.feature == own.feature]
    left = data.encoded.goes_left(rows, own)
    alike = [
        np.mean(data.encoded.goes_left(rows, split) != left) <= SAME_ROWS
        for split in same
    ]
    thresholds = [s.threshold for s in same if s.threshold is not None]
    categories = given.categories_[own.feature]
    name = names[own.feature]
    text = describe_split(given.tree_, node, name, categories, None).left
    return NodeStability(
        node=node,
        depth=len(place),
        split=text,
        reached=reached / len(fits),
        same_feature=len(same) / len(fits),
        same_split=float(np.sum(alike)) / len(fits),
        thresholds=quantiles(np.array(thresholds, dtype=float)),
    )


def _reaches(splits: dict[Place, Split], place: Place) -> bool:
    """Whether a tree asks the same features on the way to a place."""
    return all(
        at in splits and splits[at].feature == place[i][0]
        for i, at in enumerate(place[:i] for i in range(len(place)))
    )


def features_by_depth(
    fits: list[Refit], n_features: int
) -> tuple[Floats, dict[tuple[int, int], Floats]]:
    """Return how often each depth asks a feature, and at which thresholds."""
    depths = max((fit.depth for fit in fits), default=0)
    used: Counter[tuple[int, int]] = Counter()
    thresholds: dict[tuple[int, int], list[float]] = {}
    for fit in fits:
        asked = {(len(place), split.feature) for place, split in fit.splits.items()}
        used.update(asked)
        for place, split in fit.splits.items():
            if split.threshold is not None:
                at = (len(place), split.feature)
                thresholds.setdefault(at, []).append(split.threshold)
    share = np.zeros((depths, n_features))
    for (depth, feature), count in used.items():
        share[depth, feature] = count / len(fits)
    return share, {at: np.sort(values) for at, values in thresholds.items()}


def distances(predictions: NDArray[Any], data: Data, classification: bool) -> Floats:
    """Return how far the predictions of any two trees are apart."""
    n = len(predictions)
    out = np.zeros((n, n))
    scale = 1.0 if classification else float(np.std(data.targets)) or 1.0
    for i in range(n):
        for j in range(i):
            if classification:
                apart = float(np.mean(predictions[i] != predictions[j]))
            else:
                square = np.mean((predictions[i] - predictions[j]) ** 2)
                apart = float(np.sqrt(square)) / scale
            out[i, j] = out[j, i] = apart
    return out


def quantiles(values: Floats) -> tuple[float, ...]:
    """Return the spread of thresholds; NaN where there are none."""
    finite = values[np.isfinite(values)]
    if finite.size == 0:
        return (np.nan,) * len(SPREAD)
    return tuple(float(q) for q in np.quantile(finite, SPREAD))
