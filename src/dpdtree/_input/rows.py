"""Rows of a data set: features, targets and weights that belong together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

Self = TypeVar("Self", bound="Rows")


@dataclass(frozen=True)
class Rows:
    """Features, targets and weights, as they were passed or encoded."""

    X: Any
    y: Any  # None: not known
    weight: NDArray[np.float64] | None  # None: all weigh 1

    def __len__(self) -> int:
        return len(self.X)

    def take(self: Self, index: NDArray[Any]) -> Self:
        """Return these rows in the same containers; of arrays, by a mask as well."""
        return replace(
            self,
            X=_rows_of(self.X, index),
            y=None if self.y is None else self.y[index],
            weight=None if self.weight is None else self.weight[index],
        )


def _rows_of(X: Any, index: NDArray[Any]) -> Any:
    if type(X).__module__.partition(".")[0] == "pyarrow":
        return X.take(index)  # scikit-learn knows tables, but not record batches
    return _safe_indexing(X, index)
