"""Every bad value gives an error that names the argument."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning, NotFittedError

from dpdtree import DPDTBoostingRegressor, DPDTreeClassifier, DPDTreeRegressor
from dpdtree._input.parameter_checks import InvalidParameterError
from dpdtree._input.validation import check_X
from dpdtree._params.tree import CLASSIFIER, REGRESSOR
from dpdtree._tree_params import candidates_per_depth

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 1, 0])

BAD_VALUES = {
    "max_depth": [0, -1, 2.0, "3", True],
    "strategy": ["best", "", None, 1],
    "n_candidates": [0, -2, 1.5, "8", [], [0], [1, 2.5], [[1]]],
    "generator": ["all", None, 0],
    "criterion": ["mse", None, 0],
    "loss": ["squared", None, 0],
    "cost_matrix": [1.0, "0", [], [1, 2], [[0, 1]], [[0, -1], [1, 0]], [[0, math.nan]]],
    "quantile": [0.0, 1.0, -0.1, math.nan, None, "0.5"],
    "alpha": [-0.1, math.nan, math.inf, "0", None, True],
    "complexity": ["depth", None, 0],
    "max_leaf_nodes": [1, 0, -3, 2.5, "2"],
    "min_samples_split": [1, 0, 0.0, 1.1, -0.5, "2", None],
    "min_samples_leaf": [0, -1, 0.0, 1.0, 1.5, "1", None],
    "min_weight_fraction_leaf": [-0.1, 0.51, math.nan, "0", None],
    "min_impurity_decrease": [-1e-9, math.nan, math.inf, None, "0"],
    "max_features": [0, -1, 0.0, 1.5, "auto", [1]],
    "leaf_smoothing": [-1.0, "jeffreys", [1]],
    "shrinkage": [-1.0, math.nan, math.inf, "laplace", None, [1]],
    "class_weight": ["even", 1, [1, 2], {0: -1.0}, {0: math.nan}],
    "categorical_features": ["auto", 1, [0, "a"], [-1], [[0]], [True, 0], [1.5], True],
    "monotonic_cst": [2, "up", [0, 2], [0.5, 0], {"a": "up"}, [[1, 0]], [True, 0]],
    "interaction_cst": ["all", 3, [0, 1], [[-1]], [[0.5]], {"a": 1}, ["ab"]],
    "feature_costs": [1.0, "a", [-1.0, 0], [math.nan, 0], {0: "x"}, {(0,): 1.0}],
    "forced_splits": [
        3,
        {},
        {"feature": 0},
        {"feature": -1, "threshold": 1.0},
        {"feature": 0, "threshold": "1"},
        {"feature": 0, "threshold": 1.0, "missing_left": "yes"},
    ],
    "allowed_features": [0, "a", [0, 1], {-1: [0]}, {"a": [0]}, {0: 1}, {0: [-1]}],
    "max_bins": [0, 1, 256, 10.0, "9"],
    "time_limit": [-1, -0.5, math.nan, math.inf, "1"],
    "n_jobs": [0, 1.5, "2"],
    "random_state": [-1, 1.5, "0", 2**32],
    "verbose": [-1, 1.5, None, "yes"],
}


def cases(table):
    return [(p.name, value) for p in table for value in BAD_VALUES[p.name]]


def test_every_parameter_has_bad_values():
    assert set(BAD_VALUES) == {p.name for p in (*CLASSIFIER, *REGRESSOR)}


@pytest.mark.parametrize(("name", "value"), cases(CLASSIFIER))
def test_bad_parameter_of_classifier(name, value):
    model = DPDTreeClassifier(**{name: value})
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of DPDTreeC"):
        model.fit(X, Y)
    assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize(("name", "value"), cases(REGRESSOR))
def test_bad_parameter_of_regressor(name, value):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of DPDTreeR"):
        DPDTreeRegressor(**{name: value}).fit(X, Y)


def test_unknown_strategy_names_the_known_ones():
    known = '"greedy", "paper", "balanced" or "optimal". Got \'fast\' instead'
    with pytest.raises(ValueError, match=known):
        DPDTreeClassifier(strategy="fast").fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"alpha": "mdl", "strategy": "optimal"},
            "'alpha' .*cannot be 'mdl' with strategy='optimal'",
        ),
        (
            {"max_depth": None, "strategy": "balanced"},
            "'max_depth' .*'balanced': give an int, such as",
        ),
        (
            {"max_depth": None, "strategy": "balanced", "n_candidates": 1},
            "'max_depth'.*give an int",
        ),
        ({"max_depth": None, "strategy": "optimal"}, "'max_depth'.*give an int"),
        (
            {"max_depth": None, "strategy": "paper", "generator": "exhaustive"},
            "'max_depth'.*give an int",
        ),
        (
            {"max_depth": None, "strategy": "paper"},
            r"'n_candidates' .*one number per depth, such as n_candidates=\(8, 1\)",
        ),
        (
            {"max_depth": None, "strategy": "paper", "n_candidates": 5},
            r"'n_candidates' .*cannot be 5 .*such as n_candidates=\(5, 1\)",
        ),
        ({"strategy": "optimal", "loss": "gini"}, "'loss' .*loss='zero_one'"),
        ({"strategy": "optimal", "loss": "log_loss"}, "'loss' .*'balanced' works"),
        (
            {"strategy": "optimal", "min_impurity_decrease": 0.1},
            "'min_impurity_decrease' .*cannot be 0.1 .*alpha",
        ),
        (
            {"strategy": "optimal", "max_features": 1},
            "'max_features' .*cannot be 1 .*with 1 of 2 features in sight",
        ),
    ],
)
def test_refused_combinations(parameters, message):
    with pytest.raises(ValueError, match=message):
        DPDTreeClassifier(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    "parameters",
    [
        {"max_leaf_nodes": 4, "strategy": "greedy", "max_depth": None},
        {"max_depth": None, "strategy": "paper", "n_candidates": 1},
        {
            "max_depth": None,
            "strategy": "optimal",
            "complexity": "n_leaves",
            "alpha": 0.1,
        },
        {"max_depth": None, "strategy": "paper", "n_candidates": (4, 2)},
        {"max_depth": None, "strategy": "paper", "n_candidates": np.array([3])},
        {"max_features": 1, "min_impurity_decrease": 0.1, "loss": "gini"},
        {"strategy": "optimal", "max_features": 1.0, "max_bins": 4},
        {"strategy": "optimal", "max_leaf_nodes": 3, "max_depth": 2},
        {"strategy": "optimal", "max_features": 7, "class_weight": "balanced"},
        {"max_depth": 10**12},
        {"max_depth": 10**12, "strategy": "paper"},
    ],
)
def test_allowed_combinations(parameters):
    DPDTreeClassifier(**parameters).fit(X, Y).predict(X)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, [4, 4, 2, 1]),
        ({"max_depth": 3}, [4, 4, 2, 1]),
        ({"strategy": "balanced"}, [4, 4, 4, 1]),
        ({"strategy": "balanced", "max_depth": 3}, [4, 1]),
        ({"strategy": "balanced", "alpha": 0.01}, [1]),
        ({"strategy": "balanced", "alpha": 0.0, "max_features": 1}, [4, 4, 4, 1]),
        (
            {"strategy": "balanced", "alpha": 0.0, "min_impurity_decrease": 0.1},
            [4, 4, 4, 1],
        ),
        ({"strategy": "optimal"}, [1]),
        ({"strategy": "paper"}, [8, 8, 8]),
        ({"strategy": "greedy", "n_candidates": 5}, [1]),
        ({"n_candidates": 4}, [4] * 6),
        ({"strategy": "balanced", "n_candidates": 4}, [4] * 5),
        ({"n_candidates": (4, 2)}, [4, 2]),
        ({"n_candidates": 4, "max_depth": 10**12}, [4] * 10),
        ({"n_candidates": 1}, [1]),
        ({"n_candidates": 10**30, "max_depth": 1}, [2**31 - 1]),
        ({"n_candidates": [10**30, 2]}, [2**31 - 1, 2]),
        ({"strategy": "paper", "generator": "exhaustive"}, [2**31 - 1] * 3),
    ],
)
def test_candidates_per_depth(parameters, expected):
    assert candidates_per_depth(DPDTreeClassifier(**parameters), 10) == expected


@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (X + 1j, ValueError, "[Cc]omplex"),
        (X[0], ValueError, "2D array"),
        (X[None], ValueError, "dim 3"),
        (X[:0], ValueError, "0 sample"),
        (X[:, :0], ValueError, "0 feature"),
        (X.astype("M8[s]"), TypeError, "X must be numeric"),
        (csr_array(X + 1j), ValueError, "[Cc]omplex"),
        (pl.DataFrame(X).lazy(), TypeError, "LazyFrame"),
        (X.astype(str).astype(object) + "a", ValueError, "could not convert"),
        (X[:4], ValueError, "inconsistent numbers of samples: X has 4 rows, y has 6"),
    ],
)
def test_bad_X(bad, error, message):
    with pytest.raises(error, match=message):
        DPDTreeClassifier().fit(bad, Y)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u2", "i4", "i8", "u8", "?"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_supported_arrays_are_not_copied(dtype, order):
    data = np.asarray(X, dtype=dtype, order=order)
    data.setflags(write=False)
    assert check_X(DPDTreeClassifier(), data, reset=True) is data


def test_views_are_not_copied():
    view = np.zeros((20, 9))[::-2, ::3]
    assert check_X(DPDTreeClassifier(), view, reset=True) is view


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("f2", "f4"),
        (">f8", "f8"),
        (">f4", "f4"),
        (">i4", "i4"),
        ("g", "f8"),
        ("O", "f8"),
    ],
)
def test_other_arrays_are_converted(dtype, expected):
    converted = check_X(DPDTreeClassifier(), X.astype(dtype), reset=True)
    assert converted.dtype == np.dtype(expected)
    np.testing.assert_array_equal(converted, X)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -1, 1, 1, 1], "sample_weight must not contain negative"),
        (np.zeros(6), "sample_weight must contain at least one non-zero"),
        ([1, 1, math.nan, 1, 1, 1], "sample_weight contains NaN"),
        ([1, 1, math.inf, 1, 1, 1], "sample_weight contains infinity"),
        ([1e308] * 6, "sample_weight must have a finite sum"),
        (np.ones(5), r"sample_weight must have shape \(6,\), got \(5,\)"),
        (np.ones((6, 1)), r"sample_weight must have shape \(6,\), got \(6, 1\)"),
        (0.0, "sample_weight must contain at least one non-zero"),
        (list("abcdef"), "sample_weight must hold numbers"),
        (np.ones(6) * 1j, "sample_weight must hold numbers"),
        (np.ma.masked_equal(Y, 0), "sample_weight contains masked"),
    ],
)
def test_bad_sample_weight(weights, message):
    with pytest.raises(ValueError, match=message):
        DPDTreeClassifier().fit(X, Y, sample_weight=weights)


def test_scalar_sample_weight():
    model = DPDTreeClassifier(alpha=0.0, leaf_smoothing=None)
    one, two = (clone(model).fit(X, Y, sample_weight=w) for w in (None, 2.0))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@pytest.mark.parametrize("model", [DPDTreeClassifier(), DPDTreeRegressor()])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (None, "requires y to be passed"),
        (np.zeros((6, 2, 2)), "dim 3"),
        ([1.0, math.nan, 1, 1, 1, 1], "Input y contains NaN"),
        ([1.0, math.inf, 1, 1, 1, 1], "Input y contains infinity"),
        (Y + 1j, "[Cc]omplex|Unknown label type"),
        (Y[:5], "X has 6 rows, y has 5"),
        (3, "y must be array-like, .* type int"),
        (iter(Y), "y must be array-like"),
        (np.ma.masked_equal(Y, 0), "Input y contains masked"),
        (
            np.array(["2020", "NaT"] * 3, dtype="M8[D]"),
            "contains NaT|y must be numeric",
        ),
        (np.array([[1]] + [[1, 2]] * 5, dtype=object), "y holds values|y must be num"),
    ],
)
def test_bad_y(model, bad, message):
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X, bad)


def test_column_y_is_taken():
    DPDTreeClassifier().fit(X, Y[:, None])
    with pytest.warns(DataConversionWarning):
        DPDTreeClassifier(strategy="optimal").fit(X, Y[:, None])


def test_several_outputs_are_not_for_a_proof():
    with pytest.raises(ValueError, match=r"one-dimensional.*strategy=optimal"):
        DPDTreeClassifier(strategy="optimal").fit(X, np.column_stack([Y, Y]))


@pytest.mark.parametrize("method", ["predict", "apply", "decision_path"])
def test_unfitted(method):
    with pytest.raises(NotFittedError):
        getattr(DPDTreeClassifier(), method)(X)


@pytest.mark.parametrize("name", ["get_depth", "get_n_leaves", "to_sklearn"])
def test_unfitted_without_arguments(name):
    with pytest.raises(NotFittedError):
        getattr(DPDTreeRegressor(), name)()


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "apply", "decision_path"]
)
def test_wrong_number_of_features(method):
    model = DPDTreeClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="3 features, but DPDTreeClassifier is exp"):
        getattr(model, method)(np.zeros((2, 3)))


@pytest.mark.parametrize("value", [math.inf, -math.inf])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("column", [0, 1], ids=["used", "unused"])
def test_infinity_in_X(value, dtype, column):
    bad = X.astype(dtype)
    model = DPDTreeClassifier().fit(bad, Y)
    bad[3, column] = value
    for call in (model.predict, model.apply, model.decision_path):
        with pytest.raises(ValueError, match="Input X contains infinity"):
            call(bad)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        model.fit(bad, Y)
    assert not model.__sklearn_is_fitted__()


def test_more_rows_than_have_numbers():
    X = np.broadcast_to(np.zeros(1), (2**31, 1))  # takes no memory
    with pytest.raises(ValueError, match="2147483648 rows"):
        DPDTreeClassifier().fit(X, [0])
    with pytest.raises(ValueError, match="2147483648 rows"):
        DPDTBoostingRegressor().fit(X, [0.0])
