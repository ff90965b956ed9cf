"""Two passes over the blocks: edges and categories, then codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.schema import Schema
from dpdtree._blocks.scratch import scratch
from dpdtree._blocks.sources import RowBlocks, Targets
from dpdtree._blocks.tables import Block
from dpdtree._core import (
    ROWS_FOR_QUANTILES,
    BoostingCodes,
    BoostingParams,
    DistinctValues,
    EncodedColumns,
    TreeCodes,
    boosting_edges,
    rows_for_quantiles,
    tree_weights,
)
from dpdtree._input.validation import check_row_count
from dpdtree._progress import StatusLine

Weights = NDArray[np.float64] | None
Mask = NDArray[np.bool_] | None


def read_targets(blocks: RowBlocks) -> Targets:
    """Read targets and weights; raise if there are none, or no rows."""
    targets = blocks.targets()
    check_row_count(targets.n_rows)
    if targets.n_rows == 0:
        raise ValueError("RowBlocks holds no rows.")
    if targets.y is None:
        raise ValueError("RowBlocks has no target: name its column.")
    return targets


class Passes:
    """The passes over one table."""

    def __init__(
        self,
        blocks: RowBlocks,
        schema: Schema,
        targets: Targets,
        line: StatusLine,
        n_threads: int = 1,
    ) -> None:
        self._blocks = blocks
        self.schema = schema
        self.targets = targets
        self._line = line
        self._start = perf_counter()
        self.n_threads = n_threads

    def learn(
        self,
        sampled: NDArray[np.integer[Any]],
        marked: Mask,
        see: Callable[[NDArray[Any]], None] | None = None,
    ) -> NDArray[np.float64]:
        """Pass 1: learn names and categories; return X of the sampled rows.

        `marked` rows decide on the numbers of categories; `see` gets every block.
        """
        parts: list[NDArray[Any]] = []
        for block, first in self._rows("pass 1 of 2, bins"):
            if block.n_rows == 0:
                continue
            here = None if marked is None else marked[first : first + block.n_rows]
            X = self.schema.learn(block, first, here)
            if see is not None:
                _say(block, see, X)
            low, high = np.searchsorted(sampled, [first, first + block.n_rows])
            rows = sampled[low:high].astype(np.intp) - first
            parts.append(self.schema.finite(X[rows], block))
        self.schema.keep()
        return np.concatenate(parts)

    def encode(self, put: Callable[[NDArray[Any], int], None]) -> None:
        """Pass 2: hand over every block, with the number of its first row."""
        for block, first in self._rows("pass 2 of 2, codes"):
            if block.n_rows > 0:
                _say(block, put, self.schema.encode(block), first)

    def _rows(self, what: str) -> Iterator[tuple[Block, int]]:
        """Blocks and their first rows; raise if they are not those of the targets."""
        sizes, first = self.targets.sizes, 0
        n_rows = self.targets.n_rows
        for block in self._blocks:
            if first + block.n_rows > n_rows:
                break
            yield block, first
            first += block.n_rows
            seconds = perf_counter() - self._start
            if self._line.due(seconds):
                self._line.show(seconds, f"{what}: {first} of {n_rows} rows")
        else:
            if first == n_rows:
                return
        raise ValueError(
            f"RowBlocks returned other rows than before: {sum(sizes)} rows at first,"
            f" then {'more' if first + block.n_rows > n_rows else first}."
        )


def _say(block: Block, do: Callable[..., None], *arguments: Any) -> None:
    try:
        do(*arguments)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{block.name}: {error}") from error


def tree_codes(
    passes: Passes, weight: Weights, max_bins: int, cache_dir: Any
) -> EncodedColumns:
    """Return the columns that `fit_tree` would make of the whole table."""
    n_rows = passes.targets.n_rows
    sampled = rows_for_quantiles(n_rows, None)
    marked = None if weight is None else weight > 0
    distinct: list[DistinctValues] = []

    def see(X: NDArray[Any]) -> None:
        if not distinct:
            distinct.append(DistinctValues(X.shape[1], max_bins))
        assert passes.schema.categorical is not None
        distinct[0].add(X, np.flatnonzero(~passes.schema.categorical).tolist())

    sample = passes.learn(sampled, marked, see)
    codes = TreeCodes(n_rows, scratch(cache_dir, _tree_bytes(passes.schema, n_rows)))
    sample_weight = bin_weights(passes.schema.estimator, weight, sampled)
    add_columns(
        codes,
        passes.schema,
        distinct[0],
        Sampled(sample, sample_weight, len(sample) == n_rows),
        max_bins,
    )
    passes.encode(lambda X, first: codes.append(X, first, passes.n_threads))
    return codes.columns(shape_only(n_rows, sample.shape[1]))


def bin_weights(
    estimator: Any, weight: Weights, rows: NDArray[np.integer[Any]]
) -> Weights:
    """Return the weights of some rows as the search of a tree takes them."""
    if weight is None:
        return None
    by_rows = {estimator.loss, estimator.criterion} & {"absolute_error", "quantile"}
    kept: NDArray[np.float64] = tree_weights(weight, not by_rows)[rows]
    return kept


class Sampled(NamedTuple):
    """The rows that quantiles are taken from; `whole`: there are no others."""

    X: NDArray[np.float64]
    weight: Weights
    whole: bool


def add_columns(
    codes: TreeCodes,
    schema: Schema,
    distinct: DistinctValues,
    sample: Sampled,
    max_bins: int,
) -> None:
    """Tell codes what the bins and the categories of all columns are."""
    categories = schema.estimator.categories_
    for j in range(sample.X.shape[1]):
        if categories[j] is not None:
            codes.add_categories(j, schema.counts[j].by_appearance(categories[j]))
        elif (values := distinct.values(j)) is not None:
            codes.add_few(j, np.asarray(values, dtype=np.float64))
        else:
            column = np.ascontiguousarray(sample.X[:, j])
            codes.add_quantiles(j, column, sample.weight, max_bins, sample.whole)


def shape_only(n_rows: int, n_features: int) -> NDArray[np.uint8]:
    """Return an array of that shape that takes no memory: nobody reads it."""
    return np.broadcast_to(np.zeros(1, dtype=np.uint8), (n_rows, n_features))


def _tree_bytes(schema: Schema, n_rows: int) -> int:
    total = 0
    for categories in schema.estimator.categories_:
        n_codes = 1 if categories is None else len(categories) + 1
        width = 1 if n_codes <= 0x100 else 2 if n_codes <= 0x10000 else 4
        total += width * n_rows + 64
    return total


class BoostingBins(NamedTuple):
    """The limits of the bins of each feature, or how many categories it has."""

    edges: list[NDArray[np.float64]]
    n_categories: list[int]  # 0: the feature is numeric


def boosting_bins(
    passes: Passes,
    weight: Weights,
    aside: Mask,
    params: Callable[[], BoostingParams],
    *,
    more_rows: bool,
) -> BoostingBins:
    """Return the bins of the rows that are not set aside.

    `params` is called once categories are known; `more_rows`: others will be encoded.
    """
    n_train, sampled = sampled_rows(passes.targets.n_rows, weight, aside)
    sample = passes.learn(sampled, None if aside is None else ~aside)
    more_rows = more_rows or aside is not None or n_train > ROWS_FOR_QUANTILES
    sample_weight = None if weight is None else weight[sampled]
    edges = boosting_edges(sample, sample_weight, params(), more_rows)
    schema = passes.schema
    n_categories = [
        0 if known is None else schema.counts[j].n_marked(known)
        for j, known in enumerate(schema.estimator.categories_)
    ]
    return BoostingBins(list(edges), n_categories)


def sampled_rows(
    n_rows: int, weight: Weights, aside: Mask
) -> tuple[int, NDArray[np.intp]]:
    """Return how many rows are for training, and those that limits come from."""
    if aside is None:
        return n_rows, rows_for_quantiles(n_rows, weight).astype(np.intp)
    train = np.flatnonzero(~aside)
    kept = None if weight is None else weight[train]
    return len(train), train[rows_for_quantiles(len(train), kept)]


def boosting_codes(
    passes: Passes, bins: BoostingBins, aside: Mask, cache_dir: Any
) -> tuple[BoostingCodes, BoostingCodes | None]:
    """Return the codes of training rows and of those set aside, if any."""
    n_rows = passes.targets.n_rows
    n_aside = 0 if aside is None else int(aside.sum())
    train = _room(bins, n_rows - n_aside, cache_dir)
    if aside is None:
        passes.encode(lambda X, first: train.append(X, first, passes.n_threads))
        return train, None
    held_out = _room(bins, n_aside, cache_dir)
    aside_before = np.concatenate([[0], np.cumsum(aside)])

    def put(X: NDArray[Any], first: int) -> None:
        here = aside[first : first + len(X)]
        before = int(aside_before[first])
        for codes, mask, start in (
            (train, ~here, first - before),
            (held_out, here, before),
        ):
            if mask.any():
                codes.append(X[mask], start, passes.n_threads)

    passes.encode(put)
    return train, held_out


def _room(bins: BoostingBins, n_rows: int, cache_dir: Any) -> BoostingCodes:
    n_bytes = n_rows * 8 * ((len(bins.edges) + 7) // 8) + 64
    return BoostingCodes(
        bins.edges, bins.n_categories, n_rows, scratch(cache_dir, n_bytes)
    )
