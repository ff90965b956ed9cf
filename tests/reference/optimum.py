"""The best of all trees of tiny data, from Bellman's equation over sets of rows.

`brute_force.best_objective` lists every tree; this one follows every split but keeps
only the best value of a set of rows, which is fast enough for thousands of cases.
A set of rows is an int with one bit per row.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from tests.reference.brute_force import Problem, every_split, may_split
from tests.reference.objective import leaf_loss


def optimum(
    problem: Problem,
    alpha: float,
    kind: str,
    leaf_cost: Callable[[np.ndarray, np.ndarray], float] | None = None,
) -> float:
    """Smallest normalised objective over all trees that the limits allow.

    `leaf_cost`: of targets and weights, in place of the problem's loss.
    """
    n, w, limits = len(problem.y), problem.w, problem.limits
    total = float(w.sum())
    splits = every_split(problem, np.arange(n), 0)
    # A split of fewer rows separates them as one of these does.
    lefts = {_bits(split.left(problem.X)) for split in splits}

    @cache
    def weight(rows: int) -> float:
        return float(w[_rows(rows, n)].sum())

    @cache
    def leaf(rows: int) -> float:
        chosen = _rows(rows, n)
        if leaf_cost is not None:
            return leaf_cost(problem.y[chosen], w[chosen])
        return leaf_loss(problem.loss, problem.y[chosen], w[chosen])

    def fits(rows: int) -> bool:
        enough = rows.bit_count() >= max(limits.min_samples_leaf, 1)
        return enough and weight(rows) >= limits.min_weight_leaf

    @cache
    def value(rows: int, depth: int, leaves: int) -> float:
        best = leaf(rows)
        leaves = min(leaves, rows.bit_count())
        if leaves < 2 or not may_split(problem, _rows(rows, n), depth):
            return best
        price = alpha * (weight(rows) if kind == "path_length" else total)
        parts = {frozenset((rows & left, rows & ~left)) for left in lefts}
        for a, b in (part for part in parts if 0 not in part):
            if not (fits(a) and fits(b)):
                continue
            for k in range(1, leaves):
                both = value(a, depth + 1, k) + value(b, depth + 1, leaves - k)
                best = min(best, price + both)
        return best

    root_leaf = alpha if kind == "n_leaves" else 0.0
    return value((1 << n) - 1, 0, limits.max_leaves) / total + root_leaf


def _bits(mask: np.ndarray) -> int:
    return sum(1 << int(row) for row in np.flatnonzero(mask))


def _rows(bits: int, n: int) -> np.ndarray:
    return np.array([row for row in range(n) if bits >> row & 1], dtype=int)
