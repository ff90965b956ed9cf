"""Splits of categories: the best of all sets, whatever the categories are called."""

from __future__ import annotations

import math
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
)
from tests.property.problems import Array, examples

pytestmark = pytest.mark.native

STRATEGIES = ("greedy", "paper", "balanced")
MASSES = {
    "zero_one": lambda c: c.sum() - c.max(),
    "gini": lambda c: c.sum() - (c**2).sum() / c.sum(),
    "log_loss": lambda c: -(c[c > 0] * np.log(c[c > 0] / c.sum())).sum(),
}


def mass(loss: str, y: Array, w: Array) -> float:
    if loss == "squared_error":
        return float((w * (y - np.average(y, weights=w)) ** 2).sum())
    return float(MASSES[loss](np.bincount(y, weights=w)))


def best_of_all_sets(codes: Array, y: Array, w: Array, loss: str) -> float:
    """Mean loss of the best split of the codes (-1: missing) in two sets, or none."""
    values = np.unique(codes)
    best = mass(loss, y, w)
    for sides in product([False, True], repeat=len(values) - 1):
        left = np.isin(codes, values[1:][np.array(sides, dtype=bool)])
        if left.any():
            best = min(
                best, mass(loss, y[left], w[left]) + mass(loss, y[~left], w[~left])
            )
    return best / w.sum()


@st.composite
def problems(draw: Any, max_classes: int = 2, columns: int = 1) -> dict[str, Any]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, 40))
    n_classes = draw(st.integers(2, max_classes))
    X = rng.integers(0, draw(st.integers(2, 7)), size=(n, columns)).astype(float)
    X[rng.random(X.shape) < draw(st.sampled_from([0.0, 0.2]))] = np.nan
    tilt = rng.random((8, n_classes)) ** 2
    y = np.array([rng.choice(n_classes, p=t / t.sum()) for t in tilt[first_code(X)]])
    y[:n_classes] = np.arange(min(n, n_classes))
    w = rng.integers(1, 5, n).astype(float) if draw(st.booleans()) else None
    return {"X": X, "y": y, "w": w, "target": y + np.round(rng.normal(size=n), 1)}


def first_code(X: Array) -> Array:
    return np.where(np.isnan(X[:, 0]), 7, X[:, 0]).astype(int)


def fit(problem: dict[str, Any], loss: str, X: Any = None, **parameters: Any) -> Any:
    kind = DPDTreeRegressor if loss == "squared_error" else DPDTreeClassifier
    y = problem["target" if loss == "squared_error" else "y"]
    X = problem["X"] if X is None else X
    parameters.setdefault("categorical_features", list(range(np.shape(X)[1])))
    plain = {"max_depth": 3, "alpha": 0.0, "min_samples_leaf": 1, "loss": loss}
    plain["strategy"] = "balanced"
    return kind(**{**plain, **parameters}).fit(X, y, sample_weight=problem["w"])


def weights(problem: dict[str, Any]) -> Array:
    return np.ones(len(problem["y"])) if problem["w"] is None else problem["w"]


@examples(150)
@given(problems(), st.sampled_from(["zero_one", "gini", "log_loss", "squared_error"]))
def test_last_level_is_the_best_of_all_sets(problem, loss):
    model = fit(problem, loss, max_depth=1)
    y = problem["target"] if loss == "squared_error" else problem["y"]
    codes = np.where(np.isnan(problem["X"][:, 0]), -1, problem["X"][:, 0])
    expected = best_of_all_sets(codes, y, weights(problem), loss)
    assert model.loss_ == pytest.approx(expected, abs=1e-9)


@examples(150)
@given(problems(), st.sampled_from(["gini", "entropy", "squared_error"]))
def test_greedy_split_is_the_best_of_all_sets(problem, criterion):
    loss = {"entropy": "log_loss"}.get(criterion, criterion)
    model = fit(problem, loss, max_depth=1, strategy="greedy", criterion=criterion)
    y = problem["target"] if loss == "squared_error" else problem["y"]
    codes = np.where(np.isnan(problem["X"][:, 0]), -1, problem["X"][:, 0])
    expected = best_of_all_sets(codes, y, weights(problem), loss)
    assert model.loss_ == pytest.approx(expected, abs=1e-9)


@examples(150)
@given(problems(max_classes=5))
def test_errors_of_several_classes_too(problem):
    model = fit(problem, "zero_one", max_depth=1)
    codes = np.where(np.isnan(problem["X"][:, 0]), -1, problem["X"][:, 0])
    expected = best_of_all_sets(codes, problem["y"], weights(problem), "zero_one")
    assert model.loss_ == pytest.approx(expected, abs=1e-9)


@examples(60)
@given(problems(max_classes=4))
def test_each_category_alone_is_tried(problem):
    model = fit(problem, "gini", max_depth=1, strategy="greedy")
    w, y, X = weights(problem), problem["y"], problem["X"][:, 0]
    for category in np.unique(X[~np.isnan(X)]):
        left = category == X
        if not left.all():
            sides = mass("gini", y[left], w[left]) + mass("gini", y[~left], w[~left])
            assert model.loss_ <= sides / w.sum() + 1e-9


def assert_same_shape(model: Any, other: Any) -> None:
    for name in ("children_left", "children_right", "feature", "n_node_samples"):
        np.testing.assert_array_equal(
            getattr(model.tree_, name), getattr(other.tree_, name), err_msg=name
        )
    np.testing.assert_array_equal(model.tree_.value, other.tree_.value)


LOSSES = st.sampled_from(["zero_one", "gini", "squared_error"])


@examples(90)
@given(
    problems(max_classes=4, columns=3),
    LOSSES,
    st.sampled_from(STRATEGIES),
    st.integers(0, 99),
)
def test_names_and_numbers_of_categories_change_nothing(problem, loss, strategy, seed):
    rng = np.random.default_rng(seed)
    X = problem["X"]
    named = np.full(X.shape, None, dtype=object)
    for j in range(X.shape[1]):
        names = np.array(list("rgbcmyk"), dtype=object)[rng.permutation(7)]
        known = ~np.isnan(X[:, j])
        named[known, j] = names[X[known, j].astype(int)]
    plain = fit(problem, loss, max_depth=3, strategy=strategy)
    model = fit(problem, loss, named, max_depth=3, strategy=strategy)
    assert_same_shape(model, plain)
    np.testing.assert_array_equal(model.apply(named), plain.apply(X))
    assert model.loss_ == plain.loss_


@examples(60)
@given(problems(max_classes=3, columns=2), LOSSES, st.sampled_from(STRATEGIES))
def test_apply_follows_the_sets(problem, loss, strategy):
    model = fit(problem, loss, max_depth=3, strategy=strategy)
    tree, X = model.tree_, problem["X"]
    sets = tree.categories_left
    for row, leaf in zip(X, model.apply(X), strict=True):
        node = 0
        while tree.children_left[node] >= 0:
            j = int(tree.feature[node])
            known = model.categories_[j].tolist()
            left = bool(tree.missing_go_to_left[node])
            if not np.isnan(row[j]):
                left = known.index(row[j]) in sets[node]
            side = tree.children_left if left else tree.children_right
            node = int(side[node])
        assert node == leaf


@examples(60)
@given(problems(max_classes=3), LOSSES)
def test_a_set_is_worth_its_indicator(problem, loss):
    model = fit(problem, loss, max_depth=1)
    goes_left = (model.apply(problem["X"]) == 1).astype(float)[:, np.newaxis]
    twin = fit(problem, loss, goes_left, max_depth=1, categorical_features=None)
    assert twin.loss_ == pytest.approx(model.loss_, abs=1e-12)


@examples(60)
@given(problems(), LOSSES)
def test_missing_is_worth_a_category_of_its_own(problem, loss):
    filled = np.where(np.isnan(problem["X"]), 99.0, problem["X"])
    model = fit(problem, loss, max_depth=1)
    assert model.loss_ == pytest.approx(fit(problem, loss, filled, max_depth=1).loss_)


@examples(60)
@given(problems(columns=2), LOSSES, st.sampled_from(STRATEGIES))
def test_missing_numbers_go_to_the_better_side(problem, loss, strategy):
    """A stump on numbers with NaN: the best of both sides, tried by hand."""
    if loss != "squared_error" and strategy != "balanced":
        loss = "gini"  # what the other strategies' criterion minimises
    both = [np.where(np.isnan(problem["X"]), side, problem["X"]) for side in (-1, 99)]
    options = {"max_depth": 1, "strategy": strategy, "categorical_features": None}
    by_hand = [fit(problem, loss, X, **options).loss_ for X in both]
    mixed = np.hstack(both)  # a feature's missing values on either side
    expected = min(*by_hand, fit(problem, loss, mixed, **options).loss_)
    assert fit(problem, loss, **options).loss_ == pytest.approx(expected, abs=1e-12)


@examples(60)
@given(problems(max_classes=3, columns=4), LOSSES, st.integers(1, 4))
def test_strategies_keep_their_promises(problem, loss, min_samples_leaf):
    """Mixed columns; nothing is worse than greedy, balanced not than paper."""
    common = {
        "max_depth": 3,
        "categorical_features": [0, 2],
        "min_samples_leaf": min_samples_leaf,
        "n_candidates": 3,
    }
    losses = {}
    for strategy in STRATEGIES:
        model = fit(problem, loss, strategy=strategy, **common)
        losses[strategy] = model.loss_
        leaf = model.tree_.children_left < 0
        assert model.tree_.n_node_samples[leaf].min() >= min(
            min_samples_leaf, len(problem["y"])
        )
        assert not model.loss_ < model.lower_bound_ - 1e-12
    assert losses["paper"] <= losses["greedy"] + 1e-9
    assert losses["balanced"] <= losses["paper"] + 1e-9


class Bare(DPDTreeClassifier):
    _core_switches: ClassVar = {
        "use_split_memo": False,
        "use_state_memo": False,
        "use_pruning": False,
    }


@examples(60)
@given(problems(max_classes=4, columns=3), st.integers(1, 3))
def test_pruning_and_threads_change_nothing(problem, min_samples_leaf):
    common = {
        "categorical_features": [0, 1],
        "strategy": "paper",
        "min_samples_leaf": min_samples_leaf,
    }
    data = (problem["X"], problem["y"], problem["w"])
    model = DPDTreeClassifier(**common).fit(*data)
    for other in (Bare(**common), DPDTreeClassifier(n_jobs=3, **common)):
        assert_same_shape(other.fit(*data), model)


@examples(30)
@given(problems(max_classes=3, columns=3))
def test_threads_change_nothing_in_balanced(problem):
    data = (problem["X"], problem["y"], problem["w"])
    common = {"categorical_features": [0, 1]}
    model = DPDTreeClassifier(**common).fit(*data)
    assert_same_shape(DPDTreeClassifier(n_jobs=3, **common).fit(*data), model)


@examples(30)
@given(problems(columns=3), st.sampled_from(STRATEGIES))
def test_rows_of_weight_zero_count_for_nothing(problem, strategy):
    X, y = problem["X"], problem["y"]
    w = np.ones(len(y))
    w[::3] = 0.0
    if len(np.unique(y[w > 0])) < 2:
        return
    options = {"strategy": strategy, "categorical_features": [0, 1, 2]}
    model = DPDTreeClassifier(**options).fit(X, y, sample_weight=w)
    fewer = DPDTreeClassifier(**options).fit(X[w > 0], y[w > 0])
    assert_same_shape(model, fewer)


def price_of_sets(codes: Array, left: Array) -> float:
    """Half of ln p + ln T for one feature and these codes on the left."""
    k, m = len(np.unique(codes)), len(np.unique(codes[left]))
    sets = k // 2 * math.comb(k, m) / (2 if 2 * m == k else 1)
    return math.log(sets) / 2


@examples(90)
@given(problems(max_classes=3), st.sampled_from(STRATEGIES))
def test_a_set_costs_what_it_takes_to_name_it(problem, strategy):
    problem["w"] = None
    model = fit(problem, "zero_one", strategy=strategy, max_depth=2, alpha="mdl")
    codes, tree = problem["X"][:, 0], model.tree_
    codes = np.where(np.isnan(codes), -1, codes)
    reach = model.decision_path(problem["X"]).toarray().astype(bool)
    price = sum(
        price_of_sets(codes[reach[:, i]], reach[reach[:, i], tree.children_left[i]])
        for i in np.flatnonzero(tree.children_left >= 0)
    )
    assert model.complexity_ * len(codes) == pytest.approx(price, abs=1e-9)


def test_a_set_of_very_many_categories_has_a_finite_price():
    n, n_left = 1200, 500  # more sets than there are floats
    codes = np.repeat(np.arange(n), 20)  # rarer ones count as unknown
    problem = {"X": codes[:, None].astype(float), "y": codes < n_left, "w": None}
    model = fit(problem, "zero_one", max_depth=1, alpha="mdl", strategy="greedy")
    assert model.tree_.n_leaves == 2
    price = (math.log(n // 2) + math.log(math.comb(n, n_left))) / 2
    assert model.complexity_ * len(codes) == pytest.approx(price, rel=1e-10)


@examples(60)
@given(problems(), st.sampled_from(["log_loss", "squared_error"]))
def test_a_priced_set_is_not_worse_than_the_best_unpriced_one(problem, loss):
    """The scan looks at prices too, and at a second order of the categories."""
    problem["w"] = None
    priced = fit(problem, loss, max_depth=1, alpha="mdl")
    plain = fit(problem, loss, max_depth=1)
    codes = np.where(np.isnan(problem["X"][:, 0]), -1, problem["X"][:, 0])
    if plain.get_n_leaves() == 1 or loss == "squared_error":
        assert priced.loss_ >= plain.loss_ - 1e-9
        return
    left = plain.apply(problem["X"]) == 1
    price = 2 * price_of_sets(codes, left) / len(codes)
    assert priced.objective_ <= plain.loss_ + price + 1e-9


def coded_noise(seed: int, n: int = 3000, k: int = 100) -> tuple[Array, Array, Array]:
    """A number that tells the class, and a code that tells nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    codes = rng.integers(0, k, n)
    y = (x + 1.5 * rng.normal(size=n) > 0).astype(int)
    return np.column_stack([x, codes]), y, x


@pytest.mark.parametrize("seed", range(3))
def test_codes_that_tell_nothing_do_not_crowd_out_what_tells(seed):
    X, y, x = coded_noise(seed)
    model = DPDTreeClassifier(categorical_features=[1]).fit(X, y)
    assert set(model.tree_.feature[model.tree_.children_left >= 0]) == {0}
    alone = DPDTreeClassifier().fit(x[:, np.newaxis], y)
    assert model.loss_ == pytest.approx(alone.loss_, abs=0.01)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_boosted_codes_that_tell_nothing_do_little_harm(kind):
    X, y, x = coded_noise(3, n=6000, k=200)
    estimator: Any = DPDTBoostingClassifier
    if kind == "numbers":
        estimator, y = DPDTBoostingRegressor, y + x
    train, test = slice(0, 4000), slice(4000, None)
    model = estimator(max_iter=50, categorical_features=[1]).fit(X[train], y[train])
    alone = estimator(max_iter=50).fit(X[train, :1], y[train])
    assert model.score(X[test], y[test]) > alone.score(X[test, :1], y[test]) - 0.02


def test_codes_that_tell_something_are_still_used():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 100, 5000)
    y = rng.random(5000) < np.where(codes < 8, 0.9, 0.2)  # few categories are special
    X = codes[:, np.newaxis].astype(float)
    tree = DPDTreeClassifier(categorical_features=[0]).fit(X, y)
    assert tree.tree_.n_leaves >= 2
    assert set(range(8)) == {int(tree.categories_[0][c]) for c in smaller_set(tree)}
    boosted = DPDTBoostingClassifier(max_iter=60, categorical_features=[0]).fit(X, y)
    shares = boosted.predict_proba(np.arange(100.0)[:, np.newaxis])[:, 1]
    assert shares[:8].min() > 0.7
    assert shares[8:].max() < 0.4


def smaller_set(model: Any) -> Any:
    """The smaller set of places that the root tells apart."""
    left = set(model.tree_.categories_left[0])
    right = set(range(len(model.categories_[0]))) - left
    return min(left, right, key=len)
