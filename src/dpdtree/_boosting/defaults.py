"""What "auto" stands for in a boosted fit: one rule, by rows and by noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dpdtree._numbers import clipped

#: The rule was measured with so many iterations; fewer learn faster, more slower.
ITERATIONS = 250
#: Learning rates: the slowest, the largest by rows and noise, the largest of all.
SLOWEST, FAST, FASTEST = 0.02, 0.12, 0.3
#: Leaves of a thousand rows that are half noise, the powers of the rows and of the
#: signal that they grow with, and how many they are at most.
CLASSES, NUMBERS = (5, 0.4, 0.2, 31), (6, 1 / 3, 0.5, 48)
FEWEST_LEAVES, ROWS_OF_A_LEAF = 4, 25
#: Shares of noise are taken to be within these limits; a custom loss has none.
LEAST_NOISE, MOST_NOISE, UNKNOWN_NOISE = 0.01, 0.9, 0.3
#: From so many rows on, looking ahead pays.
LOOKS_AHEAD = 3000


def signal(noise: float) -> float:
    """Return signal over noise, for the share of the targets that is noise."""
    noise = UNKNOWN_NOISE if math.isnan(noise) else noise
    noise = _within(LEAST_NOISE, noise, MOST_NOISE)
    return (1.0 - noise) / noise


def learning_rate(n_rows: int, noise: float, max_iter: int = ITERATIONS) -> float:
    """Return 0.05 (n q / 1000)^(1/4), from 0.02 to 0.12, by the number of iterations.

    n rows with q times as much signal as noise. The sum of all steps stays the same,
    half of the iterations have twice the rate, as long as that is within 0.02 and 0.3.
    """
    by_rows = 0.05 * (n_rows / 1000 * signal(noise)) ** 0.25
    rate = _within(SLOWEST, by_rows, FAST) * (ITERATIONS / max_iter)
    return float(f"{_within(SLOWEST, rate, FASTEST):.3g}")


def max_leaf_nodes(n_rows: int, noise: float, *, classes: bool) -> int:
    """Return 5 (n/1000)^0.4 q^0.2 for classes, 6 (n/1000)^(1/3) q^0.5 for numbers.

    From 4 to 31 (classes) or 48, and no more than one for 25 rows.
    """
    leaves, of_rows, of_signal, most = CLASSES if classes else NUMBERS
    grown = leaves * (n_rows / 1000) ** of_rows * signal(noise) ** of_signal
    most = min(most, max(FEWEST_LEAVES, n_rows // ROWS_OF_A_LEAF))
    return int(_within(FEWEST_LEAVES, round(grown), most))


def lookahead(n_rows: int) -> str | None:
    """Return "light" from 3000 rows on, else None."""
    return "light" if n_rows >= LOOKS_AHEAD else None


def resolved(
    estimator: Any,
    n_rows: int,
    before: Mapping[str, Any],
    *,
    classes: bool,
    noise: float = math.nan,
) -> dict[str, Any]:
    """Return the parameters that may be "auto", as a fit on so many rows takes them.

    With `warm_start` the number of iterations is not final, so that it does not
    count, and what was chosen `before` is kept.
    """
    n_iter = ITERATIONS if estimator.warm_start else int(estimator.max_iter)
    automatic = {
        "learning_rate": lambda: learning_rate(n_rows, noise, n_iter),
        "max_leaf_nodes": lambda: max_leaf_nodes(n_rows, noise, classes=classes),
        "lookahead": lambda: lookahead(n_rows),
    }
    found = {}
    for name, rule in automatic.items():
        found[name] = getattr(estimator, name)
        if _is_auto(found[name]):
            known = f"{name}_" in before
            found[name] = before[f"{name}_"] if known else rule()
    return found


def paced(
    estimator: Any,
    session: Any,
    settings: Mapping[str, Any],
    n_rows: tuple[int, int],
    *,
    classes: bool,
) -> dict[str, Any]:
    """Return the settings by the noise of the session's targets; the session follows.

    `n_rows`: of all, and of those that the session trains on. Only if anything is
    asked for: an explicit rate and an explicit size need no noise.
    """
    automatic = _is_auto(estimator.learning_rate) or _is_auto(estimator.max_leaf_nodes)
    if not automatic or callable(estimator.loss):
        return dict(settings)
    noise = session.noise_share(float(n_rows[1]))
    found = resolved(estimator, n_rows[0], {}, classes=classes, noise=noise)
    leaves = found["max_leaf_nodes"]
    session.set_pace(found["learning_rate"], clipped(leaves or 0))
    return found


def _within(low: float, value: float, high: float) -> float:
    return min(high, max(low, value))


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"
