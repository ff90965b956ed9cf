"""What all fits on blocks that are elsewhere share: rounds of questions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.schema import Schema
from dpdtree._core import DistinctValues
from dpdtree.dask._engine import Engine
from dpdtree.dask._tasks import (
    Coded,
    CodeTable,
    Floats,
    Learned,
    LearnRequest,
    encode,
    learn,
    marked_block,
    nbytes,
)


class Columns(NamedTuple):
    """What is known of the columns of all blocks."""

    schema: Schema
    sample: Floats
    distinct: DistinctValues | None


def ask_columns(
    engine: Engine,
    blocks: list[Any],
    estimator: Any,
    sizes: list[int],
    sampled: NDArray[np.intp],
    marked: list[Any],
    most_values: int = 0,
) -> Columns:
    """Learn names, categories, samples and distinct values in one round.

    `marked`: handles of the rows that decide on the numbers of categories.
    """
    requests, start = [], 0
    for size in sizes:
        low, high = np.searchsorted(sampled, [start, start + size])
        rows = sampled[low:high] - start
        requests.append(LearnRequest(estimator, start, rows, most_values))
        start += size
    both = [
        engine.put(marked_block, block, marks)
        for block, marks in zip(blocks, marked, strict=True)
    ]
    return merged_columns(engine.call(learn, both, requests), estimator, most_values)


def merged_columns(
    learned: list[Learned | None], estimator: Any, most_values: int = 0
) -> Columns:
    """Put together what blocks know of their columns; None: a block has no rows."""
    found = [(k, one) for k, one in enumerate(learned) if one is not None]
    schema = found[0][1].schema
    for k, one in found[1:]:
        schema.absorb(one.schema, f"partition {k}")
    schema.hand_over(estimator)
    schema.keep()
    distinct = None
    if most_values:
        p = len(found[0][1].distinct)
        distinct = DistinctValues(p, most_values)
        for _, one in found:
            for j, values in enumerate(one.distinct):
                distinct.merge(j, values)
    return Columns(schema, np.concatenate([one.sample for _, one in found]), distinct)


def encoded(
    engine: Engine, blocks: list[Any], schema: Schema, table: CodeTable
) -> list[Any]:
    """Return handles of the codes of each block."""
    return [engine.put(encode, block, schema, table) for block in blocks]


class Fitted(NamedTuple):
    """A fitted estimator, and what its search has cost."""

    estimator: Any
    code_bytes: int  # that one worker got
    search_rounds: int = 0  # to rows that stayed where they are
    search_bytes: int = 0  # that came back from them


def on_one_worker(
    engine: Engine, codes: list[Any], search: Any, *sources: Any
) -> Fitted:
    """Search where all codes are brought together."""
    engine.rounds += 1
    (fitted,) = engine.gather([engine.put(search, *sources)])
    return Fitted(fitted, code_bytes(engine, codes))


def values_behind(
    blocks: list[Coded], starts: list[int], values: list[NDArray[Any]]
) -> Any:
    """Yield blocks of values that have these codes, and their first rows."""
    behind = [np.append(known, np.nan) for known in values]
    for block, start in zip(blocks, starts, strict=True):
        if len(block.codes) == 0:
            continue
        X = np.empty(block.codes.shape, order="F")
        for j, known in enumerate(behind):
            X[:, j] = known[np.minimum(block.codes[:, j], len(known) - 1)]
        yield X, start


def code_bytes(engine: Engine, codes: list[Any]) -> int:
    """Return how many bytes the codes of all blocks take."""
    return sum(engine.call(nbytes, codes, [None] * len(codes)))
