"""Tables of any library as columns: numbers, or distinct values and their codes."""

from __future__ import annotations

import sys
from abc import ABCMeta, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["number", "category", "text", "other"]
Codes = NDArray[np.intp]

#: What pandas calls the contents of object columns that are numbers after all.
_NUMBERS_INSIDE = ("integer", "floating", "boolean", "mixed-integer-float", "decimal")


class Column(metaclass=ABCMeta):
    """One column of a table."""

    kind: Kind
    dtype: str

    @abstractmethod
    def numbers(self) -> NDArray[Any]:
        """Return the values as numbers, missing ones as NaN."""

    @abstractmethod
    def factorize(self) -> tuple[Codes, list[Any]]:
        """Return a code for each row, -1 if missing, and the values behind them.

        Values may be listed that no row has.
        """


class PandasColumn(Column):
    """A pandas Series."""

    def __init__(self, series: Any) -> None:
        self._series = series
        self.dtype = str(series.dtype)
        self.kind = _kind_in_pandas(series)

    def numbers(self) -> NDArray[Any]:
        values = self._series
        if self.kind == "category":
            values = values.astype(object)
        return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))

    def factorize(self) -> tuple[Codes, list[Any]]:
        series = self._series
        if hasattr(series, "cat"):
            return np.asarray(series.cat.codes, np.intp), series.cat.categories.tolist()
        codes, values = series.factorize()
        return np.asarray(codes, np.intp), values.tolist()


def _kind_in_pandas(series: Any) -> Kind:
    types = sys.modules["pandas"].api.types
    dtype = series.dtype
    if isinstance(dtype, sys.modules["pandas"].CategoricalDtype):
        return "category"
    if types.is_complex_dtype(dtype):
        return "other"
    if types.is_numeric_dtype(dtype) or types.is_bool_dtype(dtype):
        return "number"
    if types.is_object_dtype(dtype):
        inside = types.infer_dtype(series, skipna=True)
        if inside in _NUMBERS_INSIDE or series.isna().all():
            return "number"
        return "text" if inside == "string" else "other"
    if str(dtype) == "null[pyarrow]":
        return "number"
    if str(dtype).startswith("dictionary"):
        return "category"
    return "text" if types.is_string_dtype(dtype) else "other"


class PolarsColumn(Column):
    """A polars Series."""

    def __init__(self, series: Any) -> None:
        polars = sys.modules["polars"]
        self._series = series
        self._polars: Any = polars
        self.dtype = str(series.dtype)
        if series.dtype in (polars.Categorical, polars.Enum):
            self.kind = "category"
        elif series.dtype.is_numeric() or series.dtype in (polars.Boolean, polars.Null):
            self.kind = "number"
        else:
            self.kind = "text" if series.dtype == polars.String else "other"

    def numbers(self) -> NDArray[Any]:
        values = self._series
        if self.kind == "category":
            values = values.cast(self._polars.String)
        return np.asarray(values.cast(self._polars.Float64).to_numpy())

    def factorize(self) -> tuple[Codes, list[Any]]:
        series = self._series
        if self.kind == "category":
            series = series.cast(self._polars.String)
        if series.dtype.is_float():
            series = series.fill_nan(None)
        values = series.drop_nulls().unique(maintain_order=True)
        if len(values) == 0:
            return np.full(len(series), -1), []
        codes = series.replace_strict(
            values,
            np.arange(len(values)),
            default=-1,
            return_dtype=self._polars.Int64,
        )
        return np.asarray(codes.fill_null(-1).to_numpy(), np.intp), values.to_list()


class ArrowColumn(Column):
    """A pyarrow ChunkedArray."""

    def __init__(self, chunks: Any) -> None:
        pyarrow = sys.modules["pyarrow"]
        types = pyarrow.types
        self._chunks = chunks
        self._pyarrow: Any = pyarrow
        kind = chunks.type
        self.dtype = str(kind)
        if types.is_dictionary(kind):
            self.kind = "category"
        elif (
            types.is_integer(kind)
            or types.is_floating(kind)
            or types.is_decimal(kind)
            or types.is_boolean(kind)
            or types.is_null(kind)
        ):
            self.kind = "number"
        else:
            text = types.is_string(kind) or types.is_large_string(kind)
            self.kind = "text" if text or str(kind) == "string_view" else "other"

    def numbers(self) -> NDArray[Any]:
        chunks = self._chunks
        if self.kind == "category":
            chunks = chunks.cast(chunks.type.value_type)
        if self._pyarrow.types.is_boolean(chunks.type):
            chunks = chunks.cast(self._pyarrow.uint8())
        # Integers beyond 2^53 round, as they do everywhere in a fit.
        doubles = chunks.cast(self._pyarrow.float64(), safe=False)
        return np.asarray(doubles.to_numpy())

    def factorize(self) -> tuple[Codes, list[Any]]:
        chunks = self._chunks
        if chunks.null_count == len(chunks):
            return np.full(len(chunks), -1), []
        if self.kind != "category":
            chunks = chunks.dictionary_encode()
        chunks = chunks.unify_dictionaries()
        values = chunks.chunk(0).dictionary.to_pylist()
        signed = self._pyarrow.int64()  # polars has unsigned codes
        codes = np.concatenate(
            [
                chunk.indices.cast(signed).fill_null(-1).to_numpy()
                for chunk in chunks.chunks
            ]
        ).astype(np.intp)
        for code, value in enumerate(values):
            if is_missing(value):
                codes[codes == code] = -1
        return codes, [value for value in values if not is_missing(value)]


class ArrayColumn(Column):
    """A column of a NumPy array."""

    def __init__(self, values: NDArray[Any]) -> None:
        self._values = values
        self.dtype = str(values.dtype)
        self.kind = "number" if values.dtype.kind in "fiub" else "other"
        if values.dtype.kind == "O":
            self.kind = _kind_of_objects(values)
        elif values.dtype.kind in "US":
            self.kind = "text"

    def numbers(self) -> NDArray[Any]:
        values = self._values
        return (without_none(values) if values.dtype.kind == "O" else values).astype(
            np.float64
        )

    def factorize(self) -> tuple[Codes, list[Any]]:
        if self._values.dtype.kind == "O":
            return _factorize_objects(self._values.tolist())
        values, codes = np.unique(self._values, return_inverse=True)
        codes = codes.reshape(-1).astype(np.intp)
        if values.dtype.kind == "f" and values.size and np.isnan(values[-1]):
            codes[codes == values.size - 1] = -1
            values = values[:-1]
        return codes, values.tolist()


def _kind_of_objects(values: NDArray[Any]) -> Kind:
    families = {family_of(v) for v in set(map(_hashable, values.tolist()))} - {""}
    if families <= {"number"}:
        return "number"
    return "text" if families == {"str"} else "other"


def _hashable(value: object) -> object:
    """Distinct values are enough to look at; what has no hash stands for its type."""
    return value if getattr(type(value), "__hash__", None) else type(value)


def _factorize_objects(values: list[Any]) -> tuple[Codes, list[Any]]:
    code_of: dict[Any, int] = {}
    codes = np.empty(len(values), np.intp)
    for i, value in enumerate(values):
        code = code_of.get(value)
        if code is None:
            code = -1 if is_missing(value) else len(code_of)
            if code >= 0:
                code_of[value] = code
        codes[i] = code
    return codes, list(code_of)


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN or pandas' NA or NaT."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # NA has no truth value; nor has an array
        return type(value).__name__ == "NAType"


def family_of(value: object) -> str:
    """Return the kind of a value: "str", "number", "" if missing, or its type."""
    if isinstance(value, str):
        return "str"
    if is_missing(value):
        return ""
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return "number"
    is_decimal = type(value).__name__ in ("Decimal", "Fraction")
    return "number" if is_decimal else type(value).__name__


def without_none(values: NDArray[Any]) -> NDArray[Any]:
    """Return an object array with NaN for None and pandas' NA."""
    values = values.copy()
    flat = values.reshape(-1)
    for i, value in enumerate(flat.tolist()):
        if is_missing(value):
            flat[i] = np.nan
    return values


class Frame:
    """A table: its names (None: it has none) and its columns."""

    def __init__(
        self, columns: Iterable[Column], names: Sequence[Any] | None, n_rows: int
    ) -> None:
        self.columns = list(columns)
        self.names = None if names is None else list(names)
        self.n_rows = n_rows

    def name(self, j: int) -> Any:
        return j if self.names is None else self.names[j]


def frame_of(X: Any) -> Frame | None:
    """Return a pandas or polars frame or a pyarrow table by its columns, else None."""
    library = type(X).__module__.partition(".")[0]
    if library == "pandas" and hasattr(X, "iloc") and hasattr(X, "columns"):
        columns = (PandasColumn(series) for _, series in X.items())
        return Frame(columns, X.columns.tolist(), X.shape[0])
    if library == "polars" and hasattr(X, "collect"):
        raise TypeError("X is a LazyFrame: pass X.collect().")
    if library == "polars" and hasattr(X, "get_columns"):
        return Frame(map(PolarsColumn, X.get_columns()), X.columns, X.height)
    if library == "pyarrow" and hasattr(X, "column_names"):
        chunked = (_arrow_column(X.column(j)) for j in range(X.num_columns))
        return Frame(chunked, X.column_names, X.num_rows)
    return None


def _arrow_column(values: Any) -> ArrowColumn:
    """Tables have chunked columns, record batches plain ones."""
    if hasattr(values, "chunks"):
        return ArrowColumn(values)
    return ArrowColumn(sys.modules["pyarrow"].chunked_array([values]))


def array_frame(X: NDArray[Any]) -> Frame:
    """Return a two-dimensional array by its columns."""
    columns = (ArrayColumn(X[:, j]) for j in range(X.shape[1]))
    return Frame(columns, None, X.shape[0])
