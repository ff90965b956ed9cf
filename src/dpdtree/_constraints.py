"""Constraints on features: from what users write to what the core takes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any


def monotonic_directions(estimator: Any, n_features: int) -> list[int]:
    """Resolve `monotonic_cst` to one of -1, 0, 1 per feature; empty for none."""
    wanted = estimator.monotonic_cst
    if wanted is None:
        return []
    if not isinstance(wanted, Mapping):
        if len(wanted) != n_features:
            raise ValueError(
                f"monotonic_cst has {len(wanted)} entries, but X has {n_features}"
                " features."
            )
        return [int(direction) for direction in wanted]
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        raise ValueError(
            "monotonic_cst is a dict of feature names, but X has no feature names."
        )
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        raise ValueError(
            f"monotonic_cst names features that X does not have: {unknown}."
        )
    return [int(wanted.get(name, 0)) for name in names]


def interaction_groups(wanted: Any, n_features: int) -> list[list[int]]:
    """Resolve `interaction_cst` to groups that cover every feature; empty for none."""
    if wanted is None:
        return []
    everything = range(n_features)
    if wanted == "no_interactions":
        return [[feature] for feature in everything]
    if wanted == "pairwise":
        return [list(pair) for pair in combinations(everything, 2)] or [[0]]
    groups = [sorted({int(feature) for feature in group}) for group in wanted]
    listed = {feature for group in groups for feature in group}
    beyond = sorted(listed - set(everything))
    if beyond:
        raise ValueError(
            f"interaction_cst lists the features {beyond}, but X has {n_features}"
            " features."
        )
    rest = sorted(set(everything) - listed)
    return [*groups, rest] if rest else groups
