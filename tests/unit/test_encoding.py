"""Labels, targets and class weights."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpdtree._input.labels import encode_labels, encode_targets, weigh_classes

INT64 = np.iinfo(np.int64)


@pytest.mark.parametrize(
    "y",
    [
        np.array([3, 1, 3, 2]),
        np.array([-128, 127, 0], dtype=np.int8),
        np.array([0, 255, 7], dtype=np.uint8),
        np.array([INT64.min, INT64.max, 0]),
        np.array([INT64.min + 2, INT64.min]),
        np.array([2**64 - 1, 2**64 - 2, 0], dtype=np.uint64),
        np.array([10**12, 5, -(10**12)]),
        np.array([True, False, True]),
        np.array([False, False]),
        np.array([2.0, -1.0, 2.0]),
        np.array(["b", "a", "ab"]),
        np.array([b"b", b"a"]),
        np.array(["b", "a", "b"], dtype=object),
        np.array([5, 3, 5], dtype=object),
        np.array([True, False], dtype=object),
        np.array([(1, 2), (0, 5), (1, 2)], dtype="i4,i4"),
        np.array([7] * 3),
        np.array(["2024-01-02", "2024-01-01"], dtype="M8[D]"),
        np.array([1, 2, 1], dtype=">i4"),
    ],
    ids=lambda y: f"{y.dtype}",
)
def test_labels_match_a_sorted_set(y):
    classes, codes = encode_labels(y)
    expected = sorted(set(y.tolist()))
    assert classes.tolist() == expected
    assert codes.dtype == np.uint8
    assert codes.flags.c_contiguous
    assert [expected[code] for code in codes] == y.tolist()


@pytest.mark.parametrize(
    "y",
    [
        np.array([-128, 127, -128], dtype=np.int8),
        np.array([2**32 - 1, 2**32 - 3], dtype=np.uint32),
        np.array([-(2**31), -(2**31) + 2], dtype=np.int32),
        np.array([-(2**40), -(2**40) + 1]),
        np.array([0, 9, 1, 9, 0, 9], dtype=np.int32)[::2],
    ],
)
def test_codes_of_integers_far_from_zero(y):
    classes, codes = encode_labels(y)
    expected, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    np.testing.assert_array_equal(codes, places)
    assert codes.dtype == np.uint8
    assert codes.flags.c_contiguous


@pytest.mark.parametrize(
    ("n_classes", "dtype"), [(256, np.uint8), (257, np.int32), (300, np.int32)]
)
@pytest.mark.parametrize("kind", [">i4", "<i4", "i2", "i8", "f8", "U4"])
def test_codes_are_as_wide_as_they_must_be(n_classes, dtype, kind):
    places = np.random.default_rng(0).permutation(n_classes)
    labels = np.arange(1000, 1000 + n_classes)
    classes, codes = encode_labels(labels[places].astype(kind))
    assert codes.dtype == dtype
    np.testing.assert_array_equal(codes, places)
    np.testing.assert_array_equal(classes, labels.astype(kind))


def test_label_dtype_is_kept():
    for dtype in ("i1", "u2", "i8", "?", "f4", "U3"):
        y = np.array([0, 1, 1]).astype(dtype)
        assert encode_labels(y)[0].dtype == y.dtype


@pytest.mark.parametrize(
    "y",
    [
        np.array([1.0, math.nan]),
        np.array(["a", None], dtype=object),
        np.array(["a", math.nan], dtype=object),
    ],
)
def test_missing_labels(y):
    with pytest.raises(ValueError, match="Input y contains NaN"):
        encode_labels(y)


def test_missing_label_of_pandas():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="Input y contains NaN"):
        encode_labels(np.array(["a", pandas.NA], dtype=object))


@pytest.mark.parametrize("dtype", [float, object])
def test_continuous_labels(dtype):
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        encode_labels(np.array([0.5, 1.0, 2.0], dtype=dtype))


def test_labels_without_an_order():
    with pytest.raises(TypeError, match="y mixes labels that have no order"):
        encode_labels(np.array([1, "a"], dtype=object))


@pytest.mark.parametrize(
    "y", [[1, 2], [True, False], np.array([1.5, 2.5], dtype="f4"), ["1.5", "2"]]
)
def test_targets(y):
    encoded = encode_targets(np.asarray(y))
    assert encoded.dtype == np.float64
    np.testing.assert_array_equal(encoded, np.asarray(y).astype(float))


def test_float64_targets_are_not_copied():
    y = np.array([1.0, 2.0])
    assert encode_targets(y) is y
    assert encode_targets(np.arange(6.0)[::2]).flags.c_contiguous


@pytest.mark.parametrize("y", [np.array(["a", "b"]), np.array([None, 1.0])])
def test_targets_that_are_no_numbers(y):
    with pytest.raises(ValueError, match=r"y must be numeric|y contains NaN"):
        encode_targets(y)


CLASSES = np.array(["a", "b", "c"])
CODES = np.array([0, 0, 0, 1, 1, 2], dtype=np.int32)


def test_balanced_weights():
    weight = weigh_classes("balanced", CLASSES, CODES, None)
    np.testing.assert_allclose(np.bincount(CODES, weight), 2.0)


def test_listed_weights():
    weight = weigh_classes({"a": 2.0, "b": 0.0}, CLASSES, CODES, None)
    assert weight.tolist() == [2, 2, 2, 0, 0, 1]
    given = np.arange(6.0)
    product = weigh_classes({"a": 2.0, "b": 0.0}, CLASSES, CODES, given)
    assert product.tolist() == [0, 2, 4, 0, 0, 5]
    assert given.tolist() == list(range(6))


def test_listed_labels_need_not_occur():
    weight = weigh_classes({"a": 2, "b": 1, "c": 3, "z": 9}, CLASSES, CODES, None)
    assert weight.tolist() == [2, 2, 2, 1, 1, 3]


def test_misspelt_label():
    with pytest.raises(ValueError, match=r"class_weight lists \['A'\].* not \['a'\]"):
        weigh_classes({"A": 2, "b": 1, "c": 3}, CLASSES, CODES, None)


def test_weights_of_nothing():
    with pytest.raises(ValueError, match=r"class_weight .* at least one non-zero"):
        weigh_classes({"a": 0, "b": 0, "c": 0}, CLASSES, CODES, None)
