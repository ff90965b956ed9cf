"""Raw scores of a boosting estimator, fitted or in the middle of its fit."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dpdtree._boosting.sample import Array, Sample
from dpdtree._core import BoostingModel
from dpdtree._input.validation import check_X
from dpdtree._numbers import is_int
from dpdtree._threads import n_threads


def check_scores(name: str, given: Any, n_rows: int, n_scores: int) -> Array:
    """Return raw scores with a column for each output."""
    try:
        scores = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must hold numbers: {error}") from error
    if scores.ndim == 1:
        scores = scores[:, np.newaxis]
    if scores.shape != (n_rows, n_scores):
        wanted = (n_rows,) if n_scores == 1 else (n_rows, n_scores)
        raise ValueError(f"{name} must have shape {wanted}, got {np.shape(given)}.")
    if not np.isfinite(scores).all():
        raise ValueError(f"{name} must hold finite numbers.")
    return np.ascontiguousarray(scores)


class RawScores:
    """Gives an estimator its raw scores."""

    booster_: BoostingModel
    n_iter_: int
    n_jobs: Any

    #: Of an estimator that a scorer sees during the fit: see `during_fit`.
    _scores_during_fit: Callable[[Any], Array] | None = None

    def _raw(self, X: Any, n_iter: Any = None, init_score: Any = None) -> Array:
        """Return raw predictions of shape (n_samples, n_trees_per_iteration_)."""
        if self._scores_during_fit is not None:
            return self._scores_during_fit(X)
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        wanted = -1 if n_iter is None else self._check_n_iter(n_iter)
        raw = self.booster_.predict_raw(X, n_threads(self.n_jobs), wanted)
        if init_score is not None:
            raw = raw + check_scores("init_score", init_score, *raw.shape)
        return raw

    def _check_n_iter(self, n_iter: Any) -> int:
        if not is_int(n_iter) or not 0 <= n_iter <= self.n_iter_:
            raise ValueError(
                f"n_iter must be an int from 0 to {self.n_iter_}, the iterations of the"
                f" model, got {n_iter!r}."
            )
        return int(n_iter)

    def _staged_raw(self, X: Any) -> Iterator[Array]:
        check_is_fitted(self)
        X = check_X(self, X, reset=False)
        stages: Iterable[Array] = self.booster_.staged(X, n_threads(self.n_jobs))  # type: ignore[assignment]
        yield from stages


def during_fit(estimator: Any, model: Any, sample: Sample, raw: Array) -> Any:
    """Return a copy of an estimator that predicts by the model that is grown so far.

    The scores of the sample are known; of other rows, it takes X as encoded as theirs.
    """

    def scores(X: Any) -> Array:
        known: Array = raw if X is sample.X else model.predict_raw(np.asarray(X))
        return known

    fitted = copy.copy(estimator)
    fitted.booster_ = model
    fitted._scores_during_fit = scores
    return fitted
