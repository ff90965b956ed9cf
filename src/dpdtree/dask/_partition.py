"""Rows of a boosted fit on a worker, and rounds of requests to them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.passes import BoostingBins
from dpdtree._boosting.aside import row_hashes
from dpdtree._core import (
    BoostingCodes,
    BoostingParams,
    BoostingPartition,
    merge_answers,
)
from dpdtree._input.labels import encode_targets
from dpdtree._threads import n_threads
from dpdtree.dask._engine import Engine, Question
from dpdtree.dask._tasks import BlockTargets, Coded, Floats


class TargetRecipe(NamedTuple):
    """How labels or numbers, and weights, become what the core takes."""

    classes: NDArray[Any] | None  # None: numbers
    class_weight: Floats | None

    def encoded(self, rows: BlockTargets) -> tuple[Floats, Floats | None]:
        """Return targets and weights of some rows."""
        weight = None
        if rows.weight is not None:
            weight = np.ascontiguousarray(rows.weight, dtype=np.float64)
        if rows.y is None or rows.n_rows == 0:
            y = np.empty(0)
        elif self.classes is None:
            y = encode_targets(rows.y.reshape(-1))
        else:
            y = np.searchsorted(self.classes, rows.y.reshape(-1)).astype(np.float64)
        if self.class_weight is not None:
            of_class = self.class_weight[y.astype(np.intp)]
            weight = of_class if weight is None else of_class * weight
        return y, weight


class FitRecipe(NamedTuple):
    """What all partitions of a fit share."""

    bins: BoostingBins
    n_classes: int
    params: dict[str, Any]
    n_jobs: int | None


class PartRows(NamedTuple):
    """Codes, targets and weights of some rows."""

    codes: NDArray[np.uint8]
    y: Floats
    weight: Floats | None

    def some(self, chosen: NDArray[np.bool_]) -> PartRows:
        """Return some of the rows."""
        weight = None if self.weight is None else self.weight[chosen]
        return PartRows(self.codes[chosen], self.y[chosen], weight)


def as_dict(params: BoostingParams) -> dict[str, Any]:
    """Return parameters of the core as they can be pickled."""
    names = [name for name in dir(BoostingParams) if not name.startswith("_")]
    return {name: getattr(params, name) for name in names}


class Partition:
    """Some rows of a fit. What it keeps between requests is not pickled."""

    def __init__(
        self,
        recipe: FitRecipe,
        first_row: int,
        training: PartRows,
        validation: PartRows | None,
    ) -> None:
        params = BoostingParams()
        for name, value in recipe.params.items():
            setattr(params, name, value)
        params.n_threads = n_threads(recipe.n_jobs)
        self._recipe, self._first_row = recipe, first_row
        # Codes, and about what is kept for each row.
        self._n_bytes = training.codes.nbytes + 64 * len(training.y)
        self._core = BoostingPartition(
            _coded(recipe, training),
            training.y,
            training.weight,
            first_row,
            recipe.n_classes,
            params,
            None if validation is None else _coded(recipe, validation),
            None if validation is None else validation.y,
            None if validation is None else validation.weight,
        )

    def answer(self, request: bytes) -> bytes:
        """Return what the rows say; nothing, if they need the history of the fit."""
        return self._core.answer(request)

    def __reduce__(self) -> Any:
        parts: list[PartRows | None] = []
        for validation in (False, True):
            found: Any = self._core.contents(validation)
            parts.append(None if found is None else PartRows(*found))
        return Partition, (self._recipe, self._first_row, *parts)

    def __sizeof__(self) -> int:
        return self._n_bytes  # Dask asks


def _coded(recipe: FitRecipe, rows: PartRows) -> BoostingCodes:
    codes = BoostingCodes(*recipe.bins, len(rows.y))
    codes.put(np.ascontiguousarray(rows.codes), 0)
    return codes


def part_rows(
    coded: Sequence[Coded],
    targets: Sequence[BlockTargets],
    recipe: TargetRecipe,
    p: int,
) -> PartRows:
    """Put the rows of some blocks together."""
    encoded = [recipe.encoded(one) for one in targets]
    weights = [w for _, w in encoded if w is not None]
    empty = np.empty((0, p), dtype=np.uint8)
    return PartRows(
        np.concatenate([empty, *(one.codes for one in coded)]),
        np.concatenate([np.empty(0), *(y for y, _ in encoded)]),
        np.concatenate(weights) if weights else None,
    )


class AsideRule(NamedTuple):
    """Which rows are set aside for validation: those of small hashes."""

    seed: int
    limits: NDArray[np.uint64]  # of each class, or of all rows
    by_class: bool

    def labels(self, y: Floats) -> NDArray[np.intp]:
        """Return whose limit counts for each row."""
        return y.astype(np.intp) if self.by_class else np.zeros(len(y), dtype=np.intp)

    def mask(
        self, y: Floats, weight: Floats | None, first_row: int
    ) -> NDArray[np.bool_]:
        """Return an entry for each of some neighbouring rows."""
        hashes = row_hashes(np.arange(first_row, first_row + len(y)), self.seed)
        chosen: NDArray[np.bool_] = hashes < self.limits[self.labels(y)]
        return chosen if weight is None else chosen & (weight > 0)


def make_partition(
    recipe: FitRecipe,
    target: TargetRecipe,
    weighted: tuple[bool, bool],
    first_row: tuple[int, int],
    training: tuple[list[Coded], list[BlockTargets]],
    validation: tuple[list[Coded], list[BlockTargets]] | None,
    aside: AsideRule | None,
) -> Partition:
    """Put the rows of some blocks together, as one partition of the fit.

    `first_row`: its number among all rows, and among those for training.
    """
    p = len(recipe.bins.edges)
    rows = part_rows(*training, target, p)
    more = None
    if validation is not None:
        unweighted = target._replace(class_weight=None)
        more = part_rows(*validation, unweighted, p)
    elif aside is not None:
        mask = aside.mask(rows.y, rows.weight, first_row[0])
        rows, more = rows.some(~mask), rows.some(mask)
    rows = _with_weights(rows, needed=weighted[0])
    more = None if more is None else _with_weights(more, needed=weighted[1])
    return Partition(recipe, first_row[1], rows, more)


def _with_weights(rows: PartRows, *, needed: bool) -> PartRows:
    """Without rows there are no weights either, though all others have some."""
    if needed and rows.weight is None:
        return rows._replace(weight=np.ones(len(rows.y)))
    return rows


def answer(partition: Partition, request: bytes) -> bytes:
    """Return what a partition says."""
    return partition.answer(request)


def merged(answers: list[bytes]) -> bytes:
    """Return the answer of several partitions; nothing, if one of them has none."""
    return merge_answers(answers) if all(answers) else b""


QUESTION = Question(answer, merged)


class Rounds:
    """Asks all partitions of a fit, a round at a time."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.partitions: list[Any] = []
        self.session: Any = None

    def __call__(self, request: bytes) -> bytes:
        """Return the answer of all partitions."""
        found = self._engine.ask(QUESTION, self.partitions, request)
        if not found:  # scores were lost with a worker
            whole = self.session.with_history(request)
            found = self._engine.ask(QUESTION, self.partitions, whole)
        return found

    def close(self) -> None:
        """Let go of the rows."""
        self.partitions, self.session = [], None


def groups_of(sizes: Sequence[int], n_groups: int) -> list[slice]:
    """Cut neighbouring blocks into groups of about as many rows, some of them empty."""
    n = len(sizes)
    if n_groups >= n:
        return [slice(min(k, n), min(k + 1, n)) for k in range(n_groups)]
    ends = np.cumsum([0, *sizes])
    wanted = ends[-1] * np.arange(1, n_groups) / n_groups
    inner = np.searchsorted(ends, wanted).tolist()
    bounds = [0, *inner, n]
    return [slice(a, b) for a, b in itertools.pairwise(bounds)]
