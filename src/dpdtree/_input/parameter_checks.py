"""Checks of parameters, alone and together. Each error names the parameter."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from dpdtree._losses import LOSSES
from dpdtree._numbers import is_int, shown
from dpdtree._params.estimators import record_of, resolved, strategy_of
from dpdtree._params.tree import PAPER_CANDIDATES

_NOT_PROVABLE = (
    "optimality can be proven for loss='zero_one' and 'cost_matrix' (classification)"
    " and loss='squared_error' (regression) only; strategy='balanced' works with every"
    " loss"
)


class InvalidParameterError(ValueError, TypeError):
    """A constructor parameter has a value that is not allowed."""


def check_parameters(estimator: object) -> None:
    """Raise an error that names the first parameter with a value out of its range."""
    for parameter in record_of(estimator).parameters:
        value = getattr(estimator, parameter.name)
        if value is not parameter.default and not parameter.accepts(value):
            raise InvalidParameterError(
                f"The {parameter.name!r} parameter of {type(estimator).__name__} must"
                f" be {parameter.allowed}. Got {shown(value)} instead."
            )


def check_strategy(estimator: Any) -> None:
    """Raise an error for parameters that the strategy cannot work with."""
    strategy = strategy_of(estimator)
    if strategy == "greedy":
        return
    if resolved(estimator, "max_depth") is None:
        _check_open_depth(estimator)
    if strategy != "optimal":
        return
    if not LOSSES[resolved(estimator, "loss")].provable:
        _refuse(estimator, "loss", _NOT_PROVABLE)
    if resolved(estimator, "alpha") == "mdl":
        _refuse(
            estimator,
            "alpha",
            "the proof of optimality knows prices that are numbers only; give one, or"
            " use strategy='balanced'",
        )
    if estimator.min_impurity_decrease > 0:
        _refuse(
            estimator,
            "min_impurity_decrease",
            "optimality cannot be proven with it; use 0.0 with alpha or"
            " min_samples_leaf instead, or strategy='balanced'",
        )


def check_costs(estimator: Any) -> None:
    """Raise an error unless a cost matrix is there just where the loss needs it."""
    loss = resolved(estimator, "loss")
    needed = loss == "cost_matrix"
    if needed == (estimator.cost_matrix is not None):
        return
    advice = (
        "loss='cost_matrix' needs one: give a square matrix, entry [i, j] being the"
        " cost of predicting classes_[j] where classes_[i] is true"
        if needed
        else f"only loss='cost_matrix' looks at it, and loss is {loss!r}"
    )
    raise InvalidParameterError(
        f"The 'cost_matrix' parameter of {type(estimator).__name__} cannot be"
        f" {'None' if needed else 'given'}: {advice}."
    )


def check_one_output(estimator: Any, n_outputs: int) -> None:
    """Raise an error for parameters that several outputs cannot be combined with."""
    if n_outputs > 1 and resolved(estimator, "loss") == "cost_matrix":
        _refuse(
            estimator,
            "loss",
            f"y has {n_outputs} outputs, and a cost matrix is for one; fit a tree for"
            " each, or use another loss",
        )


def check_path(estimator: Any, kind: str) -> None:
    """Raise an error for parameters that a whole path of trees cannot work with."""
    if estimator.strategy == "optimal":
        _refuse(
            estimator,
            "strategy",
            "a path comes from strategy='greedy', 'paper' or 'balanced'",
        )
    if kind == "alpha" and estimator.max_leaf_nodes is not None:
        _refuse(
            estimator,
            "max_leaf_nodes",
            "a regularization path is over all numbers of leaves; give None, or use"
            " leaf_path",
        )


def check_features_in_sight(estimator: Any, seen: int, n_features: int) -> None:
    """Raise an error if a proof is asked for that would not see every feature."""
    if estimator.strategy == "optimal" and seen < n_features:
        _refuse(
            estimator,
            "max_features",
            f"optimality cannot be proven with {seen} of {n_features} features in"
            " sight; use None, or strategy='balanced'",
        )


def check_provable_features(estimator: Any) -> None:
    """Raise an error if a proof is asked for with features that are categories."""
    if estimator.strategy == "optimal" and np.any(estimator.is_categorical_):
        _refuse(
            estimator,
            "categorical_features",
            "some features are categories, and no proof covers all sets of them; use"
            " strategy='balanced', or None with categories encoded as numbers",
        )


def check_provable_constraints(estimator: Any, params: Any) -> None:
    """Raise an error if a proof is asked for with constraints that it cannot honour."""
    if estimator.strategy != "optimal":
        return
    by_depth = params.allowed_features
    same = len(by_depth) == params.max_depth and all(f == by_depth[0] for f in by_depth)
    constraints = {
        "monotonic_cst": params.monotonic,
        "interaction_cst": params.interaction_groups,
        "feature_costs": params.feature_costs,
        "allowed_features": [] if same else by_depth,
    }
    for name, constraint in constraints.items():
        if constraint:
            _refuse(
                estimator,
                name,
                "no proof covers it; use None, or strategy='balanced'",
            )


def _check_open_depth(estimator: Any) -> None:
    """What works with max_depth=None: a price per leaf, or a greedy tail."""
    if strategy_of(estimator) == "optimal":
        alpha = resolved(estimator, "alpha")
        if estimator.complexity == "n_leaves" and alpha != "mdl" and alpha > 0:
            return
        _refuse(
            estimator,
            "max_depth",
            "give an int, such as max_depth=3, or a price per leaf, such as"
            " complexity='n_leaves' with alpha=0.01",
        )
    if strategy_of(estimator) != "paper" or estimator.generator == "exhaustive":
        _refuse(
            estimator,
            "max_depth",
            "give an int, such as max_depth=3, or use strategy='greedy'",
        )
    wanted = estimator.n_candidates
    if wanted is None and estimator.strategy == "auto":
        return
    if wanted is None or (is_int(wanted) and wanted > 1):
        _refuse(
            estimator,
            "n_candidates",
            "with max_depth=None give one number per depth, such as n_candidates="
            f"({wanted or PAPER_CANDIDATES}, 1), or give a max_depth",
        )


def _refuse(estimator: Any, name: str, advice: str) -> NoReturn:
    with_strategy = f" with strategy={estimator.strategy!r}" * (name != "strategy")
    raise InvalidParameterError(
        f"The {name!r} parameter of {type(estimator).__name__} cannot be"
        f" {shown(getattr(estimator, name))}{with_strategy}: {advice}."
    )
