"""Whether a boosted fit stops early, by what, and with which seed it draws."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_random_state

# early_stopping="auto" stops early from this many rows on.
_MANY_ROWS = 10_000


def stops_early(estimator: Any, n_samples: int, *, given: bool) -> bool:
    """Whether a fit on so many rows stops early; `given`: with validation rows."""
    wanted = estimator.early_stopping
    if has_no_score(estimator) and (given or wanted is True):
        raise ValueError(
            "A callable loss has no score to watch or to stop by: set scoring to"
            " the name of a scorer or to a callable."
        )
    if isinstance(wanted, str):  # "auto"
        # A custom loss has no value to compare: silently go without.
        return given or (n_samples > _MANY_ROWS and not has_no_score(estimator))
    return bool(wanted)


def has_no_score(estimator: Any) -> bool:
    """Whether there is nothing to score by: a custom loss has no value."""
    return callable(estimator.loss) and scores_by_loss(estimator)


def scores_by_loss(estimator: Any) -> bool:
    """Whether the loss itself is the score."""
    return isinstance(estimator.scoring, str) and estimator.scoring == "loss"


def seed_of(estimator: Any, before: dict[str, Any]) -> int:
    """Return the seed of a fit; with `warm_start` it is that of the last one."""
    if "random_seed_" in before:
        return int(before["random_seed_"])
    source = 0 if estimator.random_state is None else estimator.random_state
    return int(check_random_state(source).randint(2**31 - 1))
