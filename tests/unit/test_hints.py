"""Wrong parameter names: what was meant, and what stays as it is."""

from __future__ import annotations

import copy
import inspect
import pickle

import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
)
from dpdtree._params.hints import _MEANT, hint

ESTIMATORS = [
    DPDTreeClassifier,
    DPDTreeRegressor,
    DPDTreeClassifierCV,
    DPDTreeRegressorCV,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTAdaBoostClassifier,
]


@pytest.mark.parametrize(
    ("estimator", "wrong", "right"),
    [
        (DPDTBoostingClassifier, "n_estimators", "max_iter"),
        (DPDTBoostingClassifier, "num_leaves", "max_leaf_nodes"),
        (DPDTBoostingClassifier, "eta", "learning_rate"),
        (DPDTBoostingClassifier, "reg_lambda", "l2_regularization"),
        (DPDTBoostingClassifier, "alpha", "reg_alpha"),
        (DPDTBoostingRegressor, "min_child_samples", "min_samples_leaf"),
        (DPDTBoostingRegressor, "colsample_bytree", "max_features"),
        (DPDTBoostingRegressor, "early_stopping_rounds", "n_iter_no_change"),
        (DPDTBoostingRegressor, "monotone_constraints", "monotonic_cst"),
        (DPDTBoostingRegressor, "max_itr", "max_iter"),
        (DPDTAdaBoostClassifier, "num_boost_round", "n_estimators"),
        (DPDTreeClassifier, "ccp_alpha", "alpha"),
        (DPDTreeClassifier, "splitter", "strategy"),
        (DPDTreeRegressorCV, "min_data_in_leaf", "min_samples_leaf"),
        (DPDTreeRegressor, "seed", "random_state"),
    ],
)
def test_suggestions(estimator, wrong, right):
    text = f"{estimator.__name__} has no parameter '{wrong}'. Did you mean '{right}'?"
    with pytest.raises(TypeError) as error:
        estimator(**{wrong: 1})
    assert str(error.value) == text
    with pytest.raises(ValueError, match=f"Did you mean '{right}'") as error:
        estimator().set_params(**{wrong: 1})
    assert f"Invalid parameter '{wrong}'" in str(error.value)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_unlike_names_get_no_suggestion(estimator):
    with pytest.raises(TypeError, match=r"no parameter 'zzz'\.$"):
        estimator(zzz=1)
    with pytest.raises(ValueError, match=r"Invalid parameter 'zzz' .*\. Valid"):
        estimator().set_params(zzz=1)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_every_suggestion_is_a_parameter_and_no_parameter_gets_one(estimator):
    known = estimator().get_params()
    for name in _MEANT:
        if name not in known and (found := hint(name, known)):
            assert found.split("'")[1] in known
    for name in known:
        estimator(**{name: known[name]})


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constructors_stay_what_they_are(estimator):
    declared = inspect.signature(inspect.unwrap(estimator.__init__))
    assert inspect.signature(estimator.__init__) == declared
    assert (
        list(inspect.signature(estimator).parameters) == list(declared.parameters)[1:]
    )
    model = estimator(random_state=3)
    for other in (
        clone(model),
        copy.deepcopy(model),
        pickle.loads(pickle.dumps(model)),
    ):
        assert other.get_params() == model.get_params()
    assert model.set_params(random_state=4) is model
    assert model.random_state == 4
    with pytest.raises(TypeError, match="positional"):
        estimator(1, 2, 3)


def test_nested_parameters_go_their_way():
    pipe = make_pipeline(DPDTBoostingRegressor())
    pipe.set_params(dpdtboostingregressor__max_iter=3)
    assert pipe[0].max_iter == 3
    with pytest.raises(ValueError, match="Did you mean 'max_iter'"):
        pipe.set_params(dpdtboostingregressor__n_estimators=3)
    with pytest.raises(ValueError, match="Invalid parameter 'other'"):
        DPDTBoostingRegressor().set_params(other__deeper=3)


def test_subclasses_with_other_constructors():
    class Wide(DPDTreeClassifier):
        def __init__(self, **anything):
            super().__init__(**anything)

    assert Wide(max_depth=2).max_depth == 2
    with pytest.raises(TypeError, match="Did you mean 'alpha'"):
        Wide(ccp_alpha=2)

    class More(DPDTreeClassifier):
        def __init__(self, max_depth=2, own=1):
            super().__init__(max_depth=max_depth)
            self.own = own

    assert clone(More(own=5)).own == 5
    with pytest.raises(TypeError, match="Did you mean 'max_depth'"):
        More(depth=2)
