"""`forced_splits`: from nested dicts of names to the list that the core takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpdtree._core import ForcedSplit
from dpdtree._input.constraints import feature_places
from dpdtree._numbers import as_float, shown
from dpdtree._params.estimators import resolved

_SIDES = ("left", "right")


def forced_splits(estimator: Any, n_features: int) -> list[ForcedSplit]:
    """Resolve `forced_splits` to splits with the places of those below; root first."""
    wanted = estimator.forced_splits
    if wanted is None:
        return []
    out: list[ForcedSplit] = []
    depth = 0
    for split, parent, side, way in _walk(wanted):
        depth = max(depth, 1 + len(way))
        at = "forced_splits" + "".join(f"[{step!r}]" for step in way)
        if parent >= 0:
            setattr(out[parent], side, len(out))
        out.append(_resolve(estimator, split, at, n_features))
    _check_size(estimator, depth, len(out) + 1)
    return out


def tree_splits(fitted: Any) -> list[ForcedSplit]:
    """Return all splits of a fitted tree in the form of `forced_splits`."""
    tree = fitted.tree_
    sets = tree.categories_left
    places = np.cumsum(tree.children_left >= 0) - 1
    out: list[ForcedSplit] = []
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        forced = ForcedSplit()
        forced.feature = int(tree.feature[node])
        forced.by_category = sets[node] is not None and len(sets[node]) > 0
        if forced.by_category:
            forced.categories = [int(place) for place in sets[node]]
        else:
            forced.threshold = float(tree.threshold[node])
        forced.missing_left = int(tree.missing_go_to_left[node])
        forced.name = f"split {node} of the tree"
        for side in _SIDES:
            child = int(getattr(tree, f"children_{side}")[node])
            if tree.children_left[child] >= 0:
                setattr(forced, side, int(places[child]))
        out.append(forced)
    return out


def _walk(
    root: Mapping[str, Any],
) -> Iterator[tuple[Mapping[str, Any], int, str, tuple[str, ...]]]:
    """Each split with the number of its parent, its side there and its way down."""
    waiting: list[tuple[Mapping[str, Any], int, str, tuple[str, ...]]] = [
        (root, -1, "", ())
    ]
    count = 0
    while waiting:
        split, parent, side, way = waiting.pop()
        yield split, parent, side, way
        waiting.extend(
            (split[below], count, below, (*way, below))
            for below in reversed(_SIDES)
            if split.get(below) is not None
        )
        count += 1


def _resolve(
    estimator: Any, split: Mapping[str, Any], at: str, n_features: int
) -> ForcedSplit:
    names = getattr(estimator, "feature_names_in_", None)
    [feature] = feature_places(at, [split["feature"]], n_features, names)
    forced = ForcedSplit()
    forced.feature = feature
    forced.by_category = bool(estimator.is_categorical_[feature])
    called = split["feature"] if names is None else names[feature]
    forced.name = f"{at} ({_text(split, called)})"
    if (split.get("categories") is not None) != forced.by_category:
        kind, key = (
            ("categories", "'categories'")
            if forced.by_category
            else (
                "numbers",
                "a 'threshold'",
            )
        )
        raise ValueError(f"{forced.name}: the feature has {kind}, so give {key}.")
    if forced.by_category:
        known = estimator.categories_[feature]
        forced.categories = _places(forced.name, split["categories"], known)
    else:
        forced.threshold = as_float(split["threshold"])
    side = split.get("missing_left")
    forced.missing_left = -1 if side is None else int(side)
    return forced


def _text(split: Mapping[str, Any], name: object) -> str:
    if split.get("categories") is not None:
        return f"{name} in {shown(list(split['categories']))}"
    return f"{name} <= {as_float(split['threshold']):g}"


def _places(at: str, wanted: Any, known: Any) -> list[int]:
    """Return the places of categories among those that occur in the data."""
    place_of = {category: i for i, category in enumerate(np.asarray(known).tolist())}
    listed = [c.item() if isinstance(c, np.generic) else c for c in wanted]
    unknown = [c for c in listed if c not in place_of]
    if unknown:
        raise ValueError(
            f"{at} names categories that do not occur in X: {shown(unknown)}."
        )
    return [place_of[category] for category in listed]


def _check_size(estimator: Any, depth: int, n_leaves: int) -> None:
    most_depth = resolved(estimator, "max_depth")
    if most_depth is not None and depth > most_depth:
        raise ValueError(
            f"forced_splits has {depth} levels, but max_depth is {most_depth}: drop"
            " splits, or give a larger max_depth."
        )
    most_leaves = estimator.max_leaf_nodes
    if most_leaves is not None and n_leaves > most_leaves:
        raise ValueError(
            f"forced_splits needs at least {n_leaves} leaves, but max_leaf_nodes is"
            f" {most_leaves}: drop splits, or give a larger max_leaf_nodes."
        )
