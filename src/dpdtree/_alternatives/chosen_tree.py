"""The tree of chosen actions among alternatives.

A node is given by its path, the sides on the way from the root: () is the root,
("left", "right") the right child of its left child.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._core import TreeData
from dpdtree._numbers import is_int, shown

#: A choice of no split.
STOP = -1
SIDES = ("left", "right")

Path = tuple[str, ...]
Choices = Mapping[Path, int]


class GrownTree(NamedTuple):
    """A tree of chosen actions, as a point of a path is one."""

    tree: TreeData
    loss: float
    complexity: float
    feature_cost: float


class ChosenNode(NamedTuple):
    """A node of such a tree; `action` is STOP at leaves."""

    path: Path
    state: int
    action: int


def checked_choices(choices: Choices | None) -> dict[Path, int]:
    """Return choices whose nodes and ranks can be ones."""
    checked: dict[Path, int] = {}
    for path, rank in ({} if choices is None else choices).items():
        if not isinstance(path, tuple) or not set(path) <= set(SIDES):
            raise ValueError(
                'Nodes in choices must be tuples of "left" and "right", got'
                f" {shown(path)}."
            )
        if not is_int(rank) or rank < STOP:
            raise ValueError(
                f"A choice must be the rank of an action or -1, got {shown(rank)}."
            )
        checked[path] = int(rank)
    return checked


def chosen_nodes(found: Any, choices: Choices) -> Iterator[ChosenNode]:
    """Yield the nodes of the tree of these choices in preorder."""
    waiting: list[tuple[Path, int]] = [((), found.root)]
    while waiting:
        path, state = waiting.pop()
        rank = choices.get(path, STOP if found.stops[state] else 0)
        if rank == STOP:
            yield ChosenNode(path, state, STOP)
            continue
        action = found.action(state, rank)
        yield ChosenNode(path, state, action)
        waiting.append(((*path, "right"), int(found.right[action])))
        waiting.append(((*path, "left"), int(found.left[action])))


def forced_by(
    found: Any, choices: Choices, *, whole: bool = False
) -> dict[str, Any] | None:
    """Return the chosen splits and those above them, or all, as `forced_splits`."""
    nodes = {n.path: n.action for n in chosen_nodes(found, choices) if n.action >= 0}
    above = {path[:n] for path in choices for n in range(len(path) + 1)}
    return _nested(found, (), nodes, set(nodes) if whole else above)


def _nested(
    found: Any, path: Path, nodes: Mapping[Path, int], kept: set[Path]
) -> dict[str, Any] | None:
    if path not in nodes or path not in kept:
        return None
    split: dict[str, Any] = found.split(nodes[path])
    for side in SIDES:
        below = _nested(found, (*path, side), nodes, kept)
        if below is not None:
            split[side] = below
    return split


def grown(found: Any, nodes: Sequence[ChosenNode]) -> GrownTree:
    """Return the tree of these nodes, with what it is worth."""
    index = {node.path: i for i, node in enumerate(nodes)}
    states = np.array([node.state for node in nodes])
    actions = np.array([node.action for node in nodes])
    children = {
        side: np.array([index.get((*node.path, side), -1) for node in nodes])
        for side in SIDES
    }
    values = found.value[states]
    if found.task == "classification":
        values = values / found.weight[states][:, None]
    data = TreeData.from_arrays(
        len(found.feature_names),
        children["left"],
        children["right"],
        _at(found.feature, actions, -2),
        _at(found.threshold, actions, -2.0),
        _at(found.missing_left, actions, False).astype(np.uint8),
        np.ascontiguousarray(values),
        found.impurity[states],
        found.n_rows[states],
        found.weight[states],
        *_category_arrays(found, actions),
        found.class_counts(),
    )
    leaves = states[actions < 0]
    own = [_own(found, action) for action in actions if action >= 0]
    complexity = sum(c for c, _ in own) + found.leaf_complexity[leaves].sum()
    return GrownTree(
        data,
        float(found.leaf_loss[leaves].sum()),
        float(complexity),
        float(sum(cost for _, cost in own)),
    )


def _own(found: Any, action: int) -> tuple[float, float]:
    """Complexity and feature cost of a split alone."""
    below = [found.left[action], found.right[action]]
    complexity = found.complexity[action] - found.state_complexity[below].sum()
    paid = found.feature_cost[action] - found.state_feature_cost[below].sum()
    return float(complexity), float(paid)


def _category_arrays(
    found: Any, actions: NDArray[np.int64]
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    sets = [found.categories_left[a] if a >= 0 else None for a in actions]
    if all(left is None for left in sets):
        return None, None
    ends = np.cumsum([0 if left is None else len(left) for left in sets])
    flat = [code for left in sets if left is not None for code in left]
    return ends.astype(np.int64), np.array(flat, dtype=np.int64)


def _at(column: NDArray[Any], actions: NDArray[np.int64], leaf: Any) -> NDArray[Any]:
    """Entries of a column of actions, and what leaves have instead."""
    out = np.full(len(actions), leaf, dtype=column.dtype)
    inner = actions >= 0
    out[inner] = column[actions[inner]]
    return out
