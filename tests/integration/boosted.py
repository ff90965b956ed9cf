"""What the tests of the boosting estimators share."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor
from tests.integration.data import Array, make_classes, make_targets

LOOKAHEADS = [None, "light", "strong", "full"]
BOTH = [(DPDTBoostingClassifier, make_classes), (DPDTBoostingRegressor, make_targets)]


def fitted(estimator: Any, X: Any, y: Array, **parameters: Any) -> Any:
    """Return a short fit that depends on nothing but its arguments."""
    defaults = {"max_iter": 12, "random_state": 0, "early_stopping": False}
    return estimator(**{**defaults, **parameters}).fit(X, y)


def pace_of(model: Any) -> dict[str, Any]:
    """Return the rate and the size of its trees, as parameters."""
    return {
        name: getattr(model, f"{name}_") for name in ("learning_rate", "max_leaf_nodes")
    }


def assert_same_model(one: Any, other: Any, X: Array) -> None:
    """Check that two fitted estimators are equal, bit by bit."""
    assert one.booster_.to_bytes() == other.booster_.to_bytes()
    np.testing.assert_array_equal(one.predict(X), other.predict(X))
