"""Operations as the paper counts them: candidate splits computed for subsets of rows.

The paper's figures are reproduced by counting, for every state of the MDP, the nodes
of the tree that its split function grows: a CART with B inner nodes has 2 B + 1 nodes.
So a greedy tree costs its number of nodes (15 at depth 3), and a dynamic program costs
2 * candidates + states, where `report_.candidates` are the splits followed and
`report_.states` the states they lead to, when no short cut (pruning, memos) is taken.
Top-B grows no tree: it costs one operation per candidate split.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier

from dpdtree import DPDTreeClassifier

Array = npt.NDArray[Any]
#: Nothing that only saves time: every candidate of every state is followed.
NO_SHORTCUTS = {"use_pruning": False, "use_state_memo": False, "use_split_memo": False}


def unshortened(model: DPDTreeClassifier) -> DPDTreeClassifier:
    """The same search without short cuts, whose report counts everything."""
    model._core_switches = NO_SHORTCUTS
    return model


def of_greedy(model: Any) -> int:
    """A greedy tree: its nodes."""
    return int(model.tree_.node_count)


def of_search(model: DPDTreeClassifier) -> int:
    """A dynamic program that asks CART at every level."""
    return 2 * model.report_.candidates + model.report_.states


def of_light_search(X: Array, y: Array, n_leaves: int, depth: int) -> int:
    """Candidates at the root only, greedy trees below: (B, 1, 1).

    Grown again, because the search takes a greedy tail in one step and does not count
    its states: 2 B + 1 nodes for the root, then three for each state that is split and
    one for each pure one.
    """
    root = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, y)
    total = int(root.tree_.node_count)
    for left in root_splits(root, X):
        for rows in (left, ~left):
            total += _greedy_states(X[rows], y[rows], depth - 1)
    return total


def root_splits(model: DecisionTreeClassifier, X: Array) -> list[Array]:
    """The inner nodes of a CART as splits of all rows; equal ones once."""
    tree = model.tree_
    found = {}
    for node in np.flatnonzero(tree.children_left >= 0):
        left = X[:, tree.feature[node]].astype(np.float32) <= tree.threshold[node]
        if 0 < left.sum() < len(left):
            found[left.tobytes()] = left
    return list(found.values())


def _greedy_states(X: Array, y: Array, depth: int) -> int:
    tree = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y).tree_
    levels = np.zeros(tree.node_count, dtype=int)
    for node in np.flatnonzero(tree.children_left >= 0):
        levels[tree.children_left[node]] = levels[node] + 1
        levels[tree.children_right[node]] = levels[node] + 1
    inner = tree.children_left >= 0
    early = ~inner & (levels < depth)
    return 3 * int(inner.sum()) + int(early.sum())
