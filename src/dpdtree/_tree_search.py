"""Searches of the core for a tree estimator: its data and parameters in, results out.

A fit, a path and alternatives prepare their rows alike. Only the attributes that
describe X are set here; see `_tree_attributes` for the others.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.passes import Passes, read_targets, shape_only, tree_codes
from dpdtree._blocks.schema import Schema
from dpdtree._blocks.sources import RowBlocks
from dpdtree._blocks.streams import refuse_arrays, refuse_blocks
from dpdtree._callbacks import FitTask
from dpdtree._core import (
    AlternativesResult,
    FitResult,
    PathPoint,
    TreeParams,
    find_alternatives,
    fit_path,
    fit_tree,
)
from dpdtree._input.constraints import check_monotone_target
from dpdtree._input.forced import tree_splits
from dpdtree._input.parameter_checks import check_parameters, check_path, check_strategy
from dpdtree._input.prepared import PreparedRows
from dpdtree._input.problem import Problem, prepare_targets
from dpdtree._input.validation import check_X
from dpdtree._progress import Progress, StatusLine, outer_watcher
from dpdtree._threads import n_threads
from dpdtree._tree_attributes import fit_report, has_missing
from dpdtree._tree_params import core_params
from dpdtree.report import FitReport


class Search(NamedTuple):
    """Rows, targets and parameters as the core takes them."""

    X: NDArray[Any]
    problem: Problem
    params: TreeParams

    @property
    def data(self) -> tuple[Any, Any, Any, Any]:
        """The first arguments of every search."""
        problem = self.problem
        return self.X, problem.y, problem.sample_weight, problem.n_classes


def prepare(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Search:
    """Check the parameters and the data; encode what the core takes encoded."""
    check_parameters(estimator)
    check_strategy(estimator)
    if isinstance(X, RowBlocks):
        refuse_arrays(y, sample_weight)
        X, problem = _prepare_blocks(estimator, X)
    elif isinstance(X, PreparedRows):
        X, problem = X.hand_over(estimator)
    else:
        X = check_X(estimator, X, reset=True)
        problem = prepare_targets(estimator, y, sample_weight, X.shape[0])
    params = core_params(estimator, X.shape, problem.sample_weight)
    if params.monotonic:
        n_outputs = problem.y.shape[1] if problem.y.ndim == 2 else 1
        check_monotone_target(int(np.max(problem.n_classes)), n_outputs)
    return Search(X, problem, params)


def _prepare_blocks(estimator: Any, blocks: RowBlocks) -> tuple[NDArray[Any], Problem]:
    """Encode rows that come in blocks; X is a mere shape then."""
    if estimator.max_bins is None:
        raise ValueError(
            "RowBlocks are for trees with max_bins, such as max_bins=255:"
            " thresholds between any two values need all rows in memory."
        )
    targets = read_targets(blocks)
    problem = prepare_targets(estimator, targets.y, targets.weight, targets.n_rows)
    threads = n_threads(estimator.n_jobs)
    with StatusLine(type(estimator).__name__, shown=bool(estimator.verbose)) as line:
        passes = Passes(blocks, Schema(estimator), targets, line, threads)
        encoded = tree_codes(
            passes, problem.sample_weight, int(estimator.max_bins), blocks.cache_dir
        )
    X = shape_only(targets.n_rows, estimator.n_features_in_)
    return X, problem.with_columns(encoded)


def search_tree(estimator: Any, search: Search, task: FitTask) -> FitResult:
    """Search the tree of a fit; show how far it is, if that is wanted."""
    encoded = search.problem.encoded
    watcher = outer_watcher()
    if not (estimator.verbose or task.watched):
        return fit_tree(*search.data, search.params, None, encoded, watcher)
    shown = Progress(type(estimator).__name__) if estimator.verbose else None
    if shown is not None and watcher is None:
        watcher = shown.beat

    def progress(seconds: float, objective: float, lower_bound: float) -> bool:
        if shown is not None:
            shown(seconds, objective, lower_bound)
        return not task.watched or task.step(seconds, objective, lower_bound)

    try:
        return fit_tree(*search.data, search.params, progress, encoded, watcher)
    finally:
        if shown is not None:
            shown.close()


class FoundPath(NamedTuple):
    """The trees of a path, smallest first, and what encoding has found."""

    points: list[PathPoint]
    report: FitReport
    fitted: dict[str, Any]


def search_path(
    estimator: Any, X: Any, y: Any, sample_weight: Any, kind: str
) -> FoundPath:
    """Search the best trees for all alphas or, kind="leaves", all leaf counts."""
    refuse_blocks(X, "a path")
    search = prepare(estimator, X, y, sample_weight)
    check_path(estimator, kind)
    encoded = search.problem.encoded
    shown = Progress(type(estimator).__name__, shown=bool(estimator.verbose))
    with shown:
        watcher = outer_watcher() or (shown.beat if estimator.verbose else None)
        result = fit_path(*search.data, search.params, kind, encoded, watcher)
    fitted = {**search.problem.fitted, "has_missing_": has_missing(estimator, result)}
    return FoundPath(list(result.points), fit_report(estimator, result), fitted)


class FoundAlternatives(NamedTuple):
    """States and actions, what encoding has found, the price of complexity."""

    result: AlternativesResult
    report: FitReport
    fitted: dict[str, Any]
    alpha: float


def search_actions(
    estimator: Any,
    data: tuple[Any, Any, Any],
    k: list[int],
    k_elsewhere: list[int],
    known: Any = None,
) -> FoundAlternatives:
    """Search the best splits of each state of (X, y, sample_weight).

    `known`: this estimator, fitted to these rows, whose tree need not be searched.
    """
    refuse_blocks(data[0], "a search of alternatives")
    search = prepare(estimator, *data)
    params = search.params
    given = known is not None and estimator.monotonic_cst is None
    if given:
        params.forced_splits = tree_splits(known)
        _take_tuning(params, known)
    result = find_alternatives(
        *search.data, params, k, k_elsewhere, given, search.problem.encoded
    )
    fitted = {
        **search.problem.fitted,
        "has_missing_": has_missing(estimator, result),
        "price_scale_": result.price_scale,
        "shrinkage_": result.shrinkage,
    }
    alpha = 1.0 if params.mdl else params.alpha
    return FoundAlternatives(result, fit_report(estimator, result), fitted, alpha)


def _take_tuning(params: TreeParams, known: Any) -> None:
    """Spare a search what the rows have chosen in the fit."""
    scale = float(getattr(known, "price_scale_", math.inf))
    if math.isfinite(scale):  # else the tree is a leaf, and splits have a price
        params.price_scales = [scale] if params.price_scales else []
        params.shrinkages = [float(known.shrinkage_)]
        params.noise_level = 0.0
