"""The same table in any container gives the same tree; bad columns a clear error."""

from __future__ import annotations

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTreeClassifier,
    DPDTreeRegressor,
    export_text,
)
from tests.integration.data import assert_same_tree, make_classes, with_missing

COLORS = ["red", "green", "blue", "grey", "pink"]
NAMES = ["size", "color", "count", "flag"]
NAMED = {"categorical_features": ["color"]}


def make_table(n=300, seed=0):
    """Return columns as Python lists, None where missing, and labels."""
    rng = np.random.default_rng(seed)
    size, color = rng.normal(size=n).round(2), rng.integers(0, 5, n)
    count, flag = rng.integers(0, 9, n), rng.random(n) < 0.5
    y = ((color % 2 == 0) ^ (size > 0.3)).astype(int) + flag * (count > 5)
    holes = rng.random((n, 4)) < 0.1
    columns = [size, np.array(COLORS, dtype=object)[color], count, flag]
    table = {
        name: [None if hole else value for value, hole in zip(column, gap, strict=True)]
        for name, column, gap in zip(
            NAMES, (c.tolist() for c in columns), holes.T, strict=True
        )
    }
    return table, y


def in_pandas(table):
    frame = pd.DataFrame(table)
    return frame.astype({"color": "category", "count": "Int64", "flag": "boolean"})


def in_pandas_objects(table):
    return pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in table.items()})


def in_pandas_arrow(table):
    return pa.table(table).to_pandas(types_mapper=pd.ArrowDtype)


def in_polars(table, dtype=pl.Categorical):
    return pl.DataFrame(table).with_columns(pl.col("color").cast(dtype))


def in_arrow(table):
    whole = pa.table(table)
    color = whole["color"].dictionary_encode()
    return whole.set_column(1, "color", color)


def in_chunks(table):
    whole = pa.table(table)
    return pa.concat_tables([whole.slice(0, 100), whole.slice(100)])


def as_objects(table):
    return np.array([table[name] for name in NAMES], dtype=object).T


CONTAINERS = {
    "pandas": (in_pandas, {}),
    "pandas_objects": (in_pandas_objects, NAMED),
    "pandas_strings": (lambda t: in_pandas(t).astype({"color": "string"}), NAMED),
    "pandas_arrow": (in_pandas_arrow, NAMED),
    "polars": (in_polars, {}),
    "polars_enum": (lambda t: in_polars(t, pl.Enum(COLORS[::-1])), {}),
    "polars_strings": (pl.DataFrame, NAMED),
    "arrow": (in_arrow, {}),
    "arrow_batch": (lambda t: in_arrow(t).to_batches()[0], {}),
    "arrow_strings": (in_chunks, NAMED),
    "objects": (as_objects, {"categorical_features": [1]}),
    "lists": (lambda t: as_objects(t).tolist(), {"categorical_features": [1]}),
    "mask": (in_pandas_objects, {"categorical_features": [False, True, False, False]}),
}


@pytest.mark.native
@pytest.mark.filterwarnings("ignore:X .* feature names")
@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("strategy", ["greedy", "balanced"])
def test_container(container, strategy):
    table, y = make_table()
    make, parameters = CONTAINERS[container]
    plain = DPDTreeClassifier(strategy=strategy, max_depth=4, **NAMED)
    plain.fit(pd.DataFrame(table), y)
    model = DPDTreeClassifier(strategy=strategy, max_depth=4, **parameters)
    model.fit(make(table), y)
    assert model.is_categorical_.tolist() == [False, True, False, False]
    assert sorted(model.categories_[1]) == sorted(COLORS)
    assert_same_tree(model, plain)
    fresh, _ = make_table(50, seed=1)
    expected = plain.apply(pd.DataFrame(fresh))
    for other, _ in CONTAINERS.values():  # fitted in one, used with another
        np.testing.assert_array_equal(model.apply(other(fresh)), expected)
    assert (model.decision_path(make(table)).sum(axis=1) <= 5).all()
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(model)).predict(make(table)),
        model.predict(make(table)),
    )


def test_categories_of_a_dtype_keep_its_order():
    table, y = make_table()
    color = pd.Categorical(table["color"], categories=[*COLORS, "unused"])
    frame = pd.DataFrame(table).assign(color=color)
    model = DPDTreeClassifier().fit(frame, y)
    assert model.categories_[1].tolist() == COLORS
    assert model.categories_[0] is None


@pytest.mark.native
def test_unseen_categories_go_where_missing_goes():
    table, y = make_table()
    frame = in_pandas(table)
    model = DPDTreeClassifier(max_depth=4).fit(frame, y)
    unseen = frame.assign(color="violet")
    missing = frame.assign(color=None)
    np.testing.assert_array_equal(model.apply(unseen), model.apply(missing))


@pytest.mark.native
@pytest.mark.parametrize("dtype", ["i2", "i8", "u1", "f4", "f8"])
def test_numbers_as_categories(dtype):
    table, y = make_table()
    color = [7 if c is None else COLORS.index(c) for c in table["color"]]
    X = np.column_stack([color, np.arange(len(y))]).astype(dtype)
    model = DPDTreeClassifier(max_depth=2, categorical_features=[0]).fit(X, y)
    assert model.categories_[0].tolist() == [0, 1, 2, 3, 4, 7]
    named = pd.DataFrame({"a": [f"c{c}" for c in X[:, 0]], "b": X[:, 1]})
    twin = DPDTreeClassifier(max_depth=2, categorical_features=["a"]).fit(named, y)
    assert_same_tree(model, twin)


@pytest.mark.native
@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "lil", "dok"])
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csr_array])
def test_sparse(layout, kind):
    X, y = make_classes()
    X[np.abs(X) < 30] = 0.0
    X = with_missing(X)
    data = kind(X).asformat(layout)
    model = DPDTreeClassifier().fit(data, y)
    assert_same_tree(model, DPDTreeClassifier().fit(X, y))
    np.testing.assert_array_equal(model.predict(data), model.predict(X))


@pytest.mark.parametrize("dtype", [np.float16, object, "i4", "?"])
def test_array_types(dtype):
    X, y = make_classes()
    X = np.round(X).astype(dtype)
    plain = DPDTreeClassifier().fit(X.astype(float), y)
    assert_same_tree(DPDTreeClassifier().fit(X, y), plain)


def test_none_and_na_in_objects_are_missing():
    X, y = make_classes()
    X = with_missing(X)
    holes = X.astype(object)
    holes[np.isnan(X)] = None
    holes[1] = [pd.NA, *holes[1, 1:]]
    X[1, 0] = np.nan
    assert_same_tree(DPDTreeClassifier().fit(holes, y), DPDTreeClassifier().fit(X, y))


@pytest.mark.native
def test_columns_without_any_value():
    table, y = make_table()
    empty = {**table, "size": [None] * len(y), "color": [None] * len(y)}
    for make, parameters in CONTAINERS.values():
        model = DPDTreeClassifier(**parameters).fit(make(empty), y)
        assert set(model.tree_.feature[model.tree_.feature >= 0]) <= {2, 3}
        assert model.predict(make(table)).shape == y.shape


@pytest.mark.native
def test_thousands_of_categories():
    rng = np.random.default_rng(0)
    code = np.repeat(np.arange(2000), 12)
    effect = rng.normal(size=2000)
    y = effect[code] + rng.normal(size=code.size) / 4
    X = np.column_stack([code, rng.normal(size=code.size)])
    model = DPDTreeRegressor(max_depth=3, categorical_features=[0]).fit(X, y)
    assert model.score(X, y) > 0.85
    classes = DPDTreeClassifier(max_depth=3, categorical_features=[0])
    assert (
        classes.fit(X, np.digitize(y, [-1, 0, 1])).score(X, np.digitize(y, [-1, 0, 1]))
        > 0.7
    )


def test_rare_ones_of_many_categories_are_unknown():
    rng = np.random.default_rng(0)
    name = [f"n{i}" for i in range(200)]
    kind = ["a", "b", None] * 66 + ["a", "b"]
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"name": name, "kind": kind})
    model = DPDTreeClassifier(categorical_features=["name", "kind"]).fit(frame, y)
    assert model.categories_[0].tolist() == []
    assert model.categories_[1].tolist() == ["a", "b"]
    assert set(model.tree_.feature) <= {1, -2}


BAD_COLUMNS = {
    "names": (
        [f"no. {i}" for i in range(40)],
        ValueError,
        r"strings in the columns \['bad'\], most .* leave the columns out, list them",
    ),
    "dates": (
        [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)] * 20,
        TypeError,
        "Column 'bad' of X is of dtype .*neither numbers nor categories",
    ),
    "lists": ([[1], [2, 3]] * 20, TypeError, "Column 'bad' of X is of dtype"),
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_bad_columns(library, case):
    values, error, message = BAD_COLUMNS[case]
    X = library({"good": [1.0, 2.0] * 20, "bad": values})
    for kind in (DPDTreeClassifier, DPDTBoostingClassifier):
        with pytest.raises(error, match=message):
            kind().fit(X, [0, 1] * 20)


def test_strings_beside_a_list_of_categories():
    X = pd.DataFrame({"a": ["u", "v"] * 20, "b": ["w", "x"] * 20})
    for chosen in (["a"], None):
        model = DPDTreeClassifier(categorical_features=chosen)
        with pytest.raises(ValueError, match=r"columns .*'b'\]: list them in"):
            model.fit(X, [0, 1] * 20)


TEXTS = {
    "pandas_objects": in_pandas_objects,
    "pandas_strings": CONTAINERS["pandas_strings"][0],
    "pandas_arrow": in_pandas_arrow,
    "polars_strings": pl.DataFrame,
    "arrow_strings": in_chunks,
}


@pytest.mark.parametrize("library", TEXTS)
@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTBoostingClassifier])
def test_strings_are_categories(library, kind):
    table, y = make_table()
    named = kind(**NAMED, random_state=0).fit(pd.DataFrame(table), y)
    model = kind(random_state=0).fit(TEXTS[library](table), y)
    assert model.is_categorical_.tolist() == [False, True, False, False]
    fresh, _ = make_table(50, seed=1)
    np.testing.assert_array_equal(
        model.predict_proba(TEXTS[library](fresh)),
        named.predict_proba(pd.DataFrame(fresh)),
    )


def column_of(sizes):
    return pd.DataFrame({"s": [f"s{k}" for k, n in enumerate(sizes) for _ in range(n)]})


@pytest.mark.parametrize(
    ("sizes", "taken"),
    [
        ([1] * 32, True),  # few
        ([1] * 33, False),
        ([10] * 40 + [1] * 400, True),  # half of the rows
        ([10] * 40 + [1] * 401, False),
        ([9] * 40, False),
    ],
)
def test_strings_that_repeat_are_categories(sizes, taken):
    X = column_of(sizes)
    y = np.arange(len(X)) % 2
    if taken:
        assert DPDTreeClassifier().fit(X, y).is_categorical_.all()
    else:
        with pytest.raises(ValueError, match="too few rows to be categories"):
            DPDTreeClassifier().fit(X, y)


def test_boosting_knows_the_most_frequent_categories():
    X = column_of([12, 11] * 150)
    y = np.arange(len(X)) % 2
    model = DPDTBoostingClassifier(max_iter=2).fit(X, y)
    kept = {int(name[1:]) for name in model.categories_[0]}
    assert kept == {*range(0, 300, 2), *range(1, 210, 2)}
    assert list(model.categories_[0]) == sorted(model.categories_[0])
    rest = pd.DataFrame({"s": ["s299", "unheard of", None]})
    assert len(set(model.predict_proba(rest)[:, 0])) == 1


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (pd.DataFrame([[1, 2]] * 2, columns=["a", "a"]), {}, "duplicate column names"),
        (pd.DataFrame({"a": [1, "x"]}), {}, "'a' of X is of dtype object"),
        (
            pd.DataFrame({"a": [1, "x"]}),
            {"categorical_features": ["a"]},
            "mix number and str",
        ),
        (
            np.array([[1], ["x"]], dtype=object),
            {"categorical_features": [0]},
            "column 0 .*mix",
        ),
        (
            pd.DataFrame({"a": [1, 2]}),
            {"categorical_features": ["b"]},
            r"names \['b'\]",
        ),
        (np.eye(2), {"categorical_features": ["a"]}, "X has none"),
        (np.eye(2), {"categorical_features": [2]}, "must lie in 0 ... 1"),
        (np.eye(2), {"categorical_features": [True]}, "one entry per feature"),
        (pd.DataFrame({"a": []}), {}, "0 sample"),
        (pd.DataFrame(index=[0, 1]), {}, "0 feature"),
        (pd.DataFrame({"a": [1.0, np.inf]}), {}, "infinity"),
    ],
)
def test_bad_tables(X, parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        DPDTreeClassifier(**parameters).fit(X, [0, 1][: len(X)])


def test_strings_where_numbers_were():
    model = DPDTreeClassifier().fit(pd.DataFrame({"a": [1, 2]}), [0, 1])
    with pytest.raises(ValueError, match=r"strings in the columns .*numbers in fit"):
        model.predict(pd.DataFrame({"a": ["x", "y"]}))


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTBoostingClassifier])
def test_numbers_where_strings_were(kind):
    names = pd.DataFrame({"a": ["1", "2"] * 10, "b": [0.0, 1.0] * 10})
    model = kind(categorical_features=names.columns[:1]).fit(names, [0, 1] * 10)
    with pytest.raises(ValueError, match=r"'a' of X holds numbers.* strings in fit"):
        model.predict(names.astype({"a": int}))
    unknown = names.assign(a="3")
    assert len(model.predict(unknown)) == len(model.predict(unknown.assign(a=None)))


@pytest.mark.parametrize("dtype", [float, int, object])
def test_masked_cells_are_missing(dtype):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (60, 3)).astype(dtype)
    masked = np.ma.masked_equal(X, 3)
    with_nan = np.where(X == 3, np.nan, X.astype(float))
    y = rng.integers(0, 2, 60)
    model = DPDTreeClassifier(alpha=0.0, max_depth=3).fit(masked, y)
    assert_same_tree(model, clone(model).fit(with_nan, y))
    np.testing.assert_array_equal(model.predict(masked), model.predict(with_nan))


def test_no_proof_with_categories():
    table, y = make_table()
    model = DPDTreeClassifier(strategy="optimal")
    with pytest.raises(ValueError, match=r"'categorical_features' parameter .* proof"):
        model.fit(in_pandas(table), y)


def test_categories_taken_for_numbers():
    table, y = make_table()
    frame = in_pandas(table)
    numbers = frame["color"].cat.codes.astype(float)
    frame["color"] = numbers.astype("category")
    model = DPDTreeClassifier(categorical_features=None).fit(frame, y)
    frame["color"] = numbers
    assert_same_tree(model, DPDTreeClassifier().fit(frame, y))


def test_names_are_checked_at_predict():
    table, y = make_table()
    for make in (in_pandas, in_polars, in_arrow):
        model = DPDTreeClassifier().fit(make(table), y)
        assert model.feature_names_in_.tolist() == NAMES
        other = {"sighs": table["size"]} | {name: table[name] for name in NAMES[1:]}
        with pytest.raises(ValueError, match="feature names should match"):
            model.predict(make(other))


def test_tools_of_scikit_learn():
    table, y = make_table()
    frame = in_pandas(table)
    model = DPDTreeClassifier(max_depth=4, categorical_features=["color"])
    assert cross_val_score(clone(model), frame, y).mean() > 0.75
    keep = make_column_transformer(
        ("passthrough", NAMES), verbose_feature_names_out=False
    )
    pipeline = make_pipeline(keep.set_output(transform="pandas"), model)
    assert pipeline.fit(frame, y).score(frame, y) > 0.85


def test_text_and_scikit_learn_twin():
    table, y = make_table()
    model = DPDTreeClassifier(max_depth=1, alpha=0.0)
    text = export_text(model.fit(in_pandas(table)[["color"]], y > 0))
    assert "color in {" in text
    assert "color not in {" in text
    with pytest.raises(ValueError, match="sets of them"):
        model.to_sklearn()
