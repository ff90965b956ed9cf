"""Text of hand-made trees."""

from __future__ import annotations

import pytest
from sklearn.exceptions import NotFittedError

from dpdtree import DPDTreeClassifier, export_text
from tests.unit import trees

CLASSIFIER = """\
|--- feature_1 <= 0.50
|   |--- class: no
|--- feature_1 >  0.50
|   |--- feature_0 <= 10.00
|   |   |--- class: yes
|   |--- feature_0 >  10.00
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
    assert export_text(model).startswith("|--- v <= 0.50\n")


def test_missing_values_on_the_lighter_side():
    text = export_text(trees.lighter_side())
    assert text == (
        "|--- feature_0 <= 1.00 or missing\n"
        "|   |--- class: 0\n"
        "|--- feature_0 >  1.00\n"
        "|   |--- class: 1\n"
    )


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
