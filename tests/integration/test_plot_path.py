"""`plot_path` and `PathDisplay`: what they draw, and that matplotlib is optional."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
    PathDisplay,
    plot_path,
)
from dpdtree.plotting.path import training_loss
from tests.integration.data import make_classes, make_targets


@pytest.fixture(autouse=True)
def _closed_figures():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def labels(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


def test_a_path():
    X, y = make_classes()
    path = DPDTreeClassifier(max_depth=3, loss="zero_one").leaf_path(X, y)
    display = plot_path(path)
    [line] = display.lines_
    np.testing.assert_array_equal(line.get_xdata(), path.n_leaves)
    np.testing.assert_array_equal(line.get_ydata(), path.losses)
    assert display.ax_.get_ylabel() == "training error"
    assert display.figure_ is display.ax_.figure
    assert display.chosen_ is None
    assert display.ax_.get_legend() is None


def test_a_path_beside_cart():
    X, y = make_classes()
    model = DPDTreeClassifier(max_depth=3)
    path = model.leaf_path(X, y)
    _, ax = plt.subplots()
    display = PathDisplay.from_path(path, X, y, n_leaves=4, ax=ax)
    assert display.ax_ is ax
    ours, cart = display.curves
    for size, loss in zip(cart.n_leaves, cart.values, strict=True):
        within = ours.values[ours.n_leaves <= size]
        assert within.min() <= loss + 1e-12
    assert display.chosen == (4.0, path.select(n_leaves=4).loss_)
    assert labels(display)[:2] == ["dpdtree", "CART, pruned"]


@pytest.mark.parametrize("by", ["n_leaves", "alpha", "min_samples_leaf"])
def test_a_cross_validated_estimator(by):
    X, y = make_targets()
    model = DPDTreeRegressorCV(max_depth=3, by=by, cv=3).fit(X, y)
    display = plot_path(model, X, y)
    assert display.ax_.get_ylabel() == "cross-validated R²"
    assert display.chosen[1] == model.best_score_
    assert display.chosen[1] in display.curves[0].values
    assert display.curves[0].errors is not None
    assert labels(display)[-1].startswith("chosen: ")
    assert "CART, pruned" in labels(display)
    display.figure_.canvas.draw()


def test_training_scores_are_drawn_where_they_are_known():
    X, y = make_classes()
    model = DPDTreeClassifierCV(by="n_leaves", max_depth=3, cv=3, loss="zero_one").fit(
        X, y
    )
    training = plot_path(model).curves[1]
    scores = [tree.score(X, y) for tree in model.path_]
    np.testing.assert_allclose(training.values, scores)
    other = DPDTreeClassifierCV(max_depth=3, cv=3, scoring="roc_auc_ovr").fit(X, y)
    display = plot_path(other)
    assert len(display.curves) == 1
    assert display.ax_.get_ylabel() == "cross-validated roc_auc_ovr"


def test_a_plain_estimator_needs_data():
    X, y = make_targets()
    model = DPDTreeRegressor(max_depth=2)
    assert len(plot_path(model, X, y).curves) == 2
    with pytest.raises(ValueError, match="X and y are needed"):
        plot_path(model)
    with pytest.raises(NotFittedError):
        plot_path(DPDTreeRegressorCV())


@pytest.mark.parametrize("loss", ["zero_one", "gini", "log_loss"])
def test_training_loss(loss):
    X, y = make_classes()
    model = DPDTreeClassifier(max_depth=3, loss=loss, alpha=0.0).fit(X, y)
    assert training_loss(model.tree_, loss) == pytest.approx(model.loss_)


def test_without_matplotlib(monkeypatch):
    X, y = make_classes()
    path = DPDTreeClassifier(max_depth=2).leaf_path(X, y)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"dpdtree\[plot\]"):
        plot_path(path)


def test_the_legend_is_off_the_curves():
    X, y = make_classes()
    display = plot_path(DPDTreeClassifier(max_depth=3).leaf_path(X, y), X, y)
    display.figure_.canvas.draw()
    legend, axes = display.ax_.get_legend(), display.ax_
    assert legend.get_window_extent().y0 >= axes.get_window_extent().y1 - 1


def test_one_leaf_is_one_leaf():
    X, y = make_classes()
    path = DPDTreeClassifier(max_depth=3).leaf_path(X, y)
    assert labels(PathDisplay.from_path(path, n_leaves=1))[-1].startswith(
        "chosen: 1 leaf,"
    )
