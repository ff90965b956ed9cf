"""Losses and several outputs, as users meet them."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.metrics import mean_pinball_loss, mean_poisson_deviance
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeRegressor

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
    export_text,
)
from tests.reference.losses import Task

X, Y = load_diabetes(return_X_y=True)
IRIS, SPECIES = load_iris(return_X_y=True)
COSTS = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [9.0, 3.0, 0.5]])
SEVERAL = np.column_stack([Y, -Y * X[:, 2], X[:, 3]])
LABELS = np.column_stack([SPECIES, IRIS[:, 0] > 5.8, np.full(150, 7)])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "cost_matrix"}, "'cost_matrix' .* cannot be None"),
        ({"cost_matrix": COSTS}, "'cost_matrix' .* cannot be given"),
        ({"loss": "cost_matrix", "cost_matrix": np.eye(2)}, "cost_matrix .* 3 classes"),
        ({"loss": "cost_matrix", "cost_matrix": COSTS[:2]}, "'cost_matrix' .* square"),
        ({"loss": "cost_matrix", "cost_matrix": -COSTS}, "'cost_matrix' .* >= 0"),
        ({"loss": "cost_matrix", "cost_matrix": COSTS * math.nan}, "'cost_matrix'"),
        ({"loss": "poisson"}, "'loss' parameter"),
        ({"class_weight": [{0: 1}]}, "class_weight"),
        ({"loss": "gini", "strategy": "optimal"}, "'loss' .*zero_one"),
        (
            {
                "loss": "cost_matrix",
                "cost_matrix": COSTS,
                "monotonic_cst": [1, 0, 0, 0],
            },
            "monotonic_cst",
        ),
    ],
)
def test_bad_classifiers(parameters, message):
    with pytest.raises(ValueError, match=message):
        DPDTreeClassifier(**parameters).fit(IRIS, SPECIES)


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"loss": "poisson"}, Y - 100, "y must not contain negative"),
        ({"criterion": "poisson"}, Y - 100, "y must not contain negative"),
        ({"loss": "poisson"}, 0 * Y, "y must have a positive sum"),
        ({"loss": "poisson"}, np.column_stack([Y, 0 * Y]), "positive sum"),
        ({"loss": "absolute_error"}, np.where(Y > 300, math.nan, Y), "y contains NaN"),
        ({}, np.where(SEVERAL > 300, math.inf, SEVERAL), "y contains infinity"),
        ({"loss": "quantile", "quantile": 1.0}, Y, "'quantile' parameter"),
        ({"loss": "quantile", "strategy": "optimal"}, Y, "'loss' .*squared_error"),
        ({"strategy": "optimal"}, SEVERAL, "one-dimensional.*optimal"),
        ({"monotonic_cst": [1] * 10}, SEVERAL, "monotonic_cst"),
        ({}, SEVERAL[:10], "X has 442 rows, y has 10"),
    ],
)
def test_bad_regressions(parameters, y, message):
    with pytest.raises(ValueError, match=message):
        DPDTreeRegressor(**parameters).fit(X, y)


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({"class_weight": {0: 1.0}}, LABELS, "class_weight must be a list"),
        ({"class_weight": [{0: 1.0}]}, LABELS, "class_weight must list 3 dicts"),
        ({"loss": "cost_matrix", "cost_matrix": COSTS}, LABELS, "'loss' .* 3 outputs"),
        ({}, np.column_stack([SPECIES, IRIS[:, 0]]), "Unknown label type"),
    ],
)
def test_bad_classifiers_of_several_outputs(parameters, y, message):
    with pytest.raises(ValueError, match=message):
        DPDTreeClassifier(**parameters).fit(IRIS, y)


def test_who_takes_one_output_only():
    for model in (DPDTreeClassifierCV(), DPDTreeRegressorCV()):
        with pytest.raises(ValueError, match="multi-output"):
            model.fit(IRIS, LABELS)
    with pytest.raises(ValueError, match="multi-output"):
        DPDTAdaBoostClassifier().fit(IRIS, LABELS)
    with pytest.raises(ValueError, match="'loss' parameter"):
        DPDTAdaBoostClassifier(loss="cost_matrix").fit(IRIS, SPECIES)


def test_cost_matrix_decides_the_label_but_not_the_shares():
    costs = np.array([[0, 1, 1], [50, 0, 1], [50, 1, 0]])
    model = DPDTreeClassifier(
        loss="cost_matrix", cost_matrix=costs, max_depth=1, leaf_smoothing=None
    ).fit(IRIS, SPECIES)
    shares = model.predict_proba(IRIS)
    np.testing.assert_array_equal(
        model.predict(IRIS), model.classes_[(shares @ costs).argmin(axis=1)]
    )
    leaf = model.apply(IRIS)
    for node in np.unique(leaf):
        counts = np.bincount(SPECIES[leaf == node], minlength=3)
        np.testing.assert_allclose(shares[leaf == node][0], counts / counts.sum())
    assert model.score(IRIS, SPECIES) == np.mean(model.predict(IRIS) == SPECIES)


def test_class_weight_multiplies_costs():
    weights = {0: 1.0, 1: 3.0, 2: 0.5}
    limits = {"loss": "cost_matrix", "cost_matrix": COSTS, "max_depth": 2}
    one = DPDTreeClassifier(class_weight=weights, **limits).fit(IRIS, SPECIES)
    by_row = np.array([weights[k] for k in SPECIES])
    other = DPDTreeClassifier(**limits).fit(IRIS, SPECIES, by_row)
    np.testing.assert_array_equal(one.tree_.value, other.tree_.value)
    balanced = DPDTreeClassifier(class_weight="balanced", **limits).fit(IRIS, SPECIES)
    assert balanced.loss_ == pytest.approx(
        DPDTreeClassifier(**limits).fit(IRIS, SPECIES).loss_
    )


@pytest.mark.parametrize("level", [0.1, 0.29, 0.5, 0.75])
@pytest.mark.parametrize("weighted", [False, True])
def test_leaves_hold_quantiles(level, weighted):
    times = np.random.default_rng(0).integers(1, 4, len(Y))
    model = DPDTreeRegressor(
        loss="quantile", quantile=level, max_depth=3, strategy="balanced"
    )
    model.fit(X, Y, times if weighted else None)
    leaf, said = model.apply(X), model.predict(X)
    for node in np.unique(leaf):
        inside = leaf == node
        values = np.repeat(Y[inside], times[inside]) if weighted else Y[inside]
        expected = np.quantile(values, level, method="averaged_inverted_cdf")
        assert said[inside][0] == pytest.approx(expected)
    weight = times if weighted else None
    measured = mean_pinball_loss(Y, said, alpha=level, sample_weight=weight)
    assert model.loss_ == pytest.approx(measured)


def test_losses_are_those_of_scikit_learn():
    model = DPDTreeRegressor(loss="poisson", criterion="poisson", shrinkage=0.0)
    model.fit(X, Y)
    assert model.loss_ == pytest.approx(mean_poisson_deviance(Y, model.predict(X)) / 2)
    assert (model.predict(X) > 0).all()


def test_no_leaf_of_a_poisson_tree_predicts_zero():
    x = np.arange(40.0)[:, None]
    y = np.where(x[:, 0] < 20, 0.0, 3.0)
    for criterion in ("squared_error", "poisson", "absolute_error"):
        for strategy in ("greedy", "paper", "balanced"):
            model = DPDTreeRegressor(
                loss="poisson", criterion=criterion, strategy=strategy, max_depth=3
            ).fit(x, y)
            assert (model.predict(x) > 0).all()
            assert math.isfinite(model.loss_)


@pytest.mark.parametrize(
    ("model", "data", "y"),
    [
        (DPDTreeRegressor(max_depth=3), X, SEVERAL),
        (DPDTreeRegressor(loss="absolute_error", max_depth=3), X, SEVERAL),
        (DPDTreeClassifier(max_depth=3), IRIS, LABELS),
    ],
)
def test_shapes_and_copies_of_several_outputs(model, data, y):
    model = clone(model).fit(data, y)
    assert model.n_outputs_ == y.shape[1]
    assert model.predict(data).shape == y.shape
    restored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(restored.predict(data), model.predict(data))
    twin = model.to_sklearn()
    np.testing.assert_array_equal(twin.predict(data), model.predict(data))
    assert twin.tree_.value.shape == model.tree_.value.shape
    text = export_text(model, show_weights=True)
    assert "[" in text


def test_text_of_several_outputs():
    model = DPDTreeClassifier(max_depth=1).fit(IRIS, LABELS[:, :2])
    names = [["setosa", "versicolor", "virginica"], ["short", "long"]]
    text = export_text(model, class_names=names)
    assert "class: [setosa, short]" in text
    with pytest.raises(ValueError, match="class_names must have a sequence for each"):
        export_text(model, class_names=["a", "b", "c"])
    values = DPDTreeRegressor(max_depth=1, shrinkage=0.0).fit(X, SEVERAL)
    first = values.tree_.value[1, :, 0]
    assert f"value: [{', '.join(f'{v:.6g}' for v in first)}]" in export_text(values)


def test_text_of_a_cost_matrix_and_what_scikit_learn_cannot():
    costs = np.array([[0, 1, 1], [1, 0, 1], [1, 9, 0]])
    model = DPDTreeClassifier(loss="cost_matrix", cost_matrix=costs, max_depth=1)
    text = export_text(model.fit(IRIS, SPECIES))
    said = {f"class: {label}" for label in np.unique(model.predict(IRIS))}
    assert all(label in text for label in said)
    with pytest.raises(ValueError, match="cost_matrix"):
        model.to_sklearn()


def test_a_constant_output_costs_nothing():
    both = DPDTreeRegressor(alpha=0.0).fit(X, np.column_stack([Y, np.zeros(len(Y))]))
    assert both.predict(X)[:, 1] == pytest.approx(np.zeros(len(Y)))
    labels = DPDTreeClassifier(alpha=0.0).fit(IRIS, LABELS)
    assert (labels.predict(IRIS)[:, 2] == 7).all()


def test_frames_and_labels_of_any_kind():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"a": ["x", "y"] * 75, "b": np.repeat(["u", "v", "w"], 50)}
    )
    model = DPDTreeClassifier().fit(IRIS, frame)
    assert set(model.predict(IRIS)[:, 1]) <= {"u", "v", "w"}
    numbers = pandas.DataFrame({"a": Y, "b": X[:, 0]})
    assert DPDTreeRegressor().fit(X, numbers).predict(X).shape == (442, 2)


@pytest.mark.parametrize("loss", ["poisson", "absolute_error", "quantile"])
def test_categories(loss):
    """The set that is split off is the best of all, where that is promised."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 6, 200).astype(float)
    y = rng.poisson(1.0 + rng.random(6)[kind.astype(int)] * 5).astype(float)
    model = DPDTreeRegressor(
        loss=loss, criterion=loss, max_depth=1, strategy="greedy",
        categorical_features=[0],
    ).fit(kind[:, None], y)  # fmt: skip
    task = Task(kind[:, None], y, None, loss)
    assert model.loss_ == pytest.approx(task.cost_of(model))
    sets = [
        np.isin(kind, [k for k in range(6) if bits >> k & 1]) for bits in range(1, 32)
    ]
    best = min(
        task.leaf_cost(np.flatnonzero(left)) + task.leaf_cost(np.flatnonzero(~left))
        for left in sets
    )
    if loss == "poisson":
        assert model.loss_ * len(y) == pytest.approx(best)
    else:
        assert model.loss_ * len(y) <= 1.05 * best


@pytest.mark.parametrize("by", ["n_leaves", "alpha", "min_samples_leaf"])
def test_cross_validation_passes_the_loss_on(by):
    one = DPDTreeRegressorCV(by=by, loss="absolute_error", max_depth=2, cv=3)
    assert one.fit(X, Y).loss_ == pytest.approx(np.abs(Y - one.predict(X)).mean())
    model = DPDTreeClassifierCV(
        by=by, loss="cost_matrix", cost_matrix=COSTS, max_depth=2, cv=3
    ).fit(IRIS, SPECIES)
    assert model.loss_ == pytest.approx(COSTS[SPECIES, model.predict(IRIS)].mean())


def test_trees_are_chosen_by_their_own_loss():
    model = DPDTreeRegressorCV(
        by="min_samples_leaf", loss="quantile", quantile=0.9, max_depth=2, cv=3
    )
    scores = model.fit(X, Y).cv_results_["mean_test_score"]
    assert (scores < 0).all()
    assert scores.max() == model.best_score_
    folds = list(StratifiedKFold(3).split(IRIS, SPECIES))
    priced = {"loss": "cost_matrix", "cost_matrix": COSTS, "max_depth": 2}
    chosen = DPDTreeClassifierCV(cv=folds, by="min_samples_leaf", grid=[5], **priced)
    weight = np.arange(1.0, 151.0)
    chosen.fit(IRIS, SPECIES, weight)
    costs = []
    for train, test in folds:
        tree = DPDTreeClassifier(min_samples_leaf=5, alpha=0.0, **priced)
        tree.fit(IRIS[train], SPECIES[train], weight[train])
        own = COSTS[SPECIES[test], tree.predict(IRIS[test])]
        costs.append(np.average(own, weights=weight[test]))
    assert chosen.best_score_ == pytest.approx(-np.mean(costs))


def test_large_offsets_and_scales():
    for factor, shift in ((1e-200, 0.0), (1e200, 0.0), (1.0, 1e6)):
        y = Y * factor + shift
        theirs = DecisionTreeRegressor(criterion="absolute_error", max_depth=2)
        ours = DPDTreeRegressor(
            strategy="greedy", criterion="absolute_error", loss="absolute_error",
            max_depth=2,
        )  # fmt: skip
        theirs.fit(X, Y)
        expected = theirs.predict(X) * factor + shift
        np.testing.assert_allclose(ours.fit(X, y).predict(X), expected, rtol=1e-9)
