"""What users of LightGBM and XGBoost expect of a booster."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.metrics import (
    accuracy_score,
    log_loss,
    mean_absolute_error,
    mean_squared_error,
    roc_auc_score,
)

import dpdtree
from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor, export_text
from dpdtree._fitted import fitted_attributes
from tests.integration.boosted import BOTH, assert_same_model, fitted, pace_of
from tests.integration.data import make_classes, make_targets


def two_classes(n=500, seed=0):
    X, y = make_classes(n, seed=seed)
    return X, np.array(["no", "yes"])[(y > 0).astype(int)]


def test_evals_result_of_several_sets_and_metrics():
    X, y = two_classes(600)
    weight = np.random.default_rng(0).random(200)
    model = DPDTBoostingClassifier(max_iter=8)
    model.fit(
        X[:300],
        y[:300],
        eval_set=[(X[:300], y[:300]), (X[300:500], y[300:500], weight)],
        eval_metric=["loss", "auc", "error", "neg_log_loss", "accuracy", "logloss"],
    )
    assert list(model.evals_result_) == ["valid_0", "valid_1"]
    for name, rows, w in (
        ("valid_0", slice(0, 300), None),
        ("valid_1", slice(300, 500), weight),
    ):
        found = model.evals_result_[name]
        assert {len(values) for values in found.values()} == {8}
        for k, p in enumerate(model.staged_predict_proba(X[rows])):
            loss = log_loss(y[rows], p, sample_weight=w)
            right = accuracy_score(
                y[rows], model.classes_[(p[:, 1] > 0.5).astype(int)], sample_weight=w
            )
            auc = roc_auc_score(y[rows], p[:, 1], sample_weight=w)
            at = {key: values[k] for key, values in found.items()}
            assert at == pytest.approx(
                {
                    "loss": loss,
                    "logloss": loss,
                    "neg_log_loss": -loss,
                    "auc": auc,
                    "error": 1 - right,
                    "accuracy": right,
                }
            )
    np.testing.assert_allclose(
        model.evals_result_["valid_0"]["loss"], -model.train_score_[1:]
    )
    # The last set is the validation curve, though nothing stops early.
    assert not model.do_early_stopping_
    np.testing.assert_allclose(
        model.evals_result_["valid_1"]["loss"], -model.validation_score_[1:]
    )


def test_metrics_of_numbers_and_of_several_classes():
    X, y = make_targets(300)
    model = DPDTBoostingRegressor(max_iter=5, loss="absolute_error")
    metrics = ["rmse", "l2", "mae", "mape", "loss", "r2", mean_absolute_error]
    model.fit(X, y + 20, eval_set=(X, y + 20), eval_metric=metrics)
    [found] = model.evals_result_.values()
    p = model.predict(X)
    error = np.abs(y + 20 - p)
    assert {key: values[-1] for key, values in found.items()} == pytest.approx(
        {
            "rmse": np.sqrt(np.mean(error**2)),
            "l2": np.mean(error**2),
            "mae": error.mean(),
            "mape": np.mean(error / np.abs(y + 20)),
            "loss": error.mean(),
            "r2": model.score(X, y + 20),
            "mean_absolute_error": error.mean(),
        }
    )
    X, y = make_classes(300)
    model = DPDTBoostingClassifier(max_iter=5)
    # The second set lacks a class.
    sets = {"all": (X, y), "part": (X[y > 0], y[y > 0])}
    model.fit(X, y, eval_set=sets, eval_metric=["auc", "multi_logloss", "multi_error"])
    p = model.predict_proba(X)
    assert model.evals_result_["all"]["auc"][-1] == pytest.approx(
        np.mean([roc_auc_score(y == k, p[:, k]) for k in range(p.shape[1])])
    )
    assert np.isfinite(model.evals_result_["part"]["auc"]).all()
    assert model.evals_result_["part"]["multi_logloss"][-1] == pytest.approx(
        -np.log(p[y > 0][np.arange((y > 0).sum()), y[y > 0]]).mean()
    )


def test_own_metrics():
    X, y = two_classes(300)

    def share(y_true, y_pred):
        assert set(y_true) == {"no", "yes"}
        assert y_pred.shape == (300,)
        return "share above a half", np.mean(y_pred > 0.5), True

    class Spread:
        def __call__(self, y_true, y_pred):
            return np.ptp(y_pred)

    model = DPDTBoostingClassifier(max_iter=4)
    model.fit(X, y, eval_set=[(X, y)], eval_metric=[share, Spread()])
    found = model.evals_result_["valid_0"]
    p = model.predict_proba(X)[:, 1]
    assert found["share above a half"][-1] == np.mean(p > 0.5)
    assert found["Spread"][-1] == pytest.approx(np.ptp(p))
    with pytest.raises(TypeError, match="eval_metric must return a number, or the"):
        model.fit(X, y, eval_set=[(X, y)], eval_metric=lambda y, p: (1, 2, 3, 4))


def test_watching_changes_nothing_but_early_stopping_takes_the_last_set():
    X, y = make_classes(700)
    plain = fitted(DPDTBoostingClassifier, X[:400], y[:400], early_stopping="auto")
    sets = [(X[:400], y[:400]), (X[400:], y[400:])]
    watched = clone(plain).fit(X[:400], y[:400], eval_set=sets)
    assert_same_model(plain, watched, X)
    assert not watched.do_early_stopping_
    stop = {"learning_rate": 0.5, "max_iter": 80, "n_iter_no_change": 4}
    by_set = DPDTBoostingClassifier(early_stopping=True, **stop)
    by_set.fit(X[:400], y[:400], eval_set=sets)
    given = DPDTBoostingClassifier(**stop)
    given.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:])
    assert_same_model(by_set, given, X)
    assert by_set.stop_reason_ == "early_stopping"
    assert by_set.best_iteration_ == by_set.n_iter_ == given.n_iter_
    # All iterations are on record, also those after the best.
    losses = by_set.evals_result_["valid_1"]["loss"]
    assert len(losses) > by_set.n_iter_
    assert int(np.argmin(losses)) + 1 == by_set.n_iter_
    # X_val goes before.
    both = DPDTBoostingClassifier(early_stopping=True, **stop)
    both.fit(X[:400], y[:400], X_val=X[400:], y_val=y[400:], eval_set=[(X[:9], y[:9])])
    assert_same_model(both, given, X)


def test_names_weights_and_callbacks_of_watched_sets():
    X, y = make_targets(200)
    seen = []
    weight = np.linspace(1, 2, 200)
    model = DPDTBoostingRegressor(max_iter=3).fit(
        X,
        y,
        eval_set=[(X, y), (X, y)],
        eval_names=["plain", "weighted"],
        eval_sample_weight=[None, weight],
        eval_metric="l2",
        callbacks=[lambda state: seen.append(state.evaluations)],
    )
    assert [state["plain"]["l2"] for state in seen] == model.evals_result_["plain"][
        "l2"
    ]
    assert model.evals_result_["weighted"]["l2"][-1] == pytest.approx(
        mean_squared_error(y, model.predict(X), sample_weight=weight)
    )


def test_warm_start_goes_on_with_the_record():
    X, y = make_targets(200)
    model = DPDTBoostingRegressor(max_iter=3, warm_start=True)
    model.fit(X, y, eval_set=[(X, y)])
    model.set_params(max_iter=6).fit(X, y, eval_set=[(X, y)])
    whole = DPDTBoostingRegressor(max_iter=6, learning_rate=model.learning_rate_)
    whole.fit(X, y, eval_set=[(X, y)])
    np.testing.assert_allclose(
        model.evals_result_["valid_0"]["loss"], whole.evals_result_["valid_0"]["loss"]
    )


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"eval_metric": "auc"}, ValueError, "eval_metric is given, but eval_set is"),
        ({"eval_set": 3}, TypeError, "eval_set must be a list of tuples"),
        ({"eval_set": [(1, 2, 3, 4)]}, TypeError, "eval_set must be a list of tuples"),
        ({"eval_set": "XY", "eval_metric": "rmse"}, ValueError, "eval_metric must be"),
        ({"eval_set": "XY", "eval_metric": 3}, ValueError, "eval_metric must be"),
        ({"eval_set": "XY", "eval_names": ["a", "b"]}, ValueError, "eval_names must"),
        ({"eval_set": "dict", "eval_names": ["a"]}, ValueError, "names already"),
        ({"eval_set": "XY", "eval_sample_weight": 1}, ValueError, "eval_sample_weight"),
        ({"eval_set": "XY+9"}, ValueError, "y of eval_set 'valid_0' contains labels"),
        ({"eval_set": "XYW", "eval_sample_weight": [[1]]}, ValueError, "already"),
        ({"init_score": [1, 2]}, ValueError, r"init_score must have shape \(90,\)"),
        ({"init_score": ["a"] * 90}, ValueError, "init_score must hold numbers"),
        ({"init_score": [np.inf] * 90}, ValueError, "init_score must hold finite"),
        ({"eval_set": "XY", "eval_init_score": [[1]]}, ValueError, "eval_init_score"),
    ],
)
def test_bad_arguments(arguments, error, text):
    X, y = make_classes(90, n_classes=2)
    y = np.minimum(y, 1)
    sets = {
        "XY": [(X, y)],
        "dict": {"a": (X, y)},
        "XY+9": [(X, y + 9)],
        "XYW": [(X, y, np.ones(90))],
    }
    wanted = arguments.get("eval_set")
    given = {**arguments}
    if isinstance(wanted, str):
        given["eval_set"] = sets[wanted]
    model = DPDTBoostingClassifier(max_iter=2)
    with pytest.raises(error, match=text):
        model.fit(X, y, **given)
    assert not fitted_attributes(model)


def test_a_loss_of_ones_own_needs_a_metric():
    X, y = make_targets(100)

    def squared(y, raw):
        return raw - y, np.ones_like(y)

    model = DPDTBoostingRegressor(loss=squared, max_iter=3)
    with pytest.raises(ValueError, match="needs an eval_metric"):
        model.fit(X, y, eval_set=[(X, y)])
    model.fit(X, y, eval_set=[(X, y)], eval_metric="rmse")
    assert len(model.evals_result_["valid_0"]["rmse"]) == 3


@pytest.mark.parametrize(("estimator", "make"), BOTH)
def test_predictions_of_the_first_iterations(estimator, make):
    X, y = make(300)
    model = fitted(estimator, X, y, max_iter=6)
    names = ["predict"]
    if hasattr(model, "classes_"):
        names += ["predict_proba", "decision_function"]
    for name in names:
        stages = list(getattr(model, f"staged_{name}")(X))
        for n, stage in enumerate(stages, 1):
            np.testing.assert_array_equal(getattr(model, name)(X, n_iter=n), stage)
        for wrong in (7, -1, 1.5, True):
            with pytest.raises(ValueError, match="n_iter must be an int from 0 to 6"):
                getattr(model, name)(X, n_iter=wrong)
    none = model.predict(X, n_iter=0)
    assert len(set(none.tolist())) == 1


def test_apply_gives_the_leaves():
    X, y = make_classes(200)
    model = fitted(DPDTBoostingClassifier, X, y, max_iter=4)
    leaves = model.apply(X)
    assert leaves.shape == (200, 4, model.n_classes_)
    raw = model.booster_.baseline + sum(
        np.stack(
            [model.booster_.tree(i, k).value[leaves[:, i, k]] for k in range(3)], axis=1
        )
        for i in range(4)
    )
    np.testing.assert_allclose(raw, model.decision_function(X))


def test_init_score():
    X, y = two_classes(500)
    prior = 0.3 * X[:, 0] - 1
    model = DPDTBoostingClassifier(max_iter=10)
    model.fit(
        X[:400],
        y[:400],
        init_score=prior[:400],
        eval_set=[(X[400:], y[400:])],
        eval_init_score=[prior[400:]],
    )
    assert model.booster_.baseline.tolist() == [0.0]
    p = model.predict_proba(X[400:], init_score=prior[400:])
    raw = model.decision_function(X[400:]) + prior[400:]
    np.testing.assert_allclose(p[:, 1], expit(raw))
    losses = model.evals_result_["valid_0"]["loss"]
    assert losses[-1] == pytest.approx(log_loss(y[400:], p))
    assert model.train_score_[0] == pytest.approx(
        -log_loss(y[:400], expit(prior[:400]))
    )
    # From its own constant, it is the fit without.
    share = np.mean(y[:400] == "yes")
    same = DPDTBoostingClassifier(max_iter=10)
    same.fit(X[:400], y[:400], init_score=np.full(400, logit(share)))
    plain = DPDTBoostingClassifier(max_iter=10).fit(X[:400], y[:400])
    np.testing.assert_allclose(
        same.predict_proba(X, init_score=np.full(500, logit(share))),
        plain.predict_proba(X),
    )


def test_init_score_of_classes_with_early_stopping_and_warm_start():
    X, y = make_classes(400)
    prior = np.random.default_rng(0).normal(size=(400, 3))
    stop = {"early_stopping": True, "max_iter": 30}
    model = DPDTBoostingClassifier(**stop).fit(X, y, init_score=prior)
    assert len(model.validation_score_) == model.n_iter_ + 1
    assert model.predict(X, init_score=prior).shape == (400,)
    first = DPDTBoostingClassifier(max_iter=3, warm_start=True, learning_rate=0.2)
    first.fit(X, y, init_score=prior)
    first.set_params(max_iter=7).fit(X, y, init_score=prior)
    whole = DPDTBoostingClassifier(max_iter=7, learning_rate=0.2)
    assert_same_model(first, whole.fit(X, y, init_score=prior), X)
    with pytest.raises(ValueError, match=r"init_score must have shape \(400, 3\)"):
        whole.predict(X, init_score=prior[:, 0])


def several_targets(n=300):
    X, y = make_targets(n)
    return X, np.column_stack([y, X[:, 0] ** 2 + 1, np.abs(X[:, 1])])


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_several_outputs_are_a_model_each(loss):
    X, Y = several_targets()
    Y = np.exp(Y / np.abs(Y).max(axis=0))
    weight = np.random.default_rng(1).random(300)
    model = DPDTBoostingRegressor(loss=loss, max_iter=7).fit(X, Y, weight)
    assert model.n_trees_per_iteration_ == 3
    assert model.predict(X).shape == (300, 3)
    pace = pace_of(model)  # which they have in common
    alone = [
        DPDTBoostingRegressor(loss=loss, max_iter=7, **pace).fit(X, Y[:, k], weight)
        for k in range(3)
    ]
    for k, one in enumerate(alone):
        np.testing.assert_array_equal(model.predict(X)[:, k], one.predict(X))
        np.testing.assert_array_equal(
            model.predict(X, n_iter=3)[:, k], one.predict(X, n_iter=3)
        )
    np.testing.assert_allclose(
        model.train_score_, np.mean([one.train_score_ for one in alone], axis=0)
    )
    assert -1 < model.score(X, Y) <= 1


def test_several_outputs_with_everything_else():
    X, Y = several_targets(400)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(kind=["u", "v"] * 200)
    model = DPDTBoostingRegressor(
        max_iter=40, early_stopping=True, learning_rate=0.4, n_iter_no_change=3
    )
    prior = np.zeros((400, 3))
    model.fit(
        frame,
        Y,
        init_score=prior,
        eval_set=[(frame, Y)],
        eval_metric=["loss", "rmse", "r2"],
    )
    assert model.n_iter_ <= 40
    assert len(model.evals_result_["valid_0"]["rmse"]) >= model.n_iter_
    assert len(list(model.staged_predict(frame))) == model.n_iter_
    assert model.feature_importances_.sum() == pytest.approx(1)
    first = DPDTBoostingRegressor(max_iter=3, warm_start=True).fit(X, Y)
    rate = first.learning_rate_
    first.set_params(max_iter=5).fit(X, Y)
    whole = DPDTBoostingRegressor(max_iter=5, learning_rate=rate).fit(X, Y)
    assert_same_model(first, whole, X)
    with pytest.raises(ValueError, match="as many outputs as in the last fit"):
        first.set_params(max_iter=6).fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="as many outputs as y"):
        DPDTBoostingRegressor().fit(X, Y, X_val=X, y_val=Y[:, 0])

    def squared(y, raw):
        return raw - y, np.ones_like(y)

    own = DPDTBoostingRegressor(loss=squared, max_iter=4).fit(X, Y)
    single = DPDTBoostingRegressor(loss=squared, max_iter=4).fit(X, Y[:, 1])
    np.testing.assert_array_equal(own.predict(X)[:, 1], single.predict(X))


def test_several_outputs_travel_or_are_refused(tmp_path):
    X, Y = several_targets()
    model = DPDTBoostingRegressor(max_iter=3).fit(X, Y)
    dpdtree.save_model(model, tmp_path / "model.json")
    for other in (
        dpdtree.load_model(tmp_path / "model.json"),
        pickle.loads(pickle.dumps(model)),
    ):
        np.testing.assert_array_equal(other.predict(X), model.predict(X))
    assert "tree 0, output 2:" in export_text(model, trees=[0])
    total = np.array(
        [
            e.baseline + sum(s.contribution for s in e.steps)
            for e in model.explain(X[:3])
        ]
    ).reshape(3, 3)
    np.testing.assert_allclose(total, model.predict(X[:3]))
    for export in (
        model.to_xgboost,
        model.to_onnx,
        lambda: dpdtree.export_sql(model),
        lambda: dpdtree.export_c(model),
        lambda: dpdtree.export_python(model),
        lambda: dpdtree.export_javascript(model),
    ):
        with pytest.raises(ValueError, match="3 outputs, but this export supports one"):
            export()


def test_one_column_is_one_output_and_labels_have_one():
    X, y = make_targets(100)
    model = DPDTBoostingRegressor(max_iter=3).fit(X, y[:, np.newaxis])
    assert model.predict(X).shape == (100,)
    X, y = make_classes(100)
    with pytest.raises(ValueError, match="multi-output targets are not supported"):
        DPDTBoostingClassifier().fit(X, np.column_stack([y, y]))


def test_the_record_travels(tmp_path):
    X, y = make_targets(100)
    model = DPDTBoostingRegressor(max_iter=3).fit(X, y, eval_set=[(X, y)])
    dpdtree.save_model(model, tmp_path / "model.json")
    loaded = dpdtree.load_model(tmp_path / "model.json")
    assert loaded.evals_result_ == model.evals_result_
    assert loaded.learning_rate_ == model.learning_rate_
    assert loaded.best_iteration_ == 3


def test_what_blocks_of_rows_cannot_do():
    X, y = make_targets(100)
    blocks = dpdtree.RowBlocks.from_arrays([X], [y])
    for given in ({"init_score": y}, {"eval_set": [(X, y)]}):
        with pytest.raises(ValueError, match="needs X in memory"):
            DPDTBoostingRegressor().fit(blocks, **given)
    model = DPDTBoostingRegressor(max_iter=4).fit(blocks)
    [found] = model.predict(blocks, n_iter=2)
    np.testing.assert_array_equal(found, model.predict(X, n_iter=2))
    with pytest.raises(ValueError, match="init_score needs X in memory"):
        model.predict(blocks, init_score=y)
