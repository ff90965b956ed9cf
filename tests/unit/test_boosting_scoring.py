"""What early stopping scores: which rows, and with which weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import get_scorer, make_scorer

from dpdtree._boosting.aside import counts_aside, rows_aside
from dpdtree._boosting.scoring import takes_weights


@given(st.data())
def test_every_class_keeps_a_row_and_gives_its_share(data):
    sizes = data.draw(st.lists(st.integers(1, 60), min_size=1, max_size=6))
    seed = data.draw(st.integers(0, 2**31))
    share = data.draw(st.floats(0.01, 0.99))
    labels = np.random.default_rng(seed).permutation(
        np.repeat(range(len(sizes)), sizes)
    )
    spare = len(labels) - len(sizes)
    if spare == 0:
        with pytest.raises(ValueError, match=r"validation_fraction=.* cannot be set"):
            rows_aside(share, labels, None, seed)
        return
    chosen = rows_aside(share, labels, None, seed)
    count = min(spare, int(np.ceil(share * len(labels))))
    assert chosen.sum() == count
    for label, size in enumerate(sizes):
        given = chosen[labels == label].sum()
        assert given < size
        # The others may have to give what this one, or its last row, does not.
        if spare - count >= len(sizes):
            assert given <= share * size + len(sizes) + 1
    number = data.draw(st.integers(1, spare))
    assert rows_aside(number, labels, None, seed).sum() == number


@given(st.data())
def test_counts_are_those_of_sorted_ranks(data):
    sizes = data.draw(st.lists(st.integers(0, 300), min_size=1, max_size=8))
    sizes = np.array([2, *sizes])
    ranks = [
        ((place + 0.5) / size, label)
        for label, size in enumerate(sizes)
        for place in range(size - 1)
    ]
    number = data.draw(st.integers(1, len(ranks)))
    first = [label for _, label in sorted(ranks)[:number]]
    expected = np.bincount(first, minlength=len(sizes))
    np.testing.assert_array_equal(counts_aside(number, sizes), expected)


def test_rows_of_large_classes_come_in_proportion():
    labels = np.repeat([0, 1, 2], [7000, 2000, 1000])
    chosen = rows_aside(0.1, labels, None, 0)
    assert list(np.bincount(labels[chosen])) == [700, 200, 100]
    places = np.flatnonzero(chosen) / len(labels)
    assert abs(np.mean(places) - 0.5) < 0.03  # not the first ones, nor the last


def test_rows_without_weight_stay():
    labels = np.repeat([0, 1], 50)
    weight = np.r_[np.zeros(49), 1.0, np.ones(50)]
    chosen = rows_aside(0.4, labels, weight, 3)
    assert not chosen[:50].any()
    assert chosen.sum() == 21  # of 51


def test_a_row_is_chosen_by_its_number_and_the_seed():
    labels = np.zeros(1000)
    chosen = [rows_aside(0.2, labels, None, seed) for seed in (0, 0, 1, 2**31 - 2)]
    np.testing.assert_array_equal(chosen[0], chosen[1])
    shared = [np.sum(chosen[0] & other) for other in chosen[2:]]
    assert all(10 < n < 90 for n in shared)  # 40, if they know nothing of each other
    longer = rows_aside(0.2, np.zeros(2000), None, 0)[:1000]
    assert np.sum(longer & chosen[0]) > 150


@pytest.mark.parametrize("number", [5, 10])
def test_more_rows_than_there_are(number):
    with pytest.raises(ValueError, match=r"validation_fraction=\d+ .* 4 of 5 rows"):
        rows_aside(number, np.zeros(5), None, 0)


def metric(y, predicted):
    return 0.0


@pytest.mark.parametrize(
    ("scorer", "takes"),
    [
        (lambda estimator, X, y: 0.0, False),
        (lambda estimator, X, y, sample_weight: 0.0, True),
        (lambda estimator, X, y, **more: 0.0, True),
        (get_scorer("accuracy"), True),
        (get_scorer("adjusted_rand_score"), False),
        (make_scorer(metric), False),
        (max, False),
    ],
)
def test_who_takes_weights(scorer, takes):
    assert takes_weights(scorer) is takes
