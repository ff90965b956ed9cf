"""The folds of a cross-validation, as lists of rows."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import check_cv

from dpdtree._input.rows import Rows
from dpdtree._numbers import is_int, shown

Fold = tuple[NDArray[Any], NDArray[Any]]

#: Of the order of rows from which a number of folds is made.
_FOLD_SEED = 0


def folds_of(
    cv: Any, data: Rows, by_class: bool, split_params: Mapping[str, Any]
) -> list[Fold]:
    """Return the rows of each fold, for training and for test."""
    splits = cv
    if is_number(splits):
        splits = _possible_splits(splits, data.y, by_class)
    splitter = check_cv(splits, data.y, classifier=by_class)
    if is_int(splits):
        # Rows come sorted at times; then folds of neighbours have little in common.
        splitter = type(splitter)(splits, shuffle=True, random_state=_FOLD_SEED)
    given = getattr(splitter, "cv", None)  # of an iterable
    if given is not None and not (given and all(map(_is_pair, given))):
        raise ValueError(
            "cv must give at least one fold, and for each of them a pair of indices"
            f" (train, test), got {given!r:.80}."
        )
    with warnings.catch_warnings():
        # A class with fewer rows than folds is scored where it is.
        warnings.filterwarnings("ignore", message="The least populated class")
        try:
            folds = list(splitter.split(data.X, data.y, **split_params))
        except ValueError as error:
            raise ValueError(
                f"cv={shown(cv)} cannot split these rows: {error}"
            ) from error
    if not folds:
        raise ValueError(f"cv={shown(cv)} gives no folds.")
    n = len(data.y)
    return [(_fold_rows(train, n), _fold_rows(test, n)) for train, test in folds]


def _fold_rows(rows: Any, n: int) -> NDArray[np.intp]:
    """Return the rows of one side of a fold as indices; a mask will do as well."""
    index = np.asarray(rows)
    if index.dtype == np.bool_ and index.shape == (n,):
        index = np.flatnonzero(index)
    fine = index.dtype.kind in "iu" and index.ndim == 1 and index.size > 0
    if not fine or index.min() < -n or index.max() >= n:
        raise ValueError(
            "cv must give indices of rows for training and test, at least one for each"
            f" and all below n_samples = {n}, got {shown(rows)}."
        )
    return index.astype(np.intp)


def _is_pair(fold: Any) -> bool:
    return hasattr(fold, "__len__") and len(fold) == 2


def is_number(cv: Any) -> bool:
    """Whether `cv` says how many folds there are; None stands for a number."""
    return cv is None or is_int(cv)


def _possible_splits(wanted: int | None, y: NDArray[Any], by_class: bool) -> int:
    """Fewer folds than asked for where there are not enough rows."""
    most = max(len(y) // 2, min(len(y), 2))  # R² needs two rows to be scored on
    if by_class:
        most = int(np.unique(y, return_counts=True)[1].max())
    if most < 2:
        raise ValueError(
            "The folds of cv need two rows, of one class at least: got"
            f" n_samples = {len(y)}."
        )
    return min(5 if wanted is None else int(wanted), most)
