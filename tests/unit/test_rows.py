"""Features, targets and weights that are taken together."""

from __future__ import annotations

import numpy as np
import pytest

from dpdtree._boosting.sample import Sample
from dpdtree._input.rows import Rows
from dpdtree.explorer.rows import EncodedRows

X = np.array([[1.0], [2.0], [3.0]])
Y = np.array([0, 1, 0])
WEIGHT = np.array([0.5, 1.0, 2.0])


@pytest.mark.parametrize("index", [np.array([2, 0]), np.array([True, False, True])])
@pytest.mark.parametrize("kind", [Rows, EncodedRows, Sample])
def test_rows_of_arrays(kind, index):
    some = kind(X, Y, WEIGHT).take(index)
    assert type(some) is kind
    assert len(some) == 2
    np.testing.assert_array_equal(some.X, X[index])
    np.testing.assert_array_equal(some.y, Y[index])
    np.testing.assert_array_equal(some.weight, WEIGHT[index])


def test_rows_without_targets_and_weights():
    some = Rows(X, None, None).take(np.array([1]))
    assert some.X.tolist() == [[2.0]]
    assert some.y is None
    assert some.weight is None


def test_scores_to_start_from_are_taken_too():
    init = np.array([[0.1], [0.2], [0.3]])
    some = Sample(X, Y, None, init).take(np.array([2, 1]))
    assert some.init.tolist() == [[0.3], [0.2]]


@pytest.mark.parametrize("container", ["pandas", "polars", "table", "batch"])
def test_rows_stay_in_their_container(container):
    if container in ("pandas", "polars"):
        frame = pytest.importorskip(container).DataFrame({"a": X[:, 0]})
    else:
        pa = pytest.importorskip("pyarrow")
        make = pa.table if container == "table" else pa.RecordBatch.from_pydict
        frame = make({"a": X[:, 0]})
    rows = Rows(frame, Y, None)
    some = rows.take(np.array([2, 0]))
    assert (len(rows), len(some)) == (3, 2)
    assert type(some.X) is type(frame)
    assert list(map(float, np.asarray(some.X["a"]))) == [3.0, 1.0]
