"""Direct calls of the compiled core, with the switches the estimators keep private."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpdtree import _core
from tests.property.problems import Array, Sample

DEFAULTS: dict[str, Any] = {
    "strategy": "paper",
    "generator": "cart",
    "complexity": "path_length",
    "alpha": 0.0,
    "n_candidates": [3, 3, 3],
    "max_depth": 3,
    "max_leaf_nodes": -1,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_leaf": 0.0,
    "min_impurity_decrease": 0.0,
    "max_features": -1,
    "max_bins": 0,
    "time_limit": -1.0,
    "n_threads": 1,
    "seed": 0,
}


def tree_params(sample: Sample, **changes: Any) -> Any:
    """TreeParams for a sample: the defaults above, then the changes."""
    criterion = "squared_error" if sample.regression else "gini"
    own = {"loss": sample.loss, "criterion": criterion}
    params = _core.TreeParams()
    for name, value in {**DEFAULTS, **own, **changes}.items():
        setattr(params, name, value)
    return params


def arguments(sample: Sample) -> tuple[Array, Array, Array | None, int]:
    """X, y, sample_weight and n_classes as the core takes them."""
    if sample.regression:
        return sample.X, sample.y.astype(np.float64), sample.w, 0
    codes = sample.y.astype(np.int32)
    return sample.X, codes, sample.w, int(codes.max()) + 1


def fit(sample: Sample, **changes: Any) -> Any:
    """FitResult of one call of the core."""
    return _core.fit_tree(*arguments(sample), tree_params(sample, **changes))
