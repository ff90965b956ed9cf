"""Means with errors, paired tests, ranks: the statistics of the page in one place."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy import stats

#: Scores closer than this are a tie.
TIE = 0.001


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean and its standard error; the error of one value is NaN."""
    array = np.asarray(values, dtype=float)
    if len(array) < 2:
        return float(array.mean()), math.nan
    return float(array.mean()), float(array.std(ddof=1) / math.sqrt(len(array)))


def with_error(values: Sequence[float], digits: int = 1, scale: float = 100.0) -> str:
    """`mean ± standard error`, in per cent unless told otherwise."""
    return shown(*mean_and_error(values), digits, scale)


def shown(
    mean: float, error: float | None, digits: int = 1, scale: float = 100.0
) -> str:
    """`mean ± standard error`; the mean alone where no error is known."""
    if error is None or error != error:
        return f"{scale * mean:.{digits}f}"
    return f"{scale * mean:.{digits}f} ± {scale * error:.{digits}f}"


def win_tie_loss(
    ours: Sequence[float], theirs: Sequence[float], tie: float = TIE
) -> tuple[int, int, int]:
    """On how many sets ours is better, equal (within `tie`) and worse."""
    gain = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    wins, losses = int((gain > tie).sum()), int((gain < -tie).sum())
    return wins, len(gain) - wins - losses, losses


def sign_test(wins: int, losses: int) -> float:
    """Two-sided p of so uneven a count if both were equally good."""
    if wins + losses == 0:
        return 1.0
    return float(stats.binomtest(wins, wins + losses).pvalue)


def paired_test(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Two-sided p of Wilcoxon's signed ranks; 1 if nothing differs."""
    gain = np.asarray(ours, dtype=float) - np.asarray(theirs, dtype=float)
    if not gain.any():
        return 1.0
    return float(stats.wilcoxon(gain).pvalue)


def mean_ranks(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean rank of each column over the rows (sets); 1 is the largest score."""
    ranks: npt.NDArray[np.float64] = stats.rankdata(-scores.round(6), axis=1)
    return ranks.mean(axis=0)


def critical_difference(models: int, sets: int, level: float = 0.05) -> float:
    """Nemenyi's: mean ranks that differ by more differ significantly."""
    q = stats.studentized_range.ppf(1 - level, models, math.inf) / math.sqrt(2)
    return float(q * math.sqrt(models * (models + 1) / (6 * sets)))


def normalised(
    scores: npt.NDArray[np.float64], low: float, high: float
) -> npt.NDArray[np.float64]:
    """Scores on a scale where `low` is 0 and `high` is 1, cut at 0 (Grinsztajn et al.).

    They take the best score of any model for `high` and, for classification, the score
    that one in ten runs stays below for `low`.
    """
    span = high - low
    scaled = (scores - low) / span if span > 0 else np.ones_like(scores)
    return np.clip(scaled, 0.0, None)
