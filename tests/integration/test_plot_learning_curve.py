"""Learning curves of boosters."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pytest

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    LearningCurveDisplay,
    plot_learning_curve,
)
from tests.integration.data import make_classes, make_targets

mpl.use("agg")


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    import matplotlib.pyplot as plt

    plt.close("all")


def test_curves_of_early_stopping():
    X, y = make_classes(400)
    model = DPDTBoostingClassifier(learning_rate=0.5, max_iter=60)
    sets = {"train": (X[:300], y[:300]), "test": (X[300:], y[300:])}
    model.fit(
        X[:300],
        y[:300],
        X_val=X[300:],
        y_val=y[300:],
        eval_set=sets,
        eval_metric=["error", "loss"],
    )
    display = plot_learning_curve(model)
    assert isinstance(display, LearningCurveDisplay)
    train, held_out = display.lines_
    np.testing.assert_array_equal(train.get_ydata(), -model.train_score_)
    np.testing.assert_array_equal(held_out.get_ydata(), -model.validation_score_)
    np.testing.assert_array_equal(train.get_xdata(), np.arange(model.n_iter_ + 1))
    assert list(display.best_.get_xdata()) == [model.n_iter_] * 2
    assert display.ax_.get_ylabel() == "mean loss (log_loss)"
    labels = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert labels == ["training rows", "validation rows", f"best: {model.n_iter_}"]
    watched = plot_learning_curve(model, metric="error")
    assert [line.get_label() for line in watched.lines_] == ["train", "test"]
    assert len(watched.lines_[1].get_xdata()) > model.n_iter_
    assert watched.lines_[1].get_xdata()[0] == 1
    with pytest.raises(ValueError, match=r"metric must be one of .*'error', 'loss'"):
        plot_learning_curve(model, metric="auc")


def test_one_curve_with_a_score_into_given_axes():
    import matplotlib.pyplot as plt

    X, y = make_targets(200)
    model = DPDTBoostingRegressor(max_iter=5, scoring="r2").fit(X, y)
    _, ax = plt.subplots()
    display = plot_learning_curve(model, ax=ax)
    assert display.ax_ is ax
    [line] = display.lines_
    np.testing.assert_array_equal(line.get_ydata(), model.train_score_)
    assert display.best_ is None
    assert ax.get_ylabel() == "r2"
    assert display.plot().figure_ is not ax.figure


def test_what_has_no_curve():
    X, y = make_targets(100)

    def squared(y, raw):
        return raw - y, np.ones_like(y)

    model = DPDTBoostingRegressor(loss=squared, max_iter=3).fit(X, y)
    with pytest.raises(ValueError, match="no learning curve"):
        plot_learning_curve(model)
    with pytest.raises(TypeError, match="got a DPDTreeClassifier"):
        plot_learning_curve(DPDTreeClassifier())
