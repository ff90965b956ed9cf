"""`plot_boundary`: the cells are those of the model, and all of them."""

from __future__ import annotations

import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb

from dpdtree import (
    BoundaryDisplay,
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTreeClassifier,
    DPDTreeRegressor,
    plot_boundary,
)
from dpdtree.export.colors import class_color, mixed


@pytest.fixture(autouse=True)
def _closed_figures():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def data(n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3)).round(2)
    y = np.array(["a", "b", "c"])[
        np.digitize(X[:, 0] * X[:, 1] + 0.1 * X[:, 2], [-0.3, 0.4])
    ]
    return X, y


@pytest.mark.parametrize(
    "model",
    [
        DPDTreeClassifier(max_depth=4, alpha=0.0),
        DPDTBoostingClassifier(max_iter=5),
        DPDTAdaBoostClassifier(n_estimators=4),
    ],
    ids=lambda model: type(model).__name__,
)
def test_every_point_of_a_cell_is_said_the_same(model):
    X, y = data()
    model.fit(X, y)
    display = plot_boundary(model, X, y, features=(0, 1), at={2: 0.25})
    x_cells, y_cells = display.axes
    rng = np.random.default_rng(1)
    rows = np.column_stack(
        [
            rng.uniform(x_cells.edges[0], x_cells.edges[-1], 2000),
            rng.uniform(y_cells.edges[0], y_cells.edges[-1], 2000),
            np.full(2000, 0.25),
        ]
    )
    column = np.searchsorted(x_cells.edges, rows[:, 0]) - 1
    line = np.searchsorted(y_cells.edges, rows[:, 1]) - 1
    said = np.array(model.classes_)[display.response[line, column]]
    np.testing.assert_array_equal(said, model.predict(rows))
    sure = model.predict_proba(rows).max(axis=1)
    np.testing.assert_allclose(display.sure[line, column], sure, atol=1e-12)
    display.figure_.canvas.draw()


def test_colours_points_and_names():
    X, y = data()
    model = DPDTreeClassifier(max_depth=2, alpha=0.0).fit(X[:, :2], y)
    display = plot_boundary(model, X[:, :2], y, class_names=["$x$", "b", "c"])
    cell = display.mesh_.get_array()[0, 0]
    code, share = display.response[0, 0], display.sure[0, 0]
    strength = 0.15 + 0.4 * max(0.0, (share - 1 / 3) / (2 / 3))
    np.testing.assert_allclose(cell, to_rgb(mixed(class_color(int(code)), strength)))
    assert len(display.points_.get_offsets()) == len(X)
    texts = display.ax_.get_legend().get_texts()
    assert [text.get_text() for text in texts] == ["$x$", "b", "c"]
    assert display.ax_.get_xlabel() == "feature_0"
    display.figure_.canvas.draw()
    assert plot_boundary(model, X[:, :2]).points_ is not None


def test_categories_frames_and_other_features():
    rng = np.random.default_rng(0)
    n = 300
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(18, 90, n)),
            "job": pd.Categorical(rng.choice(["clerk", "nurse", "pilot"], n)),
            "town": pd.Categorical(rng.choice(["x", "y"], n)),
        }
    )
    y = np.where((X["job"] == "pilot") ^ (X["age"] > 40), 1.0, 0.0)
    model = DPDTreeRegressor(max_depth=3).fit(X, y)
    display = plot_boundary(model, X, y, at={"town": "y"})
    labels = {display.ax_.get_xlabel(), display.ax_.get_ylabel()}
    assert labels == {"age", "job"}
    jobs = [cells for cells in display.axes if cells.categories is not None]
    assert [cells.categories for cells in jobs] == [("clerk", "nurse", "pilot")]
    assert display.sure is None
    both = plot_boundary(model, X, features=("town", "job"))
    assert both.response.shape == (3, 2)
    both.figure_.canvas.draw()


def test_it_uses_given_axes_and_can_be_drawn_again(monkeypatch):
    X, y = data()
    model = DPDTreeClassifier(max_depth=2).fit(X, y)
    _, ax = plt.subplots()
    display = BoundaryDisplay.from_estimator(model, X, ax=ax)
    assert display.ax_ is ax
    assert display.plot() is display
    assert display.ax_ is not ax
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="plot_boundary needs matplotlib"):
        plot_boundary(model, X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features": (0,)}, "features must be two names or indices"),
        ({"features": (0, 0)}, "two different ones"),
        ({"features": (0, 9)}, r"names or lie in 0 \.\.\. 2"),
        ({"features": ("a", "b")}, "'a' is not a feature of the model"),
        ({"class_names": ["a"]}, "class_names must have 3 entries"),
        ({"y": ["a"]}, "y must have 400 entries like X, got 1"),
        ({"X": np.zeros((3, 2))}, "X must have 3 columns as in fit, got 2"),
        ({"X": np.full((3, 3), np.nan)}, "has no values in X"),
    ],
)
def test_bad_arguments(arguments, message):
    X, y = data()
    model = DPDTreeClassifier(max_depth=2).fit(X, y)
    with pytest.raises(ValueError, match=message):
        plot_boundary(model, **{"X": X, **arguments})


def test_one_feature_and_several_outputs():
    X, y = data()
    with pytest.raises(ValueError, match="at least two features"):
        plot_boundary(DPDTreeClassifier().fit(X[:, :1], y), X[:, :1])
    several = DPDTreeRegressor(max_depth=2).fit(X, X[:, :2])
    with pytest.raises(ValueError, match="one output"):
        plot_boundary(several, X)
