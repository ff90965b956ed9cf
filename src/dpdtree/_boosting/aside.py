"""Rows that are set aside to stop early: their numbers decide, through a hash."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._numbers import is_int


def rows_aside(
    wanted: float | None,
    labels: NDArray[Any],
    weight: NDArray[np.float64] | None,
    seed: int,
) -> NDArray[np.bool_]:
    """Choose validation rows: a share, or a number, of those that have a weight.

    The numbers of the rows decide, through a hash, so that nothing else does. Each
    label gives about the same share of its rows, but never its last one.
    """
    usable = np.arange(len(labels)) if weight is None else np.flatnonzero(weight > 0)
    by_label = np.lexsort((row_hashes(usable, seed), labels[usable]))
    ordered = labels[usable][by_label]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    sizes = np.diff(np.r_[starts, len(ordered)])
    chosen = np.zeros(len(labels), dtype=bool)
    for start, count in zip(starts, counts_aside(wanted, sizes), strict=True):
        chosen[usable[by_label[start : start + count]]] = True
    return chosen


def counts_aside(
    wanted: float | None, sizes: NDArray[np.integer[Any]]
) -> NDArray[np.intp]:
    """Return how many rows of each label are set aside, of so many that it has.

    Row i of n has the rank (i + 1/2) / n; those of least rank are taken, of equal
    ranks those of the first labels, and never the last row of a label.
    """
    spare = np.maximum(sizes - 1, 0)
    count = _count(wanted, int(sizes.sum()), int(spare.sum()))

    def rank(place: NDArray[Any]) -> NDArray[np.float64]:
        found: NDArray[np.float64] = (place + 0.5) / np.maximum(sizes, 1)
        return found

    def below(limit: float) -> NDArray[np.intp]:
        place: NDArray[np.intp]
        place = np.clip(np.ceil(limit * sizes - 0.5), 0, spare).astype(np.intp)
        place -= (place > 0) & (rank(place - 1) >= limit)  # it may have been rounded
        place += (place < spare) & (rank(place) < limit)
        return place

    # The largest number with no more rows below it: floats are in order as integers.
    low, high = 0, int(np.float64(1.0).view(np.int64))
    while high - low > 1:
        middle = (low + high) // 2
        if below(float(np.int64(middle).view(np.float64))).sum() <= count:
            low = middle
        else:
            high = middle
    limit = float(np.int64(low).view(np.float64))
    taken = below(limit)
    equal = np.flatnonzero((taken < spare) & (rank(taken) == limit))
    taken[equal[: count - int(taken.sum())]] += 1
    return taken


def rows_of_least_hash(n_rows: int, count: int, seed: int) -> NDArray[np.intp]:
    """Return that many of the rows, ascending; their numbers decide which."""
    hashes = row_hashes(np.arange(n_rows), seed)
    return np.sort(np.argpartition(hashes, count - 1)[:count])


def row_hashes(rows: NDArray[np.intp], seed: int) -> NDArray[np.uint64]:
    """SplitMix64: different for different rows, and as good as random."""
    # The seed goes through it first: else another seed would merely shift the rows.
    key = _mixed(np.array([seed], dtype=np.uint64))
    return _mixed(rows.astype(np.uint64) ^ key)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)  # wraps around, as it should
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _count(wanted: float | None, n_rows: int, n_spare: int) -> int:
    assert wanted is not None
    number = (
        int(wanted) if is_int(wanted) else min(n_spare, int(np.ceil(wanted * n_rows)))
    )
    if not 1 <= number <= n_spare:
        raise ValueError(
            f"validation_fraction={wanted!r} cannot be set aside for early stopping:"
            f" {n_spare} of {n_rows} rows can be spared, as each class keeps one. Give"
            " X_val, early_stopping=False or validation_fraction=None."
        )
    return number
