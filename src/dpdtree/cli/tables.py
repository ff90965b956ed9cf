"""Tables from files and pipes: CSV, TSV and Parquet, compressed or not.

`open_table` is the one place where a reader is chosen. A table is read whole (`read`)
or by batches (`batches`), whose memory does not grow with the file.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from abc import ABCMeta, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from dpdtree.cli.errors import CommandError, reason

#: Spellings of missing values: pyarrow's, and those of older statistics programs.
MISSING = (*pa_csv.ConvertOptions().null_values, "?", ".")
_HEAD = 1 << 16  # bytes that are looked at before a text is read
_BLOCK = 1 << 22  # bytes of a batch; no row may be longer
_DELIMITERS = (",", ";", "\t", "|")
_CODECS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}

Types = Mapping[str, Any]
_GUESS: Types = MappingProxyType({})


@dataclass(frozen=True)
class Dialect:
    """How a text is to be read."""

    delimiter: str | None = None
    decimal: str = "."
    encoding: str = "utf8"
    missing: tuple[str, ...] = MISSING
    header: bool = True


class TableSource(metaclass=ABCMeta):
    """An open table: where it comes from, and the names of its columns."""

    where: str
    names: list[str]

    @abstractmethod
    def read(self, columns: Sequence[str] | None = None, types: Types = _GUESS) -> Any:
        """Return the table, or some of its columns; types of text are inferred."""

    @abstractmethod
    def batches(self, columns: Sequence[str], types: Types) -> Iterator[Any]:
        """Yield these columns in pieces, text as the given types."""


@contextmanager
def open_table(path: str, dialect: Dialect = Dialect()) -> Iterator[TableSource]:
    """Open a file, or standard input for "-", by what it begins with."""
    where = "standard input" if path == "-" else path
    try:
        with ExitStack() as stack:
            raw: BinaryIO = (
                sys.stdin.buffer if path == "-" else stack.enter_context(_open(path))
            )
            yield _source(raw, where, Path(path).name.lower(), dialect)
    except pa.ArrowException as error:
        raise CommandError(f"{where}: {error}") from None
    except (EOFError, UnicodeError) as error:
        raise CommandError(f"{where} cannot be read: {error}") from None


def _open(path: str) -> BinaryIO:
    try:
        return Path(path).open("rb")
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {reason(error)}.") from None


def _source(raw: BinaryIO, where: str, name: str, dialect: Dialect) -> TableSource:
    stream = _Lookahead(raw, where)
    if stream.head(4) == b"PAR1":
        return _Parquet(raw if raw.seekable() else stream, where)
    if name.endswith((".parquet", ".pq")) and stream.head(1):
        raise CommandError(f"{where} is not a Parquet file, despite its name.")
    for magic, codec in _CODECS.items():
        if stream.head(len(magic)) == magic:
            unpacked = pa.CompressedInputStream(pa.PythonFile(stream), codec)
            stream = _Lookahead(unpacked, where)
            name = name.rpartition(".")[0]
    return _Text(stream, where, name, dialect)


class _Lookahead(io.RawIOBase):
    """A stream whose first bytes can be looked at, also that of a pipe."""

    def __init__(self, stream: Any, where: str) -> None:
        self._stream = stream
        self._where = where
        self._begin = b""
        self._at_end = False

    def head(self, size: int) -> bytes:
        while len(self._begin) < size and not self._at_end:
            piece = self._read(size - len(self._begin))
            self._begin += piece
            self._at_end = not piece
        return self._begin[:size]

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            begin, self._begin = self._begin, b""
            return begin + self._read(-1)
        if self._begin:
            piece, self._begin = self._begin[:size], self._begin[size:]
            return piece
        return self._read(size)

    def _read(self, size: int) -> bytes:
        try:
            piece: bytes = self._stream.read(size)
        except OSError as error:  # a directory, a disk, a damaged archive
            raise CommandError(
                f"{self._where} cannot be read: {reason(error)}."
            ) from None
        return piece


class _Parquet(TableSource):
    def __init__(self, stream: Any, where: str) -> None:
        if not stream.seekable():  # the directory of such a file is at its end
            stream = pa.BufferReader(stream.read())
        else:
            stream.seek(0)
        self.where = where
        self._file = pq.ParquetFile(stream)
        self.names = list(self._file.schema_arrow.names)
        _check_names(self.names, where)

    def read(self, columns: Sequence[str] | None = None, types: Types = _GUESS) -> Any:
        return self._file.read(columns=None if columns is None else list(columns))

    def batches(self, columns: Sequence[str], types: Types) -> Iterator[Any]:
        for batch in self._file.iter_batches(columns=list(columns)):
            yield pa.Table.from_batches([batch])


class _Text(TableSource):
    def __init__(
        self, stream: _Lookahead, where: str, name: str, dialect: Dialect
    ) -> None:
        self.where = where
        self._stream = stream
        self._dialect = dialect
        head = stream.head(_HEAD)
        if not head.strip(b" \t\r\n\xef\xbb\xbf"):
            raise CommandError(f"{where} is empty.")
        text = self._decoded(head)
        self._delimiter = dialect.delimiter
        if self._delimiter is None:
            is_tabbed = name.endswith((".tsv", ".tab"))
            self._delimiter = "\t" if is_tabbed else sniff_delimiter(text)
        self.names = next(iter(_rows(text, self._delimiter)))
        if not dialect.header:
            self.names = [f"f{j}" for j in range(len(self.names))]
        _check_names(self.names, where)

    def _decoded(self, head: bytes) -> str:
        if b"\0" in head and "16" not in self._dialect.encoding:
            raise CommandError(
                f"{self.where} is not {self._dialect.encoding} text: give its"
                " --encoding, utf-16 for example."
            )
        encoding = self._dialect.encoding
        if encoding.lower().replace("-", "") == "utf8":
            encoding = "utf-8-sig"
        return head.decode(encoding, "replace")

    def read(self, columns: Sequence[str] | None = None, types: Types = _GUESS) -> Any:
        how = self._how(columns, types)
        with self._named_errors():
            table = pa_csv.read_csv(pa.PythonFile(self._stream), *how)
            if any(map(pa.types.is_binary, table.schema.types)):
                raise pa.ArrowInvalid("a column is not UTF8")
            return table

    def batches(self, columns: Sequence[str], types: Types) -> Iterator[Any]:
        with self._named_errors():
            how = self._how(columns, types)
            try:
                reader = pa_csv.open_csv(pa.PythonFile(self._stream), *how)
            except pa.ArrowInvalid as error:
                if "Empty CSV" in str(error):  # a header and no more
                    return
                raise
            for batch in reader:
                yield pa.Table.from_batches([batch])

    def _how(self, columns: Sequence[str] | None, types: Types) -> tuple[Any, Any, Any]:
        chosen = self._dialect
        return (
            pa_csv.ReadOptions(
                block_size=_BLOCK,
                encoding=chosen.encoding,
                autogenerate_column_names=not chosen.header,
            ),
            pa_csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            pa_csv.ConvertOptions(
                column_types=dict(types),
                include_columns=None if columns is None else list(columns),
                null_values=list(chosen.missing),
                strings_can_be_null=True,
                decimal_point=chosen.decimal,
                true_values=[],  # "true" is a category, by its own name
                false_values=[],
            ),
        )

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        """Say of a column what it is called, and of an encoding what to do."""
        try:
            yield
        except pa.ArrowInvalid as error:
            text = str(error)
            value = re.search(r"#(\d+): .* invalid value '(.*?)'", text, re.DOTALL)
            if value is not None:
                name = self.names[int(value[1])]
                text = f"column {name!r} holds {value[2]!r}, which is not a number."
            elif "UTF8" in text or "utf-8" in text.lower():
                text = (
                    "the text is not UTF-8: give its --encoding, latin-1 for example."
                )
            elif "straddling" in text:
                text = f"a row is longer than {_BLOCK >> 20} MB: is a quote not closed?"
            raise CommandError(f"{self.where}: {text}") from None


def sniff_delimiter(text: str) -> str:
    """Return the delimiter that divides the lines of a text into equally many parts."""

    def agreement(delimiter: str) -> tuple[bool, float, int]:
        widths = [len(row) for row in _rows(text, delimiter)][:100]
        if len(text) >= _HEAD // 4 and len(widths) > 2:
            widths = widths[:-1]  # the last line may be cut off
        equal = sum(width == widths[0] for width in widths) / len(widths)
        return widths[0] > 1, equal, widths[0]

    return max(_DELIMITERS, key=agreement)


def _rows(text: str, delimiter: str) -> Iterator[list[str]]:
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    yield from (row for row in rows if row)


def _check_names(names: Sequence[str], where: str) -> None:
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise CommandError(
            f"{where} has more than one column {', '.join(map(repr, twice))}: the names"
            " of columns must differ."
        )
