"""The best tree under constraints on its features, by trying all trees.

For tiny data, the 0-1 loss of two classes, or any loss without monotone features. A
split of a monotone feature keeps one class from all leaves of one of its sides: that is
all that a value between both sides can mean for errors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tests.reference.brute_force import (
    Problem,
    Split,
    every_split,
    is_allowed,
    may_split,
)
from tests.reference.objective import leaf_loss

Array = npt.NDArray[np.int64]
BOTH = frozenset({0, 1})


@dataclass(frozen=True)
class Rules:
    """The constraints, resolved to indices; None for none."""

    monotonic: tuple[int, ...] | None = None
    groups: tuple[frozenset[int], ...] | None = None
    costs: tuple[float, ...] | None = None
    allowed: dict[int, frozenset[int]] | None = None

    def permits(self, asked: frozenset[int], depth: int, feature: int) -> bool:
        """Whether a path that asked these features may ask this one next."""
        if self.allowed and feature not in self.allowed.get(depth, {feature}):
            return False
        path = asked | {feature}
        return self.groups is None or any(path <= group for group in self.groups)

    def price(self, asked: frozenset[int], feature: int) -> float:
        """What asking the feature costs on such a path."""
        return 0.0 if self.costs is None or feature in asked else self.costs[feature]

    def sides(
        self, classes: frozenset[int], feature: int
    ) -> list[tuple[frozenset[int], frozenset[int]]]:
        """The classes that the leaves of both sides may predict, all ways to do it."""
        direction = 0 if self.monotonic is None else self.monotonic[feature]
        if direction == 0:
            return [(classes, classes)]
        low, high = classes & {0}, classes & {1}
        ways = [(low or classes, classes), (classes, high or classes)]
        return ways if direction > 0 else [(b, a) for a, b in ways]


def best_constrained(
    problem: Problem,
    rules: Rules,
    alpha: float,
    rows: Array | None = None,
    asked: frozenset[int] = frozenset(),
    depth: int = 0,
    classes: frozenset[int] = BOTH,
) -> float:
    """Smallest loss + alpha * path length + feature costs, not divided by weight."""
    if rows is None:
        rows = np.arange(len(problem.y))
    best = _leaf(problem, rows, classes)
    if not may_split(problem, rows, depth):
        return best

    def below(part: Array, split: Split, allowed: frozenset[int]) -> float:
        path = asked | {split.feature}
        return best_constrained(problem, rules, alpha, part, path, depth + 1, allowed)

    weight = float(problem.w[rows].sum())
    for split in every_split(problem, rows, depth):
        left = split.left(problem.X[rows])
        if not rules.permits(asked, depth, split.feature):
            continue
        if not is_allowed(problem, rows, left):
            continue
        price = weight * (alpha + rules.price(asked, split.feature))
        for a, b in rules.sides(classes, split.feature):
            value = below(rows[left], split, a) + below(rows[~left], split, b)
            best = min(best, price + value)
    return best


def _leaf(problem: Problem, rows: Array, classes: frozenset[int]) -> float:
    _, y, w = problem.subset(rows)
    if classes == BOTH:
        return leaf_loss(problem.loss, y, w)
    return float(w[y != next(iter(classes))].sum())
