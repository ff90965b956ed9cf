"""Blocks from files, which must not change while they are read again and again."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

from dpdtree._blocks.tables import Block, Columns, check_columns, from_table

Path: TypeAlias = str | os.PathLike[str]


def file_list(path: Path | Sequence[Path], suffix: str) -> list[str]:
    """Return the files that a path, a directory, a pattern or a sequence stands for."""
    if not isinstance(path, str | os.PathLike):
        files = [os.fspath(one) for one in path]
    elif os.path.isdir(path):
        names = sorted(os.listdir(path))
        files = [os.path.join(path, n) for n in names if n.endswith(suffix)]
    elif os.path.exists(path):
        files = [os.fspath(path)]
    else:
        files = sorted(glob.glob(os.fspath(path)))
    if not files:
        raise FileNotFoundError(f"No file matches {path!r}.")
    for file in files:
        if not os.path.isfile(file):
            raise FileNotFoundError(f"There is no file {file!r}.")
    return files


class _Watch:
    """Notices that a file has changed since it was read first."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files
        self._known = [self._state(file) for file in files]

    @staticmethod
    def _state(file: str) -> tuple[int, int]:
        status = os.stat(file)
        return status.st_size, status.st_mtime_ns

    def check(self, number: int) -> None:
        file = self._files[number]
        if not os.path.isfile(file) or self._state(file) != self._known[number]:
            raise ValueError(f"{file} has changed since it was opened.")


@contextmanager
def _named(file: str, what: str, errors: tuple[type[Exception], ...]) -> Iterator[None]:
    try:
        yield
    except MemoryError:
        raise
    except errors as error:
        raise ValueError(f"{file} cannot be read as {what}: {error}") from error


def parquet_blocks(
    files: list[str], columns: Columns, batch_rows: int
) -> Callable[[bool], Iterator[Block]]:
    """Return what reads Parquet files, a few rows at a time."""
    try:
        from pyarrow import ArrowException, default_memory_pool
        from pyarrow.parquet import ParquetFile
    except ImportError as error:
        raise ImportError("Reading Parquet files needs pyarrow.") from error
    watch = _Watch(files)
    errors = (ArrowException, OSError)

    def one(number: int, features: list[str] | None, targets_only: bool) -> Any:
        file = files[number]
        watch.check(number)
        with _named(file, "Parquet", errors), ParquetFile(file) as parquet:
            schema = parquet.schema_arrow
            names = [n for n in schema.names if n not in _index_names(schema)]
            check_columns(columns.all, names, file)
            own = [n for n in names if n not in columns.taken]
            features = features or list(columns.features or own)
            check_features(
                own if columns.features is None else features, features, file
            )
            wanted = [*([] if targets_only else features), *columns.taken]
            # Without columns Parquet has no batches, but still a number of rows.
            if not wanted:
                n_rows = parquet.metadata.num_rows
                yield Block(None, None, None, file, n_rows), features
                return
            parts = Columns(columns.target, columns.weight, features)
            if targets_only:
                parts = parts._replace(features=None)
            for batch in _batches(parquet, wanted, batch_rows):
                yield (
                    from_table(batch, parts, file, targets_only=targets_only),
                    features,
                )
        watch.check(number)

    def read(targets_only: bool) -> Iterator[Block]:
        features: list[str] | None = None
        for number in range(len(files)):
            for block, known in one(number, features, targets_only):
                features = known
                yield block
        default_memory_pool().release_unused()  # for the fit

    return read


def _batches(parquet: Any, columns: list[str], batch_rows: int) -> Iterator[Any]:
    """Yield record batches; a reader of all groups of rows would not let go of any."""
    for group in range(parquet.num_row_groups):
        yield from parquet.iter_batches(
            batch_size=batch_rows,
            row_groups=[group],
            columns=columns,
            use_threads=False,
        )


def check_features(names: Sequence[Any], known: Sequence[Any], where: str) -> None:
    """Raise unless a block has the columns of the first one, in any order."""
    missing = [name for name in known if name not in names]
    extra = [name for name in names if name not in known]
    if missing or extra:
        what = [f"has no column {name!r}" for name in missing]
        what += [f"has a column {name!r} that others lack" for name in extra]
        raise ValueError(f"{where} {' and '.join(what[:5])}.")


def _index_names(schema: Any) -> list[str]:
    """Columns that pandas has written for an index without a name."""
    stored = (schema.pandas_metadata or {}).get("index_columns", [])
    return [n for n in stored if isinstance(n, str) and n.startswith("__index_level_")]


def csv_blocks(
    files: list[str], columns: Columns, batch_rows: int, options: dict[str, Any]
) -> Callable[[bool], Iterator[Block]]:
    """Return what reads CSV files, a few rows at a time."""
    try:
        import pandas  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        raise ImportError("Reading CSV files in blocks needs pandas.") from error
    watch = _Watch(files)

    def one(number: int, features: list[str] | None, targets_only: bool) -> Any:
        file = files[number]
        watch.check(number)
        limits = {"usecols": columns.taken} if targets_only and columns.taken else {}
        errors = (pandas.errors.ParserError, UnicodeDecodeError, OSError, ValueError)
        with _named(file, "CSV", errors):
            reader = pandas.read_csv(
                file, chunksize=batch_rows, low_memory=False, **{**options, **limits}
            )
        with reader:
            while True:
                with _named(file, "CSV", errors):
                    batch = next(reader, None)
                if batch is None:
                    break
                own = [n for n in batch.columns if n not in columns.taken]
                if not targets_only:
                    features = features or list(columns.features or own)
                    check_features(
                        own if columns.features is None else features, features, file
                    )
                parts = Columns(columns.target, columns.weight, features)
                if targets_only:
                    parts = parts._replace(features=None)
                yield (
                    from_table(batch, parts, file, targets_only=targets_only),
                    features,
                )
        watch.check(number)

    def read(targets_only: bool) -> Iterator[Block]:
        features: list[str] | None = None
        for number in range(len(files)):
            for block, known in one(number, features, targets_only):
                features = known
                yield block

    return read
