"""What is known of each estimator by its class: one record per class.

Modules that work for several estimators ask here, not the estimators.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from dpdtree._params.adaboost import ADABOOST
from dpdtree._params.boosting import BOOSTING_CLASSIFIER, BOOSTING_REGRESSOR
from dpdtree._params.cv import CLASSIFIER_CV, REGRESSOR_CV
from dpdtree._params.kinds import Parameter
from dpdtree._params.tree import (
    CLASS_SHRINKAGES,
    CLASSIFIER,
    NUMBER_SHRINKAGES,
    PRICE_SCALES,
    REGRESSOR,
)

#: Bins of a feature, at most, where a category needs one of its own.
_MOST_BINS = 255


@dataclass(frozen=True)
class EstimatorRecord:
    """Facts about an estimator that hold for all its instances."""

    parameters: tuple[Parameter, ...]
    #: Whether y holds labels.
    classifies: bool
    #: Whether y may have several columns.
    several_outputs: bool = False
    #: Of a feature, at most.
    most_categories: int | None = None
    #: Candidates of what the training rows choose: multiples of the price by "mdl",
    #: and strengths of the shrinkage.
    price_scales: tuple[float, ...] = (1.0,)
    shrinkages: tuple[float, ...] = ()
    #: Of the cross-validated ones: the scorer, and what is tuned unless it is "auto".
    scorer: str = ""
    tuned: str = ""


ESTIMATORS = {
    "DPDTreeClassifier": EstimatorRecord(
        CLASSIFIER,
        classifies=True,
        several_outputs=True,
        shrinkages=CLASS_SHRINKAGES,
    ),
    "DPDTreeRegressor": EstimatorRecord(
        REGRESSOR,
        classifies=False,
        several_outputs=True,
        price_scales=PRICE_SCALES,
        shrinkages=NUMBER_SHRINKAGES,
    ),
    "DPDTreeClassifierCV": EstimatorRecord(
        CLASSIFIER_CV,
        classifies=True,
        shrinkages=CLASS_SHRINKAGES,
        scorer="accuracy",
        tuned="n_leaves",
    ),
    "DPDTreeRegressorCV": EstimatorRecord(
        REGRESSOR_CV,
        classifies=False,
        price_scales=PRICE_SCALES,
        shrinkages=NUMBER_SHRINKAGES,
        scorer="r2",
        tuned="min_samples_leaf",
    ),
    "DPDTBoostingClassifier": EstimatorRecord(
        BOOSTING_CLASSIFIER, classifies=True, most_categories=_MOST_BINS
    ),
    "DPDTBoostingRegressor": EstimatorRecord(
        BOOSTING_REGRESSOR,
        classifies=False,
        several_outputs=True,
        most_categories=_MOST_BINS,
    ),
    "DPDTAdaBoostClassifier": EstimatorRecord(ADABOOST, classifies=True),
}


def record_of(estimator: Any) -> EstimatorRecord:
    """Return the record of an estimator, or of the one that it is derived from."""
    kind: Any = type(estimator)
    return _record_of_class(kind)


def parameters_of(kind: Any) -> tuple[Parameter, ...]:
    """Return the parameters of a class of estimators."""
    return _record_of_class(kind).parameters


@cache
def _record_of_class(kind: Any) -> EstimatorRecord:
    for base in kind.__mro__:
        if base.__module__.startswith("dpdtree.") and base.__name__ in ESTIMATORS:
            return ESTIMATORS[base.__name__]
    raise TypeError(f"{kind.__name__} is not derived from an estimator of dpdtree.")


def resolved(estimator: Any, name: str) -> Any:
    """Return the value of a parameter, or what "auto" stands for."""
    value = getattr(estimator, name)
    if not isinstance(value, str) or value != "auto":
        return value
    kind: Any = type(estimator)
    by_strategy = _meanings_of_auto(kind, name)
    return by_strategy.get(estimator.strategy, by_strategy.get("other"))


@cache
def _meanings_of_auto(kind: Any, name: str) -> dict[str, object]:
    [parameter] = [p for p in parameters_of(kind) if p.name == name]
    return dict(parameter.auto)


def strategy_of(estimator: Any) -> str:
    """Return the named strategy that an estimator searches by."""
    named = str(resolved(estimator, "strategy"))
    asks_to_look = estimator.n_candidates is not None or estimator.generator != "cart"
    if estimator.strategy == "auto" and asks_to_look:
        return "paper"
    return named
