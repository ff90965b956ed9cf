"""What may be done at a node: a row for each action, and for a leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._alternatives.chosen_tree import SIDES, STOP
from dpdtree._numbers import shown

#: From the root: the rank of an action, and the side to go to.
Way = Sequence[tuple[int, str]]


class Alternative(NamedTuple):
    """What may be done at a node: a split, or to stop (`action` -1)."""

    action: int
    split: str
    feature: int
    threshold: float
    categories: list[Any] | None
    missing_left: bool
    #: Of the best completion below the node: what it adds to the loss of a tree.
    loss: float
    complexity: float
    n_leaves: int
    objective: float
    #: Of the whole tree with this action, all other nodes as they are.
    tree_loss: float
    tree_n_leaves: int
    tree_objective: float


def table_of(found: Any, node: Way) -> list[Alternative]:
    """Return what may be done at a node, best first as the states list it."""
    state, offset = _follow(found, node)
    ranks = range(len(found.actions(state)))
    rows = [_row(found, state, rank, offset) for rank in ranks]
    stop = _row(found, state, STOP, offset)
    return [stop, *rows] if found.stops[state] else [*rows, stop]


def _follow(found: Any, node: Way) -> tuple[int, NDArray[np.float64]]:
    """The state at the end, and what the actions on the way cost the tree."""
    state = found.root
    own = _totals(found, state, None)
    for step in node:
        rank, side = _step(step)
        action = found.action(state, rank)
        own = own - _totals(found, state, None) + _totals(found, state, rank)
        state = int((found.left if side == "left" else found.right)[action])
    return state, own - _totals(found, state, None)


def _totals(found: Any, state: int, rank: int | None) -> NDArray[np.float64]:
    """Loss, leaves and objective of a state: its best, or those of an action."""
    if rank is None:
        totals = (found.state_loss, found.state_n_leaves, found.state_objective)
        return np.array([float(column[state]) for column in totals])
    if rank == STOP:
        return np.array([found.leaf_loss[state], 1.0, found.leaf_objective[state]])
    action = found.action(state, rank)
    totals = (found.loss, found.n_leaves, found.objective)
    return np.array([float(column[action]) for column in totals])


def _row(found: Any, state: int, rank: int, offset: NDArray[np.float64]) -> Alternative:
    own_totals = _totals(found, state, rank)
    loss, n_leaves, objective = own_totals
    whole = offset + own_totals
    tree = (float(whole[0]), int(whole[1]), float(whole[2]))
    if rank == STOP:
        complexity = float(found.leaf_complexity[state])
        own = (float(loss), complexity, 1, float(objective))
        return Alternative(STOP, "stop", -1, np.nan, None, False, *own, *tree)
    action = found.action(state, rank)
    return Alternative(
        rank,
        found.split_text(action),
        int(found.feature[action]),
        float(found.threshold[action]),
        found.split(action).get("categories"),
        bool(found.missing_left[action]),
        float(loss),
        float(found.complexity[action]),
        int(n_leaves),
        float(objective),
        *tree,
    )


def _step(step: Any) -> tuple[int, str]:
    try:
        rank, side = step
    except (TypeError, ValueError):
        rank, side = None, None
    if side not in SIDES:
        raise ValueError(
            'A step of node must be a pair of a rank and "left" or "right", got'
            f" {shown(step)}."
        )
    return rank, side
