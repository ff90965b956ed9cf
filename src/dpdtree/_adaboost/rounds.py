"""From one round of AdaBoost to the next: the weights of the rows."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]


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
