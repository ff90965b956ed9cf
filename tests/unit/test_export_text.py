"""Text of hand-made trees."""

from __future__ import annotations

import pytest
from sklearn.exceptions import NotFittedError

from dpdtree import DPDTreeClassifier, export_graphviz, export_text
from tests.unit import trees

CLASSIFIER = """\
|--- feature_1 <= 0.5
|   |--- class: no
|--- feature_1 >  0.5
|   |--- feature_0 <= 10
|   |   |--- class: yes
|   |--- feature_0 >  10
|   |   |--- class: no
"""

REGRESSOR = """\
|--- b <= 0.500
|   |--- value: -0.125 weight: 4.000
|--- b >  0.500
|   |--- a <= 10.000
|   |   |--- value: 2.500 weight: 6.000
|   |--- a >  10.000
|   |   |--- value: 0.500 weight: 2.000
"""

SHORT = """\
|--- feature_1 <= 0.5
|   |--- class: n weights: [4.0, 0.0]
|--- feature_1 >  0.5
|   |--- ... 2 more leaves
"""


def test_classifier():
    assert export_text(trees.classifier()) == CLASSIFIER


def test_regressor():
    text = export_text(
        trees.regressor(), feature_names=["a", "b", "c"], decimals=3, show_weights=True
    )
    assert text == REGRESSOR


def test_truncated():
    text = export_text(
        trees.classifier(),
        class_names=["n", "y"],
        max_depth=1,
        decimals=1,
        show_weights=True,
    )
    assert text == SHORT
    assert export_text(trees.classifier(), max_depth=0) == "|--- ... 3 more leaves\n"


def test_column_names():
    model = trees.classifier()
    model.feature_names_in_ = ["u", "v", "w"]
    assert export_text(model).startswith("|--- v <= 0.5\n")


@pytest.mark.parametrize("make", [trees.classifier, trees.regressor])
def test_features_with_missing_values_say_where_they_go(make):
    model = make()
    model.has_missing_[0] = True
    lines = export_text(model).splitlines()
    assert [line for line in lines if "missing" in line] == [
        "|   |--- feature_0 <= 10 or missing"
    ]
    del model.has_missing_  # of an earlier version: nothing is known
    assert export_text(model).count(" or missing\n") == 2
    assert "|--- feature_1 >  0.5 or missing\n" in export_text(model)


def test_missing_values_on_the_lighter_side():
    model = trees.lighter_side()
    model.has_missing_[0] = True
    assert export_text(model) == (
        "|--- feature_0 <= 1 or missing\n"
        "|   |--- class: 0\n"
        "|--- feature_0 >  1\n"
        "|   |--- class: 1\n"
    )


CATEGORIES = """\
|--- feature_0 not in {b, c}
|   |--- feature_0 in {d} or unknown
|   |   |--- value: 0
|   |--- feature_0 not in {d}
|   |   |--- value: 3
|--- feature_0 in {b, c} or unknown
|   |--- value: 4
"""


def test_only_categories_that_get_there():
    assert export_text(trees.categories()) == CATEGORIES


def test_missing_categories():
    model = trees.categories()
    model.has_missing_[0] = True
    lines = export_text(model).splitlines()
    assert lines[1].endswith("{d} or missing or unknown")
    assert lines[5].endswith("{b, c} or missing or unknown")


def test_class_names_true_takes_the_labels():
    assert export_text(trees.classifier(), class_names=True) == CLASSIFIER
    text = export_text(trees.regressor(), class_names=True)
    assert text == export_text(trees.regressor())


@pytest.mark.parametrize("name", ["class_names", "feature_names"])
@pytest.mark.parametrize("names", [False, 3, "no"])
def test_names_that_are_no_sequence(name, names):
    with pytest.raises(TypeError, match=f"{name} must be a sequence"):
        export_text(trees.classifier(), **{name: names})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"feature_names": ["a"]}, "feature_names must have 3 entries, got 1"),
        ({"class_names": ["a"]}, "class_names must have 2 entries, got 1"),
        ({"decimals": -1}, "decimals must be an int >= 0, got -1"),
        ({"decimals": 1.5}, "decimals must be"),
        ({"max_depth": -1}, "max_depth must be an int >= 0"),
    ],
)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        export_text(trees.classifier(), **arguments)


def test_class_names_of_a_regressor():
    with pytest.raises(ValueError, match="class_names must be None"):
        export_text(trees.regressor(), class_names=["a"])


def test_unfitted():
    with pytest.raises(NotFittedError):
        export_text(DPDTreeClassifier())


def test_missing_values_against_the_rest():
    X = [[1.0], [2.0], [float("nan")], [float("nan")]]
    tree = DPDTreeClassifier(alpha=0.0).fit(X, ["no", "no", "yes", "yes"])
    assert export_text(tree) == (
        "|--- feature_0 is not missing\n"
        "|   |--- class: no\n"
        "|--- feature_0 is missing\n"
        "|   |--- class: yes\n"
    )
    assert "feature_0 is not missing?" in export_graphviz(tree)
