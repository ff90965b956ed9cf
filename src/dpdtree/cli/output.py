"""Where results go: a file that appears whole or not at all, or standard output."""

from __future__ import annotations

import json
import sys
from abc import ABCMeta, abstractmethod
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dpdtree.cli.errors import CommandError, UsageError, reason
from dpdtree.io.files import atomic_file

_CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}
FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


@contextmanager
def open_output(path: str) -> Iterator[BinaryIO]:
    """Open a file that appears when the block ends without an error; "-" is stdout."""
    if path == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with atomic_file(Path(path)) as file:
            yield file
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {reason(error)}.") from None


def write_text(path: str, text: str) -> None:
    """Write a text to a file or to standard output."""
    with open_output(path) as file:
        file.write(text.encode())


class _KeptOpen:
    """A file that pyarrow may close without closing it: it is not done yet."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.closed = False

    def write(self, data: bytes) -> int:
        return self._file.write(data)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self.closed = True

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False


class TableWriter(metaclass=ABCMeta):
    """Takes tables of one schema, one after the other."""

    def __init__(self, stream: Any, schema: Any) -> None:
        self._stream = stream
        self._schema = schema

    @abstractmethod
    def write(self, table: Any) -> None:
        """Append rows."""

    def close(self) -> None:  # noqa: B027
        """Write what is left; there need be nothing."""


class _Text(TableWriter):
    """CSV with quotes where they are needed; pyarrow's own has them everywhere."""

    delimiter = ","

    def __init__(self, stream: Any, schema: Any) -> None:
        super().__init__(stream, schema)
        names = self._quoted(pa.array(schema.names, pa.string()))
        header = self.delimiter.join(names.to_pylist())
        stream.write(f"{header}\n".encode())

    def _quoted(self, texts: Any) -> Any:
        special = pc.match_substring_regex(texts, f'["\r\n{self.delimiter}]')
        if not pc.any(special).as_py():
            return texts
        doubled = pc.replace_substring(texts, '"', '""')
        quoted = pc.binary_join_element_wise('"', doubled, '"', "")
        return pc.if_else(special, quoted, texts)

    def write(self, table: Any) -> None:
        for batch in table.to_batches():
            columns = [
                self._quoted(_as_text(values))
                if _is_text(values.type)
                else _as_text(values)
                for values in batch.columns
            ]
            lines = pc.binary_join_element_wise(
                *columns, self.delimiter, null_handling="replace", null_replacement=""
            )
            lines = pc.binary_join_element_wise(lines, "", "\n")
            self._stream.write(_bytes_of(lines))


def _is_text(kind: Any) -> bool:
    return not pa.types.is_primitive(kind)


def _as_text(values: Any) -> Any:
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    return values.cast(pa.string())


def _bytes_of(texts: Any) -> Any:
    """Return an array of strings as one text: pyarrow keeps them in a row."""
    if len(texts) == 0:
        return b""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, dtype=np.int32)[texts.offset :]
    return data.slice(int(ends[0]), int(ends[len(texts)] - ends[0]))


class _Tabbed(_Text):
    delimiter = "\t"


class _JsonLines(TableWriter):
    def write(self, table: Any) -> None:
        lines = (
            json.dumps(row, ensure_ascii=False, default=str)
            for row in table.to_pylist()
        )
        self._stream.write("".join(f"{line}\n" for line in lines).encode())


class _Parquet(TableWriter):
    def __init__(self, stream: Any, schema: Any) -> None:
        super().__init__(stream, schema)
        self._writer = pq.ParquetWriter(stream, schema)

    def write(self, table: Any) -> None:
        self._writer.write_table(table)

    def close(self) -> None:
        self._writer.close()


_WRITERS: dict[str, Any] = {
    "csv": _Text,
    "tsv": _Tabbed,
    "json": _JsonLines,
    "parquet": _Parquet,
}


def table_format(path: str) -> str:
    """Return the format that a file name asks for; CSV for standard output."""
    if path == "-":
        return "csv"
    plain = Path(path)
    if plain.suffix.lower() in _CODECS:
        plain = plain.with_suffix("")
    if plain.suffix.lower() not in FORMATS and Path(path).is_file():
        raise UsageError(f"{path}: the ending must be one of {', '.join(FORMATS)}.")
    return FORMATS.get(plain.suffix.lower(), "csv")


@contextmanager
def open_writer(path: str, schema: Any, kind: str) -> Iterator[TableWriter]:
    """Open a file for tables; its ending says whether it is compressed."""
    codec = None if path == "-" else _CODECS.get(Path(path).suffix.lower())
    with ExitStack() as stack:
        file = stack.enter_context(open_output(path))
        stream: Any = pa.PythonFile(_KeptOpen(file), mode="w")
        if codec is not None:
            stream = pa.CompressedOutputStream(stream, codec)
        writer: TableWriter = _WRITERS[kind](stream, schema)
        yield writer
        writer.close()
        if not stream.closed:
            stream.close()
