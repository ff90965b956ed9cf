"""Smoothed leaves: hand-made nodes, and that the label never changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree._numbers import row_counts
from dpdtree._smoothing import class_probabilities

ROOT = [0.6, 0.3, 0.1]


def smooth(node, weight, smoothing):
    fractions = np.array([ROOT, node])
    return class_probabilities(fractions, np.array([100.0, weight]), smoothing)[1]


@pytest.mark.parametrize("smoothing", [None, 0, 0.0])
def test_nothing_is_added(smoothing):
    fractions = np.array([ROOT, [1.0, 0.0, 0.0]])
    found = class_probabilities(fractions, np.array([100.0, 3.0]), smoothing)
    assert found is fractions


def test_m_estimate_adds_rows_of_the_prior():
    np.testing.assert_allclose(
        smooth([1.0, 0.0, 0.0], 3.0, 2), [4.2 / 5, 0.6 / 5, 0.2 / 5]
    )


def test_laplace_adds_a_row_of_each_class():
    np.testing.assert_allclose(
        smooth([0.75, 0.25, 0.0], 4.0, "laplace"), [4 / 7, 2 / 7, 1 / 7]
    )


def test_a_label_below_the_prior_keeps_the_lead():
    # Counts 0.6, 1.3, 0.1 are fine; with m = 10: 6, 4, 1 would change the label.
    found = smooth([0.0, 1.0, 0.0], 1.0, 10)
    np.testing.assert_allclose(found, [5 / 11, 5 / 11, 1 / 11], rtol=1e-8)
    assert found.argmax() == 1


def test_a_tie_stays_with_the_first_class():
    found = smooth([0.0, 0.5, 0.5], 4.0, 1)
    assert found.argmax() == 1
    prior_last = np.array([[0.1, 0.9], [0.5, 0.5]])
    for m in (0.5, "laplace", 1e6):
        tied = class_probabilities(prior_last, np.array([10.0, 4.0]), m)[1]
        assert tied.argmax() == 0
        assert tied[0] == pytest.approx(0.5)


@given(data=st.data(), n_classes=st.integers(2, 5))
def test_labels_probabilities_and_order(data, n_classes):
    row = st.lists(st.integers(0, 6), min_size=n_classes, max_size=n_classes)
    nodes = data.draw(st.lists(row.filter(any), min_size=1, max_size=6))
    scale = data.draw(st.sampled_from([1e-6, 0.3, 1.0, 1e6]))
    smoothing = data.draw(
        st.one_of(st.just("laplace"), st.floats(0.0, 1e9), st.integers(0, 100))
    )
    counted = np.array([np.sum(nodes, axis=0), *nodes], dtype=float) * scale
    weights = counted.sum(axis=1)
    fractions = counted / weights[:, np.newaxis]
    found = class_probabilities(fractions, weights, smoothing)
    np.testing.assert_array_equal(found.argmax(axis=1), fractions.argmax(axis=1))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found >= 0.0).all()
    if smoothing == "laplace":
        assert (found > 0.0).all()


def test_weights_that_are_no_counts_are_shares():
    n_rows = np.array([4, 1])
    np.testing.assert_array_equal(row_counts(np.array([8.0, 3.0]), n_rows), [8, 3])
    for scale in (0.125, 1e-3):
        shares = np.array([8.0, 3.0]) * scale
        np.testing.assert_allclose(row_counts(shares, n_rows), [4.0, 1.5])
