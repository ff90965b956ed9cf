"""The band of the front for a plain estimator: its path in folds, on request."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from dpdtree._input.rows import Rows
from dpdtree._input.validation import check_X
from dpdtree._model_selection.tuning import ByAlpha, standard_errors
from dpdtree._operations import plain_estimator
from dpdtree.explorer.front import loss_of, mean_loss
from dpdtree.explorer.rows import EncodedRows


def band_by_folds(
    estimator: Any, path: Any, X: Any, y: Any, sample_weight: Any, n_folds: int
) -> dict[str, Any]:
    """Return the mean loss of held-out rows, with its standard error, by tree.

    Of each fold the tree is taken that is the best for the number of leaves of a tree
    of `path`, or for an alpha in the middle of those for which it is the best: at the
    ends, folds would go to its neighbours as often as to it.
    """
    weight = None if sample_weight is None else np.asarray(sample_weight, float)
    data = Rows(X, np.asarray(y), weight)
    splitter = StratifiedKFold if hasattr(estimator, "classes_") else KFold
    losses = np.zeros((len(path), n_folds))
    with warnings.catch_warnings():
        # A class with fewer rows than folds is scored where it is.
        warnings.filterwarnings("ignore", message="The least populated class")
        splits = splitter(n_folds, shuffle=True, random_state=0)
        folds = list(splits.split(np.zeros(len(data.y)), data.y))
    sizes = path.n_leaves.tolist() if path.kind != "alpha" else ByAlpha(path).values()
    for fold, (train, test) in enumerate(folds):
        rest = _search(path, data.take(train))
        held = data.take(test)
        X_held = check_X(rest[0], held.X, reset=False)
        rows = EncodedRows(X_held, held.y, held.weight)
        losses[:, fold] = [_loss(rest, i, size, rows) for i, size in enumerate(sizes)]
    means, errors = losses.mean(axis=1), standard_errors(losses)
    keep = np.flatnonzero(np.isfinite(means))
    return {
        "leaves": path.n_leaves[keep].tolist(),
        "loss": means[keep].tolist(),
        "error": errors[keep].tolist(),
        "folds": n_folds,
    }


def _search(path: Any, data: Rows) -> Any:
    """Search the same kind of path on other rows."""
    owner = plain_estimator(path[0]).set_params(max_leaf_nodes=None)
    search = owner.regularization_path if path.kind == "alpha" else owner.leaf_path
    return search(data.X, data.y, data.weight)


def _loss(rest: Any, i: int, size: float, rows: EncodedRows) -> float:
    if rest.kind != "alpha":
        model = rest.select(n_leaves=int(size))
    else:
        model = rest.select(alpha=size) if i else rest[0]
    known = getattr(model, "classes_", None)
    if known is None or rows.y is None:
        return mean_loss(model, loss_of(model), rows)
    codes = np.minimum(np.searchsorted(known, rows.y), len(known) - 1)
    if (known[codes] != rows.y).any():
        return np.nan  # a class that the other folds have not
    return mean_loss(model, loss_of(model), replace(rows, y=codes))
