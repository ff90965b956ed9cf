"""What a fit is scored by: scorers, with or without weights."""

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
