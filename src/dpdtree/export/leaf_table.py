"""The leaves of a tree as a table: for papers, scorecards and monitoring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dpdtree.export._boosted import require
from dpdtree.export._leaves import (
    Wording,
    has_missing,
    joined,
    leaves_of,
    one_output,
    support,
    t_interval,
    wilson,
)


def leaf_table(
    estimator: Any,
    X: Any = None,
    y: Any = None,
    *,
    label: Any = None,
    level: float = 0.95,
    feature_names: Sequence[str] | None = None,
    decimals: int | None = None,
) -> Any:
    """Return a row for each leaf: its rule, its rows, its rate or mean.

    Parameters
    ----------
    estimator : DPDTreeClassifier or DPDTreeRegressor
        Fitted, with one output.
    X : array-like of shape (n_samples, n_features), default=None
        Rows to be counted in the leaves, too, such as held-out or recent ones.
    y : array-like of shape (n_samples,), default=None
        Their labels or targets.
    label : a label, default=None
        What counts as an event; None takes the second of two classes, and of more the
        class that the leaf predicts.
    level : float, default=0.95
        Confidence of the intervals: Wilson's for a rate, Student's for a mean.
    feature_names : sequence of str, default=None
        Names of the features; None takes those of the fit.
    decimals : int, default=None
        Digits of thresholds in the rules; None writes them exactly.

    Returns
    -------
    pandas.DataFrame
        Columns "leaf" (the number `apply` returns), "rule", "prediction", "n",
        "weight", "share" (of the weight); of a classifier "events" (weight of the
        label) and "rate", of a regressor "mean"; "low" and "high". With X also
        "test_n" and "test_share", with y "test_events" and "test_rate" or
        "test_mean", "test_low" and "test_high". Intervals of the training rows know
        nothing of the search that chose the leaves; those of other rows are honest.
    """
    pandas = require("pandas", "cli")
    if X is None and y is not None:
        raise ValueError("y is given, but X is not.")
    program = one_output(estimator, "leaf_table", feature_names)
    codes = _event_codes(program, label)
    found = support(estimator, program, level, codes if np.ndim(codes) == 0 else None)
    wording = Wording(has_missing(estimator), decimals)
    leaves = leaves_of(program.nodes, program.features)
    nodes = np.array([leaf.node for leaf in leaves])
    columns: dict[str, Any] = {
        "leaf": nodes,
        "rule": [
            joined([wording.condition(c) for c in leaf.conditions]) for leaf in leaves
        ],
        "prediction": [program.labels(node)[0] for node in nodes],
        "n": found.n[nodes],
        "weight": found.weight[nodes],
        "share": found.weight[nodes] / found.weight[0],
    }
    if found.events is None:
        columns["mean"] = found.rate[nodes]
    else:
        columns |= {"events": found.events[nodes], "rate": found.rate[nodes]}
    columns |= {"low": found.low[nodes], "high": found.high[nodes]}
    if X is not None:
        columns |= _tested(estimator, program, nodes, X, y, codes, level)
    return pandas.DataFrame(columns)


def _event_codes(program: Any, label: Any) -> Any:
    """Return the class that counts: one for all leaves, or one for each node."""
    if program.classes is None:
        if label is not None:
            raise ValueError("label must be None for a regression tree.")
        return np.zeros(len(program.nodes), np.intp)
    labels = list(program.classes[0])
    if label is not None:
        if label not in labels:
            raise ValueError(f"label must be one of {labels}, got {label!r}.")
        return np.intp(labels.index(label))
    return np.intp(1) if len(labels) == 2 else program.decisions[:, 0]


def _tested(
    estimator: Any, program: Any, nodes: Any, X: Any, y: Any, codes: Any, level: float
) -> dict[str, Any]:
    reached = estimator.apply(X)
    n = np.bincount(reached, minlength=len(program.nodes))[nodes]
    columns = {"test_n": n, "test_share": n / max(1, len(reached))}
    if y is None:
        return columns
    y = np.asarray(y).reshape(-1)
    if len(y) != len(reached):
        raise ValueError(f"X has {len(reached)} rows, y has {len(y)}.")
    with np.errstate(invalid="ignore", divide="ignore"):
        if program.classes is None:
            return columns | _tested_means(reached, nodes, y.astype(float), n, level)
        size = len(program.nodes)
        wanted = np.asarray(estimator.classes_)[np.broadcast_to(codes, size)]
        events = np.bincount(reached, y == wanted[reached], size)[nodes]
        low, high = wilson(events, n, level)
        return columns | {
            "test_events": events,
            "test_rate": events / n,
            "test_low": low,
            "test_high": high,
        }


def _tested_means(
    reached: Any, nodes: Any, y: Any, n: Any, level: float
) -> dict[str, Any]:
    size = int(nodes.max()) + 1
    mean = np.bincount(reached, y, size)[nodes] / n
    centre = np.zeros(size)
    centre[nodes] = mean
    variance = np.bincount(reached, (y - centre[reached]) ** 2, size)[nodes] / n
    low, high = t_interval(mean, variance, n, level)
    return {"test_mean": mean, "test_low": low, "test_high": high}
