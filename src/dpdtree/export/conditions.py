"""What a split asks, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._structure import TreeStructure

#: More categories than these are counted, not listed.
MOST_LISTED = 8


class Branches(NamedTuple):
    """The conditions of the two branches of a split."""

    left: str
    right: str
    #: Whether the condition of a branch lists categories, so that it does not hold for
    #: unknown ones: of the left, of the right.
    lists: tuple[bool, bool]


def describe_split(
    tree: TreeStructure,
    node: int,
    name: str,
    categories: Sequence[Any] | None,
    decimals: int,
    most_listed: int = MOST_LISTED,
    reachable: NDArray[np.bool_] | None = None,
) -> Branches:
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
    reachable : ndarray of bool, or None
        Which categories get to this node; None: all of them.
    """
    left = tree.categories_left[node]
    if left is None:
        cut = f"{tree.threshold[node]:.{decimals}f}"
        return Branches(f"{name} <= {cut}", f"{name} >  {cut}", (False, False))
    names = [str(category) for category in (() if categories is None else categories)]
    come = np.ones(len(names), bool) if reachable is None else reachable
    goes_left = np.isin(np.arange(len(names)), left)
    lefts = [names[c] for c in np.flatnonzero(come & goes_left)]
    rights = [names[c] for c in np.flatnonzero(come & ~goes_left)]
    # The shorter list says it for both sides, unless it is empty.
    if lefts and (not rights or len(lefts) <= len(rights)):
        listed = _listed(lefts, most_listed)
        return Branches(f"{name} in {listed}", f"{name} not in {listed}", (True, False))
    listed = _listed(rights, most_listed)
    return Branches(f"{name} not in {listed}", f"{name} in {listed}", (False, True))


def _listed(names: list[str], most: int) -> str:
    more = len(names) - most
    if more > 1:
        return f"{{{', '.join(names[:most])}, ... {more} more}}"
    return f"{{{', '.join(names)}}}"


def categories_of(estimator: Any, feature: int) -> Sequence[Any] | None:
    """Return the names of the categories of a feature, None if it has none."""
    known = getattr(estimator, "categories_", None)
    return None if known is None else known[feature]
