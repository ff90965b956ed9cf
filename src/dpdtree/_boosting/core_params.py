"""Parameters of the gradient boosting estimators on their way to the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpdtree._boosting.sample import Target
from dpdtree._core import BoostingParams
from dpdtree._input.constraints import interaction_groups, monotonic_directions
from dpdtree._numbers import clipped, is_int
from dpdtree._params.boosting import DEFAULT_DEPTH
from dpdtree._threads import n_threads

# No search with several candidates per state gets as deep as this.
_MANY_LEVELS = 1000


def core_params(
    estimator: Any, settings: Mapping[str, Any], n_features: int, seed: int
) -> BoostingParams:
    """Return the checked parameters of an estimator as the core takes them.

    `settings` has those that may be "auto". There is no limit on time: what is left of
    it is known only when the data is checked.
    """
    params = BoostingParams()
    params.loss = "custom" if callable(estimator.loss) else estimator.loss
    if estimator.loss == "quantile":
        params.quantile = float(estimator.quantile)
    params.newton = bool(estimator.newton)
    params.min_samples_leaf = clipped(estimator.min_samples_leaf)
    params.max_bins = int(estimator.max_bins)
    for name in (
        "min_child_weight",
        "l2_regularization",
        "reg_alpha",
        "gamma",
        "subsample",
        "max_features",
    ):
        setattr(params, name, float(getattr(estimator, name)))
    params.learning_rate = float(settings["learning_rate"])
    params.lookahead = settings["lookahead"] or "none"
    depth = estimator.max_depth
    if depth is None:
        depth = DEFAULT_DEPTH if settings["lookahead"] == "full" else 0
    params.max_depth = clipped(depth)
    params.max_leaf_nodes = clipped(settings["max_leaf_nodes"] or 0)
    wanted = estimator.n_candidates
    levels = min(params.max_depth, _MANY_LEVELS)
    per_depth = [wanted] * levels if is_int(wanted) else wanted
    params.n_candidates = [clipped(n) for n in per_depth]
    params.monotonic_cst = monotonic_directions(estimator, n_features)
    names = getattr(estimator, "feature_names_in_", None)
    params.interaction_cst = interaction_groups(
        estimator.interaction_cst, n_features, names
    )
    params.categorical = [bool(c) for c in getattr(estimator, "is_categorical_", ())]
    params.seed = seed
    params.n_threads = n_threads(estimator.n_jobs)
    return params


def checked_params(
    estimator: Any, settings: dict[str, Any], target: Target, seed: int
) -> BoostingParams:
    """Return the parameters of a fit; raise for what the targets do not allow."""
    params = core_params(estimator, settings, estimator.n_features_in_, seed)
    if any(params.monotonic_cst) and target.n_classes > 2:
        raise ValueError("monotonic_cst is not supported with three or more classes.")
    return params
