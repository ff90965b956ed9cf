"""Rows of a single tree on a worker, and their targets: what workers do."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.passes import bin_weights, shape_only
from dpdtree._core import (
    TUNING_FOLDS,
    EncodedColumns,
    TreeCodes,
    TreeParams,
    TreePartition,
    TreeTargets,
    merge_tree_answers,
)
from dpdtree._input.problem import prepare_targets as problem_of
from dpdtree._threads import n_threads
from dpdtree._tree_params import core_params
from dpdtree.dask._engine import Question
from dpdtree.dask._tasks import BlockTargets, Coded, Floats, table_of

#: So many rows are decoded at a time.
_STRIP = 65_536


class TreeBins(NamedTuple):
    """Of each column: limits, distinct values or the order of its categories."""

    cuts: list[Floats | None]
    values: list[Floats | None]
    categories: list[list[int] | None]


class ColumnFacts(NamedTuple):
    """Of each column of some rows: extreme values of its bins, and missing values."""

    lower: list[Floats | None]
    upper: list[Floats | None]
    missing: list[bool]


class Problem(NamedTuple):
    """Targets and weights of all rows, encoded."""

    y: NDArray[Any]
    n_classes: int | list[int]
    weight: Floats | None
    fitted: dict[str, Any]
    sizes: list[int]


class PreparedTargets(NamedTuple):
    """Targets as a search takes them, cut into partitions."""

    units: bytes
    params: dict[str, Any]
    needs_all_rows: str  # why, if it does
    fitted: dict[str, Any]
    parts: list[PartTargets]


class PartTargets(NamedTuple):
    """Targets of some rows."""

    encoded: bytes
    weight: Floats | None
    y: Floats | None  # numbers as they were given; None: classes


def prepare_targets(estimator: Any, targets: Sequence[BlockTargets]) -> Problem:
    """Check and encode the targets of all blocks."""
    table = table_of(targets)
    problem = problem_of(estimator, table.y, table.weight, table.n_rows)
    return Problem(
        problem.y,
        problem.n_classes,
        problem.sample_weight,
        problem.fitted,
        table.sizes,
    )


def sizes_of(problem: Problem, _: Any = None) -> list[int]:
    """Return how many rows each block has."""
    return problem.sizes


def sampled_weights(
    problem: Problem, estimator: Any, sampled: NDArray[np.intp]
) -> Floats | None:
    """Return the weights of the rows that bins are made from."""
    return bin_weights(estimator, problem.weight, sampled)


def marked_rows(problem: Problem, start: int, end: int) -> NDArray[np.uint8] | None:
    """Return which rows of a block have a weight, as packed bits; None: all."""
    if problem.weight is None:
        return None
    return np.packbits(problem.weight[start:end] > 0)


def divide_targets(
    problem: Problem, estimator: Any, n_codes: list[int], ends: list[int]
) -> PreparedTargets:
    """Cut the targets into those of partitions."""
    n, n_features = len(problem.y), len(n_codes)
    params = core_params(estimator, (n, n_features), problem.weight)
    whole = TreeTargets(
        shape_only(n, n_features), problem.y, problem.weight, problem.n_classes, params
    )
    parts = []
    for start, end in itertools.pairwise(ends):
        weight = None if problem.weight is None else problem.weight[start:end]
        numbers = problem.n_classes == 0
        encoded = whole.part(start, end)
        parts.append(
            PartTargets(encoded, weight, problem.y[start:end] if numbers else None)
        )
    counted = n if problem.weight is None else int(np.count_nonzero(problem.weight))
    reason = whole.needs_all_rows(params, counted, n_codes)
    values = params_as_dict(params)
    return PreparedTargets(whole.part(0, 0), values, reason, problem.fitted, parts)


def small_part(prepared: PreparedTargets, _: Any = None) -> PreparedTargets:
    """Return it without the targets."""
    return prepared._replace(parts=[])


def part_of(prepared: PreparedTargets, k: int) -> PartTargets:
    """Return the targets of a partition."""
    return prepared.parts[k]


def params_as_dict(params: TreeParams) -> dict[str, Any]:
    """Return parameters of the core as they can be pickled."""
    names = [name for name in dir(TreeParams) if not name.startswith("_")]
    values = {name: getattr(params, name) for name in names}
    del values["forced_splits"]  # trees that have some are searched by one worker
    return values


def params_of(values: dict[str, Any]) -> TreeParams:
    """Return parameters as the core takes them."""
    params = TreeParams()
    for name, value in values.items():
        setattr(params, name, value)
    return params


def column_facts(coded: Coded, n_codes: list[int]) -> ColumnFacts:
    """Return extreme values and where values are missing."""
    codes = coded.codes
    missing = [bool(np.any(codes[:, j] == n)) for j, n in enumerate(n_codes)]
    return ColumnFacts(coded.lower, coded.upper, missing)


def merge_facts(facts: Sequence[ColumnFacts]) -> ColumnFacts:
    """Put together what is known of several blocks."""
    lower: list[Floats | None] = []
    upper: list[Floats | None] = []
    for j in range(len(facts[0].missing)):
        lows = [x for one in facts if (x := one.lower[j]) is not None]
        highs = [x for one in facts if (x := one.upper[j]) is not None]
        lower.append(np.min(lows, axis=0) if lows else None)
        upper.append(np.max(highs, axis=0) if highs else None)
    missing = np.any([one.missing for one in facts], axis=0).tolist()
    return ColumnFacts(lower, upper, missing)


def tree_codes(
    bins: TreeBins, facts: ColumnFacts, n_rows: int
) -> tuple[TreeCodes, list[NDArray[Any]]]:
    """Return room for the codes of rows, and a value behind each code of a column."""
    codes = TreeCodes(n_rows)
    values: list[NDArray[Any]] = []
    for j, (cuts, few, order) in enumerate(zip(*bins, strict=True)):
        lower, upper = facts.lower[j], facts.upper[j]
        if order is not None:
            codes.add_categories(j, order)
            values.append(np.arange(len(order)))
        elif few is not None:
            codes.add_few(j, few)
            values.append(few if len(few) else np.zeros(1))
        else:
            assert cuts is not None
            assert lower is not None
            assert upper is not None
            codes.add_bins(j, cuts, lower, upper)
            values.append(upper)
    return codes, values


def decoded(codes: NDArray[Any], values: list[NDArray[Any]]) -> NDArray[np.float64]:
    """Return values that have these codes."""
    X = np.empty(codes.shape, order="F")
    for j, known in enumerate(values):
        behind = np.append(known, np.nan)
        X[:, j] = behind[np.minimum(codes[:, j], len(known))]
    return X


def encoded_columns(
    bins: TreeBins, facts: ColumnFacts, codes: NDArray[Any], threads: int
) -> EncodedColumns:
    """Return the columns of rows that were encoded elsewhere."""
    room, values = tree_codes(bins, facts, len(codes))
    for start in range(0, len(codes), _STRIP):
        room.append(decoded(codes[start : start + _STRIP], values), start, threads)
    return room.columns(shape_only(len(codes), len(values)))


class PartRecipe(NamedTuple):
    """What all partitions of a tree share."""

    bins: TreeBins
    facts: ColumnFacts
    n_jobs: int | None


class TreePart:
    """Some rows of a tree. What it makes of them is not pickled."""

    def __init__(
        self,
        recipe: PartRecipe,
        codes: NDArray[Any],
        targets: PartTargets,
        place: int,
        folds: NDArray[np.uint8] | None = None,
    ) -> None:
        self._contents = (recipe, codes, targets, place, folds)
        self._threads = n_threads(recipe.n_jobs)
        columns = encoded_columns(recipe.bins, recipe.facts, codes, self._threads)
        self._core = TreePartition(
            columns,
            recipe.facts.missing,
            targets.encoded,
            targets.weight,
            folds,
            place,
        )

    def answer(self, request: bytes) -> bytes:
        """Return what the rows say."""
        return self._core.answer(request, self._threads)

    def with_folds(self, folds: NDArray[np.uint8]) -> TreePart:
        """Return the same rows, dealt to folds."""
        return TreePart(*self._contents[:4], folds)

    def runs(self) -> bytes:
        """Return which rows repeat, one after the other."""
        return self._core.runs()

    def cards(self, ranks: list[list[int]]) -> Cards:
        """Return what rows are dealt by."""
        group, hashes, rows = self._core.cards(ranks)
        _, codes, targets, *_ = self._contents
        y = targets.y
        if y is not None:
            y = y[rows].reshape(len(rows), 1 if y.ndim == 1 else y.shape[1])
        return Cards(group, hashes, rows, y, len(codes))

    def __reduce__(self) -> Any:
        return TreePart, self._contents

    def __sizeof__(self) -> int:
        _, codes, targets, *_ = self._contents  # Dask asks
        return 2 * codes.nbytes + len(targets.encoded) + 16 * len(codes)


class Cards(NamedTuple):
    """Rows of weight of a partition: what decides which fold they fall to."""

    group: NDArray[np.uint64]
    hashes: NDArray[np.uint64]
    rows: NDArray[np.uint32]
    y: Floats | None
    n_rows: int


def make_part(
    recipe: PartRecipe, coded: list[Coded], targets: PartTargets, place: int
) -> TreePart:
    """Put the rows of some blocks together; `place` partitions come before them."""
    p = len(recipe.facts.missing)
    empty = np.empty((0, p), dtype=np.uint8)
    codes = np.concatenate([empty, *(one.codes for one in coded)])
    return TreePart(recipe, codes, targets, place)


def runs_of(part: TreePart, _: Any = None) -> bytes:
    """Return which rows of a partition repeat."""
    return part.runs()


def cards_of(part: TreePart, ranks: list[list[int]]) -> Cards:
    """Return what the rows of a partition are dealt by."""
    return part.cards(ranks)


def deal(parts: list[Cards]) -> list[NDArray[np.uint8]]:
    """Return the fold of each row: one to each in turn, in the order of the cards."""
    keys: list[NDArray[Any]] = []
    if parts[0].y is not None:
        y = np.concatenate([part.y for part in parts])
        keys.extend(y.T[::-1])
    keys.append(np.concatenate([part.hashes for part in parts]))
    keys.append(np.concatenate([part.group for part in parts]))
    order = np.lexsort(keys)
    fold = np.empty(len(order), dtype=np.uint8)
    n_folds = max(1, min(TUNING_FOLDS, len(order)))
    fold[order] = np.arange(len(order)) % n_folds
    out, start = [], 0
    for part in parts:
        own = np.zeros(part.n_rows, dtype=np.uint8)
        end = start + len(part.rows)
        own[part.rows] = fold[start:end]
        out.append(own)
        start = end
    return out


def with_folds(part: TreePart, dealt: list[NDArray[np.uint8]], k: int) -> TreePart:
    """Return a partition that knows the folds of its rows."""
    return part.with_folds(dealt[k])


def answer(part: TreePart, request: bytes) -> bytes:
    """Return what a partition says."""
    return part.answer(request)


QUESTION = Question(answer, merge_tree_answers)
