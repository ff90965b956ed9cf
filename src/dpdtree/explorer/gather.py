"""What the page is told: everything is counted here, the page looks it up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import stdtrit

from dpdtree._losses import LOSSES
from dpdtree._params.estimators import resolved, strategy_of
from dpdtree._smoothing import leaf_smoothing
from dpdtree.explorer.counting import Counts
from dpdtree.explorer.graph import Graph
from dpdtree.explorer.rows import Array, EncodedRows, Loss, some_rows
from dpdtree.io.documents import encode_estimator
from dpdtree.io.files import FORMAT, FORMAT_VERSION

#: Confidence of the intervals; z is the normal quantile.
LEVEL = 0.95

#: With more columns than these, rows in the file have those that splits ask for.
MOST_COLUMNS = 40


def number(value: float) -> float | int | None:
    """Return a number as JSON takes it: short if it is whole, None if there is none."""
    value = float(value)
    if not math.isfinite(value):
        return None
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def numbers(values: Any) -> list[float | int | None]:
    """Return numbers as JSON takes them."""
    array = np.asarray(values, float).ravel()
    whole = np.abs(array) < 2**53  # not so of NaN
    whole &= array == np.floor(array)
    if whole.all():
        return list(array.astype(np.int64).tolist())
    return [number(value) for value in array.tolist()]


def features_of(
    estimator: Any, names: Sequence[str] | None, rows: EncodedRows | None
) -> Any:
    """Return what is to be known of the columns."""
    n = estimator.n_features_in_
    if names is None:
        names = list(getattr(estimator, "feature_names_in_", ()))
        names = [str(name) for name in names] or [f"feature_{j}" for j in range(n)]
    missing = getattr(estimator, "has_missing_", np.zeros(n, bool))
    features = []
    for j in range(n):
        known = estimator.categories_[j]
        feature: dict[str, Any] = {"name": str(names[j]), "missing": bool(missing[j])}
        if known is not None:
            feature["categories"] = [str(value) for value in np.asarray(known).tolist()]
            feature["plain"] = [_plain(value) for value in np.asarray(known).tolist()]
        elif rows is not None:
            feature |= _spread(rows.X[:, j])
        features.append(feature)
    return features


def _plain(value: Any) -> Any:
    """Return a label or category as code can hold it."""
    return value if isinstance(value, str | bool | int | float) else str(value)


def _spread(column: Array) -> dict[str, Any]:
    some = column[~np.isnan(column)] if column.dtype.kind == "f" else column
    if not len(some):
        return {}
    whole = bool(np.all(some == np.round(some)))
    levels = np.quantile(some, [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
    return {"whole": whole, "quantiles": numbers(levels)}


def states_of(graph: Graph, counts: Counts, loss: Loss) -> dict[str, Any]:
    """Return the statistics of training rows, a column each."""
    columns: dict[str, Any] = {
        "depth": graph.depth,
        "best": graph.best,
        "n": counts.n,
        "weight": numbers(counts.weight),
        "loss": numbers(counts.loss),
    }
    return columns | _targets(counts, loss)


def _targets(counts: Counts, loss: Loss) -> dict[str, Any]:
    if loss.n_classes:
        return {"classes": numbers([x for state in counts.classes for x in state])}
    return {"mean": numbers(counts.mean), "sd": numbers(counts.spread)}


def tested_of(counts: Counts, loss: Loss) -> dict[str, Any]:
    """Return the statistics of the other rows."""
    return {"n": counts.n, "loss": numbers(counts.loss)} | _targets(counts, loss)


def t_quantiles(*columns: Sequence[int]) -> dict[str, list[Any]]:
    """Return Student's quantile for every number of rows that occurs."""
    sizes = sorted({n for column in columns for n in column if n > 1})
    found = stdtrit(np.array(sizes, float) - 1, 0.5 + LEVEL / 2)
    return {"n": sizes, "t": numbers(found)}


def actions_of(graph: Graph) -> dict[str, Any]:
    """Return the splits, a column each."""
    actions = graph.actions
    return {
        "state": [a.state for a in actions],
        "feature": [a.split.feature for a in actions],
        "threshold": [
            None if a.split.threshold is None else number(a.split.threshold)
            for a in actions
        ],
        "missing_left": [int(a.split.missing_left) for a in actions],
        "categories": {
            str(i): list(a.split.categories)
            for i, a in enumerate(actions)
            if a.split.categories is not None
        },
        "left": [a.left for a in actions],
        "right": [a.right for a in actions],
        "kind": [a.kind for a in actions],
        "loss": numbers([a.loss for a in actions]),
        "leaves": [a.n_leaves for a in actions],
        "complexity": numbers([a.complexity for a in actions]),
        "feature_cost": numbers([a.feature_cost for a in actions]),
    }


def rows_of(
    rows: EncodedRows, used: Sequence[int], most: int, loss: Loss
) -> dict[str, Any]:
    """Return some rows in full, column by column."""
    chosen = some_rows(len(rows), most)
    columns = {}
    for j in used:
        columns[str(j)] = numbers(rows.X[chosen, j])
    found: dict[str, Any] = {
        "total": len(rows),
        "number": chosen.tolist(),
        "columns": columns,
    }
    if rows.y is not None:
        y = rows.y[chosen]
        found["y"] = y.tolist() if loss.n_classes else numbers(y)
    return found


def columns_in_file(graph: Graph, n_features: int) -> list[int]:
    """Return the features that rows in the file have."""
    if n_features <= MOST_COLUMNS:
        return list(range(n_features))
    return sorted({action.split.feature for action in graph.actions})


def model_of(plain: Any) -> dict[str, Any]:
    """Return the model file of a plain tree without its tree and checksum."""
    from importlib.metadata import version

    document = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "dpdtree_version": version("dpdtree"),
        **encode_estimator(plain),
    }
    del document["tree"]
    return document


def about(estimator: Any, loss: Loss) -> dict[str, Any]:
    """Return what the tree is and what it minimises."""
    alpha = resolved(estimator, "alpha") if hasattr(estimator, "alpha") else 0.0
    info = LOSSES[resolved(estimator, "loss")]
    return {
        "estimator": type(estimator).__name__,
        "strategy": strategy_of(estimator),
        "loss": resolved(estimator, "loss"),
        "loss_label": _label(info.label),
        "criterion": estimator.criterion,
        "alpha": alpha if isinstance(alpha, str) else number(alpha),
        "complexity": estimator.complexity,
        "classes": _labels(estimator),
        "plain_classes": [
            _plain(value) for value in np.asarray(estimator.classes_).tolist()
        ]
        if loss.n_classes
        else None,
        "costs": None if loss.costs is None else loss.costs.tolist(),
        "quantile": loss.quantile,
        "smoothing": smoothing_of(estimator),
        "shrinkage": getattr(estimator, "shrinkage_", 0.0),
        "named": hasattr(estimator, "feature_names_in_"),
    }


def smoothing_of(estimator: Any) -> dict[str, Any] | None:
    """Return how probabilities of leaves are drawn towards a prior, if they are."""
    if not hasattr(estimator, "classes_"):
        return None
    smoothing = leaf_smoothing(estimator)
    if smoothing is None or smoothing == 0:
        return None
    if smoothing == "laplace":
        return {"kind": "laplace", "strength": 1}
    return {"kind": "m", "strength": float(smoothing)}


def _labels(estimator: Any) -> list[str] | None:
    if not hasattr(estimator, "classes_"):
        return None
    return [str(label) for label in np.asarray(estimator.classes_).tolist()]


def _label(text: str) -> str:
    """Return what is minimised, whatever rows it is measured on."""
    for part in (" of the training rows", "training "):
        text = text.replace(part, "")
    return text
