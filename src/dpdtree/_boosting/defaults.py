"""What "auto" stands for in a boosted fit: one rule, by the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: The rule was measured with so many iterations; fewer learn faster, more slower.
ITERATIONS = 250
#: Learning rates: the slowest, the largest by the number of rows, the largest of all.
SLOWEST, FAST, FASTEST = 0.03, 0.1, 0.3
#: Leaves that the number of rows can lead to.
FEWEST_LEAVES, MOST_LEAVES = 6, 31


def learning_rate(n_rows: int, max_iter: int = ITERATIONS) -> float:
    """Return 0.05 (n/1000)^(1/4), from 0.03 to 0.1, by the number of iterations.

    The sum of all steps stays the same, half of the iterations have twice the rate, as
    long as that is within 0.03 and 0.3.
    """
    by_rows = _within(SLOWEST, 0.05 * (n_rows / 1000) ** 0.25, FAST)
    return _within(SLOWEST, by_rows * (ITERATIONS / max_iter), FASTEST)


def max_leaf_nodes(n_rows: int) -> int:
    """Return 8 (n/1000)^0.3, from 6 to 31."""
    leaves = round(8 * (n_rows / 1000) ** 0.3)
    return int(_within(FEWEST_LEAVES, leaves, MOST_LEAVES))


def resolved(estimator: Any, n_rows: int, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that may be "auto", as a fit on so many rows takes them.

    With `warm_start` the number of iterations is not final, so that it does not
    count, and what was chosen `before` is kept.
    """
    n_iter = ITERATIONS if estimator.warm_start else int(estimator.max_iter)
    automatic = {
        "learning_rate": lambda: learning_rate(n_rows, n_iter),
        "max_leaf_nodes": lambda: max_leaf_nodes(n_rows),
        "lookahead": lambda: None,
    }
    found = {}
    for name, rule in automatic.items():
        found[name] = getattr(estimator, name)
        if _is_auto(found[name]):
            known = f"{name}_" in before
            found[name] = before[f"{name}_"] if known else rule()
    return found


def _within(low: float, value: float, high: float) -> float:
    return min(high, max(low, value))


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"
