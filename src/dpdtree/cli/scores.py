"""How well a model predicts rows, in the measures of its task."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

Scores = dict[str, float]


def scores_of(model: Any, X: Any, y: Any, weight: Any = None) -> Scores:
    """Return the measures of a task by name: labels, or numbers."""
    shares = model.predict_proba(X) if hasattr(model, "classes_") else None
    return scores_from(model, y, model.predict(X), shares, weight)


def scores_from(model: Any, y: Any, said: Any, shares: Any, weight: Any) -> Scores:
    """Return the measures of predictions, and of the probabilities of labels."""
    if shares is None:
        return _of_numbers(y, said, weight)
    return _of_labels(model.classes_, y, said, shares, weight)


def baseline_scores(y_train: Any, y: Any, *, labels: bool, weight: Any) -> Scores:
    """Return what the most frequent label, or the mean, would score."""
    if not labels:
        return _of_numbers(y, np.full(len(y), np.mean(y_train)), weight)
    values, counts = np.unique(y_train, return_counts=True)
    said = values[counts.argmax()]
    shares = dict(zip(values.tolist(), counts / counts.sum(), strict=True))
    own = np.array([shares.get(label, 0.0) for label in np.asarray(y).tolist()])
    scores = {"accuracy": _mean(np.asarray(y) == said, weight)}
    if len(values) > 1:
        scores["AUC"] = 0.5
    scores["log loss"] = _mean(-np.log(np.maximum(own, 1e-15)), weight)
    return scores


def _of_labels(classes: Any, y: Any, said: Any, shares: Any, weight: Any) -> Scores:
    from sklearn.metrics import roc_auc_score

    scores = {"accuracy": _mean(said == y, weight)}
    place = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    known = classes[place] == y
    seen = np.bincount(place[known], minlength=len(classes)) > 0
    if len(classes) > 1 and seen.all() and known.all():
        ranked = shares[:, 1] if len(classes) == 2 else shares
        scores["AUC"] = float(
            roc_auc_score(y, ranked, multi_class="ovr", sample_weight=weight)
        )
    own = np.where(known, shares[np.arange(len(place)), place], 0.0)
    scores["log loss"] = _mean(-np.log(np.maximum(own, 1e-15)), weight)
    return scores


def _of_numbers(y: Any, said: Any, weight: Any) -> Scores:
    errors = np.asarray(y, float) - said
    mean = np.average(y, weights=weight)
    spread = _mean((y - mean) ** 2, weight)
    square = _mean(errors**2, weight)
    scores = {"R²": 1.0 - square / spread if spread > 0 else math.nan}
    scores["RMSE"] = math.sqrt(square)
    scores["MAE"] = _mean(np.abs(errors), weight)
    return scores


def _mean(values: Any, weight: Any) -> float:
    return float(np.average(np.asarray(values, float), weights=weight))


def score_rows(columns: Mapping[str, Scores]) -> list[list[Any]]:
    """Return a table with a line per measure and a column per set of rows."""
    names = list(dict.fromkeys(name for scores in columns.values() for name in scores))
    rows: list[list[Any]] = [["", *columns]]
    rows += [[name, *(s.get(name) for s in columns.values())] for name in names]
    return rows


def confusion(model: Any, y: Any, said: Any) -> list[list[Any]]:
    """Return how often each label was predicted for each true one."""
    labels = list(
        dict.fromkeys([*model.classes_.tolist(), *sorted(set(np.asarray(y).tolist()))])
    )
    place = {label: k for k, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=int)
    truth = [place[label] for label in np.asarray(y).tolist()]
    guess = [place[label] for label in np.asarray(said).tolist()]
    np.add.at(counts, (truth, guess), 1)
    rows: list[list[Any]] = [["true \\ predicted", *labels]]
    return rows + [
        [label, *row] for label, row in zip(labels, counts.tolist(), strict=True)
    ]
