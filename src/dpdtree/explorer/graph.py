"""States and actions: every tree the page can show is a choice among these.

A state is a set of training rows at a depth; an action splits it into two others.
States and actions of `alternatives` come first, under their own numbers. The trees of
the front, CART and rounded thresholds add what they need: an action that is there
already is used again, so that a tree of the front and the alternatives share what they
can.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dpdtree._structure import TREE_LEAF, TreeStructure
from dpdtree.explorer.rows import Split

#: Where an action comes from.
SEARCHED, FRONT, ROUNDED = 0, 1, 2


@dataclass
class Action:
    """A split of a state, and the best completion that is known of it."""

    state: int
    split: Split
    left: int
    right: int
    kind: int
    loss: float  # of the completed subtree: its part of the loss of the tree
    n_leaves: int
    #: Of the split alone, where a search or its definition tells it.
    complexity: float = math.nan
    feature_cost: float = math.nan


class Seen(NamedTuple):
    """What a node of a tree says of its rows."""

    n: int
    weight: float
    value: Any  # fractions or a prediction
    impurity: float


@dataclass
class Graph:
    """All states and actions; the root is state 0."""

    depth: list[int] = field(default_factory=lambda: [0])
    #: The action that the completion of a state begins with; -1 to stop.
    best: list[int] = field(default_factory=lambda: [-1])
    actions: list[Action] = field(default_factory=list)
    actions_of: list[list[int]] = field(default_factory=lambda: [[]])
    #: What a tree says of a state, if one does: a node of it.
    seen: list[Seen | None] = field(default_factory=lambda: [None])
    #: The first states are those of a search: it knows their best completion.
    n_searched: int = 0

    def add_state(self, depth: int, seen: Seen | None = None) -> int:
        """Add a state without actions."""
        self.depth.append(depth)
        self.best.append(-1)
        self.actions_of.append([])
        self.seen.append(seen)
        return len(self.depth) - 1

    def add_action(self, action: Action) -> int:
        """Add an action to its state."""
        self.actions.append(action)
        self.actions_of[action.state].append(len(self.actions) - 1)
        return len(self.actions) - 1

    def find(self, state: int, split: Split) -> int:
        """Return the action of a state that is this split, -1 if there is none."""
        for action in self.actions_of[state]:
            if self.actions[action].split == split:
                return action
        return -1

    def completed(self, state: int) -> list[int]:
        """Return the completion of a state: actions in preorder, -1 for leaves."""
        choices, todo = [], [state]
        while todo:
            state = todo.pop()
            action = self.best[state]
            choices.append(action)
            if action >= 0:
                chosen = self.actions[action]
                todo += [chosen.right, chosen.left]
        return choices

    def nodes(self, choices: Sequence[int], root: int = 0) -> list[tuple[int, int]]:
        """Return (state, action) of the nodes of a tree, in preorder."""
        found, todo = [], [root]
        for action in choices:
            state = todo.pop()
            found.append((state, action))
            if action >= 0:
                chosen = self.actions[action]
                todo += [chosen.right, chosen.left]
        return found

    def place(self, tree: TreeStructure) -> list[int]:
        """Add a fitted tree; return its actions in preorder, -1 for leaves."""
        splits = splits_of(tree)
        states = [0] * tree.node_count
        choices = []
        for node, split in enumerate(splits):
            state = states[node]
            if self.seen[state] is None:
                self.seen[state] = _seen(tree, node)
            if split is None:
                choices.append(-1)
                continue
            action = self.find(state, split)
            if action < 0:
                below = self.depth[state] + 1
                left, right = self.add_state(below), self.add_state(below)
                made = Action(state, split, left, right, FRONT, np.nan, 0)
                action = self.add_action(made)
                if self.best[state] < 0 and state >= self.n_searched:
                    self.best[state] = action
            chosen = self.actions[action]
            states[tree.children_left[node]] = chosen.left
            states[tree.children_right[node]] = chosen.right
            choices.append(action)
        return choices


def _seen(tree: TreeStructure, node: int) -> Seen:
    return Seen(
        int(tree.n_node_samples[node]),
        float(tree.weighted_n_node_samples[node]),
        tree.node_values[node],
        float(tree.impurity[node]),
    )


def splits_of(tree: TreeStructure) -> list[Split | None]:
    """Return the splits of a tree, None for leaves."""
    sets = tree.categories_left
    found: list[Split | None] = []
    for node, left in enumerate(tree.children_left.tolist()):
        if left == TREE_LEAF:
            found.append(None)
            continue
        found.append(
            make_split(
                int(tree.feature[node]),
                float(tree.threshold[node]),
                bool(tree.missing_go_to_left[node]),
                sets[node],
            )
        )
    return found


def make_split(
    feature: int, threshold: float, missing_left: bool, categories: Any
) -> Split:
    """Return a split from the arrays of a tree or of alternatives."""
    if categories is None or not len(categories):
        return Split(feature, float(threshold), bool(missing_left), None)
    places = tuple(int(place) for place in categories)
    return Split(feature, None, bool(missing_left), places)


def from_alternatives(found: Any) -> Graph:
    """Return the graph of an `Alternatives`, its states and actions in their order."""
    n = len(found.depth)
    graph = Graph(
        depth=[int(d) for d in found.depth],
        best=[-1] * n,
        actions_of=[[] for _ in range(n)],
        seen=[None] * n,
        n_searched=n,
    )
    start = np.asarray(found.action_start).tolist()
    complexity, costs = (
        of_actions - of_states[found.left] - of_states[found.right]
        for of_actions, of_states in (
            (found.complexity, found.state_complexity),
            (found.feature_cost, found.state_feature_cost),
        )
    )
    for state in range(n):
        for at in range(start[state], start[state + 1]):
            split = make_split(
                int(found.feature[at]),
                float(found.threshold[at]),
                bool(found.missing_left[at]),
                found.categories_left[at],
            )
            action = Action(
                state,
                split,
                int(found.left[at]),
                int(found.right[at]),
                SEARCHED,
                float(found.loss[at]),
                int(found.n_leaves[at]),
                float(complexity[at]),
                float(costs[at]),
            )
            graph.add_action(action)
        if not found.stops[state]:
            graph.best[state] = start[state]
    return graph
