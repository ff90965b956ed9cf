"""The cross-validated estimators against doing the same by hand."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import clone
from sklearn.metrics import get_scorer, make_scorer, matthews_corrcoef
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
    export_text,
)
from tests.integration.data import assert_same_tree, make_classes, make_targets

NOISE = pytest.mark.filterwarnings("ignore:No tree of the cross-validation scores")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@NOISE
@parametrize_with_checks([DPDTreeClassifierCV(), DPDTreeRegressorCV()])
def test_estimator(estimator, check):
    check(estimator)


def shuffled(kind, folds=5):
    """The folds that a number stands for."""
    return kind(folds, shuffle=True, random_state=0)


def by_hand(X, y, values, select, folds=5):
    """Mean scores of every value, one path and one score at a time."""
    scores = []
    for train, test in shuffled(StratifiedKFold, folds).split(X, y):
        trees = [select(X[train], y[train], value) for value in values]
        scores.append([tree.score(X[test], y[test]) for tree in trees])
    return np.mean(scores, axis=0)


def test_number_of_leaves():
    X, y = make_classes(400)
    base = DPDTreeClassifier(max_depth=3, alpha=0.0)
    model = DPDTreeClassifierCV(max_depth=3, by="n_leaves").fit(X, y)
    path = base.leaf_path(X, y)
    leaves = model.cv_results_["param_n_leaves"]
    np.testing.assert_array_equal(leaves, path.n_leaves)
    means = by_hand(
        X, y, leaves, lambda X, y, k: base.leaf_path(X, y).select(n_leaves=k)
    )
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], means)
    assert model.best_score_ == means.max()
    assert model.n_leaves_ == leaves[means.argmax()] == model.get_n_leaves()
    assert model.best_params_ == {"n_leaves": model.n_leaves_}
    assert_same_tree(model, path.select(n_leaves=model.n_leaves_))


def test_alpha():
    X, y = make_classes(400)
    base = DPDTreeClassifier(max_depth=3, complexity="n_leaves")
    model = DPDTreeClassifierCV(max_depth=3, by="alpha").fit(X, y)
    path = base.regularization_path(X, y)
    alphas = model.cv_results_["param_alpha"]
    assert len(alphas) == len(path)
    assert alphas[0] == path.alphas[0]
    assert alphas[-1] == 0.0
    means = by_hand(
        X, y, alphas, lambda X, y, a: base.regularization_path(X, y).select(alpha=a)
    )
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], means)
    assert model.alpha_ == model.best_params_["alpha"]
    assert_same_tree(model, path.select(alpha=model.alpha_))
    assert model.objective_ == model.loss_ + model.alpha_ * model.complexity_


@pytest.mark.parametrize("scoring", [None, "neg_mean_absolute_error"])
def test_leaf_size_is_a_grid_search(scoring):
    X, y = make_targets(400)
    model = DPDTreeRegressorCV(max_depth=3, scoring=scoring, by="min_samples_leaf")
    model.fit(X, y)
    grid = {"min_samples_leaf": [1, 5, 20, 50]}
    base = DPDTreeRegressor(max_depth=3, alpha=0.0)
    search = GridSearchCV(base, grid, scoring=scoring, cv=shuffled(KFold)).fit(X, y)
    assert model.best_params_ == search.best_params_
    assert model.best_score_ == pytest.approx(search.best_score_)
    for name in ("mean_test_score", "std_test_score", "split3_test_score"):
        np.testing.assert_allclose(model.cv_results_[name], search.cv_results_[name])
    assert_same_tree(model, search.best_estimator_)
    assert not hasattr(model, "path_")


def test_sorted_rows():
    """Folds of neighbours had made every split useless on the rows left out."""
    x = np.arange(200.0)
    labels, X = (x // 20 % 2).astype(int), x[:, np.newaxis]
    model = DPDTreeClassifierCV().fit(X, labels)
    assert (model.n_leaves_, model.best_score_ > 0.9) == (10, True)
    assert DPDTreeRegressorCV().fit(X, x).best_score_ > 0.99
    again = DPDTreeClassifierCV().fit(X, labels)
    np.testing.assert_array_equal(
        model.cv_results_["split0_test_score"], again.cv_results_["split0_test_score"]
    )


BOTH_BY = [
    (estimator, by)
    for estimator in (DPDTreeClassifierCV, DPDTreeRegressorCV)
    for by in ("n_leaves", "alpha", "min_samples_leaf")
]


@pytest.mark.parametrize(("estimator", "by"), BOTH_BY)
def test_a_warning_where_nothing_beats_the_constant(estimator, by):
    x = np.arange(200.0)
    X, y = x[:, np.newaxis], (x // 20 % 2).astype(int)
    neighbours = StratifiedKFold(5)
    with pytest.warns(UserWarning, match="better than a single leaf") as warned:
        estimator(by=by, cv=neighbours).fit(X, y)
    assert [w.filename for w in warned] == [__file__]
    estimator(by=by).fit(X, y)  # does not warn
    estimator(by=by, cv=neighbours).fit(X, np.zeros(200))  # nor does a constant


@pytest.mark.parametrize("by", ["n_leaves", "alpha", "min_samples_leaf"])
@pytest.mark.parametrize("estimator", [DPDTreeClassifierCV, DPDTreeRegressorCV])
def test_threads_do_not_change_anything(estimator, by):
    X, y = make_classes() if estimator is DPDTreeClassifierCV else make_targets()
    arguments = {"by": by, "max_depth": 3, "max_features": 3, "random_state": 1}
    one = estimator(**arguments).fit(X, y)
    two = estimator(**arguments, n_jobs=2).fit(X, y)
    again = clone(one).fit(X, y)
    for other in (two, again):
        assert_same_tree(one, other)
        assert one.best_params_ == other.best_params_
        for name, values in one.cv_results_.items():
            np.testing.assert_array_equal(values, other.cv_results_[name])


@NOISE
def test_rules_and_depths():
    X, y = make_classes(200, seed=4)
    sizes = [
        DPDTreeClassifierCV(max_depth=4, rule=rule).fit(X, y).n_leaves_
        for rule in ("best", "half_se", "1se")
    ]
    assert sizes == sorted(sizes, reverse=True)
    model = DPDTreeClassifierCV(max_depths=(1, 3)).fit(X, y)
    assert set(model.best_params_) == {"n_leaves", "max_depth"}
    assert set(model.cv_results_["param_max_depth"]) == {1, 3}
    assert model.get_depth() <= model.best_params_["max_depth"]
    alone = [DPDTreeClassifierCV(max_depth=d).fit(X, y).best_score_ for d in (1, 3)]
    assert model.best_score_ == max(alone)


def test_grid_limits_the_choice():
    X, y = make_classes()
    model = DPDTreeClassifierCV(grid=[2, 3, 3], max_depth=3).fit(X, y)
    assert model.cv_results_["param_n_leaves"].tolist() == [2, 3]
    alpha = DPDTreeClassifierCV(by="alpha", grid=(0.0, 0.1), max_depth=3).fit(X, y)
    assert alpha.alpha_ in (0.0, 0.1)


def test_splitters_and_groups():
    X, y = make_classes()
    groups = np.arange(len(y)) // 25
    folds = list(GroupKFold(4).split(X, y, groups))
    listed = DPDTreeClassifierCV(cv=folds, max_depth=3).fit(X, y)
    grouped = DPDTreeClassifierCV(cv=GroupKFold(4), max_depth=3)
    grouped.fit(X, y, groups=groups)
    assert grouped.n_splits_ == listed.n_splits_ == 4
    np.testing.assert_array_equal(
        grouped.cv_results_["mean_test_score"], listed.cv_results_["mean_test_score"]
    )
    assert DPDTreeClassifierCV(cv=iter(folds)).fit(X, y).n_splits_ == 4
    assert DPDTreeRegressorCV(cv=KFold(3), max_depth=2).fit(X, y).n_splits_ == 3


@NOISE
def test_scorers():
    X, y = make_classes(n_classes=2)
    for scoring in ("roc_auc_ovr", "neg_log_loss", make_scorer(matthews_corrcoef)):
        model = DPDTreeClassifierCV(scoring=scoring, max_depth=3, cv=3).fit(X, y)
        assert np.isfinite(model.best_score_)
    own = DPDTreeClassifierCV(
        by="n_leaves", scoring=lambda model, X, y: -model.get_n_leaves()
    )
    assert own.fit(X, y).n_leaves_ == 1


@NOISE
def test_weights_enter_search_and_score():
    X, y = make_classes()
    weight = (np.arange(len(y)) % 3).astype(float)
    model = DPDTreeClassifierCV(by="n_leaves", max_depth=2, cv=3)
    model.fit(X, y, sample_weight=weight)
    base = DPDTreeClassifier(max_depth=2)
    best = model.best_params_["n_leaves"]
    scores = []
    for train, test in shuffled(StratifiedKFold, 3).split(X, y):
        path = base.leaf_path(X[train], y[train], weight[train])
        tree = path.select(n_leaves=best)
        scores.append(tree.score(X[test], y[test], sample_weight=weight[test]))
    assert model.best_score_ == pytest.approx(np.mean(scores))


@NOISE
def test_metadata_routing():
    X, y = make_classes()
    weight, groups = np.arange(len(y)) % 3 + 1.0, np.arange(len(y)) // 30
    plain = DPDTreeClassifierCV(max_depth=2, cv=GroupKFold(3))
    plain.fit(X, y, sample_weight=weight, groups=groups)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = DPDTreeClassifierCV(max_depth=2, cv=GroupKFold(3))
        routed.fit(X, y, sample_weight=weight, groups=groups)
        assert_same_tree(plain, routed)
        assert routed.best_score_ == plain.best_score_
        accuracy = get_scorer("accuracy").set_score_request(sample_weight=False)
        DPDTreeClassifierCV(scoring=accuracy).fit(X, y, sample_weight=weight)
        inner = DPDTreeClassifierCV(max_depth=2, cv=3).set_fit_request(
            sample_weight=True
        )
        pipe = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False), inner
        )
        pipe.fit(X, y, sample_weight=weight)
        assert pipe[-1].best_score_ > 0.0


def test_everything_of_the_plain_estimator():
    X, y = make_classes()
    frame = pd.DataFrame(X, columns=list("abcde"))
    labels = np.array(["x", "y", "z"])[y]
    model = DPDTreeClassifierCV(max_depth=3, by="n_leaves").fit(frame, labels)
    plain = DPDTreeClassifier(max_depth=3).fit(frame, labels)
    assert set(vars(plain)) - {"alpha"} <= set(vars(model))
    np.testing.assert_array_equal(model.classes_, plain.classes_)
    assert list(model.feature_names_in_) == list("abcde")
    assert model.predict_proba(frame).shape == (len(y), 3)
    assert "class: x" in export_text(model)
    assert model.to_sklearn().score(frame, labels) == model.score(frame, labels)
    assert isinstance(model.path_[0], DPDTreeClassifier)
    assert cross_val_score(model, frame, labels, cv=2).mean() > 0.3


def test_pickled_estimator_holds_no_data():
    X, y = make_classes(20_000)
    model = DPDTreeClassifierCV(max_depth=2, cv=2).fit(X, y)
    dump = pickle.dumps(model)
    assert len(dump) < 30_000
    assert_same_tree(pickle.loads(dump), model)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"by": "depth"}, "'by' parameter"),
        ({"rule": "2se"}, "'rule' parameter"),
        ({"cv": 1}, "'cv' parameter"),
        ({"cv": "five"}, "'cv' parameter"),
        ({"grid": []}, "'grid' parameter"),
        ({"grid": [0]}, 'grid must hold ints >= 1 with by="n_leaves", got 0'),
        ({"grid": [2.5]}, "grid must hold ints"),
        ({"by": "alpha", "grid": [-0.1]}, "'grid' parameter"),
        ({"by": "min_samples_leaf", "grid": [5, 1.5]}, "grid must hold ints >= 1 or"),
        ({"cv": []}, "cv must give at least one fold"),
        ({"cv": [1, 2]}, "cv must give at least one fold"),
        ({"max_depths": [0]}, "'max_depths' parameter"),
        ({"scoring": 1}, "'scoring' parameter"),
        ({"scoring": "best"}, "scoring"),
        ({"strategy": "optimal"}, "strategy"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(ValueError, match=message):
        DPDTreeClassifierCV(**arguments).fit(*make_classes())


def test_bad_metadata():
    X, y = make_classes()
    with pytest.raises(TypeError, match=r"fit got \['weights'\]"):
        DPDTreeClassifierCV().fit(X, y, weights=y)


def test_one_weight_for_all_rows():
    X, y = make_classes()
    plain = DPDTreeClassifierCV(max_depth=2).fit(X, y)
    weighted = DPDTreeClassifierCV(max_depth=2).fit(X, y, sample_weight=2.0)
    assert weighted.best_score_ == plain.best_score_
    assert (weighted.predict(X) == plain.predict(X)).all()


def test_small_and_degenerate_data():
    X = np.arange(6.0)[:, np.newaxis]
    pure = DPDTreeClassifierCV().fit(X, np.zeros(6, dtype=int))
    assert (pure.n_leaves_, pure.best_score_) == (1, 1.0)
    few = DPDTreeClassifierCV().fit(X, [0, 0, 0, 1, 1, 2])
    assert few.n_splits_ == 3
    with pytest.raises(ValueError, match="two rows"):
        DPDTreeClassifierCV().fit(X, np.arange(6))
    assert DPDTreeRegressorCV().fit(X[:5], np.arange(5.0)).n_splits_ == 2


def test_an_interrupted_fit_leaves_it_unfitted():
    X, y = make_classes()
    model = DPDTreeClassifierCV(max_depth=2).fit(X, y)

    def interrupted(*_):
        raise KeyboardInterrupt

    model.set_params(scoring=interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "tree_")
    assert not hasattr(model, "path_")


def test_verbose(capsys):
    X, y = make_classes()
    DPDTreeClassifierCV(max_depth=2, verbose=1, by="n_leaves").fit(X, y)
    assert "[DPDTreeClassifierCV] n_leaves=" in capsys.readouterr().out
    DPDTreeRegressorCV(max_depth=2, verbose=1).fit(X, y)
    assert "min_samples_leaf=" in capsys.readouterr().out


@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_by_default_variants_of_the_plain_estimator_are_tried(kind):
    X, y = make_classes(400)
    cv = {DPDTreeClassifier: DPDTreeClassifierCV, DPDTreeRegressor: DPDTreeRegressorCV}
    model, plain = cv[kind]().fit(X, y), kind().fit(X, y)
    results = model.cv_results_
    assert results["param_price_scale"][0] == plain.price_scale_
    assert results["param_shrinkage"][0] == plain.shrinkage_
    assert len(results["params"]) == 6
    folds = [results[f"split{i}_test_score"] for i in range(5)]
    gains = np.array(folds).T - np.array(folds)[:, 0]
    best = model.best_index_
    if best == 0:
        assert_same_tree(model, plain)
        np.testing.assert_array_equal(model.predict(X), plain.predict(X))
    else:
        error = gains[best].std(ddof=1) / np.sqrt(5)
        assert gains[best].mean() > error
    assert model.shrinkage_ == model.best_params_["shrinkage"]
    named = cv[kind](strategy="balanced", max_depth=2, cv=2).fit(X, y)
    assert len(named.best_params_) == 1  # as before


@pytest.mark.parametrize("container", [pa.table, pa.record_batch])
def test_arrow_data_are_divided_into_folds(container):
    X, y = make_targets(120)
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    model = DPDTreeRegressorCV(max_depth=3, cv=3).fit(container(columns), y)
    assert_same_tree(model, DPDTreeRegressorCV(max_depth=3, cv=3).fit(X, y))
