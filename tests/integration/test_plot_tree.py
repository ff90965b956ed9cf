"""`plot_tree` and `TreeDisplay`: what they draw, and that nothing overlaps."""

from __future__ import annotations

import sys
from itertools import combinations, pairwise

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    TreeDisplay,
    plot_tree,
)
from dpdtree.export.colors import CLASS_COLORS, class_color, mixed, value_color
from dpdtree.plotting.layout import spread

LONG = "the_number_of_months_since_the_last_time_anybody_has_asked_for_this column"
HOSTILE = r"$\frac{a}{b} <b>\n_{x}^"


@pytest.fixture(autouse=True)
def _closed_figures():
    plt.switch_backend("agg")
    yield
    plt.close("all")


def frame(seed=0, n=900):
    rng = np.random.default_rng(seed)
    cities = [f"city of {name}" for name in "abcdefghijklmnop"]
    X = pd.DataFrame(
        {
            LONG: rng.normal(size=n),
            HOSTILE: rng.integers(0, 90, n).astype(float),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(size=n)),
            "city": pd.Categorical(rng.choice(cities, n)),
        }
    )
    codes = X["city"].cat.codes.to_numpy()
    score = X[LONG] * (X[HOSTILE] - 40) / 20 + np.sin(codes) + X["income"].fillna(2)
    return X, score.to_numpy()


def classes(score, names):
    cuts = np.quantile(score, np.arange(1, len(names)) / len(names))
    return np.array(names)[np.digitize(score, cuts)]


def areas(display):
    """Boxes and labels on the canvas, by what they are called."""
    display.figure_.canvas.draw()
    found = {("box", k): b.get_window_extent() for k, b in display.boxes_.items()}
    for node, label in display.labels_.items():
        found["label", node] = label.get_window_extent()
    return found


def overlap(a, b):
    """The common area of two boxes in square pixels."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return max(0.0, width) * max(0.0, height)


def assert_readable(display):
    """Nothing overlaps, text stays in its box, edges pass no box they do not join."""
    found = areas(display)
    for (name, one), (other, two) in combinations(found.items(), 2):
        assert overlap(one, two) <= 1.0, (name, other)
    whole = display.figure_.bbox
    for name, area in found.items():
        assert whole.x0 - 1 <= area.x0 <= area.x1 <= whole.x1 + 1, name
        assert whole.y0 - 1 <= area.y0 <= area.y1 <= whole.y1 + 1, name
    for node, texts in display.texts_.items():
        box = display.boxes_[node].get_window_extent()
        for text in texts:
            area = text.get_window_extent()
            assert box.x0 <= area.x0 <= area.x1 <= box.x1, text.get_text()
            assert box.y0 - 1 <= area.y0 <= area.y1 <= box.y1 + 1, text.get_text()
    assert_edges_are_free(display, found)


def assert_edges_are_free(display, found):
    boxes = {name[1]: area for name, area in found.items() if name[0] == "box"}
    for node, line in display.edges_.items():
        points = display.ax_.transData.transform(np.column_stack(line.get_data()))
        parent = display.picture.nodes[node].parent
        for (x0, y0), (x1, y1) in pairwise(points):
            for t in np.linspace(0, 1, 40):
                x, y = x0 + t * (x1 - x0), y0 + t * (y1 - y0)
                for other, box in boxes.items():
                    inside = box.x0 < x < box.x1 and box.y0 < y < box.y1
                    assert not inside or other in (node, parent)


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
@pytest.mark.parametrize("show", ["shares", "counts"])
def test_nothing_overlaps_at_depth_five(orientation, show):
    X, score = frame()
    names = ["a class with a long name indeed", "β", HOSTILE, "d", "e", "f", "7"]
    model = DPDTreeClassifier(max_depth=5, alpha=0.0).fit(X, classes(score, names))
    assert model.get_n_leaves() > 20
    display = plot_tree(
        model, X, classes(score, names), orientation=orientation, show=show
    )
    assert len(display.boxes_) == model.tree_.node_count
    assert_readable(display)


@pytest.mark.parametrize("size", [(6, 4), (3, 9)])
def test_given_axes_get_smaller_text(size):
    X, score = frame()
    model = DPDTreeRegressor(max_depth=4, min_samples_leaf=1).fit(X, score)
    figure, ax = plt.subplots(figsize=size, dpi=300)
    display = plot_tree(model, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is figure
    assert display.texts_[0][0].get_fontsize() < 9
    assert_readable(display)


def test_what_a_box_says():
    X = [[1.0, 0.0]] * 6 + [[2.0, 0.0]] * 3 + [[2.0, 1.0]]
    y = ["no"] * 6 + ["yes"] * 4
    model = DPDTreeClassifier(max_depth=1, alpha=0.0).fit(X, y)
    display = plot_tree(model, feature_names=["size", "other"])
    said = {n: [t.get_text() for t in texts] for n, texts in display.texts_.items()}
    assert said[0] == ["size <=\N{NO-BREAK SPACE}1?", "no: 60 % of 10 rows"]
    assert said[1] == ["no", "100 % of 6 rows"]
    assert said[2] == ["yes", "100 % of 4 rows"]
    assert [t.get_text() for t in display.labels_.values()] == ["yes", "no"]
    tested = plot_tree(model, [[1.0, 0.0], [1.0, 1.0]], ["no", "yes"])
    texts = [[t.get_text() for t in texts] for texts in tested.texts_.values()]
    assert [lines[-1] for lines in texts] == [
        "test: 50 % of 2",
        "test: 50 % of 2",
        "test: 0 rows",
    ]


def test_counts_means_and_medians():
    X, y = [[1.0]] * 3 + [[2.0]] * 5, [1.0, 1.0, 1.0] + [5.0] * 5
    labels = np.array(["low", "high"])[(np.array(y) > 2).astype(int)]
    model = DPDTreeClassifier(max_depth=1, alpha=0.0).fit(X, labels)
    display = plot_tree(model, show="counts")
    assert [t.get_text() for t in display.texts_[0]][1:] == [
        "high, 8 rows",
        "5 high, 3 low",
    ]
    means = DPDTreeRegressor(strategy="greedy", max_depth=1).fit(X, y)
    drawn = plot_tree(means, X, y)
    assert [t.get_text() for t in drawn.texts_[2]] == [
        "mean 5",
        "5 rows",
        "test: mean 5 of 5",
    ]
    medians = means.set_params(loss="absolute_error").fit(X, y)
    assert plot_tree(medians).texts_[1][0].get_text() == "median 1"
    shrunk = means.set_params(loss="squared_error", shrinkage=8.0).fit(X, y)
    assert plot_tree(shrunk).texts_[2][0].get_text() == "predicts 4.25"


def test_missing_values_categories_and_edges():
    X, score = frame()
    model = DPDTreeClassifier(max_depth=3, alpha=0.0).fit(X, score > 1)
    display = plot_tree(model, max_categories=3)
    tree = model.tree_
    asked = np.flatnonzero(tree.feature == 2)
    assert len(asked)
    for node in asked:
        left = bool(tree.missing_go_to_left[node])
        answers = [
            display.labels_[int(child[node])].get_text()
            for child in (tree.children_left, tree.children_right)
        ]
        assert answers == ["yes" + ", missing" * left, "no" + ", missing" * (not left)]
    text = " ".join(t.get_text() for texts in display.texts_.values() for t in texts)
    assert "city of" in text
    widths = {n: line.get_linewidth() for n, line in display.edges_.items()}
    order = sorted(widths, key=widths.__getitem__)
    rows = tree.weighted_n_node_samples[order]
    assert (np.diff(rows) >= 0).all()


def test_the_top_of_a_tree():
    X, score = frame()
    model = DPDTreeClassifier(max_depth=5, alpha=0.0).fit(X, score > 1)
    display = plot_tree(model, max_depth=2)
    assert display.picture.depth == 2
    hidden = [node.hidden for node in display.picture.nodes.values()]
    shown = len(display.boxes_) - len(display.picture.children)
    assert sum(hidden) + shown - np.count_nonzero(hidden) == model.get_n_leaves()
    assert_readable(display)
    assert len(plot_tree(model, max_depth=0).boxes_) == 1


def test_ensembles():
    X, score = frame()
    names = ["a", "b", "c"]
    booster = DPDTBoostingClassifier(max_iter=3).fit(X, classes(score, names))
    display = plot_tree(booster, tree=-1, output="c", max_depth=2)
    assert display.picture.title == "tree 2 of 3, class c"
    assert_readable(display)
    first = plot_tree(DPDTBoostingRegressor(max_iter=2).fit(X, score))
    assert first.picture.title == "tree 0 of 2"
    ada = DPDTAdaBoostClassifier(n_estimators=3).fit(X, score > 1)
    assert plot_tree(ada, tree=1).picture.title.startswith("tree 1 of")
    with pytest.raises(ValueError, match=r"tree must lie in 0 ... 2, got 7"):
        plot_tree(booster, tree=7)
    with pytest.raises(ValueError, match="output must be one of the classes"):
        plot_tree(booster, output="z")
    with pytest.raises(ValueError, match="X and y must be None for ensembles"):
        plot_tree(booster, X, score)
    with pytest.raises(ValueError, match="class_names must be None for boosted"):
        plot_tree(booster, class_names=names)


def test_one_leaf_several_outputs_and_cross_validation():
    X, score = frame()
    leaf = DPDTreeRegressor(max_depth=1).fit(X, np.ones(len(X)))
    assert len(plot_tree(leaf).boxes_) == 1
    both = np.column_stack([score > 1, classes(score, ["a", "b", "c"])]).astype(str)
    display = plot_tree(DPDTreeClassifier(max_depth=2, alpha=0.0).fit(X, both))
    assert " / " in display.texts_[0][-1].get_text()
    assert_readable(display)
    numbers = np.column_stack([score, -score])
    assert_readable(plot_tree(DPDTreeRegressor(max_depth=2).fit(X, numbers)))
    chosen = DPDTreeClassifierCV(max_depth=2).fit(X, score > 1)
    assert len(plot_tree(chosen).boxes_) == chosen.tree_.node_count


def test_rcparams_do_not_spoil_it():
    X, score = frame()
    model = DPDTreeClassifier(max_depth=3, alpha=0.0).fit(X, score > 1)
    with mpl.rc_context({"font.size": 22, "axes.grid": True, "figure.dpi": 50}):
        assert_readable(plot_tree(model))
    assert_readable(plot_tree(model, fontsize=15))


def test_very_large_trees_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 2)), rng.normal(size=3000)
    model = DPDTreeRegressor(
        strategy="greedy", max_depth=None, min_samples_leaf=1, alpha=0.0
    ).fit(X, y)
    with pytest.raises(ValueError, match="draw the top of the tree with max_depth"):
        plot_tree(model)
    assert len(plot_tree(model, max_depth=3).boxes_) <= 15


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"show": "all"}, "show must be one of"),
        ({"orientation": "up"}, "orientation must be one of"),
        ({"max_depth": -1}, "max_depth must be an int >= 0"),
        ({"tree": 1}, "tree must be None for a single tree"),
        ({"output": "a"}, "output must be None"),
        ({"feature_names": ["a"]}, "feature_names must list 2 names"),
        ({"class_names": ["a"]}, "class_names must have"),
        ({"X": [[1.0, 2.0]]}, "Give both X and y"),
        ({"X": [[1.0, 2.0]], "y": [1, 2]}, "y must have 1 entries like X, got 2"),
    ],
)
def test_bad_arguments(arguments, message):
    model = DPDTreeClassifier(max_depth=1).fit([[1.0, 2], [2, 3], [3, 4]], [0, 1, 1])
    with pytest.raises(ValueError, match=message):
        plot_tree(model, **arguments)


def test_what_cannot_be_drawn():
    with pytest.raises(NotFittedError):
        plot_tree(DPDTreeClassifier())
    model = DPDTreeRegressor(max_depth=1).fit([[1.0], [2.0]], [1.0, 2.0])
    with pytest.raises(ValueError, match="class_names must be None for a regression"):
        plot_tree(model, class_names=["a"])


def test_it_can_be_drawn_again_and_without_matplotlib(monkeypatch):
    model = DPDTreeRegressor(max_depth=1).fit([[1.0], [2.0]], [1.0, 2.0])
    display = TreeDisplay.from_estimator(model)
    assert display.plot(ax=plt.subplots()[1]) is display
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"plot_tree needs matplotlib.*dpdtree\[plot"):
        plot_tree(model)


def test_spread_keeps_boxes_apart():
    children = {0: (1, 4), 1: (2, 3), 4: (5, 6)}
    extents = {0: 30.0, 1: 10.0, 2: 50.0, 3: 8.0, 4: 10.0, 5: 70.0, 6: 1.0}
    centres = spread(children, extents, 5.0, {4: 60.0})
    assert min(centres[n] - extents[n] / 2 for n in extents) == pytest.approx(0)
    for level in ((1, 4), (2, 3, 5, 6)):
        for a, b in pairwise(level):
            gap = centres[b] - extents[b] / 2 - centres[a] - extents[a] / 2
            assert gap >= 5.0 - 1e-9
    for parent, (left, right) in children.items():
        assert centres[parent] == pytest.approx((centres[left] + centres[right]) / 2)
    assert centres[6] - centres[5] >= 60.0


def test_colours():
    assert len(set(CLASS_COLORS)) == len(CLASS_COLORS)
    assert class_color(len(CLASS_COLORS)) == CLASS_COLORS[0]
    assert mixed("#000000", 0.0) == "#FFFFFF"
    assert value_color(-1) == value_color(0) != value_color(1) == value_color(9)
