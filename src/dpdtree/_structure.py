"""`TreeStructure`: a fitted tree, read-only, under scikit-learn's array names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._core import TreeData
from dpdtree._numbers import relative_to_first, row_counts

#: What the core looks up in the pass that finds the leaves.
_CORE_TABLES = (np.dtype(np.int64), np.dtype(np.float64))

TREE_LEAF = -1
"""What `children_left` and `children_right` hold at a leaf."""


def decide(
    shares: NDArray[np.float64], costs: NDArray[np.float64] | None
) -> NDArray[np.intp]:
    """Return the class each node stands for, of shape (n_nodes, n_outputs).

    The most frequent one; with `costs`, where entry [i, j] is that of saying j if i is
    true, the one that is expected to cost least. The first of equals.
    """
    best = shares if costs is None else -(shares @ costs)
    said: NDArray[np.intp] = best.argmax(axis=2)
    return said


def node_values(estimator: Any) -> NDArray[np.float64]:
    """Return `tree_.value` as predictions have it: shrunk."""
    values: NDArray[np.float64] = estimator.tree_.shrunk(
        getattr(estimator, "shrinkage_", 0.0)
    )
    return values


def node_predictions(estimator: Any) -> NDArray[np.float64]:
    """Return what each node of a regression tree predicts, a number per output."""
    values = node_values(estimator)
    return values.reshape(len(values), -1)


def node_decisions(estimator: Any) -> NDArray[np.intp]:
    """Return the class that each node predicts, of shape (node_count, n_outputs)."""
    costs = getattr(estimator, "cost_matrix_", None)
    if costs is not None:
        return decide(node_values(estimator), costs)
    kept: NDArray[np.intp] = estimator.tree_.kept(
        ("decisions", getattr(estimator, "shrinkage_", 0.0)),
        lambda: decide(node_values(estimator), None),
    )
    return kept


class TreeStructure:
    """Read-only view of a tree as parallel arrays, one entry per node.

    Nodes are numbered depth first: the root is node 0 and a left child follows its
    parent. A row goes left where ``X[:, feature] <= threshold``; a missing value
    goes left where ``missing_go_to_left`` is 1. At leaves both children are -1,
    ``feature`` and ``threshold`` are -2. Where the feature is categorical,
    ``threshold`` is NaN and the rows of ``categories_left`` go left; X holds places in
    the estimator's ``categories_`` there, NaN where a category is unknown.

    Attributes
    ----------
    node_count, n_leaves, max_depth : int
        Size of the tree.
    n_features, n_outputs, max_n_classes : int
        Shape of the problem; `max_n_classes` is 1 for regression.
    n_classes : ndarray of shape (n_outputs,)
        Number of classes of each output (1 for regression).
    children_left, children_right, feature : int64 ndarray of shape (node_count,)
        Where to go and what to look at.
    threshold, impurity, weighted_n_node_samples : float64 ndarray of (node_count,)
        Thresholds, impurity of the criterion and weight of the training rows.
    n_node_samples : int64 ndarray of shape (node_count,)
        Number of training rows.
    missing_go_to_left : uint8 ndarray of shape (node_count,)
        Side of missing values.
    categories_left : list of int64 ndarrays or None, one per node
        Categories that go left; None at leaves and where the feature is a number.
    value : float64 ndarray of shape (node_count, n_outputs, max_n_classes)
        Class fractions (zero beyond the classes of an output), or the prediction: a
        mean, median or quantile, as the loss has it.
    """

    __slots__ = ("_data", "_kept")

    def __init__(self, data: TreeData) -> None:
        self._data = data
        self._kept: dict[str, tuple[tuple[Any, ...], NDArray[Any]]] = {}

    def __reduce__(self) -> tuple[type[TreeStructure], tuple[TreeData]]:
        return TreeStructure, (self._data,)

    def __repr__(self) -> str:
        return (
            f"TreeStructure(node_count={self.node_count}, n_leaves={self.n_leaves},"
            f" max_depth={self.max_depth})"
        )

    def kept(
        self, key: tuple[Any, ...], make: Callable[[], NDArray[Any]]
    ) -> NDArray[Any]:
        """Return what `make` says of the nodes, read-only; it is asked once per key.

        A key is a name and the numbers that the array depends on, beside the tree.
        Only the latest array of a name is kept: a few rows are predicted in less time
        than it takes to make one.
        """
        known = self._kept.get(key[0])
        if known is None or known[0] != key:
            array = np.ascontiguousarray(make()).view()
            array.flags.writeable = False
            known = self._kept[key[0]] = (key, array)
        return known[1]

    @property
    def node_count(self) -> int:
        return self._data.node_count

    @property
    def n_leaves(self) -> int:
        return self._data.n_leaves

    @property
    def max_depth(self) -> int:
        return self._data.max_depth

    @property
    def n_features(self) -> int:
        return self._data.n_features

    @property
    def n_outputs(self) -> int:
        return self._data.n_outputs

    @property
    def max_n_classes(self) -> int:
        return self._data.n_values // self._data.n_outputs

    @property
    def n_classes(self) -> NDArray[np.intp]:
        return self._data.n_classes.astype(np.intp)

    @property
    def children_left(self) -> NDArray[np.int64]:
        return self._data.children_left

    @property
    def children_right(self) -> NDArray[np.int64]:
        return self._data.children_right

    @property
    def feature(self) -> NDArray[np.int64]:
        return self._data.feature

    @property
    def threshold(self) -> NDArray[np.float64]:
        return self._data.threshold

    @property
    def missing_go_to_left(self) -> NDArray[np.uint8]:
        return self._data.missing_go_to_left

    @property
    def categories_left(self) -> list[NDArray[np.int64] | None]:
        ends = self._data.category_end
        if ends.size == 0:
            return [None] * self.node_count
        parts = np.split(self._data.category_left, ends[:-1])
        return [part if part.size else None for part in parts]

    @property
    def impurity(self) -> NDArray[np.float64]:
        return self._data.impurity

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        return self._data.n_node_samples

    @property
    def weighted_n_node_samples(self) -> NDArray[np.float64]:
        return self._data.weighted_n_node_samples

    @property
    def value(self) -> NDArray[np.float64]:
        return self.node_values.reshape(
            self.node_count, self.n_outputs, self.max_n_classes
        )

    @property
    def node_values(self) -> NDArray[np.float64]:
        """`value` with the outputs side by side, of shape (node_count, n_values)."""
        return self._data.value

    def apply(self, X: NDArray[Any], n_threads: int = 1) -> NDArray[np.int64]:
        """Return the leaf each row of X ends in.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Encoded rows.
        n_threads : int, default=1
            Threads to use.

        Returns
        -------
        ndarray of shape (n_samples,)
            Indices of leaves.
        """
        return self._data.apply(X, n_threads)

    def look_up(
        self, X: NDArray[Any], table: NDArray[Any], n_threads: int = 1
    ) -> NDArray[Any]:
        """Return the entry of `table` that belongs to the leaf of each row of X.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Encoded rows.
        table : ndarray of shape (node_count,) or (node_count, n_columns)
            What is said of each node.
        n_threads : int, default=1
            Threads to use.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_columns)
            Of the table's dtype.
        """
        if table.dtype not in _CORE_TABLES:
            return table[self._data.apply(X, n_threads)]
        columns = table.reshape(len(table), -1)
        found: NDArray[Any] = self._data.look_up(X, columns, n_threads)
        # NumPy has two types of 64-bit integers: print and compare as the labels do.
        return found.view(table.dtype).reshape(-1, *table.shape[1:])

    def decision_path(
        self, X: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return (indptr, indices): the nodes each row of X passes, in CSR form.

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Encoded rows.

        Returns
        -------
        indptr, indices : ndarray
            The two index arrays of a CSR matrix.
        """
        indptr, indices = self._data.decision_path(X)
        return indptr, indices

    def predict(self, X: NDArray[Any], n_threads: int = 1) -> NDArray[np.float64]:
        """Return the value of the leaf of each row, of shape (n_rows, n_values).

        Parameters
        ----------
        X : ndarray of shape (n_samples, n_features)
            Encoded rows.
        n_threads : int, default=1
            Threads to use.

        Returns
        -------
        ndarray of shape (n_samples, n_values)
            Class weights, or one value per output.
        """
        return self.look_up(X, self.node_values, n_threads)

    def decisions(self, costs: NDArray[np.float64] | None = None) -> NDArray[np.intp]:
        """Return the class each node stands for, of shape (node_count, n_outputs).

        The most frequent one; with `costs`, where entry [i, j] is that of saying j if
        i is true, the one that is expected to cost least. The first of equals.
        """
        return decide(self.value, costs)

    def shrunk(self, strength: float) -> NDArray[np.float64]:
        """Return what `value` is after hierarchical shrinkage, of the same shape.

        Parameters
        ----------
        strength : float >= 0
            Each step of a path is divided by 1 + strength / rows of the upper node;
            0 changes nothing.
        """
        if strength == 0.0:
            return self.value

        def values() -> NDArray[np.float64]:
            rows = row_counts(self.weighted_n_node_samples, self.n_node_samples)
            return self._data.shrunk_values(rows, strength).reshape(self.value.shape)

        return self.kept(("values", strength), values)

    def compute_feature_importances(
        self, normalize: bool = True
    ) -> NDArray[np.float64]:
        """Return the total impurity decrease each feature brings.

        Sums over the splits of a feature, weighted by the training weight of the
        nodes; normalised to sum to one unless nothing was gained.

        Parameters
        ----------
        normalize : bool, default=True
            Whether the importances sum to one.

        Returns
        -------
        ndarray of shape (n_features,)
            The importances.
        """
        split = np.flatnonzero(self.children_left != TREE_LEAF)
        weights = relative_to_first(self.weighted_n_node_samples)
        weighted = weights * self.impurity
        gain = (
            weighted[split]
            - weighted[self.children_left[split]]
            - weighted[self.children_right[split]]
        )
        importances = np.zeros(self.n_features)
        np.add.at(importances, self.feature[split], gain)
        importances /= weights[0]
        if normalize and (total := importances.sum()) > 0.0:
            importances /= total
        return importances


def tree_data(tree: TreeStructure) -> TreeData:
    """Return the tree of the core that a structure shows."""
    return tree._data
