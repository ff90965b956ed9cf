"""What a fit is scored by: rows set aside, scorers, with or without weights."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._boosting.links import labels, predictions
from dpdtree._boosting.raw import during_fit
from dpdtree._boosting.sample import Array, Sample
from dpdtree._boosting.sessions import Session
from dpdtree._boosting.targets import decode_target
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
    by_label = np.lexsort((_hashes(usable, seed), labels[usable]))
    place, size = _places(labels[usable][by_label])
    spare = place < size - 1
    count = _count(wanted, len(usable), int(spare.sum()))
    rank = np.where(spare, (place + 0.5) / size, np.inf)
    first = np.argsort(rank, kind="stable")[:count]
    chosen = np.zeros(len(labels), dtype=bool)
    chosen[usable[by_label[first]]] = True
    return chosen


def rows_of_least_hash(n_rows: int, count: int, seed: int) -> NDArray[np.intp]:
    """Return that many of the rows, ascending; their numbers decide which."""
    hashes = _hashes(np.arange(n_rows), seed)
    return np.sort(np.argpartition(hashes, count - 1)[:count])


def _hashes(rows: NDArray[np.intp], seed: int) -> NDArray[np.uint64]:
    """SplitMix64: different for different rows, and as good as random."""
    # The seed goes through it first: else another seed would merely shift the rows.
    key = _mixed(np.array([seed], dtype=np.uint64))
    return _mixed(rows.astype(np.uint64) ^ key)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)  # wraps around, as it should
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _places(labels: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the place of each row among those of its label, and their number."""
    starts = np.flatnonzero(np.r_[True, labels[1:] != labels[:-1]])
    sizes = np.diff(np.r_[starts, len(labels)])
    place = np.arange(len(labels)) - np.repeat(starts, sizes)
    return place, np.repeat(sizes, sizes)


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


def takes_weights(scorer: Callable[..., Any]) -> bool:
    """Whether a scorer can be called with `sample_weight`."""
    # A scorer made from a metric passes on to it whatever it gets.
    for function in (scorer, getattr(scorer, "_score_func", scorer)):
        try:
            known = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):  # a builtin says nothing about itself
            return False
        if not any(p.name == "sample_weight" or p.kind is p.VAR_KEYWORD for p in known):
            return False
    return True


class Judge:
    """An estimator in the middle of its fit: what metrics and scorers may ask of it."""

    def __init__(self, estimator: Any, session: Session) -> None:
        self._estimator = estimator
        self._session = session

    def loss(self, sample: Sample, raw: Array) -> float:
        """Return the mean loss of some rows with these raw scores."""
        raw = np.ascontiguousarray(raw)
        return float(self._session.loss_of(sample.y, raw, sample.weight))

    def targets(self, sample: Sample) -> NDArray[Any]:
        """Return the labels or targets as they were given."""
        return decode_target(self._estimator, sample.y)

    def predictions(self, raw: Array) -> Array:
        """Return probabilities (of the second class, if there are two), or numbers."""
        return predictions(self._estimator, raw)

    def labels(self, raw: Array) -> NDArray[Any]:
        """Return what `predict` says."""
        return labels(self._estimator, raw)

    def score(self, scorer: Callable[..., Any], sample: Sample, raw: Array) -> float:
        """Return what a scorer says of the estimator as it is so far."""
        fitted = during_fit(self._estimator, self._session.model, sample, raw)
        weighted = sample.weight is not None and takes_weights(scorer)
        weight = {"sample_weight": sample.weight} if weighted else {}
        return float(scorer(fitted, sample.X, self.targets(sample), **weight))
