"""The read-only view of a tree."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.unit import trees

pytestmark = pytest.mark.native

ARRAYS = {
    "children_left": np.int64,
    "children_right": np.int64,
    "feature": np.int64,
    "threshold": np.float64,
    "missing_go_to_left": np.uint8,
    "impurity": np.float64,
    "n_node_samples": np.int64,
    "weighted_n_node_samples": np.float64,
    "value": np.float64,
}


@pytest.fixture
def tree():
    return trees.classifier().tree_


def test_sizes(tree):
    assert (tree.node_count, tree.n_leaves, tree.max_depth) == (5, 3, 2)
    assert (tree.n_features, tree.n_outputs, tree.max_n_classes) == (3, 1, 2)
    assert tree.n_classes.tolist() == [2]
    assert tree.value.shape == (5, 1, 2)
    assert repr(tree) == "TreeStructure(node_count=5, n_leaves=3, max_depth=2)"


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_are_typed_and_read_only(tree, name):
    array = getattr(tree, name)
    assert array.dtype == ARRAYS[name]
    assert len(array) == tree.node_count
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0


def test_attributes_cannot_be_set(tree):
    with pytest.raises(AttributeError):
        tree.node_count = 3
    with pytest.raises(AttributeError):
        tree.threshold = np.zeros(5)


def test_arrays_outlive_the_tree():
    threshold = trees.classifier().tree_.threshold
    assert threshold.tolist() == [0.5, -2.0, 10.0, -2.0, -2.0]


ROWS = np.array(
    [[0, 0.5, 9], [10, 0.6, 9], [11, 0.6, 9], [np.nan, 0.6, 9], [0, np.nan, 9]]
)


def test_apply_and_predict(tree):
    assert tree.apply(ROWS).tolist() == [1, 3, 4, 3, 3]
    assert tree.predict(ROWS).argmax(axis=1).tolist() == [0, 1, 0, 1, 1]


def test_decision_path(tree):
    indptr, indices = tree.decision_path(ROWS[:3])
    assert indptr.tolist() == [0, 2, 5, 8]
    assert indices.tolist() == [0, 1, 0, 2, 3, 0, 2, 4]


def test_importances(tree):
    # Root: 12 * 0.5 - 4 * 0 - 8 * 0.375 = 3; right child: 8 * 0.375 = 3.
    np.testing.assert_allclose(tree.compute_feature_importances(), [0.5, 0.5, 0.0])
    raw = tree.compute_feature_importances(normalize=False)
    np.testing.assert_allclose(raw, [0.25, 0.25, 0.0])


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
def test_copies_are_equal(tree, copied):
    twin = copied(tree)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(twin, name), getattr(tree, name))
    assert twin.max_depth == tree.max_depth
