"""The same values in another container or memory layout give the same tree."""

from __future__ import annotations

import numpy as np
import pytest

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from tests.integration.data import (
    assert_same_tree,
    make_classes,
    make_targets,
    with_missing,
)


def as_memmap(X, tmp_path):
    mapped = np.memmap(tmp_path / "X", dtype=X.dtype, mode="w+", shape=X.shape)
    mapped[:] = X
    mapped.flush()
    return np.memmap(tmp_path / "X", dtype=X.dtype, mode="r", shape=X.shape)


def as_read_only(X, tmp_path):
    X = X.copy()
    X.setflags(write=False)
    return X


def as_strided(X, tmp_path):
    wide = np.full((2 * X.shape[0], 3 * X.shape[1]), -7.0)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def as_reversed(X, tmp_path):
    return X[::-1, ::-1].copy()[::-1, ::-1]


def as_unaligned(X, tmp_path):
    raw = np.zeros(X.nbytes + 1, dtype=np.uint8)
    view = raw[1:].view(X.dtype).reshape(X.shape)
    view[:] = X
    return view


FORMS = {
    "fortran": lambda X, _: np.asfortranarray(X),
    "read_only": as_read_only,
    "memmap": as_memmap,
    "strided": as_strided,
    "reversed": as_reversed,
    "unaligned": as_unaligned,
    "float32": lambda X, _: X.astype(np.float32),
    "float32_fortran": lambda X, _: np.asfortranarray(X.astype(np.float32)),
    "big_endian": lambda X, _: X.astype(">f8"),
    "longdouble": lambda X, _: X.astype(np.longdouble),
    "object": lambda X, _: X.astype(object),
    "list": lambda X, _: X.tolist(),
}


@pytest.mark.native
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("missing", [False, True])
def test_float_forms(form, missing, tmp_path):
    X, y = make_classes(n_samples=150)
    X = with_missing(X) if missing else X
    plain = DPDTreeClassifier(n_candidates=3).fit(X, y)
    data = FORMS[form](X, tmp_path)
    model = DPDTreeClassifier(n_candidates=3).fit(data, y)
    assert_same_tree(model, plain)
    np.testing.assert_array_equal(model.apply(data), plain.apply(X))
    np.testing.assert_array_equal(
        model.decision_path(data).toarray(), plain.decision_path(X).toarray()
    )


@pytest.mark.native
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_integer_forms(dtype, order):
    X, y = make_classes(n_samples=150)
    data = np.asarray(np.abs(X), dtype=dtype, order=order)
    model = DPDTreeClassifier(n_candidates=3).fit(data, y)
    plain = DPDTreeClassifier(n_candidates=3).fit(data.astype(float), y)
    assert_same_tree(model, plain)
    np.testing.assert_array_equal(model.apply(data), plain.apply(data.astype(float)))


def test_input_is_not_changed():
    X, y = make_classes()
    weight = np.ones(len(X))
    before = X.copy(), y.copy(), weight.copy()
    DPDTreeClassifier(class_weight="balanced").fit(X, y, sample_weight=weight).predict(
        X
    )
    for array, old in zip((X, y, weight), before, strict=True):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize("convert", [list, np.float32, np.asfortranarray])
def test_target_and_weight_forms(convert):
    X, y = make_targets()
    y, weight = np.round(y), np.arange(len(y)) % 4
    plain = DPDTreeRegressor().fit(X, y, sample_weight=weight)
    model = DPDTreeRegressor().fit(X, convert(y), sample_weight=convert(weight))
    assert_same_tree(model, plain)


NAMES = ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = pytest.importorskip(library)
    X, y = make_classes()
    frame = frames.DataFrame({name: X[:, j] for j, name in enumerate(NAMES)})
    labels = frames.Series(["low", "mid", "high"])
    target = frames.Series(np.array(labels)[y])
    model = DPDTreeClassifier().fit(frame, target)
    assert model.feature_names_in_.tolist() == NAMES
    assert_same_tree(model, DPDTreeClassifier().fit(X, np.array(labels)[y]))
    np.testing.assert_array_equal(model.predict(frame), model.predict(frame))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[NAMES[::-1]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


def test_pandas_columns_of_several_types():
    pandas = pytest.importorskip("pandas")
    X, y = make_classes()
    frame = pandas.DataFrame(
        {
            "float32": X[:, 0].astype(np.float32),
            "int": X[:, 1].astype(int),
            "bool": X[:, 2] > 0,
            "nullable": pandas.array(X[:, 3], dtype="Float64"),
        }
    )
    frame.loc[frame.index[:9], "nullable"] = pandas.NA
    plain = np.column_stack([X[:, 0], X[:, 1].astype(int), X[:, 2] > 0, X[:, 3]])
    plain[:9, 3] = np.nan
    assert_same_tree(
        DPDTreeClassifier().fit(frame, y), DPDTreeClassifier().fit(plain, y)
    )


def test_categorical_labels_of_pandas():
    pandas = pytest.importorskip("pandas")
    X, y = make_classes()
    labels = pandas.Series(np.array(["low", "mid", "high"])[y], dtype="category")
    assert DPDTreeClassifier().fit(X, labels).classes_.tolist() == [
        "high",
        "low",
        "mid",
    ]


def test_an_array_after_a_frame():
    """Names are those of the last fit; without any, arrays pass without a warning."""
    frames = pytest.importorskip("pandas")
    X, y = make_classes()
    model = DPDTreeClassifier(max_depth=2).fit(frames.DataFrame(X, columns=NAMES), y)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == X.shape[1]
    model.predict(X)
    with pytest.raises(ValueError, match=f"expecting {X.shape[1]} features"):
        model.predict(X[:, 1:])
