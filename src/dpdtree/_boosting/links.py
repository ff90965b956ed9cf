"""From raw scores to what a boosting estimator predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.utils.extmath import softmax

from dpdtree._boosting.sample import Array
from dpdtree._losses import link_of
from dpdtree._params.estimators import record_of


def one_column(raw: Array) -> Array:
    """Return raw scores without the second dimension where it has one entry."""
    return raw[:, 0] if raw.shape[1] == 1 else raw


def probabilities(estimator: Any, raw: Array) -> Array:
    """Return the class probabilities of a classifier."""
    if estimator.n_classes_ != 2:
        return np.asarray(softmax(raw))
    second = expit(raw[:, 0])
    return np.column_stack([1.0 - second, second])


def labels(estimator: Any, raw: Array) -> NDArray[Any]:
    """Return the most probable label of each row."""
    codes = raw[:, 0] > 0 if estimator.n_classes_ == 2 else raw.argmax(axis=1)
    found: NDArray[Any] = estimator.classes_[codes.astype(np.intp)]
    return found


def predictions(estimator: Any, raw: Array) -> Array:
    """Return what metrics compare: of two classes the probability of the second."""
    if record_of(estimator).classifies:
        shares = probabilities(estimator, raw)
        return shares[:, 1] if estimator.n_classes_ == 2 else shares
    scores = one_column(raw)
    return np.exp(scores) if link_of(estimator.loss) == "log" else scores
