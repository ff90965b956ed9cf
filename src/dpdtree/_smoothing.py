"""Class probabilities of leaves, drawn towards a prior without changing the label.

A leaf of three rows of one class is no proof that the others never come: its raw
fractions make the log-loss infinite. The m-estimate adds m rows of a prior to each
leaf, the class shares of the whole training set; Laplace's rule adds one row of each
class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._numbers import row_counts
from dpdtree._params.estimators import resolved
from dpdtree._structure import node_values

Floats = NDArray[np.float64]

#: How far the label of a leaf stays above a class that smoothing would put on top.
LEAD = 1.0 + 1e-9


def class_probabilities(
    fractions: Floats, weights: Floats, smoothing: float | str | None
) -> Floats:
    """Return the probabilities of each node, one row per node, the root first.

    Parameters
    ----------
    fractions : ndarray of shape (n_nodes, n_classes)
        Class shares of the training rows; those of the root are the prior.
    weights : ndarray of shape (n_nodes,)
        Training weight of each node, in rows.
    smoothing : float, "laplace" or None
        The m of the m-estimate; None and 0 return the fractions.
    """
    if smoothing is None or smoothing == 0:
        return fractions
    if smoothing == "laplace":
        added = np.ones(fractions.shape[1])
    else:
        added = float(smoothing) * fractions[0]
    counts = fractions * weights[:, np.newaxis] + added
    labels = fractions.argmax(axis=1)
    for node in np.flatnonzero(counts.argmax(axis=1) != labels):
        counts[node] = _with_label_on_top(counts[node], int(labels[node]))
    probabilities: Floats = counts / counts.sum(axis=1, keepdims=True)
    return probabilities


def _with_label_on_top(counts: Floats, label: int) -> Floats:
    """Level the label with the classes above it: the nearest counts that keep it."""
    above = [i for i in np.argsort(-counts, kind="stable") if i != label]
    pooled = [label]
    for i in above:
        if counts[i] < counts[pooled].mean():
            break
        pooled.append(int(i))
    counts = counts.copy()
    counts[pooled] = counts[pooled].mean()
    counts[label] *= LEAD
    return counts


def leaf_smoothing(estimator: Any) -> float | str | None:
    """Return what `leaf_smoothing` of a fitted classifier comes to."""
    smoothing: float | str | None = resolved(estimator, "leaf_smoothing")
    if estimator.leaf_smoothing != "auto":
        return smoothing
    shrinkage = getattr(estimator, "shrinkage_", None)
    # Models of earlier versions know no shrinkage and smooth this loss alone.
    early = shrinkage is None and resolved(estimator, "loss") != "zero_one"
    return None if shrinkage or early or _has_directions(estimator) else smoothing


def _has_directions(estimator: Any) -> bool:
    """Whether `monotonic_cst` constrains any feature."""
    wanted = estimator.monotonic_cst
    if wanted is None:
        return False
    return any(wanted.values() if isinstance(wanted, Mapping) else wanted)


def node_probabilities(estimator: Any, output: int = 0) -> Floats:
    """Return the class probabilities of every node of a fitted classifier."""
    tree, smoothing = estimator.tree_, leaf_smoothing(estimator)

    def probabilities() -> Floats:
        shares = node_values(estimator)[:, output, : tree.n_classes[output]]
        rows = row_counts(tree.weighted_n_node_samples, tree.n_node_samples)
        return class_probabilities(shares, rows, smoothing)

    shrinkage = getattr(estimator, "shrinkage_", 0.0)
    key = ("probabilities", output, smoothing, shrinkage)
    kept: Floats = tree.kept(key, probabilities)
    return kept
