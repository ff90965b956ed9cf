"""From what the core has found to the fitted attributes of a tree estimator."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._core import FitResult, SearchReport
from dpdtree._params.estimators import strategy_of
from dpdtree._structure import TreeStructure
from dpdtree._tree_params import resolved_max_features, resolved_shrinkage
from dpdtree.report import FitReport


def keep_result(estimator: Any, result: FitResult, fitted: Mapping[str, Any]) -> None:
    """Set the attributes of a fit; `tree_` comes last and makes it fitted.

    `fitted`: what encoding has found.
    """
    _keep_encoding(estimator, fitted)
    estimator.has_missing_ = has_missing(estimator, result)
    estimator.loss_ = result.loss
    estimator.complexity_ = result.complexity
    estimator.feature_cost_ = result.feature_cost
    estimator.objective_ = result.objective
    estimator.price_scale_ = result.price_scale
    estimator.shrinkage_ = result.shrinkage
    estimator.lower_bound_ = result.lower_bound
    estimator.is_optimal_ = result.is_optimal
    gap = result.objective - result.lower_bound
    estimator.gap_ = 0.0 if result.is_optimal else gap
    estimator.report_ = fit_report(estimator, result, tuple(result.trace))
    _keep_tree(estimator, TreeStructure(result.tree))


def keep_point(
    estimator: Any,
    point: Any,
    fitted: Mapping[str, Any],
    report: FitReport,
    alpha: float,
) -> None:
    """Set the attributes to those of a tree of a path, at a given alpha."""
    strength = resolved_shrinkage(estimator)
    estimator.price_scale_ = 1.0
    estimator.shrinkage_ = 0.0 if isinstance(strength, str) else float(strength)
    _keep_encoding(estimator, fitted)
    estimator.loss_ = point.loss
    estimator.complexity_ = point.complexity
    estimator.feature_cost_ = point.feature_cost
    estimator.objective_ = point.loss + alpha * point.complexity + point.feature_cost
    estimator.is_optimal_ = estimator.objective_ == 0.0  # there is nothing below
    estimator.lower_bound_ = 0.0 if estimator.is_optimal_ else math.nan
    estimator.gap_ = estimator.lower_bound_
    estimator.report_ = report
    _keep_tree(estimator, TreeStructure(point.tree))


def has_missing(estimator: Any, result: SearchReport) -> NDArray[np.bool_]:
    """Return which features had missing values in the search."""
    flags = np.zeros(estimator.n_features_in_, dtype=bool)
    flags[list(result.features_with_missing)] = True
    return flags


def fit_report(
    estimator: Any,
    result: SearchReport,
    trace: tuple[tuple[float, float, float], ...] = (),
) -> FitReport:
    """Return the record of a search."""
    return FitReport(
        strategy=strategy_of(estimator),
        states=result.states,
        candidates=result.candidates,
        splits_searched=result.splits_searched,
        split_memo_hits=result.split_memo_hits,
        state_memo_hits=result.state_memo_hits,
        pruned=result.pruned,
        seconds_encode=result.seconds_encode,
        seconds_solve=result.seconds_solve,
        stop_reason=result.stop_reason,
        trace=trace,
    )


def _keep_encoding(estimator: Any, fitted: Mapping[str, Any]) -> None:
    for name, value in fitted.items():
        setattr(estimator, name, value)
    estimator.max_features_ = resolved_max_features(estimator, estimator.n_features_in_)


def _keep_tree(estimator: Any, tree: TreeStructure) -> None:
    estimator.n_outputs_ = tree.n_outputs
    estimator.tree_ = tree
