"""Class probabilities of leaves, drawn towards a prior without changing the label.

A leaf of three rows of one class is no proof that the others never come: its raw
fractions make the log-loss infinite. The m-estimate adds m rows of a prior to each
leaf, the class shares of the whole training set; Laplace's rule adds one row of each
class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
