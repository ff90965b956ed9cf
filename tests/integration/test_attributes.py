"""What a fit leaves on the estimator, and that predictions agree with it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, mean_squared_error
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.validation import check_is_fitted

from dpdtree import DPDTreeClassifier, DPDTreeRegressor, FitReport
from dpdtree._params.estimators import strategy_of
from dpdtree._params.tree import STRATEGIES
from dpdtree._structure import TreeStructure
from tests.integration.data import make_classes, make_targets


@pytest.fixture(params=STRATEGIES)
def classifier(request):
    X, y = make_classes()
    return DPDTreeClassifier(strategy=request.param, max_depth=3, alpha=0.01).fit(X, y)


@pytest.fixture(params=STRATEGIES)
def regressor(request):
    X, y = make_targets()
    return DPDTreeRegressor(strategy=request.param, max_depth=3, alpha=0.01).fit(X, y)


def check_common_attributes(model):
    check_is_fitted(model)
    assert isinstance(model.tree_, TreeStructure)
    assert isinstance(model.report_, FitReport)
    assert model.report_.strategy == strategy_of(model)
    assert model.report_.stop_reason == "completed"
    assert model.report_.seconds >= 0
    assert (model.n_features_in_, model.n_outputs_, model.max_features_) == (5, 1, 5)
    assert not hasattr(model, "feature_names_in_")
    assert model.get_depth() == model.tree_.max_depth <= 3
    assert model.get_n_leaves() == model.tree_.n_leaves <= 8
    assert model.objective_ == pytest.approx(model.loss_ + 0.01 * model.complexity_)
    assert model.is_optimal_ is (model.gap_ <= 1e-12)
    if model.is_optimal_ or model.strategy == "optimal":
        assert 0 <= model.lower_bound_ <= model.objective_
        assert model.gap_ == pytest.approx(model.objective_ - model.lower_bound_)
    else:  # nothing was proven
        assert np.isnan([model.lower_bound_, model.gap_]).all()
    importances = model.feature_importances_
    assert importances.shape == (5,)
    assert importances.min() >= 0
    assert importances.sum() == pytest.approx(1.0)


def test_classifier(classifier):
    X, y = make_classes()
    check_common_attributes(classifier)
    assert classifier.classes_.tolist() == [0, 1, 2]
    assert classifier.n_classes_ == 3
    proba = classifier.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(proba.argmax(axis=1), classifier.predict(X))
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(classifier.predict_log_proba(X), np.log(proba))
    assert classifier.score(X, y) == accuracy_score(y, classifier.predict(X))
    if classifier.strategy != "auto":  # whose loss is another
        assert classifier.score(X, y) == pytest.approx(1 - classifier.loss_)


def test_predictions_have_the_type_of_the_labels():
    """NumPy prints a type that is not its own default, such as long long."""
    X, y = make_classes()
    for labels in (y, y.astype(np.int32), y.astype(float), y.astype(str), y > 0):
        model = DPDTreeClassifier(max_depth=2).fit(X, labels)
        assert model.predict(X).dtype.char == model.classes_.dtype.char


def test_regressor(regressor):
    X, y = make_targets()
    check_common_attributes(regressor)
    assert not hasattr(regressor, "classes_")
    tree = regressor.tree_
    mse = mean_squared_error(y, tree.predict(X)[:, 0])
    assert mse == pytest.approx(regressor.loss_)
    shrunk = tree.shrunk(regressor.shrinkage_)[tree.apply(X), 0, 0]
    np.testing.assert_array_equal(regressor.predict(X), shrunk)
    assert regressor.shrinkage_ == 0.0  # alpha is given


def test_paths_end_in_leaves(classifier):
    X, _ = make_classes()
    leaves, path = classifier.apply(X), classifier.decision_path(X)
    tree = classifier.tree_
    assert path.shape == (len(X), tree.node_count)
    assert (tree.children_left[leaves] == -1).all()
    np.testing.assert_array_equal(path.indices[path.indptr[1:] - 1], leaves)
    np.testing.assert_array_equal(np.asarray(path.sum(axis=0))[0], tree.n_node_samples)


def test_importances_are_scikit_learns():
    X, y = make_classes(seed=3)
    ours = DPDTreeClassifier(strategy="greedy").fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)
    X, y = make_targets(seed=3)
    ours = DPDTreeRegressor(strategy="greedy").fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_)


def test_single_leaf():
    X, y = make_classes()
    model = DPDTreeClassifier(alpha=10.0).fit(X, y)
    assert (model.get_depth(), model.get_n_leaves(), model.complexity_) == (0, 1, 0.0)
    assert model.feature_importances_.tolist() == [0.0] * 5


def test_zero_loss_is_proven_optimal():
    X, y = np.arange(8.0)[:, None], np.arange(8) // 4
    model = DPDTreeClassifier(alpha=0.0).fit(X, y)
    assert model.loss_ == 0.0
    assert model.is_optimal_


@pytest.mark.parametrize(
    ("max_features", "expected"),
    [(None, 5), (2, 2), (9, 5), (0.5, 2), (0.01, 1), ("sqrt", 2), ("log2", 2)],
)
def test_max_features(max_features, expected):
    X, y = make_classes()
    params = {"max_features": max_features, "random_state": 3}
    model, again = (DPDTreeClassifier(**params).fit(X, y) for _ in range(2))
    assert model.max_features_ == expected
    np.testing.assert_array_equal(model.apply(X), again.apply(X))


def test_fractions_of_rows():
    X, y = make_classes(n_samples=200)
    by_share = DPDTreeClassifier(min_samples_leaf=0.101, min_samples_split=0.3)
    by_count = DPDTreeClassifier(min_samples_leaf=21, min_samples_split=60)
    leaves = [m.fit(X, y).apply(X) for m in (by_share, by_count)]
    np.testing.assert_array_equal(*leaves)
    assert np.unique(leaves[0], return_counts=True)[1].min() >= 21


def test_class_weight_is_sample_weight():
    X, y = make_classes()
    weights = {0: 3.0, 1: 1.0, 2: 0.5}
    by_class = DPDTreeClassifier(class_weight=weights).fit(X, y)
    by_row = DPDTreeClassifier().fit(X, y, sample_weight=[weights[c] for c in y])
    np.testing.assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))
    balanced = DPDTreeClassifier(class_weight="balanced").fit(X, y)
    counts = np.bincount(y)
    by_row = DPDTreeClassifier().fit(X, y, sample_weight=(1 / counts)[y])
    np.testing.assert_allclose(balanced.predict_proba(X), by_row.predict_proba(X))


def test_verbose_prints_one_line(capsys):
    X, y = make_classes()
    DPDTreeClassifier(verbose=1).fit(X, y)
    printed = capsys.readouterr().out
    assert printed.startswith("[DPDTreeClassifier] FitReport(paper, completed in ")
    assert printed.count("\n") == 1
    DPDTreeClassifier().fit(X, y)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "labels",
    [
        ["low", "mid", "high"],
        np.array(["low", "mid", "high"], dtype=object),
        [10, -3, 7],
        [1.0, 2.0, 5.0],
    ],
)
def test_label_types(labels):
    X, y = make_classes()
    labels = np.sort(np.asarray(labels))
    model = DPDTreeClassifier().fit(X, labels[y])
    assert model.classes_.dtype == labels.dtype
    expected = DPDTreeClassifier().fit(X, y).predict(X)
    np.testing.assert_array_equal(model.predict(X), labels[expected])


def test_bool_labels():
    X, y = make_classes()
    model = DPDTreeClassifier().fit(X, y > 0)
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X).dtype == bool


def test_missing_values_at_predict():
    X, y = make_classes()
    model = DPDTreeClassifier().fit(X, y)
    nothing = np.full((1, 5), np.nan)
    node, tree = 0, model.tree_
    while (left := tree.children_left[node]) != -1:
        right, weight = tree.children_right[node], tree.weighted_n_node_samples
        node = left if weight[left] > weight[right] else right
    assert model.apply(nothing).tolist() == [node]
    assert model.apply(nothing.astype(np.float32)).tolist() == [node]


def test_failed_fit_leaves_the_estimator_unfitted():
    X, y = make_classes()
    model = DPDTreeClassifier().fit(X, y)
    bad = X.copy()
    bad[7, 2] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(bad, y)
    assert not [name for name in vars(model) if name.endswith("_")]
    model.fit(X, y).predict(X)


SAID = {
    ("auto", DPDTreeClassifier): {
        "strategy": "paper",
        "n_candidates": (4, 4, 2, 1),
        "max_depth": 6,
        "loss": "log_loss",
        "alpha": "mdl",
        "shrinkage": "folds",
        "leaf_smoothing": None,
    },
    ("auto", DPDTreeRegressor): {
        "max_depth": 6,
        "min_samples_leaf": 5,
        "shrinkage": "folds",
    },
    ("balanced", DPDTreeClassifier): {
        "max_depth": 5,
        "loss": "zero_one",
        "alpha": "mdl",
        "leaf_smoothing": 3.0,
        "shrinkage": 0.0,
    },
    ("balanced", DPDTreeRegressor): {
        "max_depth": 5,
        "alpha": 0.0,
        "min_samples_leaf": 0.01,
        "shrinkage": 0.0,
    },
}


@pytest.mark.parametrize(("strategy", "kind"), SAID)
def test_defaults_are_what_they_are_said_to_be(strategy, kind):
    X, y = make_classes(300, seed=2)
    plain = kind(strategy=strategy).fit(X, y)
    said = {"strategy": strategy} | SAID[strategy, kind]
    explicit = kind(**said)
    if (strategy, kind) == ("auto", DPDTreeRegressor):
        # Folds choose a multiple of the price by "mdl" that has no other name.
        explicit.set_params(strategy="auto", alpha="auto")
        assert plain.price_scale_ > 0.0
    explicit.fit(X, y)
    np.testing.assert_array_equal(plain.apply(X), explicit.apply(X))
    assert plain.objective_ == explicit.objective_
    if kind is DPDTreeClassifier:
        np.testing.assert_array_equal(plain.predict_proba(X), explicit.predict_proba(X))


def test_published_strategies_do_not_smooth():
    X, y = make_classes(200)
    for strategy in ("greedy", "paper", "optimal"):
        model = DPDTreeClassifier(strategy=strategy).fit(X, y)
        shares = model.tree_.value[model.apply(X), 0]
        np.testing.assert_array_equal(model.predict_proba(X), shares)


@pytest.mark.parametrize("loss", ["auto", "zero_one", "gini", "log_loss"])
@pytest.mark.parametrize("strategy", ["auto", "balanced"])
def test_probabilities_are_smoothed_for_every_loss(strategy, loss):
    X, y = make_classes(200)
    model = DPDTreeClassifier(strategy=strategy, loss=loss, max_depth=3).fit(X, y)
    assert model.get_n_leaves() > 1
    shares = model.predict_proba(X)
    assert (shares > 0).all()
    np.testing.assert_array_equal(model.predict(X), shares.argmax(axis=1))
    twin = model.to_sklearn(smoothed=True)
    np.testing.assert_array_equal(twin.predict_proba(X.astype(np.float32)), shares)


def test_decisions_that_the_loss_counts_are_not_shrunk():
    X, y = make_classes(200)
    model = DPDTreeClassifier(loss="zero_one", max_depth=3).fit(X, y)
    assert model.shrinkage_ == 0.0
    assert model.score(X, y) == pytest.approx(1 - model.loss_)
