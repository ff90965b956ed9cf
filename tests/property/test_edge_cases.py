"""Values and shapes at the edge of what arrays can hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from dpdtree import DPDTreeClassifier, DPDTreeRegressor

STRATEGIES = ("greedy", "paper", "balanced", "optimal")
Model = type[DPDTreeClassifier] | type[DPDTreeRegressor]
Array = np.ndarray[Any, Any]


@pytest.fixture(params=STRATEGIES)
def strategy(request: pytest.FixtureRequest) -> str:
    """Every strategy in turn."""
    return str(request.param)


def separated(X: Any, strategy: str, **parameters: Any) -> DPDTreeClassifier:
    """A classifier told to put the first half of the rows apart from the second."""
    y = np.arange(len(X)) >= len(X) // 2
    model = DPDTreeClassifier(strategy=strategy, alpha=0.0, **parameters).fit(X, y)
    assert model.score(X, y) == 1.0
    return model


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_one_row(kind: Model, strategy: str) -> None:
    model = kind(strategy=strategy).fit([[1.0, 2.0]], [3])
    assert model.tree_.node_count == 1
    assert model.predict([[0.0, np.nan]]).tolist() == [3]
    assert (model.loss_, model.complexity_) == (0.0, 0.0)


def test_one_class(strategy: str) -> None:
    model = DPDTreeClassifier(strategy=strategy).fit(np.eye(5), ["a"] * 5)
    assert model.tree_.node_count == 1
    assert model.predict_proba(np.eye(5)).tolist() == [[1.0]] * 5
    assert model.is_optimal_


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_constant_features(kind: Model, strategy: str) -> None:
    X = np.full((20, 3), 7.0)
    model = kind(strategy=strategy).fit(X, np.arange(20) % 2)
    assert model.tree_.node_count == 1
    assert model.loss_ == pytest.approx(0.5 if kind is DPDTreeClassifier else 0.25)


def test_constant_target(strategy: str) -> None:
    model = DPDTreeRegressor(strategy=strategy).fit(np.eye(6), np.full(6, 0.1))
    assert model.tree_.node_count == 1
    assert model.predict(np.eye(6)) == pytest.approx(np.full(6, 0.1))


@pytest.mark.parametrize("column", ["some", "all"])
def test_missing_values(column: str, strategy: str) -> None:
    X = np.random.default_rng(0).random((40, 2))
    X[:20, 0] = np.nan
    if column == "all":
        X[:, 1] = np.nan
    model = separated(X, strategy)
    assert model.predict([[np.nan, 0.5]]).tolist() == [False]


def test_missing_beside_low_values(strategy: str) -> None:
    """Missing values belong with the small ones here: they must be able to go left."""
    x = np.r_[np.linspace(0, 1, 10), np.full(10, np.nan), np.linspace(5, 6, 20)]
    model = separated(x[:, None], strategy, max_depth=1)
    assert model.tree_.missing_go_to_left[0] == 1


def test_unseen_missing_values_go_to_the_heavier_child(strategy: str) -> None:
    X = np.arange(10.0)[:, None]
    y = np.arange(10) >= 3
    w = np.where(y, 1.0, 100.0)
    model = DPDTreeClassifier(strategy=strategy, max_depth=1)
    assert model.fit(X, y).predict([[np.nan]]).tolist() == [True]
    fewer = model.fit(X, ~y).predict([[np.nan]]).tolist()
    assert fewer == [False]
    assert model.fit(X, y, sample_weight=w).predict([[np.nan]]).shape == (1,)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused(value: float, strategy: str) -> None:
    X = np.arange(8.0).reshape(4, 2)
    X[2, 1] = value
    with pytest.raises(ValueError, match="infinity"):
        DPDTreeClassifier(strategy=strategy).fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("scale", [1e300, 1.7e308, 1e-300, 5e-324])
def test_extreme_magnitudes(scale: float, strategy: str) -> None:
    X = (np.array([-1.0, -1.0, 0.0, 1.0, 1.0, 1.0]) * scale)[:, None]
    y = np.array([0, 0, 0, 1, 1, 1])
    model = DPDTreeClassifier(strategy=strategy, max_depth=1).fit(X, y)
    assert model.score(X, y) == 1.0
    assert np.isfinite(model.tree_.threshold).all()


def test_huge_targets(strategy: str) -> None:
    y = np.repeat([-1e150, 1e150], 5)
    model = DPDTreeRegressor(strategy=strategy).fit(np.arange(10.0)[:, None], y)
    np.testing.assert_allclose(model.predict(np.arange(10.0)[:, None]), y)


@pytest.mark.parametrize("scale", [2.0**505, 2.0**-600])
def test_scale_of_the_targets_does_not_matter(scale: float, strategy: str) -> None:
    """Sums of squares of these overflow or vanish; the tree must not."""
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 3)), rng.integers(0, 9, 300).astype(float)
    plain = DPDTreeRegressor(strategy=strategy).fit(X, y)
    scaled = DPDTreeRegressor(strategy=strategy).fit(X, y * scale)
    np.testing.assert_array_equal(scaled.tree_.threshold, plain.tree_.threshold)
    np.testing.assert_allclose(scaled.predict(X) / scale, plain.predict(X))
    assert scaled.is_optimal_ == plain.is_optimal_ == (strategy == "optimal")


@pytest.mark.parametrize("scale", [2.0**600, 2.0**-600, 2.0**40])
@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_scale_of_the_weights_does_not_matter(
    kind: Model, scale: float, strategy: str
) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((300, 3)), rng.integers(0, 3, 300)
    w = rng.integers(1, 5, 300).astype(float)
    model = kind(strategy=strategy, alpha=0.0)  # whole weights count rows for "mdl"
    plain = clone(model).fit(X, y, sample_weight=w)
    scaled = clone(model).fit(X, y, sample_weight=w * scale)
    np.testing.assert_array_equal(scaled.tree_.threshold, plain.tree_.threshold)
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))
    assert scaled.loss_ == pytest.approx(plain.loss_, rel=1e-12)


def test_targets_far_from_zero(strategy: str) -> None:
    """A large common offset must not drown the differences."""
    y = 1e8 + np.repeat([0.0, 1.0], 50)
    X = np.arange(100.0)[:, None]
    model = DPDTreeRegressor(strategy=strategy, max_depth=1).fit(X, y)
    np.testing.assert_allclose(model.predict(X), y, rtol=0, atol=1e-6)


def test_denormal_neighbours(strategy: str) -> None:
    x = np.array([0.0, 5e-324, 1e-323, 1.5e-323])
    separated(x[:, None], strategy, max_depth=1)


def test_neighbouring_floats(strategy: str) -> None:
    x = np.array([1.0, np.nextafter(1.0, 2.0)])
    model = separated(np.repeat(x, 3)[:, None], strategy, max_depth=1)
    assert x[0] <= model.tree_.threshold[0] < x[1]


def test_float64_values_that_float32_merges(strategy: str) -> None:
    x = 1.0 + np.arange(20) * 1e-12
    assert len(np.unique(x.astype(np.float32))) == 1
    separated(x[:, None], strategy, max_depth=1)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_integers_above_two_to_the_53(dtype: type, strategy: str) -> None:
    """Integers are ordered as float64 sees them; these differ there."""
    x: Any = (2**60 + np.arange(10) * 2**12).astype(dtype)
    separated(x[:, None], strategy, max_depth=1)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.int32, bool])
def test_narrow_dtypes(dtype: type, strategy: str) -> None:
    separated(np.repeat([0, 1], 10).astype(dtype)[:, None], strategy, max_depth=1)


@pytest.mark.parametrize("n", [65_535, 65_536, 70_001])
def test_around_65536_rows(n: int, strategy: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.permutation(n)[:, None].astype(float)
    y = (X[:, 0] >= 65_000).astype(int)
    model = DPDTreeClassifier(strategy=strategy, max_depth=2, n_candidates=2).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.tree_.threshold[0] == 64_999
    assert model.tree_.n_node_samples[0] == n


def test_many_classes(strategy: str) -> None:
    y = np.repeat(np.arange(300), 4)
    X = np.stack([y, np.random.default_rng(0).random(1200)], axis=1)
    model = DPDTreeClassifier(strategy=strategy, criterion="entropy", max_depth=9)
    model.set_params(n_candidates=1).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.predict_proba(X[:3]).shape == (3, 300)


def test_duplicated_columns(strategy: str) -> None:
    """Equal columns are a tie: the first one wins."""
    rng = np.random.default_rng(1)
    x = rng.random(50)
    model = separated(np.stack([np.sort(x)] * 4, axis=1), strategy, max_depth=1)
    assert model.tree_.feature[0] == 0


def test_more_columns_than_rows(strategy: str) -> None:
    X = np.random.default_rng(0).random((4, 500))
    X[:, 400] = [0, 0, 1, 1]
    separated(X, strategy)


@pytest.mark.parametrize("max_bins", [2, 255])
def test_bins_keep_the_obvious_split(max_bins: int, strategy: str) -> None:
    x = np.r_[np.zeros(500), np.ones(500)]
    separated(x[:, None], strategy, max_bins=max_bins, max_depth=1)


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_time_limit_returns_a_valid_tree(kind: Model) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((200_000, 10))
    y = (X[:, 0] + X[:, 1] * X[:, 2] > 0.8).astype(int)
    model = kind(max_depth=6, n_candidates=8, time_limit=0.01).fit(X, y)
    assert model.report_.stop_reason == "time_limit"
    assert not model.is_optimal_
    assert model.tree_.n_node_samples[0] == 200_000
    inner = model.tree_.children_left != -1
    parts = [side[inner] for side in (model.tree_.children_left,
                                      model.tree_.children_right)]  # fmt: skip
    counts = model.tree_.n_node_samples
    np.testing.assert_array_equal(counts[inner], counts[parts[0]] + counts[parts[1]])
    assert model.predict(X[:5]).shape == (5,)


STOPPED = {
    "loss alone": {"alpha": 0.0},
    "price of leaves": {"alpha": 0.001, "complexity": "n_leaves"},
    "few leaves": {"alpha": 0.0, "max_leaf_nodes": 20},
}
SEARCHES = {
    "paper": {"strategy": "paper"},
    "paper, all splits": {"strategy": "paper", "generator": "exhaustive"},
    "balanced": {"strategy": "balanced"},
    "optimal": {"strategy": "optimal"},
}


def endless() -> tuple[Array, Array]:
    """Rows whose greedy tree takes milliseconds, and a wide search of them for ever.

    So no machine is too slow or too fast for a limit of half a second.
    """
    rng = np.random.default_rng(0)
    return rng.random((3000, 20)), rng.integers(0, 2, 3000)


@pytest.mark.parametrize("case", STOPPED)
@pytest.mark.parametrize("search", SEARCHES)
def test_a_stopped_search_is_not_worse_than_cart(search: str, case: str) -> None:
    X, y = endless()
    chosen = {"max_depth": 9, **STOPPED[case]}
    greedy = DPDTreeClassifier(strategy="greedy", **chosen).fit(X, y)
    chosen |= {"n_candidates": 30, "time_limit": 0.5, **SEARCHES[search]}
    ours = DPDTreeClassifier(**chosen).fit(X, y)
    assert ours.report_.stop_reason == "time_limit"
    assert ours.objective_ <= greedy.objective_ + 1e-12


@pytest.mark.parametrize("strategy", ["paper", "balanced"])
def test_a_stopped_path_is_not_worse_than_that_of_cart(strategy: str) -> None:
    X, y = endless()
    chosen = {"max_depth": 9, "n_candidates": 30, "time_limit": 0.5}
    ours = DPDTreeClassifier(strategy=strategy, **chosen).regularization_path(X, y)
    greedy = DPDTreeClassifier(strategy="greedy", max_depth=9)
    for point in greedy.regularization_path(X, y):
        alpha = point.alpha
        best = ours.select(alpha=alpha)
        assert (
            best.loss_ + alpha * best.complexity_
            <= point.loss_ + alpha * point.complexity_ + 1e-12
        )
