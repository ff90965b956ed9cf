"""Constraints on features: from what users write to what the core takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from dpdtree._losses import LOSSES
from dpdtree._numbers import is_int
from dpdtree._params.estimators import resolved


def monotonic_directions(estimator: Any, n_features: int) -> list[int]:
    """Resolve `monotonic_cst` to one of -1, 0, 1 per feature; empty for none."""
    wanted = estimator.monotonic_cst
    if wanted is None:
        return []
    directions = [0] * n_features
    if not isinstance(wanted, Mapping):
        _check_length("monotonic_cst", wanted, n_features)
        directions = [int(direction) for direction in wanted]
    else:
        names = _names_of(estimator)
        if names is None:
            raise ValueError(
                "monotonic_cst is a dict of feature names, but X has no feature names."
            )
        places = feature_places("monotonic_cst", wanted, n_features, names)
        for place, direction in zip(places, wanted.values(), strict=True):
            directions[place] = int(direction)
    _check_ordered(estimator, directions)
    return directions


def interaction_groups(
    wanted: Any, n_features: int, names: Sequence[str] | None = None
) -> list[list[int]]:
    """Resolve `interaction_cst` to groups that cover every feature; empty for none."""
    if wanted is None:
        return []
    everything = range(n_features)
    if isinstance(wanted, str) and wanted == "no_interactions":
        return [[feature] for feature in everything]
    if isinstance(wanted, str):
        return [list(pair) for pair in combinations(everything, 2)] or [[0]]
    listed = [
        feature_places("interaction_cst", group, n_features, names) for group in wanted
    ]
    groups = [sorted(set(group)) for group in listed if group]
    rest = sorted(set(everything) - {f for group in groups for f in group})
    return [*groups, rest] if rest else groups


def feature_costs(estimator: Any, n_features: int) -> list[float]:
    """Resolve `feature_costs` to one price per feature; empty if all are zero."""
    wanted = estimator.feature_costs
    if wanted is None:
        return []
    if isinstance(wanted, Mapping):
        names = _names_of(estimator)
        places = feature_places("feature_costs", wanted, n_features, names)
        costs = [0.0] * n_features
        for place, cost in zip(places, wanted.values(), strict=True):
            costs[place] += float(cost)
    else:
        _check_length("feature_costs", wanted, n_features)
        costs = [float(cost) for cost in wanted]
    return costs if any(costs) else []


def allowed_features(estimator: Any, n_features: int) -> list[list[int]]:
    """Resolve `allowed_features` to one list per depth, an empty one for all."""
    wanted = estimator.allowed_features
    if wanted is None:
        return []
    if not isinstance(wanted, Mapping):
        wanted = dict(enumerate(wanted))
    most = resolved(estimator, "max_depth")
    by_depth = {int(d): some for d, some in wanted.items() if most is None or d < most}
    names = _names_of(estimator)
    lists: list[list[int]] = [[] for _ in range(1 + max(by_depth, default=-1))]
    for depth, features in by_depth.items():
        if features is None:
            continue
        places = feature_places("allowed_features", features, n_features, names)
        if not places:
            raise ValueError(
                f"allowed_features has no feature for depth {depth}: give one at least,"
                " None for all of them, or a smaller max_depth."
            )
        if len(set(places)) < n_features:
            lists[depth] = sorted(set(places))
    return lists if any(lists) else []


def constrain(params: Any, estimator: Any, n_features: int) -> None:
    """Write the constraints on features into the core's parameters of a tree."""
    directions = monotonic_directions(estimator, n_features)
    if any(directions):
        _check_monotone(estimator)
        params.monotonic = directions
    groups = interaction_groups(
        estimator.interaction_cst, n_features, _names_of(estimator)
    )
    if not any(len(group) == n_features for group in groups):
        params.interaction_groups = groups
    params.feature_costs = feature_costs(estimator, n_features)
    params.allowed_features = allowed_features(estimator, n_features)
    _check_feasible(params.interaction_groups, params.allowed_features)


def feature_places(
    argument: str,
    features: Iterable[Any],
    n_features: int,
    names: Sequence[str] | None,
) -> list[int]:
    """Resolve names and indices of features to indices."""
    features = list(features)
    named = [feature for feature in features if isinstance(feature, str)]
    if named and names is None:
        raise ValueError(
            f"{argument} names the features {named}, but X has no feature names."
        )
    place_of = {name: i for i, name in enumerate([] if names is None else names)}
    unknown = sorted(set(named) - set(place_of))
    if unknown:
        raise ValueError(f"{argument} names features that X does not have: {unknown}.")
    beyond = sorted(f for f in features if is_int(f) and f >= n_features)
    if beyond:
        raise ValueError(
            f"{argument} lists the features {[int(f) for f in beyond]}, but X has"
            f" {n_features} features."
        )
    return [place_of[f] if isinstance(f, str) else int(f) for f in features]


def _names_of(estimator: Any) -> Sequence[str] | None:
    names: Sequence[str] | None = getattr(estimator, "feature_names_in_", None)
    return names


def _check_length(argument: str, values: Sequence[Any], n_features: int) -> None:
    if len(values) != n_features:
        raise ValueError(
            f"{argument} has {len(values)} entries, but X has {n_features} features."
        )


def _check_ordered(estimator: Any, directions: Sequence[int]) -> None:
    mask = np.asarray(directions) * getattr(estimator, "is_categorical_", False)
    categorical = [int(i) for i in np.flatnonzero(mask)]
    if categorical:
        names = _names_of(estimator)
        which = [i if names is None else str(names[i]) for i in categorical]
        raise ValueError(
            f"monotonic_cst constrains the features {which}, which are categories:"
            " these have no order. Give them 0."
        )


def _check_monotone(estimator: Any) -> None:
    for name, use in (("loss", "minimised_by_trees"), ("criterion", "proposes_splits")):
        known = [i.name for i in LOSSES.values() if i.monotone and getattr(i, use)]
        value = resolved(estimator, name)
        if value not in known:
            raise ValueError(
                f"monotonic_cst is not supported with {name}={value!r};"
                f" use one of {', '.join(known)}."
            )
    if getattr(estimator, "leaf_smoothing", None) not in (None, 0, "auto"):
        raise ValueError(
            "monotonic_cst is not supported with leaf_smoothing, which changes small"
            " leaves more than large ones; give one of the two."
        )


def check_monotone_target(n_classes: int, n_outputs: int = 1) -> None:
    """Raise an error if there is nothing that a feature could raise or lower."""
    if n_classes > 2:
        raise ValueError("monotonic_cst is not supported with three or more classes.")
    if n_outputs > 1:
        raise ValueError("monotonic_cst is not supported with more than one output.")


def _check_feasible(
    groups: Sequence[Sequence[int]], by_depth: Sequence[Sequence[int]]
) -> None:
    """A path to a listed depth takes its features from one group."""
    if not groups or not by_depth:
        return
    reach = max(_reach(set(group), by_depth) for group in groups)
    if reach < len(by_depth):
        raise ValueError(
            f"allowed_features and interaction_cst leave no feature for depth {reach}:"
            " no group has a feature for each depth down to there."
        )


def _reach(group: set[int], by_depth: Sequence[Sequence[int]]) -> int:
    """The first depth at which the group has no feature to ask."""
    for depth, features in enumerate(by_depth):
        if features and not group.intersection(features):
            return depth
    return len(by_depth)
