"""The parameter table: its constraints, and that signatures and docs follow it."""

from __future__ import annotations

import inspect
import math
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import is_classifier
from sklearn.model_selection import KFold

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from dpdtree._params.adaboost import ADABOOST
from dpdtree._params.boosting import BOOSTING_CLASSIFIER, BOOSTING_REGRESSOR
from dpdtree._params.cv import (
    CLASSIFIER_CV,
    REGRESSOR_CV,
    NumberSequence,
    Scorer,
    Splits,
)
from dpdtree._params.estimators import parameters_of, record_of, resolved
from dpdtree._params.kinds import (
    ClassWeights,
    Flag,
    IntRange,
    IntSequence,
    NonzeroInt,
    Nothing,
    OneOf,
    Parameter,
    RandomState,
    RealRange,
)
from dpdtree._params.tree import CLASSIFIER, REGRESSOR, STRATEGIES

ROOT = Path(__file__).parents[2]
TABLES = [
    (DPDTreeClassifier, CLASSIFIER),
    (DPDTreeRegressor, REGRESSOR),
    (DPDTAdaBoostClassifier, ADABOOST),
    (DPDTreeClassifierCV, CLASSIFIER_CV),
    (DPDTreeRegressorCV, REGRESSOR_CV),
    (DPDTBoostingClassifier, BOOSTING_CLASSIFIER),
    (DPDTBoostingRegressor, BOOSTING_REGRESSOR),
]


@pytest.mark.parametrize(("estimator", "table"), TABLES)
def test_each_class_has_a_record(estimator, table):
    class Derived(estimator):
        pass

    assert parameters_of(estimator) is table
    assert record_of(Derived()).parameters is table
    assert record_of(estimator()).classifies == is_classifier(estimator())


def test_other_classes_have_none():
    with pytest.raises(TypeError, match="not derived from an estimator of dpdtree"):
        record_of(object())


@pytest.mark.parametrize(
    ("constraint", "good", "bad"),
    [
        (IntRange(1), [1, 7, np.int32(3)], [0, -1, 1.0, True, "1", None, np.bool_(1)]),
        (IntRange(2, 255), [2, 255], [1, 256]),
        (RealRange(0.0), [0, 0.0, 1, 2.5, np.float32(1)], [-1e-9, math.inf, math.nan]),
        (RealRange(0.0), [], ["0", None, True, 1j, [0.0]]),
        (RealRange(0.0, 0.5), [0.0, 0.5], [0.51]),
        (RealRange(0.0, 1.0, open_low=True, fraction=True), [0.1, 1.0], [0.0, 1, 1.1]),
        (RealRange(0.0, 1.0, open_high=True), [0.99], [1.0]),
        (OneOf(("a", "b")), ["a", "b"], ["c", "", None, 1, ["a"], np.array(["a"])]),
        (IntSequence(1), [[1], (3, 1), np.array([2, 2])], [[], (0,), "12", 3, [1.0]]),
        (IntSequence(1), [range(1, 3)], [None, np.array([[1]]), b"12", np.array(3)]),
        (NonzeroInt(), [1, -1, np.int64(4)], [0, 1.5, None, True]),
        (ClassWeights(), [{}, {0: 1, "a": 0.0}], [{0: -1}, {0: math.nan}, {0: "1"}]),
        (ClassWeights(), [], [[1, 2], "balanced", None]),
        (RandomState(), [np.random.RandomState(0)], [0, np.random.default_rng(0)]),
        (Flag(), [True, np.bool_(0)], [0, 1, None]),
        (Nothing(), [None], [0, "", False]),
        (NumberSequence(), [[0], (1, 2.5), np.arange(3)], [[], [-1], "1", 2, [True]]),
        (Splits(), [[([0], [1])], iter([]), KFold(3)], [3, "five", None, KFold]),
        (Scorer(), ["accuracy", len], [None, 1, ["accuracy"]]),
    ],
)
def test_constraints(constraint, good, bad):
    assert all(constraint.accepts(value) for value in good)
    assert not any(constraint.accepts(value) for value in bad)
    assert str(constraint)


def test_allowed_values_in_words():
    parameter = Parameter("p", None, (IntRange(1), OneOf(("a", "b")), Nothing()), "")
    assert parameter.allowed == 'an int >= 1, "a" or "b" or None'
    assert Parameter("p", 1, (RealRange(0.0, 0.5),), "").allowed == (
        "a float in [0.0, 0.5]"
    )


@pytest.mark.parametrize(("estimator", "table"), TABLES)
def test_table_is_the_signature(estimator, table):
    signature = inspect.signature(estimator.__init__).parameters
    expected = {p.name: p.default for p in table}
    found = {name: p.default for name, p in signature.items() if name != "self"}
    assert found == expected
    assert list(found) == list(expected)
    assert all(
        p.kind is inspect.Parameter.KEYWORD_ONLY
        for name, p in signature.items()
        if name != "self"
    )


@pytest.mark.parametrize(("estimator", "table"), TABLES)
def test_defaults_satisfy_their_constraints(estimator, table):
    for parameter in table:
        assert any(c.accepts(parameter.default) for c in parameter.constraints)
        assert parameter.doc.endswith((".", ")"))


@pytest.mark.parametrize(
    ("model", "auto", "balanced", "others"),
    [
        (DPDTreeClassifier, (6, "mdl", 1), (5, "mdl", 1), (3, 0.0, 1)),
        (DPDTreeRegressor, (6, "mdl", 5), (5, 0.0, 0.01), (3, 0.0, 1)),
    ],
)
def test_auto_depends_on_the_strategy(model, auto, balanced, others):
    names = ("max_depth", "alpha", "min_samples_leaf")
    for strategy in STRATEGIES:
        own = model(strategy=strategy)
        expected = {"auto": auto, "balanced": balanced}.get(strategy, others)
        assert tuple(resolved(own, name) for name in names) == expected
        assert resolved(own, "shrinkage") == ("folds" if strategy == "auto" else 0.0)
    given = model(max_depth=None, alpha=0.5, min_samples_leaf=7)
    assert tuple(resolved(given, name) for name in names) == (None, 0.5, 7)


@pytest.mark.parametrize(("estimator", "table"), TABLES)
def test_docstring_lists_every_parameter(estimator, table):
    text = " ".join(inspect.getdoc(estimator).split())
    for parameter in table:
        assert f" {parameter.name} : " in text
        allowed = " ".join(parameter.allowed.split())
        assert allowed in text or allowed[0].upper() + allowed[1:] in text
    attributes = r"\nAttributes\n----------\n(tree_|estimators_|n_leaves_|booster_) : "
    assert re.search(attributes, inspect.getdoc(estimator))


def test_parameter_page_is_up_to_date(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    try:
        import document_parameters as page
    finally:
        sys.modules.pop("document_parameters", None)
    assert page.TARGET.read_text() == page.render_page(), "run `make docs`"
    for name, tables in page.ESTIMATORS.items():
        source = (page.PACKAGE / name).read_text()
        assert source == page.with_parameters(source, tables), "run `make docs`"
