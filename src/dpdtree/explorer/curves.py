"""How flat a split is: the loss of the tree against the threshold of one node.

The splits below stay as they are and the leaves are fitted anew: what a rounder number
would really cost. Rounder numbers within the flat part become actions, so that the page
can take them; where they move rows, the states below are counted anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dpdtree.explorer.counting import rows_of_states
from dpdtree.explorer.graph import ROUNDED, Action, Graph
from dpdtree.explorer.rows import Array, EncodedRows, Floats, Loss, Split

#: Points of a curve, and rounder thresholds that are offered.
MOST_POINTS, MOST_ROUND = 40, 3
#: The flat part: so much of the loss of a single leaf may be lost.
FLAT = 0.005
#: Down to this depth, curves are drawn for the completions of alternatives, too.
DEEPEST = 1
_STEPS = (1.0, 0.5, 0.25, 0.2)


class Curve(NamedTuple):
    """The loss of a subtree, as a part of the loss of the tree, by threshold."""

    thresholds: Floats
    losses: Floats
    #: Rounder thresholds: (threshold, loss, training rows that change sides).
    rounder: list[tuple[float, float, int]]


def curves_of(
    graph: Graph,
    choices: Sequence[int],
    train: EncodedRows,
    test: EncodedRows | None,
    loss: Loss,
) -> dict[str, Any]:
    """Return the curves of a tree, of its alternatives and of their completions."""
    wanted = _worth_drawing(graph, choices)
    states = {graph.actions[action].state for action in wanted}
    sets = [
        (
            rows,
            {s: some for s, some in rows_of_states(graph, rows, states) if s in states},
        )
        for rows in ([train] if test is None else [train, test])
    ]
    sums = loss.columns(train) if loss.from_sums else np.zeros((len(train), 0))
    total = float(train.weights(train.all()).sum())
    slack = FLAT * _cost_of_one_leaf(train, sums, loss)
    found = {}
    for number in wanted:
        action = graph.actions[number]
        curve = curve_of(graph, number, train, sets[0][1][action.state], sums, loss)
        if curve is None or action.split.threshold is None:
            continue
        here = [(rows, of_state[action.state]) for rows, of_state in sets]
        offers = []
        # What moves rows needs states of its own: for the tree itself it is worth it.
        may_move = number in choices and loss.from_sums
        for threshold, cost, moved in flat_offers(curve, action.split.threshold, slack):
            twin = round_action(graph, number, threshold, here, may_move=may_move)
            if twin >= 0:
                offers.append(
                    {
                        "t": threshold,
                        "loss": cost / total,
                        "rows": moved,
                        "action": twin,
                    }
                )
        found[str(number)] = {
            "t": curve.thresholds.tolist(),
            "loss": [float(f"{cost:.9g}") for cost in curve.losses / total],
            "rounder": offers,
        }
    return found


def _worth_drawing(graph: Graph, choices: Sequence[int]) -> list[int]:
    """Return actions of the tree, of its nodes, and what follows at the top."""
    wanted: dict[int, None] = {}
    for state, _ in graph.nodes(choices):
        wanted |= dict.fromkeys(graph.actions_of[state])
        if graph.depth[state] <= DEEPEST:
            for number in graph.actions_of[state]:
                action = graph.actions[number]
                for child in (action.left, action.right):
                    below = graph.completed(child)
                    wanted |= dict.fromkeys(a for a in below if a >= 0)
    return list(wanted)


def _cost_of_one_leaf(train: EncodedRows, sums: Floats, loss: Loss) -> float:
    if loss.from_sums:
        return float(loss.of_sums(sums.sum(axis=0)))
    assert train.y is not None
    return loss.of_rows(train.y.astype(float), train.weights(train.all()))


def reached(
    graph: Graph, rows: EncodedRows, some: Array, state: int
) -> tuple[Array, int]:
    """Return in which leaf of a state's completion rows end, and the number of leaves.

    The rows need not be those of the state.
    """
    leaf = np.zeros(len(some), np.intp)
    n_leaves = 0
    todo = [(state, np.arange(len(some)))]
    while todo:
        state, part = todo.pop()
        action = graph.best[state]
        if action < 0:
            leaf[part] = n_leaves
            n_leaves += 1
            continue
        chosen = graph.actions[action]
        left = rows.goes_left(some[part], chosen.split)
        todo += [(chosen.right, part[~left]), (chosen.left, part[left])]
    return leaf, n_leaves


def curve_of(
    graph: Graph, number: int, rows: EncodedRows, some: Array, sums: Floats, loss: Loss
) -> Curve | None:
    """Return the curve of an action on the rows of its state, None for categories."""
    action = graph.actions[number]
    if action.split.threshold is None or not math.isfinite(action.split.threshold):
        return None  # categories, or missing values against all others
    column = rows.X[some, action.split.feature].astype(float)
    places = _boundaries(column, action.split.threshold)
    if len(places) < 2:
        return None
    rounder = _round_numbers(column, action.split.threshold)
    wanted = np.unique(np.concatenate([places, [action.split.threshold], rounder]))
    losses = _losses(graph, action, rows, some, column, wanted, sums, loss)
    return _chosen(column, action.split.threshold, wanted, losses, rounder, places)


def _boundaries(column: Floats, threshold: float) -> Floats:
    """Return thresholds between neighbouring values, denser where rows are."""
    values = np.sort(column[~np.isnan(column)])
    if not len(values):
        return values
    cuts = np.unique(
        values[np.linspace(0, len(values) - 1, MOST_POINTS + 2).astype(int)[1:-1]]
    )
    distinct = np.unique(values)
    after = np.searchsorted(distinct, cuts, side="right")
    inner = cuts[after < len(distinct)]
    between: Floats = inner / 2 + distinct[after[after < len(distinct)]] / 2
    near = np.searchsorted(distinct, threshold, side="right") + np.arange(-5, 6)
    near = near[(near > 0) & (near < len(distinct))]
    return np.unique(
        np.concatenate([between, distinct[near - 1] / 2 + distinct[near] / 2])
    )


def _round_numbers(column: Floats, threshold: float) -> Floats:
    """Return numbers near the threshold, the roundest of each size of step."""
    values = column[~np.isnan(column)]
    low, high = np.quantile(values, [0.02, 0.98])
    found: list[float] = []
    top = math.floor(math.log10(max(high - low, abs(threshold), 1e-12))) + 1
    for power in range(top, top - 7, -1):
        for part in _STEPS:
            step = part * 10.0**power
            for k in (math.floor(threshold / step), math.ceil(threshold / step)):
                number = float(f"{k * step:.12g}")
                if low <= number <= high and number != threshold:
                    found.append(number)
    return np.array(list(dict.fromkeys(found)))


def _losses(
    graph: Graph,
    action: Action,
    rows: EncodedRows,
    some: Array,
    column: Floats,
    wanted: Floats,
    sums: Floats,
    loss: Loss,
) -> Floats:
    missing = np.isnan(column)
    # A row goes left at the thresholds from `first` on; missing ones always or never.
    first = np.searchsorted(wanted, np.where(missing, np.inf, column))
    first[missing] = 0 if action.split.missing_left else len(wanted)
    left, n_left = reached(graph, rows, some, action.left)
    right, n_right = reached(graph, rows, some, action.right)
    if not loss.from_sums:
        return _pinball(rows, some, first, left, right, len(wanted), loss)
    on_left = _histogram(first * n_left + left, sums[some], len(wanted) + 1, n_left)
    on_right = _histogram(first * n_right + right, sums[some], len(wanted) + 1, n_right)
    gone = np.cumsum(on_left, axis=0)[:-1]
    kept = on_right.sum(axis=0) - np.cumsum(on_right, axis=0)[:-1]
    total = loss.of_sums(gone).sum(axis=1) + loss.of_sums(kept).sum(axis=1)
    return np.asarray(total)


def _histogram(cells: Array, sums: Floats, n_places: int, n_leaves: int) -> Floats:
    size = n_places * n_leaves
    columns = [np.bincount(cells, one, size).astype(float) for one in sums.T]
    return np.stack(columns, axis=-1).reshape(n_places, n_leaves, -1)


def _pinball(
    rows: EncodedRows,
    some: Array,
    first: Array,
    left: Array,
    right: Array,
    n: int,
    loss: Loss,
) -> Floats:
    assert rows.y is not None
    y, weight = rows.y[some].astype(float), rows.weights(some)
    totals = np.zeros(n)
    for at in range(n):
        goes_left = first <= at
        leaf = np.where(goes_left, left, -1 - right)
        totals[at] = sum(
            loss.of_rows(y[leaf == one], weight[leaf == one]) for one in np.unique(leaf)
        )
    return totals


def _chosen(
    column: Floats,
    threshold: float,
    wanted: Floats,
    losses: Floats,
    rounder: Floats,
    places: Floats,
) -> Curve:
    shown = (np.isin(wanted, places) | (wanted == threshold)) & np.isfinite(losses)
    here = column <= threshold
    offers = [
        (float(t), float(losses[i]), int(np.count_nonzero(here != (column <= t))))
        for t in rounder.tolist()
        for i in [int(np.searchsorted(wanted, t))]
    ]
    return Curve(wanted[shown], losses[shown], offers)


def flat_offers(
    curve: Curve, threshold: float, slack: float
) -> list[tuple[float, float, int]]:
    """Return the rounder numbers that cost no more than `slack`, the roundest first."""
    digits = _digits(threshold)
    cost = curve.losses[int(np.searchsorted(curve.thresholds, threshold))]
    kept = [
        offer
        for offer in curve.rounder
        if offer[1] <= cost + slack and _digits(offer[0]) < digits
    ]
    kept.sort(key=lambda offer: (_digits(offer[0]), offer[2], offer[1]))
    offers: list[tuple[float, float, int]] = []
    for offer in kept:
        # One that is less round has to move fewer rows.
        if not offers or offer[2] < offers[-1][2]:
            offers.append(offer)
    return offers[:MOST_ROUND]


def _digits(number: float) -> int:
    """Return how many significant digits a number has."""
    text = f"{abs(number):.12e}".split("e")[0].replace(".", "").rstrip("0")
    return len(text)


def round_action(
    graph: Graph,
    number: int,
    threshold: float,
    sets: Sequence[tuple[EncodedRows, Array]],
    *,
    may_move: bool,
) -> int:
    """Add the same split at another threshold; return its number, -1 if it may not.

    Where no row changes sides, the states below are those of the split itself.
    `sets` are the training rows of the state and, if there are any, the other ones.
    """
    action = graph.actions[number]
    split = action.split._replace(threshold=threshold)
    known = graph.find(action.state, split)
    if known >= 0:
        return known
    moved = [
        bool((rows.goes_left(some, split) != rows.goes_left(some, action.split)).any())
        for rows, some in sets
    ]
    if moved[0] and not (may_move and _all_leaves_used(graph, action, split, *sets[0])):
        return -1
    left, right = action.left, action.right
    if any(moved):
        left, right = (_copied(graph, child, moved[0]) for child in (left, right))
    n_leaves = action.n_leaves
    made = Action(action.state, split, left, right, ROUNDED, math.nan, n_leaves)
    return graph.add_action(made)


def _all_leaves_used(
    graph: Graph, action: Action, split: Split, rows: EncodedRows, some: Array
) -> bool:
    """Whether training rows get to every leaf below."""
    for child, part in zip(
        (action.left, action.right), rows.sides(some, split), strict=True
    ):
        leaf, n_leaves = reached(graph, rows, part, child)
        if len(np.unique(leaf)) < n_leaves:
            return False
    return True


def _copied(graph: Graph, state: int, moved: bool) -> int:
    """Copy the completion of a state, for other rows; values are counted later."""
    twin = graph.add_state(graph.depth[state], None if moved else graph.seen[state])
    best = graph.best[state]
    if best >= 0:
        action = graph.actions[best]
        left = _copied(graph, action.left, moved)
        right = _copied(graph, action.right, moved)
        made = Action(twin, action.split, left, right, ROUNDED, math.nan, 0)
        graph.best[twin] = graph.add_action(made)
    return twin
