"""What a split asks, in words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpdtree._structure import TreeStructure

#: More categories than these are counted, not listed.
MOST_LISTED = 8


#: Which categories of a feature get to a node; features that no split above asks are
#: left out.
Reachable: TypeAlias = Mapping[int, NDArray[np.bool_]]


class Branches(NamedTuple):
    """The conditions of the two branches of a split."""

    left: str
    right: str
    #: Whether the condition of a branch lists categories, so that it does not hold for
    #: unknown ones: of the left, of the right.
    lists: tuple[bool, bool]
    #: Whether the conditions themselves say where missing values go.
    of_missing: bool = False


def exact(value: float, decimals: int | None = None) -> str:
    """Return a number in the fewest digits that stand for it, or to some decimals."""
    if decimals is not None:
        return f"{value:.{decimals}f}"
    return repr(float(value)).removesuffix(".0")


def rounded(value: float, decimals: int | None = None) -> str:
    """Return a result in six significant digits, or to some decimals."""
    return f"{value:.6g}" if decimals is None else f"{value:.{decimals}f}"


def describe_split(
    tree: TreeStructure,
    node: int,
    name: str,
    categories: Sequence[Any] | None,
    decimals: int | None = None,
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
    decimals : int, or None
        Digits of a threshold after the decimal point; None: as many as it has.
    most_listed : int
        Longer lists of categories are cut.
    reachable : ndarray of bool, or None
        Which categories get to this node; None: all of them.
    """
    left = tree.categories_left[node]
    if left is None:
        if math.isinf(tree.threshold[node]):  # missing values against the rest
            sides = [f"{name} is not missing", f"{name} is missing"]
            left_side, right_side = sides if tree.threshold[node] > 0 else sides[::-1]
            return Branches(left_side, right_side, (False, False), of_missing=True)
        cut = exact(tree.threshold[node], decimals)
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


def divided(
    tree: TreeStructure,
    node: int,
    categories: Sequence[Any] | None,
    reachable: Reachable,
) -> tuple[Reachable, Reachable]:
    """Return which categories get to the left and to the right child of a node.

    `categories` are those of its feature.
    """
    some = tree.categories_left[node]
    if some is None:
        return reachable, reachable
    feature = int(tree.feature[node])
    n = 0 if categories is None else len(categories)
    come = reachable.get(feature, np.ones(n, bool))
    left = come & np.isin(np.arange(n), some)
    return {**reachable, feature: left}, {**reachable, feature: come & ~left}


def _listed(names: list[str], most: int) -> str:
    more = len(names) - most
    if more > 1:
        return f"{{{', '.join(names[:most])}, ... {more} more}}"
    return f"{{{', '.join(names)}}}"


def categories_of(estimator: Any, feature: int) -> Sequence[Any] | None:
    """Return the names of the categories of a feature, None if it has none."""
    known = getattr(estimator, "categories_", None)
    return None if known is None else known[feature]
