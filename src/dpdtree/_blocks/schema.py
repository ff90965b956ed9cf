"""What the blocks of a table have in common: names, kinds of columns, categories."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import validate_data

from dpdtree._blocks.files import check_features
from dpdtree._blocks.tables import Block
from dpdtree._input.columns import (
    Categories,
    check_names,
    choose_categorical,
    encode_frame,
    listed_categories,
    numbers_of_frame,
    often_repeated,
)
from dpdtree._input.frames import (
    ArrayColumn,
    Codes,
    Column,
    Frame,
    array_frame,
    frame_of,
)
from dpdtree._input.validation import advice_on_strings, is_native, keep_categories
from dpdtree._params.estimators import record_of

_NEVER = np.iinfo(np.int64).max


class CategoryCounts:
    """Rows of each category of a column, over all blocks that were seen."""

    def __init__(self) -> None:
        self._place: dict[Any, int] = {}  # in the order of the dtype, or of appearance
        self._rows: list[int] = []
        self._first: list[int] = []  # first row
        self._first_marked: list[int] = []  # first row of those that count
        self._ordered = True
        self._sorted = False
        self.only_text = False

    def add(
        self, column: Column, first_row: int, marked: NDArray[np.bool_] | None
    ) -> None:
        """Count a block; `marked` rows count, all if None."""
        codes, values = column.factorize()
        if np.any(codes >= 0):
            self._ordered &= column.kind == "category"
            self.only_text |= column.kind == "text"
        self._sorted |= isinstance(column, ArrayColumn) and column.dtype != "object"
        self.merge(
            values,
            np.bincount(codes + 1, minlength=len(values) + 1)[1:],
            _first_rows(codes, len(values), None, first_row),
            _first_rows(codes, len(values), marked, first_row),
        )

    def merge(self, values: list[Any], rows: Any, first: Any, marked: Any) -> None:
        """Add the counts of other rows."""
        for value, n, row, row_marked in zip(values, rows, first, marked, strict=True):
            place = self._place.setdefault(value, len(self._place))
            if place == len(self._rows):
                self._rows.append(0)
                self._first.append(_NEVER)
                self._first_marked.append(_NEVER)
            self._rows[place] += int(n)
            self._first[place] = min(self._first[place], int(row))
            self._first_marked[place] = min(self._first_marked[place], int(row_marked))

    def absorb(self, other: CategoryCounts) -> None:
        """Add the counts of later rows."""
        self._ordered &= other._ordered
        self._sorted |= other._sorted
        self.only_text |= other.only_text
        self.merge(list(other._place), other._rows, other._first, other._first_marked)

    def categories(self, name: object, most: int | None) -> NDArray[Any]:
        """Return what `categories_` lists."""
        values, rows = list(self._place), np.array(self._rows, dtype=np.intp)
        if self._sorted:  # as the values of an array are, before they are counted
            order = sorted(range(len(values)), key=values.__getitem__)
            values, rows = [values[k] for k in order], rows[order]
        return listed_categories(values, rows, name, most, ordered=self._ordered)

    def repeated(self) -> bool:
        """Whether values are categories without being called so."""
        return not self.only_text or often_repeated(np.array(self._rows))

    def by_appearance(self, categories: NDArray[Any]) -> list[int]:
        """Return the numbers of categories: those of marked rows come first."""
        places = [self._place[value] for value in categories.tolist()]
        return sorted(
            range(len(places)),
            key=lambda k: (self._first_marked[places[k]], self._first[places[k]]),
        )

    def n_marked(self, categories: NDArray[Any]) -> int:
        """Return one more than the largest number that a marked row has."""
        places = [self._place[value] for value in categories.tolist()]
        seen = [k for k, p in enumerate(places) if self._first_marked[p] < _NEVER]
        return max(seen, default=0) + 1


def _first_rows(
    codes: Codes, n: int, marked: NDArray[np.bool_] | None, first_row: int
) -> NDArray[np.int64]:
    first = np.full(n, _NEVER)
    rows = np.flatnonzero(codes >= 0 if marked is None else (codes >= 0) & marked)
    np.minimum.at(first, codes[rows], rows + first_row)
    return first


class _Missing(Column):
    """A column without any value, of whatever type."""

    kind = "number"
    dtype = "null"

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows

    def numbers(self) -> NDArray[Any]:
        return np.full(self._n_rows, np.nan)

    def factorize(self) -> tuple[Codes, list[Any]]:
        return np.full(self._n_rows, -1, np.intp), []


class Schema:
    """Reads blocks alike; learns names and categories from the first of its passes."""

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator
        self._names: list[Any] | None = None
        self.n_features: int | None = None
        self.categorical: NDArray[np.bool_] | None = None
        self._by_dtype = False
        self._had_numbers = np.zeros(0, dtype=bool)
        self.counts: dict[int, CategoryCounts] = {}

    def learn(
        self, block: Block, first_row: int, marked: NDArray[np.bool_] | None
    ) -> NDArray[Any]:
        """Return a block as numbers, NaN for categories, which are counted."""
        frame, array = self._frame(block)
        if self.n_features is None:
            self._start(block, frame)
        frame = self._aligned(frame, block.name)
        if self._by_dtype:
            self._choose_by_dtype(frame)
        assert self.categorical is not None
        if array is not None and not self.categorical.any():
            self._had_numbers[:] = True
            return array
        for j in np.flatnonzero(self.categorical).tolist():
            counts = self.counts.setdefault(j, CategoryCounts())
            counts.add(frame.columns[j], first_row, marked)
        mask, advice = self.categorical, advice_on_strings(self.estimator)
        X = self._say(block, lambda: numbers_of_frame(frame, mask, advice))
        self._had_numbers |= ~np.isnan(X).all(axis=0)
        return X

    def absorb(self, other: Schema, where: str) -> None:
        """Add what was learnt elsewhere, from later rows."""
        if (self._names is None) != (other._names is None) or (
            self._names is None and self.n_features != other.n_features
        ):
            raise ValueError(
                f"{where} has {other.n_features} features, others have"
                f" {self.n_features}."
            )
        if self._names is not None and other._names != self._names:
            check_features(other._names or (), self._names, where)
            raise ValueError(f"{where} has its columns in another order.")
        assert self.categorical is not None
        assert other.categorical is not None
        mixed = (self.categorical & ~other.categorical & other._had_numbers) | (
            other.categorical & ~self.categorical & self._had_numbers
        )
        if mixed.any():
            name = self.name(int(np.flatnonzero(mixed)[0]))
            raise TypeError(
                f"Column {name!r} of {where} holds numbers, and others hold categories,"
                " or the other way round."
            )
        self.categorical = self.categorical | other.categorical
        self._had_numbers = self._had_numbers | other._had_numbers
        for j, counts in other.counts.items():
            self.counts.setdefault(j, CategoryCounts()).absorb(counts)

    def hand_over(self, estimator: Any) -> None:
        """Work for another estimator, which gets to know the names of features."""
        for name in ("n_features_in_", "feature_names_in_"):
            vars(estimator).pop(name, None)
            if name in vars(self.estimator):
                setattr(estimator, name, getattr(self.estimator, name))
        self.estimator = estimator

    def keep(self) -> None:
        """Set `is_categorical_` and `categories_` of the estimator."""
        assert self.categorical is not None
        most = record_of(self.estimator).most_categories
        marked = np.flatnonzero(self.categorical).tolist()
        texts = [self.name(j) for j in marked if not self.counts[j].repeated()]
        if texts and self._by_dtype:
            advice = advice_on_strings(self.estimator)
            raise ValueError(f"X holds strings in the columns {texts}{advice}.")
        categories: Categories = [
            self.counts[j].categories(self.name(j), most) if mask else None
            for j, mask in enumerate(self.categorical.tolist())
        ]
        keep_categories(self.estimator, self.categorical, categories)

    def encode(self, block: Block) -> NDArray[Any]:
        """Return a block as numbers, categories by their places in `categories_`."""
        frame, array = self._frame(block)
        frame = self._aligned(frame, block.name)
        assert self.categorical is not None
        if array is not None and not self.categorical.any():
            return array
        categories = self.estimator.categories_
        return self._say(block, lambda: encode_frame(frame, categories))

    def finite(self, X: NDArray[Any], block: Block) -> NDArray[np.float64]:
        """Return rows of a block as float64; raise if one of them is infinite."""
        X = np.asarray(X, dtype=np.float64)
        infinite = np.flatnonzero(np.isinf(X).any(axis=0))
        if len(infinite):
            raise ValueError(
                f"{block.name}: X contains infinity in column"
                f" {self.name(int(infinite[0]))!r}."
            )
        return X

    def name(self, j: int) -> Any:
        """Return the name of a column, or its index."""
        return j if self._names is None else self._names[j]

    def _frame(self, block: Block) -> tuple[Frame, NDArray[Any] | None]:
        """A block by its columns, and as an array that needs no conversion."""
        frame = frame_of(block.X)
        if frame is not None:
            return frame, None
        array = np.asarray(block.X)
        if array.ndim != 2:
            raise ValueError(f"{block.name} must have two dimensions.")
        return array_frame(array), array if is_native(array) else None

    def _start(self, block: Block, frame: Frame) -> None:
        check_names(frame)
        if frame.names is not None:
            validate_data(self.estimator, block.X, reset=True, skip_check_array=True)
        else:
            vars(self.estimator).pop("feature_names_in_", None)
            self.estimator.n_features_in_ = len(frame.columns)
        self._names = frame.names
        self.n_features = len(frame.columns)
        if self.n_features == 0:
            raise ValueError(f"{block.name} has no features.")
        wanted = getattr(self.estimator, "categorical_features", None)
        self._by_dtype = isinstance(wanted, str)
        self._had_numbers = np.zeros(self.n_features, dtype=bool)
        self.categorical = np.zeros(self.n_features, dtype=bool)
        if not self._by_dtype:
            self.categorical = choose_categorical(wanted, frame)

    def _choose_by_dtype(self, frame: Frame) -> None:
        """Note columns of categories or strings; numbers must not have been there."""
        assert self.categorical is not None
        for j, column in enumerate(frame.columns):
            if column.kind in ("category", "text") and not self._had_numbers[j]:
                self.categorical[j] = True

    def _aligned(self, frame: Frame, where: str) -> Frame:
        """Columns in the order of the first block, those without values as missing."""
        columns = frame.columns
        if (frame.names is None) != (self._names is None):
            raise ValueError(f"{where} has column names, or others have, but not both.")
        if self._names is not None and frame.names != self._names:
            check_names(frame)
            check_features(frame.names or (), self._names, where)
            place = {name: j for j, name in enumerate(frame.names or ())}
            columns = [columns[place[name]] for name in self._names]
        elif len(columns) != self.n_features:
            raise ValueError(
                f"{where} has {len(columns)} features, others have {self.n_features}."
            )
        assert self.categorical is not None
        columns = [
            _Missing(frame.n_rows)
            if not categorical
            and column.kind not in ("number", "category")
            and _is_empty(column)
            else column
            for column, categorical in zip(columns, self.categorical, strict=True)
        ]
        return Frame(columns, self._names, frame.n_rows)

    @staticmethod
    def _say(block: Block, read: Any) -> NDArray[Any]:
        try:
            return np.asarray(read())
        except (TypeError, ValueError) as error:
            raise type(error)(f"{block.name}: {error}") from error


def _is_empty(column: Column) -> bool:
    codes, _ = column.factorize()
    return bool((codes < 0).all())
