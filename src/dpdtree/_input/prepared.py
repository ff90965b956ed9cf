"""Rows that are checked and encoded once, for several searches over them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from dpdtree._core import EncodedColumns
from dpdtree._input.problem import Problem

#: What checks of X leave on an estimator.
_OF_COLUMNS = ("n_features_in_", "feature_names_in_", "is_categorical_", "categories_")


@dataclass(frozen=True)
class PreparedRows:
    """What a fitted estimator makes of its training rows.

    Its clones take it instead of X where they search: a fit, a path, alternatives.
    """

    owner: Any
    X: NDArray[Any]
    problem: Problem
    columns: EncodedColumns | None

    def hand_over(self, estimator: Any) -> tuple[NDArray[Any], Problem]:
        """Tell an estimator of the columns; return X and the encoded targets."""
        known = vars(self.owner)
        for name in _OF_COLUMNS:
            if name in known:
                setattr(estimator, name, known[name])
        return self.X, self.problem.with_columns(self.columns)
