"""A few rows of a frame, read cell by cell: columns would take longer than the model.

What this reading is not sure of is left to the one by columns, which also knows the
errors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from dpdtree._input.columns import Categories
from dpdtree._input.frames import is_missing

#: More rows are read by columns.
MOST_ROWS = 32

Places = list[dict[Any, int] | None]

#: The place of each category of each feature, by estimator; with the categories they
#: were made from, since a fit changes these.
_known: WeakKeyDictionary[Any, tuple[Categories, Places]] = WeakKeyDictionary()


def few_rows(estimator: Any, X: Any) -> NDArray[Any] | None:
    """Return a frame like that of the fit as numbers, or None to be on the safe side.

    Frames of pandas that hold numbers of one kind may have any number of rows.
    """
    library = type(X).__module__.partition(".")[0]
    if library == "pandas" and hasattr(X, "iloc") and X.ndim == 2:
        return _from_pandas(estimator, X)
    polars = library == "polars" and hasattr(X, "get_columns")
    few = polars and 0 < X.height <= MOST_ROWS
    if few and _has_names_of_fit(estimator, X.columns):
        return _encoded(X.rows(), _places(estimator))
    return None


def _from_pandas(estimator: Any, X: Any) -> NDArray[Any] | None:
    n_rows = X.shape[0]
    if n_rows == 0 or not _has_names_of_fit(estimator, X.columns.tolist()):
        return None
    places = _places(estimator)
    categories = any(known is not None for known in places)
    many = n_rows > MOST_ROWS
    if many and (categories or len(set(X.dtypes.tolist())) > 1):
        return None
    values = X.to_numpy()
    kind = values.dtype.kind
    if kind in "fiub":
        known = values.dtype.isnative and 4 <= values.dtype.itemsize <= 8
        return values if (known or kind != "f") and not categories else None
    return None if many or kind != "O" else _encoded(values.tolist(), places)


def _has_names_of_fit(estimator: Any, names: list[Any]) -> bool:
    fitted = vars(estimator).get("feature_names_in_")
    return fitted is not None and fitted.tolist() == names


def _places(estimator: Any) -> Places:
    categories = getattr(estimator, "categories_", None)
    if categories is None:
        return [None] * estimator.n_features_in_
    kept = _known.get(estimator)
    if kept is None or kept[0] is not categories:
        places: Places = [
            None
            if known is None
            else {value: place for place, value in enumerate(known.tolist())}
            for known in categories
        ]
        kept = _known[estimator] = (categories, places)
    return kept[1]


def _encoded(
    rows: Sequence[Sequence[Any]], places: Places
) -> NDArray[np.float64] | None:
    if len(rows) > 1 and any(map(_mixes, zip(*rows, strict=True))):
        return None
    try:
        return np.array(
            [
                [
                    _number(value) if known is None else _place(value, known)
                    for value, known in zip(row, places, strict=True)
                ]
                for row in rows
            ],
            dtype=np.float64,
        )
    except (TypeError, ValueError, KeyError, OverflowError):
        return None


def _mixes(column: Iterable[Any]) -> bool:
    """Whether truth values are among other ones."""
    kinds = {
        isinstance(value, bool | np.bool_) for value in column if not is_missing(value)
    }
    return len(kinds) > 1


def _number(value: Any) -> float:
    if type(value) is float:
        return value
    if is_missing(value):
        return np.nan
    if isinstance(value, int | np.integer | np.floating | np.bool_):
        return float(value)
    raise TypeError  # strings, dates, ...: which error that is depends on the column


def _place(value: Any, known: dict[Any, int]) -> float:
    if is_missing(value):
        return np.nan
    return known[value]
