"""What is counted in each state: training rows, other rows, losses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpdtree.explorer.graph import Graph
from dpdtree.explorer.rows import Array, EncodedRows, Floats, Loss, mean_and_spread


def parents_of(graph: Graph) -> list[int]:
    """Return an action that leads to each state, -1 for the root."""
    parents = [-1] * len(graph.depth)
    for number, action in enumerate(graph.actions):
        for child in (action.left, action.right):
            if child and parents[child] < 0:
                parents[child] = number
    return parents


def rows_of_states(
    graph: Graph, rows: EncodedRows, wanted: Iterable[int] | None = None
) -> Iterator[tuple[int, Array]]:
    """Yield states and their rows, all of them or those that are wanted.

    Depth by depth, so that only the rows of two levels are held at a time.
    """
    parents = parents_of(graph)
    needed = None if wanted is None else _with_ancestors(graph, parents, wanted)
    children: list[list[int]] = [[] for _ in graph.depth]
    for state, action in enumerate(parents):
        if action >= 0 and (needed is None or needed[state]):
            children[graph.actions[action].state].append(state)
    level: dict[int, Array] = {0: rows.all()}
    while level:
        below: dict[int, Array] = {}
        for state, some in level.items():
            yield state, some
            _divide(graph, rows, parents, children[state], some, below)
        level = below


def _divide(
    graph: Graph,
    rows: EncodedRows,
    parents: list[int],
    children: list[int],
    some: Array,
    below: dict[int, Array],
) -> None:
    for number in dict.fromkeys(parents[child] for child in children):
        action = graph.actions[number]
        parts = rows.sides(some, action.split)
        sides = zip((action.left, action.right), parts, strict=True)
        below |= {child: part for child, part in sides if child in children}


def _with_ancestors(
    graph: Graph, parents: list[int], wanted: Iterable[int]
) -> list[bool]:
    needed = [False] * len(graph.depth)
    todo = list(wanted)
    while todo:
        state = todo.pop()
        if not needed[state]:
            needed[state] = True
            if parents[state] >= 0:
                todo.append(graph.actions[parents[state]].state)
    return needed


class Counts:
    """Statistics of all states, a list per column."""

    def __init__(self, n_states: int) -> None:
        self.n: list[int] = [0] * n_states
        self.weight: list[float] = [0.0] * n_states
        self.classes: list[list[float]] = [[] for _ in range(n_states)]
        self.mean: list[float] = [0.0] * n_states
        self.spread: list[float] = [0.0] * n_states
        self.loss: list[float] = [0.0] * n_states


def count(
    graph: Graph,
    rows: EncodedRows,
    loss: Loss,
    *,
    predictions: list[Any] | None = None,
    searched: Any = None,
) -> Counts:
    """Count the rows of every state.

    Parameters
    ----------
    graph : Graph
        The states.
    rows : EncodedRows
        Rows with labels or targets.
    loss : Loss
        The loss of a leaf.
    predictions : list, default=None
        What the states predict, if `loss` is to be that of predictions (rows that the
        search has not seen); None gives the least loss of a leaf.
    searched : Alternatives, default=None
        Of training rows: where the states of the search know their statistics.
    """
    if loss.n_classes:
        return _count_classes(graph, rows, loss, searched)
    counts = Counts(len(graph.depth))
    total = float(rows.weights(rows.all()).sum())
    for state, some in rows_of_states(graph, rows):
        said = None if predictions is None else predictions[state]
        _count_numbers(counts, state, rows, some, loss, total, said)
    return counts


def _count_classes(
    graph: Graph, rows: EncodedRows, loss: Loss, searched: Any
) -> Counts:
    assert rows.y is not None
    n_states = len(graph.depth)
    counts = Counts(n_states)
    known = 0 if searched is None else graph.n_searched
    wanted = None if not known else range(known, n_states)
    sums = np.zeros((n_states, loss.n_classes))
    for state, some in rows_of_states(graph, rows, wanted):
        weight = None if rows.weight is None else rows.weight[some]
        sums[state] = np.bincount(rows.y[some], weight, loss.n_classes)
        counts.n[state] = len(some)
    total = float(rows.weights(rows.all()).sum())
    counts.classes = whole(sums).tolist()
    counts.weight = whole(sums.sum(axis=1)).tolist()
    counts.loss = (loss.of_sums(sums) / total).tolist()
    if known:
        _take_over(counts, searched, known)
    return counts


def _take_over(counts: Counts, searched: Any, known: int) -> None:
    counts.n[:known] = np.asarray(searched.n_rows).tolist()
    counts.weight[:known] = np.asarray(searched.weight, float).tolist()
    values = np.asarray(searched.value, float).reshape(known, -1)
    counts.classes[:known] = whole(values).tolist()
    counts.loss[:known] = np.asarray(searched.leaf_loss, float).tolist()


def count_from_trees(graph: Graph, loss: Loss, criterion: str) -> Counts:
    """Return what the trees themselves say of their nodes, where no rows are given."""
    counts = Counts(len(graph.depth))
    for state, seen in enumerate(graph.seen):
        assert seen is not None
        root = graph.seen[0]
        assert root is not None
        counts.n[state], counts.weight[state] = seen.n, seen.weight
        share = seen.weight / root.weight
        if loss.n_classes:
            sums = whole(np.asarray(seen.value) * seen.weight)
            counts.classes[state] = sums.tolist()
            counts.loss[state] = float(loss.of_sums(sums)) / root.weight
            continue
        squared = criterion == "squared_error"
        counts.loss[state] = seen.impurity * share if criterion == loss.name else np.nan
        counts.mean[state] = float(seen.value[0]) if squared else np.nan
        counts.spread[state] = float(np.sqrt(seen.impurity)) if squared else np.nan
    return counts


def whole(weights: Floats) -> Floats:
    """Return sums of weights, rounded where they are whole up to rounding."""
    near = np.round(weights)
    close = np.abs(weights - near) <= 1e-9 * np.maximum(1.0, near)
    return np.where(close, near, weights)


def _count_numbers(
    counts: Counts,
    state: int,
    rows: EncodedRows,
    some: Array,
    loss: Loss,
    total: float,
    said: Any,
) -> None:
    assert rows.y is not None
    y, weight = rows.y[some].astype(float), rows.weights(some)
    counts.n[state] = len(some)
    counts.weight[state] = float(weight.sum())
    counts.mean[state], counts.spread[state] = mean_and_spread(y, weight)
    if said is not None:
        cost = float(weight @ loss.of_predictions(y, float(said)))
    elif loss.from_sums:
        cost = _least(y, weight, loss)
    else:
        cost = loss.of_rows(y, weight)
    counts.loss[state] = cost / total


def _least(y: Floats, weight: Floats, loss: Loss) -> float:
    if not len(y) or weight.sum() == 0:
        return 0.0
    mean = float(weight @ y / weight.sum())
    if loss.name == "poisson" and mean == 0.0:
        return 0.0
    return float(weight @ loss.of_predictions(y, mean))
