"""What modules ask of a tree estimator that is known only further up.

Each function has an answer for estimators in general; whoever defines a class that
answers differently registers its own answer (`functools.singledispatch`).
"""

from __future__ import annotations

from functools import singledispatch
from pathlib import Path
from typing import Any

from sklearn.base import clone


@singledispatch
def plain_estimator(estimator: Any) -> Any:
    """Return the unfitted estimator whose trees the paths of this one hold."""
    return clone(estimator)


@singledispatch
def write_explorer(estimator: Any, trees: Any, given: Any, options: Any) -> Path:
    """Write the page of a path on which this tree lies; return the file.

    `given` are the arguments X, y, sample_weight, X_test and y_test, and `options`
    the others of `explore`, in their order.
    """
    raise TypeError(f"explore does not support a {type(estimator).__name__}.")
