"""Parameters of the tree estimators on their way to the core."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from dpdtree._core import TreeParams
from dpdtree._input.constraints import constrain
from dpdtree._input.forced import forced_splits
from dpdtree._input.parameter_checks import (
    check_features_in_sight,
    check_provable_constraints,
    check_provable_features,
)
from dpdtree._numbers import clipped, is_int
from dpdtree._params.estimators import record_of, resolved, strategy_of
from dpdtree._params.tree import DECISION_LOSSES, NOISE_LEVEL, default_candidates
from dpdtree._threads import n_threads

_ALL = 2**31 - 1  # candidates: more than any state has


class SearchSwitches:
    """What of a search is no parameter: for cross-validation, tests and benchmarks."""

    #: Switches of the core that change its speed but never its result: use_split_memo,
    #: use_state_memo, use_pruning, use_bins; and use_pair_search, which changes how an
    #: optimum is proven. most_exact_rows and stop_after_looks do change results.
    _core_switches: Mapping[str, int] = {}

    #: See `fix_price_scale`.
    _price_scale: float | None = None


Weights = NDArray[np.float64] | None


def core_params(
    estimator: Any, shape: tuple[int, ...], sample_weight: Weights
) -> TreeParams:
    """Return the checked parameters of an estimator as the core takes them."""
    n_samples, n_features = shape
    max_features = resolved_max_features(estimator, n_features)
    check_features_in_sight(estimator, max_features, n_features)
    check_provable_features(estimator)
    params = TreeParams()
    _set_search(params, estimator, n_samples)
    _set_loss(params, estimator)
    set_tuning(params, estimator, forced=estimator.forced_splits is not None)
    _set_limits(params, estimator, n_samples, sample_weight)
    params.max_features = -1 if max_features >= n_features else max_features
    params.categorical = estimator.is_categorical_.nonzero()[0].tolist()
    constrain(params, estimator, n_features)
    check_provable_constraints(estimator, params)
    params.forced_splits = forced_splits(estimator, n_features)
    params.max_bins = 0 if estimator.max_bins is None else int(estimator.max_bins)
    limit = estimator.time_limit
    params.time_limit = -1.0 if limit is None else float(limit)
    params.n_threads = n_threads(estimator.n_jobs)
    if params.max_features >= 0:
        draw = check_random_state(estimator.random_state).randint(2**31, size=2)
        params.seed = int(draw[0]) << 31 | int(draw[1])
    for switch, on in estimator._core_switches.items():
        setattr(params, switch, on)
    return params


def _set_loss(params: TreeParams, estimator: Any) -> None:
    """Set what the loss itself is given."""
    if not record_of(estimator).classifies:
        params.quantile = float(estimator.quantile)
    elif resolved(estimator, "loss") == "cost_matrix":
        params.cost_matrix = np.ravel(estimator.cost_matrix).astype(float).tolist()


def _set_search(params: TreeParams, estimator: Any, n_samples: int) -> None:
    """Set how trees are searched, and what makes one better than another."""
    params.strategy = strategy_of(estimator)
    params.n_candidates = candidates_per_depth(estimator, n_samples)
    params.generator = estimator.generator
    criterion = estimator.criterion
    params.criterion = "entropy" if criterion == "log_loss" else criterion
    params.loss = resolved(estimator, "loss")
    params.complexity = estimator.complexity
    alpha = resolved(estimator, "alpha")
    params.mdl = isinstance(alpha, str)
    params.alpha = 0.0 if isinstance(alpha, str) else float(alpha)


def _looks_further(estimator: Any) -> bool:
    """Tell if "balanced" and "optimal" find more than candidates lead to.

    Without limits that rule a look-ahead out, and without prices of single splits.
    """
    limited = estimator.min_impurity_decrease > 0 or estimator.max_features is not None
    return not limited and not isinstance(resolved(estimator, "alpha"), str)


def candidates_per_depth(estimator: Any, n_samples: int) -> list[int]:
    """Resolve `n_candidates`; what it cannot be combined with was refused."""
    wanted, strategy = estimator.n_candidates, strategy_of(estimator)
    if strategy == "paper" and estimator.generator == "exhaustive":
        wanted = _ALL
    elif strategy == "greedy":
        wanted = 1
    elif wanted is None:
        wanted = default_candidates(
            estimator.strategy,
            resolved(estimator, "max_depth"),
            looks_further=_looks_further(estimator),
        )
    if not is_int(wanted):
        return [clipped(n) for n in wanted]
    if wanted == 1:
        return [1]
    depth = resolved(estimator, "max_depth")
    depths = n_samples if depth is None else min(int(depth), n_samples)
    return [clipped(wanted)] * depths


def set_tuning(params: TreeParams, estimator: Any, *, forced: bool) -> None:
    """Set among what the training rows choose; forced splits are no noise."""
    if estimator.alpha == "auto" and estimator.strategy == "auto":
        scale = estimator._price_scale
        scales = record_of(estimator).price_scales if scale is None else (scale,)
        params.noise_level = 0.0 if forced or scale is not None else NOISE_LEVEL
        params.price_scales = [s for s in scales if not (forced and math.isinf(s))]
    strength = resolved_shrinkage(estimator)
    by_folds = isinstance(strength, str)
    tried = record_of(estimator).shrinkages
    params.shrinkages = list(tried) if by_folds else [float(strength)]


def resolved_shrinkage(estimator: Any) -> float | str:
    """Return a strength or "folds"."""
    if estimator.shrinkage == "auto":
        decides = record_of(estimator).classifies and (
            resolved(estimator, "loss") in DECISION_LOSSES
        )
        if decides or estimator.alpha != "auto":
            return 0.0
    strength: float | str = resolved(estimator, "shrinkage")
    return strength


def fix_price_scale(estimator: Any, scale: float) -> None:
    """Let the fits of an estimator take this multiple of the price by "mdl".

    Cross-validation compares such multiples; the rows then choose none, nor does it
    matter whether a tree is better than noise.
    """
    estimator._price_scale = scale


def _set_limits(
    params: TreeParams, estimator: Any, n_samples: int, sample_weight: Weights
) -> None:
    """Set how large a tree may get, and how small its leaves."""
    # No tree is deeper than it has rows.
    depth = resolved(estimator, "max_depth")
    params.max_depth = -1 if depth is None else min(int(depth), n_samples)
    leaves = estimator.max_leaf_nodes
    params.max_leaf_nodes = -1 if leaves is None else clipped(leaves)
    leaf_rows = resolved(estimator, "min_samples_leaf")
    params.min_samples_leaf = _rows(leaf_rows, n_samples, least=1)
    split_rows = _rows(estimator.min_samples_split, n_samples, least=2)
    params.min_samples_split = max(split_rows, 2 * params.min_samples_leaf)
    if estimator.min_weight_fraction_leaf > 0:
        # Without rounding: in whatever order the rows come.
        total = n_samples if sample_weight is None else math.fsum(sample_weight)
        params.min_weight_leaf = float(estimator.min_weight_fraction_leaf * total)
    if (
        estimator.min_samples_leaf == "auto"
        and sample_weight is not None
        and is_int(leaf_rows)
    ):
        # Counted by weight, so that weights and repeated rows are the same.
        least = _weight_of_rows(int(leaf_rows), sample_weight)
        params.min_weight_leaf = max(params.min_weight_leaf, least)
        params.min_samples_leaf = 1
        params.min_samples_split = max(2, split_rows)
    params.min_impurity_decrease = float(estimator.min_impurity_decrease)


def _weight_of_rows(rows: int, sample_weight: NDArray[np.float64]) -> float:
    """Return what so many rows weigh; a row of weight 2 is two rows."""
    whole = np.array_equal(sample_weight, np.round(sample_weight))
    weighted = sample_weight[sample_weight > 0.0]
    # A little less, since sums of weights round.
    return rows * (1.0 if whole else float(weighted.mean())) * (1.0 - 1e-9)


def resolved_max_features(estimator: Any, n_features: int) -> int:
    """Return how many features a split search sees."""
    limit = estimator.max_features
    if limit is None:
        return n_features
    if limit == "sqrt":
        return max(1, int(math.sqrt(n_features)))
    if limit == "log2":
        return max(1, int(math.log2(n_features)))
    if is_int(limit):
        return min(int(limit), n_features)
    return max(1, int(limit * n_features))


def _rows(limit: Any, n_samples: int, *, least: int) -> int:
    """Resolve a number or fraction of rows the way scikit-learn does."""
    if is_int(limit):
        return clipped(limit)
    return max(least, math.ceil(float(limit) * n_samples))
