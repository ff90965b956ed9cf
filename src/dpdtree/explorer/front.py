"""The front: loss against leaves, on training rows, other rows and folds."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone

from dpdtree._input.prepared import PreparedRows
from dpdtree._losses import LOSSES
from dpdtree._model_selection.tuning import chosen_by, tuned_by
from dpdtree._operations import plain_estimator
from dpdtree._params.estimators import resolved
from dpdtree._smoothing import node_probabilities
from dpdtree._structure import node_decisions, node_predictions
from dpdtree.explorer.graph import Graph
from dpdtree.explorer.rows import EncodedRows, Floats, Loss
from dpdtree.plotting.path import training_loss


def loss_of(estimator: Any, name: str | None = None) -> Loss:
    """Return the loss of an estimator, or another one, as the explorer counts it."""
    classes = getattr(estimator, "classes_", ())
    return Loss(
        resolved(estimator, "loss") if name is None else name,
        len(classes),
        float(getattr(estimator, "quantile", 0.5)),
        getattr(estimator, "cost_matrix_", None),
    )


def mean_loss(model: Any, loss: Loss, rows: EncodedRows) -> float:
    """Return the mean loss of a model's predictions on encoded rows.

    Of the Gini loss this is Brier's score, whose mean over the training rows it is.
    """
    assert rows.y is not None
    leaves = model.tree_.apply(rows.X)
    if not loss.n_classes:
        said = node_predictions(model)[:, 0][leaves]
        return _mean(loss.of_predictions(rows.y.astype(float), said), rows)
    if loss.name in ("zero_one", "cost_matrix"):
        codes = node_decisions(model)[:, 0][leaves]
        costs = 1.0 - np.eye(loss.n_classes) if loss.costs is None else loss.costs
        return _mean(costs[rows.y, codes], rows)
    shares = node_probabilities(model)[leaves]
    true = shares[np.arange(len(shares)), rows.y]
    if loss.name == "gini":
        return _mean(np.square(shares).sum(axis=1) - 2 * true + 1, rows)
    with np.errstate(divide="ignore"):
        return _mean(-np.log(true), rows)


def _mean(losses: Floats, rows: EncodedRows) -> float:
    return float(np.average(losses, weights=rows.weight))


def front_of(
    path: Any, graph: Graph, loss: Loss, test: EncodedRows | None
) -> list[dict[str, Any]]:
    """Return the points of a path; their trees become parts of the graph."""
    points = []
    for i, model in enumerate(path):
        point: dict[str, Any] = {
            "leaves": int(path.n_leaves[i]),
            "loss": float(path.losses[i]),
            "test": None if test is None else finite(mean_loss(model, loss, test)),
            "tree": graph.place(model.tree_),
        }
        if path.kind == "alpha":
            point["alpha"] = finite(float(path.alphas[i]))
        points.append(point)
    return points


def finite(number: float) -> float | None:
    """Return a number that JSON can hold, or None."""
    return float(number) if math.isfinite(number) else None


def cart_of(estimator: Any, rows: PreparedRows) -> Any:
    """Return CART with the same limits, fitted."""
    plain = plain_estimator(estimator)
    simple = LOSSES[resolved(estimator, "loss")].simple
    parameters: dict[str, Any] = {"strategy": "greedy", "alpha": 0.0}
    if plain.max_depth == "auto" and hasattr(estimator, "tree_"):
        parameters["max_depth"] = max(1, estimator.tree_.max_depth)
    if plain.max_leaf_nodes is not None:
        parameters["max_leaf_nodes"] = None
    if simple:
        classes = hasattr(estimator, "classes_")
        parameters["loss"] = _criterion_loss(plain) if classes else "squared_error"
    cart = clone(plain).set_params(**parameters)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cart.fit(rows, None)
    vars(cart).pop("cost_matrix_", None)  # it decides by shares
    return cart


def _criterion_loss(plain: Any) -> str:
    return "gini" if plain.criterion == "gini" else "log_loss"


def cart_point(cart: Any, estimator: Any, loss: Loss, test: EncodedRows | None) -> Any:
    """Return CART's point in the front, by the estimator's own loss."""
    own = training_loss(cart.tree_, resolved(estimator, "loss"))
    if cart.loss == resolved(estimator, "loss"):
        own = cart.loss_
    value = None if test is None else finite(mean_loss(cart, loss, test))
    return {"leaves": cart.get_n_leaves(), "loss": own, "test": value}


def band_of(estimator: Any, root_loss: float) -> dict[str, Any] | None:
    """Return the scores of the folds as losses with standard errors, if they are."""
    if not hasattr(estimator, "cv_results_"):
        return None
    results = estimator.cv_results_
    sizes = np.asarray(results["mean_n_leaves"], float)
    if tuned_by(estimator) == "n_leaves":
        sizes = np.asarray(results["param_n_leaves"], float)
    scoring = chosen_by(estimator)
    means = np.asarray(results["mean_test_score"], float)
    errors = np.asarray(results["se_test_score"], float)
    changed = _as_loss(scoring, resolved(estimator, "loss"), means, errors, root_loss)
    if changed is None:
        return None
    means, errors = changed
    order = np.argsort(sizes, kind="stable")
    keep = [i for i in order.tolist() if np.isfinite(means[i])]
    return {
        "leaves": [float(sizes[i]) for i in keep],
        "loss": [float(means[i]) for i in keep],
        "error": [float(errors[i]) for i in keep],
        "folds": int(estimator.n_splits_),
    }


def _as_loss(scoring: Any, loss: str, means: Any, errors: Any, root: float) -> Any:
    if not isinstance(scoring, str):
        same = loss in ("quantile", "cost_matrix")  # minus the loss itself
        return (-means, errors) if same else None
    if scoring == "accuracy" and loss == "zero_one":
        return 1.0 - means, errors
    if scoring == "r2" and loss == "squared_error":
        return (1.0 - means) * root, errors * root
    if scoring == f"neg_mean_{loss}":
        return -means, errors
    if scoring == "neg_log_loss" and loss == "log_loss":
        return -means, errors
    return None
