"""What a split asks, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpdtree._structure import TreeStructure

#: More categories than these are counted, not listed.
MOST_LISTED = 8


def describe_split(
    tree: TreeStructure,
    node: int,
    name: str,
    categories: Sequence[Any] | None,
    decimals: int,
    most_listed: int = MOST_LISTED,
) -> tuple[str, str]:
    """Return the conditions of the left and of the right branch.

    Parameters
    ----------
    tree, node
        Where the split is.
    name : str
        Of the feature.
    categories : sequence, or None
        Those of the feature, if it is categorical.
    decimals : int
        Digits of a threshold after the decimal point.
    most_listed : int
        Longer lists of categories are cut.
    """
    left = tree.categories_left[node]
    if left is None:
        cut = f"{tree.threshold[node]:.{decimals}f}"
        return f"{name} <= {cut}", f"{name} >  {cut}"
    names = [str(category) for category in (() if categories is None else categories)]
    goes_left = np.isin(np.arange(len(names)), left)
    # The shorter list says it for both sides.
    if 2 * len(left) <= len(names) or goes_left.all():
        listed = _listed([names[c] for c in left], most_listed)
        return f"{name} in {listed}", f"{name} not in {listed}"
    listed = _listed([names[c] for c in np.flatnonzero(~goes_left)], most_listed)
    return f"{name} not in {listed}", f"{name} in {listed}"


def _listed(names: list[str], most: int) -> str:
    more = len(names) - most
    if more > 1:
        return f"{{{', '.join(names[:most])}, ... {more} more}}"
    return f"{{{', '.join(names)}}}"


def categories_of(estimator: Any, feature: int) -> Sequence[Any] | None:
    """Return the names of the categories of a feature, None if it has none."""
    known = getattr(estimator, "categories_", None)
    return None if known is None else known[feature]
