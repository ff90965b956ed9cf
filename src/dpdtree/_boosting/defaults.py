"""What "auto" stands for in a boosted fit: one rule, by the number of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: The rule was measured with so many iterations; fewer learn faster, more slower.
ITERATIONS = 250
#: Learning rates: the slowest, the largest by the number of rows, the largest of all.
SLOWEST, FAST, FASTEST = 0.03, 0.1, 0.3
#: Leaves of a thousand rows, and the power of the rows they grow with. Labels tell less
#: than numbers do, so that few rows bear fewer leaves.
CLASSES, NUMBERS = (6, 0.4), (12, 0.3)
FEWEST_LEAVES, MOST_LEAVES = 6, 31
#: From so many rows on, looking ahead pays.
LOOKS_AHEAD = 3000


def learning_rate(n_rows: int, max_iter: int = ITERATIONS) -> float:
    """Return 0.05 (n/1000)^(1/4), from 0.03 to 0.1, by the number of iterations.

    The sum of all steps stays the same, half of the iterations have twice the rate, as
    long as that is within 0.03 and 0.3.
    """
    by_rows = _within(SLOWEST, 0.05 * (n_rows / 1000) ** 0.25, FAST)
    return _within(SLOWEST, by_rows * (ITERATIONS / max_iter), FASTEST)


def max_leaf_nodes(n_rows: int, *, classes: bool) -> int:
    """Return 6 (n/1000)^0.4 for classes, 12 (n/1000)^0.3 for numbers, from 6 to 31."""
    leaves, power = CLASSES if classes else NUMBERS
    return int(
        _within(FEWEST_LEAVES, round(leaves * (n_rows / 1000) ** power), MOST_LEAVES)
    )


def lookahead(n_rows: int) -> str | None:
    """Return "light" from 3000 rows on, else None."""
    return "light" if n_rows >= LOOKS_AHEAD else None


def resolved(
    estimator: Any, n_rows: int, before: Mapping[str, Any], *, classes: bool
) -> dict[str, Any]:
    """Return the parameters that may be "auto", as a fit on so many rows takes them.

    With `warm_start` the number of iterations is not final, so that it does not
    count, and what was chosen `before` is kept.
    """
    n_iter = ITERATIONS if estimator.warm_start else int(estimator.max_iter)
    automatic = {
        "learning_rate": lambda: learning_rate(n_rows, n_iter),
        "max_leaf_nodes": lambda: max_leaf_nodes(n_rows, classes=classes),
        "lookahead": lambda: lookahead(n_rows),
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
