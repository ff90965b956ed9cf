"""`RowBlocks`: a table as blocks of rows that can be read more than once."""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.files import csv_blocks, file_list, parquet_blocks
from dpdtree._blocks.tables import Block, Columns, divided


class Targets(NamedTuple):
    """The targets and weights of all rows, and where each block ends."""

    y: NDArray[Any] | None
    weight: NDArray[np.float64] | None
    sizes: list[int]

    @property
    def n_rows(self) -> int:
        """The number of rows of all blocks."""
        return sum(self.sizes)


#: Gives the blocks; with True as its argument, their targets and weights are enough.
Reader = Callable[[bool], Iterator[Block]]


class RowBlocks:
    """A table as blocks of rows, for fits on more rows than memory holds.

    `fit` of trees with `max_bins` and of boosting takes it in place of X, with y left
    out, and `predict` and `predict_proba` give an array per block. The model is, to
    the last bit, the one of a fit on the whole table. Blocks are read three times, the
    first time for targets and weights only; what stays in memory is one byte per value
    and some 60 bytes per row.

    Make one with `from_parquet`, `from_csv`, `from_batches` or `from_arrays`.

    Attributes
    ----------
    cache_dir : str, path or None
        Where the bytes of a fit go, in a file that is removed with it; None keeps them
        in memory.

    Examples
    --------
    >>> import numpy as np
    >>> from dpdtree import DPDTreeClassifier, RowBlocks
    >>> X = np.arange(100.0).reshape(-1, 1)
    >>> blocks = RowBlocks.from_arrays([X[:30], X[30:]], [X[:30, 0] > 9, X[30:, 0] > 9])
    >>> model = DPDTreeClassifier(max_bins=255, max_depth=1).fit(blocks)
    >>> [labels.sum() for labels in model.predict(blocks)]
    [np.int64(20), np.int64(70)]
    """

    def __init__(
        self, read: Reader, *, cache_dir: str | os.PathLike[str] | None = None
    ) -> None:
        if cache_dir is not None and not os.path.isdir(cache_dir):
            raise ValueError(f"cache_dir={os.fspath(cache_dir)!r} is not a directory.")
        self._read = read
        self.cache_dir = cache_dir

    @classmethod
    def from_parquet(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        target: str | Sequence[str] | None = None,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        batch_rows: int = 131_072,
        cache_dir: str | os.PathLike[str] | None = None,
    ) -> RowBlocks:
        """Read Parquet files with pyarrow, some rows at a time.

        Parameters
        ----------
        path : str, path, or sequence of them
            A file, a directory of files, or a pattern such as `part-*.parquet`; several
            files are read in the order of their names, those of a sequence as listed.
        target : str or sequence of str, default=None
            Name of the column of labels or targets; None for prediction.
        weight : str, default=None
            Name of the column of sample weights.
        columns : sequence of str, default=None
            Features; None takes all other columns.
        batch_rows : int, default=131072
            Rows of a block at most.
        cache_dir : str or path, default=None
            Where the codes of a fit go; None keeps them in memory.

        Returns
        -------
        RowBlocks
        """
        wanted = Columns(target, weight, columns)
        files = file_list(path, ".parquet")
        return cls(parquet_blocks(files, wanted, batch_rows), cache_dir=cache_dir)

    @classmethod
    def from_csv(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        *,
        target: str | Sequence[str] | None = None,
        weight: str | None = None,
        columns: Sequence[str] | None = None,
        batch_rows: int = 131_072,
        cache_dir: str | os.PathLike[str] | None = None,
        **options: Any,
    ) -> RowBlocks:
        """Read CSV files with pandas, some rows at a time.

        Parameters
        ----------
        path, target, weight, columns, batch_rows, cache_dir
            As in `from_parquet`.
        **options
            Passed on to `pandas.read_csv`, such as `sep` or `dtype`. Types are guessed
            block by block: give `dtype` where a column holds strings in some blocks and
            numbers in others.

        Returns
        -------
        RowBlocks
        """
        wanted = Columns(target, weight, columns)
        files = file_list(path, ".csv")
        return cls(csv_blocks(files, wanted, batch_rows, options), cache_dir=cache_dir)

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Any] | Callable[[], Iterable[Any]],
        *,
        target: str | int | Sequence[str] | None = None,
        weight: str | int | None = None,
        columns: Sequence[str] | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
    ) -> RowBlocks:
        """Take blocks from anything that can be iterated over.

        Parameters
        ----------
        batches : iterable, or callable that returns one
            Arrow tables or record batches, pandas or polars frames or NumPy arrays;
            or tuples (X, y) or (X, y, sample_weight) of such. An iterator that can be
            used once only is kept in a temporary file (in `cache_dir`, if given).
        target : str, int or sequence of str, default=None
            The column of labels or targets: its name, or its index in an array. None if
            batches are tuples, or for prediction.
        weight : str or int, default=None
            The column of sample weights.
        columns : sequence of str, default=None
            Features; None takes all other columns.
        cache_dir : str or path, default=None
            Where the codes of a fit go; None keeps them in memory.

        Returns
        -------
        RowBlocks
        """
        wanted = Columns(target, weight, columns)
        again = _repeatable(batches, cache_dir)

        def read(targets_only: bool) -> Iterator[Block]:
            for number, batch in enumerate(again()):
                yield divided(batch, wanted, f"block {number}")

        return cls(read, cache_dir=cache_dir)

    @classmethod
    def from_arrays(
        cls,
        X: Sequence[Any],
        y: Sequence[Any] | None = None,
        sample_weight: Sequence[Any] | None = None,
        *,
        cache_dir: str | os.PathLike[str] | None = None,
    ) -> RowBlocks:
        """Take blocks that are in memory, or in memory-mapped arrays.

        Parameters
        ----------
        X : sequence of arrays or frames
            The features, block by block.
        y : sequence of array-likes, default=None
            The labels or targets of each block; None for prediction.
        sample_weight : sequence of array-likes, default=None
            The weights of each block.
        cache_dir : str or path, default=None
            Where the codes of a fit go; None keeps them in memory.

        Returns
        -------
        RowBlocks
        """
        X = list(X)
        n = len(X)
        parts = {}
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            parts[name] = [None] * n if values is None else list(values)
            if len(parts[name]) != n:
                raise ValueError(
                    f"{name} must have one array per block of X ({n}), got"
                    f" {len(parts[name])}."
                )

        def read(targets_only: bool) -> Iterator[Block]:
            for number in range(n):
                labels, weight = parts["y"][number], parts["sample_weight"][number]
                yield divided((X[number], labels, weight), Columns(), f"block {number}")

        return cls(read, cache_dir=cache_dir)

    def __iter__(self) -> Iterator[Block]:
        """Iterate over the blocks; each has X, y, weight and a name for messages."""
        return self._read(False)

    def targets(self) -> Targets:
        """Read the targets and weights of all rows.

        Returns
        -------
        Targets
            The columns, in the order of the rows.
        """
        y: list[NDArray[Any]] = []
        weight: list[NDArray[Any]] = []
        sizes: list[int] = []
        for block in self._read(True):
            sizes.append(block.n_rows)
            if block.y is not None:
                y.append(block.y)
            if block.weight is not None:
                weight.append(block.weight)
        for name, parts in (("target", y), ("weight", weight)):
            if parts and len(parts) != len(sizes):
                raise ValueError(f"Some blocks have a {name}, others have none.")
        return Targets(joined(y), joined(weight), sizes)


def joined(parts: list[NDArray[Any]]) -> NDArray[Any] | None:
    """Put arrays together, as objects where some of them are."""
    filled = [part for part in parts if len(part) > 0] or parts[:1]
    if not filled:
        return None
    kinds = {part.dtype.kind for part in filled}
    if "O" in kinds or ("U" in kinds and len(kinds) > 1):
        filled = [part.astype(object) for part in filled]
    return np.concatenate(filled)


def _repeatable(
    batches: Iterable[Any] | Callable[[], Iterable[Any]],
    cache_dir: str | os.PathLike[str] | None,
) -> Callable[[], Iterable[Any]]:
    if callable(batches):
        return batches
    if not isinstance(batches, Iterator):
        return lambda: batches
    return _Spool(batches, cache_dir)


class _Spool:
    """The batches of an iterator, in a file that has no name and goes with it."""

    def __init__(
        self, batches: Iterator[Any], cache_dir: str | os.PathLike[str] | None
    ) -> None:
        self._batches: Iterator[Any] | None = batches
        self._file = tempfile.TemporaryFile(dir=cache_dir)  # noqa: SIM115
        self._count = 0

    def __call__(self) -> Iterator[Any]:
        if self._batches is not None:
            for batch in self._batches:
                pickle.dump(batch, self._file, protocol=pickle.HIGHEST_PROTOCOL)
                self._count += 1
            self._batches = None
        place = 0
        for _ in range(self._count):
            self._file.seek(place)  # somebody else may be reading, too
            batch = pickle.load(self._file)  # what this process has written
            place = self._file.tell()
            yield batch

    def __del__(self) -> None:
        self._file.close()
