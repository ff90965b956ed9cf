"""From tables to the matrix the core takes: numbers, and categories as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._input.frames import Column, Frame, family_of

Categories = list[NDArray[Any] | None]

#: Of more categories than FEW, those with fewer rows than ENOUGH are treated like
#: unknown ones: names and numbers of tickets would be memorised otherwise.
FEW = 32
ENOUGH = 10


def choose_categorical(wanted: Any, frame: Frame) -> NDArray[np.bool_]:
    """Resolve `categorical_features` to a mask over the columns."""
    n_features = len(frame.columns)
    mask = np.zeros(n_features, dtype=bool)
    if wanted is None:
        return mask
    if isinstance(wanted, str):  # "from_dtype"
        mask[:] = [
            column.kind == "category" or (column.kind == "text" and _repeats(column))
            for column in frame.columns
        ]
        return mask
    chosen = list(wanted)
    if not chosen:
        return mask
    if isinstance(chosen[0], bool | np.bool_):
        if len(chosen) != n_features:
            raise ValueError(
                "categorical_features as a mask must have one entry per feature:"
                f" {n_features}, got {len(chosen)}."
            )
        mask[:] = chosen
    elif isinstance(chosen[0], str):
        mask[_positions(chosen, frame)] = True
    else:
        outside = [j for j in chosen if not 0 <= j < n_features]
        if outside:
            raise ValueError(
                f"categorical_features must lie in 0 ... {n_features - 1}, the"
                f" columns of X; got {outside}."
            )
        mask[np.asarray(chosen, dtype=np.intp)] = True
    return mask


def _repeats(column: Column) -> bool:
    """Whether strings are categories: few, or mostly such as many rows have.

    Names, comments and numbers of tickets are not.
    """
    codes, values = column.factorize()
    return often_repeated(np.bincount(codes + 1, minlength=len(values) + 1)[1:])


def often_repeated(rows: NDArray[np.intp]) -> bool:
    """Whether strings with so many rows each are categories."""
    if np.count_nonzero(rows) <= FEW:
        return True
    return bool(2 * rows[rows >= ENOUGH].sum() >= rows.sum())


def _positions(wanted: Sequence[str], frame: Frame) -> list[int]:
    if frame.names is None:
        raise ValueError(
            "categorical_features has names, but X has none: pass a data frame, or"
            " indices."
        )
    unknown = [name for name in wanted if name not in frame.names]
    if unknown:
        raise ValueError(
            f"categorical_features names {unknown}, which X does not have."
        )
    return [frame.names.index(name) for name in wanted]


def check_names(frame: Frame) -> None:
    """Raise if two columns have the same name."""
    twice = [name for name, n in Counter(frame.names or ()).items() if n > 1]
    if twice:
        raise ValueError(f"X has duplicate column names: {twice}.")


def learn_categories(
    frame: Frame, categorical: NDArray[np.bool_], most: int | None = None
) -> Categories:
    """Return the categories of each categorical column in a fixed order, else None.

    With `most`, the most frequent ones of each.
    """
    return [
        _distinct(column, frame.name(j), most) if categorical[j] else None
        for j, column in enumerate(frame.columns)
    ]


def _distinct(column: Column, name: object, most: int | None) -> NDArray[Any]:
    """Categories that occur: in the order of the dtype, or sorted."""
    codes, values = column.factorize()
    rows = np.bincount(codes + 1, minlength=len(values) + 1)[1:]  # missing is -1
    return listed_categories(
        values, rows, name, most, ordered=column.kind == "category"
    )


def listed_categories(
    values: list[Any],
    rows: NDArray[np.intp],
    name: object,
    most: int | None,
    *,
    ordered: bool,
) -> NDArray[Any]:
    """Return those values that have rows enough, sorted unless they are `ordered`."""
    least = ENOUGH if np.count_nonzero(rows) > FEW else 1
    kept = np.flatnonzero(rows >= least)
    if most is not None and len(kept) > most:  # of equally frequent ones, the first
        kept = np.sort(kept[np.argsort(-rows[kept], kind="stable")[:most]])
    values = [values[place] for place in kept.tolist()]
    families = sorted({family_of(value) for value in values})
    if len(families) > 1:
        raise TypeError(
            f"The categories of column {name!r} of X mix {' and '.join(families)}:"
            " convert them to one type."
        )
    if not ordered:
        values = sorted(values)
    dtype = object if families == ["str"] else None
    return np.array(values, dtype=dtype)


def encode_frame(
    frame: Frame, categories: Categories, advice: str = ""
) -> NDArray[np.float64]:
    """Return the table as float64: numbers as they are, categories by their place.

    Categories that are not listed, and missing values, become NaN.
    """
    _check_kinds(frame, categories, advice)
    matrix = np.empty((frame.n_rows, len(frame.columns)), order="F")
    for j, (column, known) in enumerate(zip(frame.columns, categories, strict=True)):
        if known is None:
            matrix[:, j] = _numbers(column, frame.name(j))
        else:
            codes, values = column.factorize()
            _check_family(values, known, frame.name(j))
            place_of = {value: place for place, value in enumerate(known.tolist())}
            places = [place_of.get(value, np.nan) for value in values]
            matrix[:, j] = np.array([*places, np.nan])[codes]  # -1 is the last
    return matrix


def numbers_of_frame(
    frame: Frame, categorical: NDArray[np.bool_], advice: str
) -> NDArray[np.float64]:
    """Return the table as float64, with NaN for all categories."""
    none = np.array([], dtype=object)
    _check_kinds(frame, [none if mask else None for mask in categorical], advice)
    matrix = np.full((frame.n_rows, len(frame.columns)), np.nan, order="F")
    for j in np.flatnonzero(~categorical).tolist():
        matrix[:, j] = _numbers(frame.columns[j], frame.name(j))
    return matrix


def _check_family(values: list[Any], known: NDArray[Any], name: object) -> None:
    """Raise if numbers are given for strings or strings for numbers.

    None of them would be known; that is a slip, not a row of new categories.
    """
    given = {family_of(value) for value in values}
    fitted = {family_of(value) for value in known[:1].tolist()}
    if {*given, *fitted} == {"str", "number"} and given.isdisjoint(fitted):
        words = {"str": "strings", "number": "numbers"}
        raise ValueError(
            f"Column {name!r} of X holds {words[given.pop()]}, but its categories were"
            f" {words[fitted.pop()]} in fit."
        )


def _numbers(column: Column, name: object) -> NDArray[Any]:
    try:
        return column.numbers()
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ValueError(
            f"Column {name!r} of X cannot be read as numbers: {error}"
        ) from error


def _check_kinds(frame: Frame, categories: Categories, advice: str) -> None:
    """Raise if a column that is to be numbers holds something else."""
    numeric = [
        (frame.name(j), column)
        for j, (column, known) in enumerate(zip(frame.columns, categories, strict=True))
        if known is None
    ]
    texts = [name for name, column in numeric if column.kind == "text"]
    if texts:
        raise ValueError(f"X holds strings in the columns {texts}{advice}.")
    for name, column in numeric:
        if column.kind == "other":
            raise TypeError(
                f"Column {name!r} of X is of dtype {column.dtype}, neither numbers nor"
                " categories: convert it to numbers first (dates, for example, to days"
                " since a given one)."
            )
