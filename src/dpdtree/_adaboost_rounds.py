"""From one round of AdaBoost to the next: time left, weights of the rows."""

from __future__ import annotations

import time
import warnings

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


class Clock:
    """Seconds since the fit began, and what is left of the limit."""

    def __init__(self, limit: float | None) -> None:
        self._start = time.perf_counter()
        self._limit = limit

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def left(self) -> float:
        """What the core takes as a limit: negative for none."""
        return -1.0 if self._limit is None else max(0.0, self._limit - self.seconds())


def raised_weights(
    weight: Weights, wrong: NDArray[np.bool_], tree_weight: float
) -> Weights | None:
    """Return normalised weights with those of the errors raised; None if too large."""
    with np.errstate(divide="ignore", over="ignore"):
        raised = np.exp(np.log(weight) + tree_weight * wrong * (weight > 0))
        total = raised.sum()
    if np.isfinite(total):
        normalised: Weights = raised / total
        return normalised
    warnings.warn(
        "The weights of the rows have become infinite: boosting ends here. Try a"
        " smaller learning_rate.",
        RuntimeWarning,
        stacklevel=2,
    )
    return None
