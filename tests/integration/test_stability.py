"""`stability_report`: bootstrap fits against a given tree."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTreeClassifier,
    DPDTreeRegressor,
    StabilityReport,
    stability_report,
)


@pytest.fixture(scope="module")
def cancer() -> tuple[Any, Any]:
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def report(cancer: tuple[Any, Any]) -> StabilityReport:
    model = DPDTreeClassifier(max_depth=2, strategy="paper")
    return stability_report(model, *cancer, n=12)


def test_shapes_and_ranges(report: StabilityReport, cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    given = DPDTreeClassifier(max_depth=2, strategy="paper").fit(X, y)
    tree = given.tree_
    inner = tree.children_left != -1
    assert [node.node for node in report.nodes] == np.flatnonzero(inner).tolist()
    assert np.array_equal(np.isnan(report.share), ~inner)
    for node in report.nodes:
        assert 0 <= node.same_split <= node.same_feature <= node.reached <= 1
        assert report.share[node.node] == node.same_split
    assert report.nodes[0].reached == 1.0
    assert report.prediction_spread.shape == (len(y),)
    assert report.feature_share.shape == (2, X.shape[1])
    assert report.feature_share[0].sum() == pytest.approx(1.0)  # one root each
    assert np.allclose(report.distances, report.distances.T)
    assert np.all(np.diag(report.distances) == 0.0)
    assert report.distances[0, 1:].mean() == pytest.approx(
        report.prediction_spread.mean()
    )


def test_it_counts_what_refits_do(cancer: tuple[Any, Any]) -> None:
    X, y = cancer
    model = DPDTreeClassifier(max_depth=1, strategy="greedy").fit(X, y)
    report = stability_report(model, X, y, n=8, random_state=3)
    seeds = np.random.RandomState(3).randint(2**31, size=8)
    features, thresholds, losses, kept = [], [], [], []
    left = X.iloc[:, model.tree_.feature[0]] <= model.tree_.threshold[0]
    for seed in seeds:
        rng = np.random.default_rng(int(seed))
        drawn = rng.multinomial(len(y), np.full(len(y), 1 / len(y)))
        fit = DPDTreeClassifier(max_depth=1, strategy="greedy").fit(X, y, drawn)
        features.append(fit.tree_.feature[0])
        if features[-1] == model.tree_.feature[0]:
            thresholds.append(fit.tree_.threshold[0])
        losses.append(fit.loss_)
        sides = [np.bincount(y[side], drawn[side], 2).min() for side in (left, ~left)]
        kept.append(sum(sides) / drawn.sum())
    same = np.mean(np.array(features) == model.tree_.feature[0])
    assert report.nodes[0].same_feature == pytest.approx(same)
    assert np.allclose(report.losses, losses)
    assert np.allclose(report.kept_losses, kept)
    assert report.nodes[0].thresholds[2] == pytest.approx(np.median(thresholds))


def test_a_clear_split_is_found_again() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = X[:, 2] > 0.1
    report = stability_report(DPDTreeClassifier(max_depth=2), X, y, n=10)
    assert report.nodes[0].same_split == 1.0
    assert report.prediction_spread.mean() < 0.02
    assert report.cost_of_keeping == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "quantile", "poisson"]
)
def test_keeping_a_proven_or_greedy_tree_never_gains(loss: str) -> None:
    X, y = load_diabetes(return_X_y=True)
    model = DPDTreeRegressor(
        max_depth=1, loss=loss, strategy="balanced", min_samples_leaf=1, quantile=0.3
    )
    report = stability_report(model, X, y, n=6)
    assert np.all(report.kept_losses >= report.losses - 1e-9)
    assert report.task == "regression"
    assert report.prediction_spread.mean() > 0


def test_class_weights_count() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + rng.normal(size=200) > 1.0
    model = DPDTreeClassifier(max_depth=1, class_weight="balanced", alpha=0.0)
    report = stability_report(model, X, y, n=6)
    assert np.all(report.kept_losses >= report.losses - 1e-9)


def test_threads_and_seeds(cancer: tuple[Any, Any]) -> None:
    model = DPDTreeClassifier(max_depth=2, strategy="greedy")
    one, two, other = (
        stability_report(model, *cancer, n=6, random_state=seed, n_jobs=jobs)
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    )
    assert np.array_equal(one.losses, two.losses)
    assert np.array_equal(one.distances, two.distances)
    assert not np.array_equal(one.losses, other.losses)


def test_categories_and_weights() -> None:
    rng = np.random.default_rng(1)
    colour = rng.choice(["red", "green", "blue", "rare"], 200, p=[0.4, 0.3, 0.29, 0.01])
    X = pd.DataFrame({"colour": pd.Categorical(colour), "size": rng.normal(size=200)})
    y = np.where(colour == "red", "yes", "no")
    weight = rng.random(200)
    report = stability_report(
        DPDTreeClassifier(max_depth=2), X, y, n=5, sample_weight=weight
    )
    assert report.nodes[0].split.startswith("colour")
    assert report.nodes[0].same_split == 1.0
    assert np.all(np.isnan(report.nodes[0].thresholds))


def test_frames_text_and_plot(report: StabilityReport) -> None:
    plt = pytest.importorskip("matplotlib.pyplot")
    frame = report.to_frame()
    assert list(frame["same_split"]) == [node.same_split for node in report.nodes]
    features = report.features_to_frame()
    assert features["share"].between(0, 1).all()
    assert (features.groupby("depth")["share"].first() > 0).all()
    assert "StabilityReport of 12 fits" in repr(report)
    axes = report.plot(most=4)
    assert len(axes) == 2
    plt.close(axes[0].figure)
    with pytest.raises(ValueError, match="most must be"):
        report.plot(most=0)


def test_progress(cancer: tuple[Any, Any], capsys: pytest.CaptureFixture[str]) -> None:
    model = DPDTreeClassifier(max_depth=1, strategy="greedy")
    stability_report(model, *cancer, n=2, progress=True)
    stability_report(model, *cancer, n=2)
    assert "fits" not in capsys.readouterr().err  # too short to be shown


def test_wrong_arguments(cancer: tuple[Any, Any]) -> None:
    with pytest.raises(ValueError, match="n must be an int >= 1"):
        stability_report(DPDTreeClassifier(), *cancer, n=0)
    with pytest.raises(TypeError, match="needs a DPDTreeClassifier"):
        stability_report(DPDTBoostingClassifier(), *cancer)
    X, y = cancer
    both = np.column_stack([y, y])
    with pytest.raises(ValueError, match="one output"):
        stability_report(DPDTreeClassifier(strategy="greedy"), X, both)
