"""Training sets that stay in their file: read in blocks, several times."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpdtree._blocks.sources import RowBlocks
from dpdtree.cli.columns import Features, as_target
from dpdtree.cli.errors import CommandError, UsageError
from dpdtree.cli.parameters import Model
from dpdtree.cli.scores import Scores, scores_from
from dpdtree.cli.tables import open_table
from dpdtree.cli.talk import Talk
from dpdtree.cli.training import Request, TrainingSet, checked_columns, inferred

#: Larger files are read in blocks.
LARGE = 1 << 30
#: Rows that decide what a column is.
_SAMPLE = 200_000
_ALL, _FITTED, _HELD_OUT = range(3)


def in_blocks(path: str, wanted: bool | None) -> bool:
    """Whether a table is to be read in blocks: as told, or if it is large."""
    if path == "-":
        if wanted:
            raise UsageError("--blocks reads a table several times: it must be a file.")
        return False
    if wanted is None:
        return os.path.isfile(path) and os.path.getsize(path) > LARGE
    return wanted


@dataclass(frozen=True)
class BlockTraining:
    """Rows for a fit, in a file; `y` are the labels or targets of the first ones."""

    y: Any
    request: Request
    features: Features
    task: str
    model: Model
    share: float
    target_type: Any

    def blocks(self, part: int) -> RowBlocks:
        """Return all rows, those to be fitted or those held out."""
        return RowBlocks.from_batches(lambda: self._read(part))

    def _read(self, part: int) -> Iterator[Any]:
        request, begin = self.request, 0
        target, weights = str(request.target), request.weights
        names = [column.name for column in self.features.columns]
        named = [target, *([] if weights is None else [weights])]
        types = {
            column.name: pa.string() if column.kind == "category" else pa.float64()
            for column in self.features.columns
        }
        types[target] = self.target_type
        types |= {} if weights is None else {weights: pa.float64()}
        with open_table(request.data, request.dialect) as source:
            for table in source.batches([*names, *named], types):
                end = begin + table.num_rows
                chosen = pa.array(self._chosen(begin, end, part))
                rows = table.filter(pc.and_(pc.is_valid(table[target]), chosen))
                begin = end
                if rows.num_rows:
                    y = as_target(rows[target], self.task, target)
                    weight = None if weights is None else rows[weights].to_numpy()
                    yield self._features(rows, names, types), y, weight

    def _features(self, table: Any, names: list[str], types: dict[str, Any]) -> Any:
        """Return the columns as they were inferred: strings are categories."""
        columns = []
        for name in names:
            values = table[name]
            if pa.types.is_dictionary(values.type):
                values = values.cast(values.type.value_type)
            columns.append(values.cast(types[name], safe=False))
        return pa.table(columns, names=names)

    def _chosen(self, begin: int, end: int, part: int) -> Any:
        """Draw by a hash of the row's number: the same rows in every pass."""
        if part == _ALL:
            return np.ones(end - begin, dtype=bool)
        numbers = np.arange(begin, end, dtype=np.uint64)
        mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
        drawn = (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53 < self.share
        return drawn if part == _HELD_OUT else ~drawn


def open_training_set(request: Request, share: float, talk: Talk) -> BlockTraining:
    """Infer what the columns are from the first rows, and show it."""
    sample = _first_rows(request)
    found: TrainingSet = inferred(sample, request, talk)
    if request.cv is not None or request.kind == "adaboost":
        raise UsageError(
            "--cv and --model adaboost need a table in memory: --no-blocks."
        )
    talk.say(f"Read in blocks; the first {sample.num_rows:,} rows decided on types.")
    kind = sample[str(request.target)].type
    what = (found.features, found.task, found.model)
    return BlockTraining(found.y, request, *what, share, kind)


def _first_rows(request: Request) -> Any:
    with open_table(request.data, request.dialect) as source:
        checked_columns(request, source)
        types = dict.fromkeys(request.categorical, pa.string())
        tables, n_rows = [], 0
        for table in source.batches(source.names, types):
            tables.append(table)
            n_rows += table.num_rows
            if n_rows >= _SAMPLE:
                break
        if n_rows == 0:
            raise CommandError(f"{source.where} has no rows.")
        return pa.concat_tables(tables, promote_options="permissive").slice(0, _SAMPLE)


def validated(estimator: Any, training: BlockTraining, talk: Talk) -> dict[str, Scores]:
    """Return the scores of rows held out; a table this large has enough."""
    if training.share <= 0:
        return {}
    model = fit_blocks(estimator, training.blocks(_FITTED), talk)
    rows = training.blocks(_HELD_OUT)
    answers = rows.targets()
    if answers.y is None:
        return {}
    labels = hasattr(model, "classes_")
    said = np.concatenate(list(model.predict(rows)))
    shares = np.concatenate(list(model.predict_proba(rows))) if labels else None
    name = f"{len(said):,} held out"
    return {name: scores_from(model, answers.y, said, shares, answers.weight)}


def fit_all(estimator: Any, training: BlockTraining, talk: Talk) -> tuple[Any, int]:
    """Fit an estimator to all rows; return it and their number."""
    rows = training.blocks(_ALL)
    return fit_blocks(estimator, rows, talk), rows.targets().n_rows


def fit_blocks(estimator: Any, blocks: RowBlocks, talk: Talk) -> Any:
    """Fit an estimator to blocks; a terminal sees how far it is."""
    talk.say("Fitting blocks")
    with talk.progress() as shown:
        estimator.set_params(verbose=int(shown))
        estimator.fit(blocks)
    return estimator.set_params(verbose=0)
