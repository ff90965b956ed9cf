"""What a boosted fit has to know of targets and weights that are elsewhere.

Blocks answer with summaries; no target and no weight comes here, but for those of the
rows that limits of bins come from.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._blocks.sources import joined
from dpdtree._blocks.tables import Block
from dpdtree._boosting.aside import counts_aside, row_hashes
from dpdtree._boosting.targets import (
    TargetRange,
    check_quantile,
    check_range,
    known_classes,
    range_of,
)
from dpdtree._core import rows_for_quantiles
from dpdtree._input.labels import encode_labels, encode_targets, factors_by_counts
from dpdtree._input.validation import (
    check_row_count,
    check_some_weights,
    check_weight_sum,
    check_y_shape,
)
from dpdtree._params.estimators import record_of
from dpdtree.dask._engine import Engine
from dpdtree.dask._fit import Columns, merged_columns
from dpdtree.dask._partition import AsideRule, TargetRecipe
from dpdtree.dask._tasks import (
    Floats,
    Learned,
    LearnRequest,
    MarkedBlock,
    first_rows,
    learn,
    targets_of,
)

#: Standard deviations around the place where a hash is expected.
_WIDE_ENOUGH = 6.0


class WeightSum(NamedTuple):
    """Weights of some rows; they merge over blocks."""

    total: float = 0.0
    whole: bool = True
    n_positive: int = 0

    def __or__(self, other: WeightSum) -> WeightSum:
        return WeightSum(
            self.total + other.total,
            self.whole and other.whole,
            self.n_positive + other.n_positive,
        )

    def n_rows(self) -> int:
        """Return how many rows they stand for; whole ones count as so many."""
        return int(self.total) if self.whole else self.n_positive


def weight_sum(weight: Floats) -> WeightSum:
    """Return the sum of some weights."""
    with np.errstate(over="ignore"):
        total = float(weight.sum())
    whole = np.array_equal(weight, np.floor(weight))
    return WeightSum(total, whole, int(np.count_nonzero(weight)))


class Summary(NamedTuple):
    """Targets and weights of a block, as they came; an empty block has none."""

    n_rows: int
    labels: NDArray[Any] | None = None  # distinct ones, ascending
    counts: NDArray[np.intp] | None = None  # of rows with these labels
    usable: NDArray[np.intp] | None = None  # of those that have a weight
    numbers: TargetRange | None = None
    weights: WeightSum | None = None


def summarize(block: Block, request: tuple[Any, NDArray[Any] | None]) -> Summary:
    """Check the targets and weights of a block; `request`: the estimator, classes.

    Classes are known where rows are for validation.
    """
    estimator, classes = request
    if block.n_rows == 0:
        return Summary(0)
    y = check_y_shape(estimator, block.y, block.n_rows)
    weight = None
    if block.weight is not None:
        weight = check_some_weights(block.weight, block.n_rows)
    sums = None if weight is None else weight_sum(weight)
    if classes is not None:
        known_classes(y, classes, "y_val")
        return Summary(block.n_rows, weights=sums)
    if record_of(estimator).classifies:
        labels, codes = encode_labels(y)
        counts = np.bincount(codes)
        usable = counts
        if weight is not None:
            usable = np.bincount(codes[weight > 0], minlength=len(labels))
        return Summary(block.n_rows, labels, counts, usable, weights=sums)
    found = range_of(encode_targets(y), weight, estimator.loss)
    return Summary(block.n_rows, numbers=found, weights=sums)


class TargetFacts(NamedTuple):
    """Targets and weights of all blocks, checked."""

    sizes: list[int]
    recipe: TargetRecipe
    weights: WeightSum | None
    usable: NDArray[np.intp]  # rows that have a weight, of each class or of all

    @property
    def n_rows(self) -> int:
        """The number of rows of all blocks."""
        return sum(self.sizes)

    @property
    def starts(self) -> list[int]:
        """The number of the first row of each block."""
        return first_rows(self.sizes)

    def n_counted(self) -> int:
        """Return how many rows there are, by their weights."""
        return self.n_rows if self.weights is None else self.weights.n_rows()


def ask_training(engine: Engine, blocks: list[Any], estimator: Any) -> TargetFacts:
    """Return what is to be known of the rows of a fit."""
    classifies = record_of(estimator).classifies
    if not classifies:
        check_quantile(estimator)
    found = _ask_summaries(engine, blocks, estimator, None)
    facts = _facts_of(found, TargetRecipe(None, None))
    filled = [one for one in found if one.n_rows > 0]
    if not classifies:
        _check_numbers(filled, estimator.loss, "y")
        return facts
    classes, counts, usable = _all_labels(filled)
    if estimator.class_weight is None:
        return facts._replace(recipe=TargetRecipe(classes, None), usable=usable)
    factors = factors_by_counts(estimator.class_weight, classes, counts)
    recipe = TargetRecipe(classes, factors)
    weighed = engine.call(weigh, blocks, [recipe] * len(blocks))
    weights = reduce(operator.or_, (sums for sums, _ in weighed))
    check_weight_sum(weights.total, "class_weight with sample_weight")
    usable = np.sum([some for _, some in weighed], axis=0)
    return facts._replace(recipe=recipe, weights=weights, usable=usable)


def ask_validation(
    engine: Engine, blocks: list[Any], estimator: Any, training: TargetFacts
) -> TargetFacts:
    """Return what is to be known of the rows that a fit is scored by."""
    classes = training.recipe.classes
    found = _ask_summaries(engine, blocks, estimator, classes)
    if classes is None:
        filled = [one for one in found if one.n_rows > 0]
        _check_numbers(filled, estimator.loss, "y_val")
    return _facts_of(found, TargetRecipe(classes, None))


def _ask_summaries(
    engine: Engine, blocks: list[Any], estimator: Any, classes: NDArray[Any] | None
) -> list[Summary]:
    request = (estimator, classes)
    found: list[Summary] = engine.call(summarize, blocks, [request] * len(blocks))
    return found


def _facts_of(found: list[Summary], recipe: TargetRecipe) -> TargetFacts:
    sizes = [one.n_rows for one in found]
    check_row_count(sum(sizes))
    if sum(sizes) == 0:
        raise ValueError("X has no rows.")
    filled = [one for one in found if one.n_rows > 0]
    sums = [one.weights for one in filled if one.weights is not None]
    if not sums:
        return TargetFacts(sizes, recipe, None, np.array([sum(sizes)]))
    if len(sums) < len(filled):
        raise ValueError("sample_weight must have a weight for each row of X.")
    weights = reduce(operator.or_, sums)
    check_weight_sum(weights.total, "sample_weight")
    return TargetFacts(sizes, recipe, weights, np.array([weights.n_positive]))


def _check_numbers(filled: list[Summary], loss: object, name: str) -> None:
    ranges = [one.numbers for one in filled if one.numbers is not None]
    check_range(reduce(operator.or_, ranges), loss, name)


def _all_labels(
    filled: list[Summary],
) -> tuple[NDArray[Any], NDArray[np.intp], NDArray[np.intp]]:
    """Return the classes, how many rows each has, and how many with a weight."""
    every = joined([one.labels for one in filled if one.labels is not None])
    assert every is not None
    classes, codes = encode_labels(every)
    counts, usable = np.zeros((2, len(classes)), dtype=np.intp)
    for of_labels, name in ((counts, "counts"), (usable, "usable")):
        np.add.at(of_labels, codes, np.concatenate([getattr(o, name) for o in filled]))
    return classes, counts, usable


class RowRequest(NamedTuple):
    """How targets are encoded, and which rows of a block are set aside."""

    recipe: TargetRecipe
    aside: AsideRule | None
    first_row: int

    def rows(self, block: Block) -> tuple[Floats, Floats | None, NDArray[np.bool_]]:
        """Return targets and weights of a block, and which rows are for training."""
        y, weight = self.recipe.encoded(targets_of(block))
        if self.aside is None:
            return y, weight, np.ones(len(y), dtype=bool)
        return y, weight, ~self.aside.mask(y, weight, self.first_row)


def weigh(block: Block, recipe: TargetRecipe) -> tuple[WeightSum, NDArray[np.intp]]:
    """Return the weights of labels, and how many rows of each class have any."""
    y, weight = recipe.encoded(targets_of(block))
    assert weight is not None
    assert recipe.classes is not None
    codes = y[weight > 0].astype(np.intp)
    return weight_sum(weight), np.bincount(codes, minlength=len(recipe.classes))


class HashRequest(NamedTuple):
    """Which hashes of which rows are asked for."""

    rows: RowRequest  # its rule has no limits yet
    low: NDArray[np.uint64]  # of each label
    high: NDArray[np.uint64]


class Hashes(NamedTuple):
    """Hashes of the rows of a block that have a weight, by their labels."""

    below: NDArray[np.intp]  # how many are smaller than those asked for
    inside: list[NDArray[np.uint64]]


def hashes_between(block: Block, request: HashRequest) -> Hashes:
    """Return the hashes of rows that lie from `low` to `high`."""
    y, weight = request.rows.recipe.encoded(targets_of(block))
    rule, first = request.rows.aside, request.rows.first_row
    assert rule is not None
    labels = rule.labels(y)
    hashes = row_hashes(np.arange(first, first + len(y)), rule.seed)
    if weight is not None:
        labels, hashes = labels[weight > 0], hashes[weight > 0]
    smaller = hashes < request.low[labels]
    between = ~smaller & (hashes <= request.high[labels])
    n_labels = len(request.low)
    found = labels[between]
    ends = np.cumsum(np.bincount(found, minlength=n_labels))[:-1]
    by_label = hashes[between][np.argsort(found, kind="stable")]
    return Hashes(
        np.bincount(labels[smaller], minlength=n_labels), np.split(by_label, ends)
    )


class AsideFacts(NamedTuple):
    """Which rows are set aside, and how many of each block."""

    rule: AsideRule | None
    n_aside: list[int]


def ask_aside(
    engine: Engine, blocks: list[Any], estimator: Any, facts: TargetFacts, seed: int
) -> AsideFacts:
    """Choose the rows that are set aside; a round, but for bad luck."""
    by_class = facts.recipe.classes is not None
    rule = AsideRule(seed, np.zeros(len(facts.usable), np.uint64), by_class)
    requests = [RowRequest(facts.recipe, rule, start) for start in facts.starts]
    counts = counts_aside(estimator.validation_fraction, facts.usable)
    limits, n_aside = _ask_limits(engine, blocks, requests, facts.usable, counts)
    return AsideFacts(rule._replace(limits=limits), n_aside)


def _ask_limits(
    engine: Engine,
    blocks: list[Any],
    requests: Sequence[RowRequest],
    sizes: NDArray[np.intp],
    counts: NDArray[np.intp],
) -> tuple[NDArray[np.uint64], list[int]]:
    """Return the hash below which there are so many of each label, and of each block.

    Hashes are as good as random, so that one round finds them, but for bad luck.
    """
    wide = _WIDE_ENOUGH
    while True:
        low, high = _expected(sizes, counts, wide)
        asked = [HashRequest(request, low, high) for request in requests]
        found: list[Hashes] = engine.call(hashes_between, blocks, asked)
        below = np.sum([one.below for one in found], axis=0)
        inside = [
            np.sort(np.concatenate([one.inside[k] for one in found]))
            for k in range(len(sizes))
        ]
        within = counts - below
        n_inside = np.array([len(hashes) for hashes in inside])
        if np.all((sizes == 0) | ((within >= 0) & (within < n_inside))):
            break
        wide *= 8
    limits = np.zeros(len(sizes), np.uint64)
    for k in np.flatnonzero(sizes):
        limits[k] = inside[k][within[k]]
    n_aside = [
        int(one.below.sum())
        + sum(int((h < limits[k]).sum()) for k, h in enumerate(one.inside))
        for one in found
    ]
    return limits, n_aside


def _expected(
    sizes: NDArray[np.intp], counts: NDArray[np.intp], wide: float
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return where the hash with so many smaller ones should be, of each label."""
    n = np.maximum(sizes, 1).astype(np.float64)
    share = counts / n
    deviation = wide * (np.sqrt(share * (1 - share) / n) + 1 / n)
    low = np.clip(share - deviation, 0.0, 1.0)
    high = np.clip(share + deviation, 0.0, 1.0)
    steps = 2**32  # numbers of 32 bits are exact
    low_step = np.floor(low * steps).astype(np.uint64)
    high_step = np.ceil(high * steps).astype(np.uint64)
    top = np.uint64(2**64 - 1)
    last = (high_step << np.uint64(32)) - np.uint64(1)  # wraps around to the top
    return np.minimum(low_step, np.uint64(steps - 1)) << np.uint64(32), np.where(
        high_step >= steps, top, last
    )


class LearnRows(NamedTuple):
    """What a block needs to know to be learnt from."""

    rows: RowRequest
    estimator: Any
    sampled: NDArray[np.intp]  # numbers among the rows for training


class LearnedRows(NamedTuple):
    """What a block knows of its columns and of its rows for training."""

    columns: Learned | None
    sample_weight: Floats | None
    weights: WeightSum | None


def learn_training(block: Block, request: LearnRows) -> LearnedRows:
    """Return what is to be known of a block before it is encoded."""
    _, weight, training = request.rows.rows(block)
    rows = np.flatnonzero(training)[request.sampled]
    if weight is not None:
        rows = rows[weight[rows] > 0]
    marked = None if request.rows.aside is None else np.packbits(training)
    asked = LearnRequest(request.estimator, request.rows.first_row, rows, 0)
    columns = learn(MarkedBlock(block, marked), asked)
    if weight is None or columns is None:
        return LearnedRows(columns, None, None)
    return LearnedRows(columns, weight[rows], weight_sum(weight[training]))


class TrainingColumns(NamedTuple):
    """What is known of the columns, and weights of the rows for training."""

    columns: Columns
    sample_weight: Floats | None  # of the rows that limits of bins come from
    weights: WeightSum | None  # of all


def ask_training_columns(
    engine: Engine,
    blocks: list[Any],
    estimator: Any,
    facts: TargetFacts,
    aside: AsideFacts,
) -> TrainingColumns:
    """Learn names, categories and samples in one round."""
    ends = np.cumsum(np.subtract(facts.sizes, aside.n_aside))
    sampled = rows_for_quantiles(int(ends[-1]), None).astype(np.intp)
    requests = []
    for k, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        low, high = np.searchsorted(sampled, [start, end])
        rows = RowRequest(facts.recipe, aside.rule, facts.starts[k])
        requests.append(LearnRows(rows, estimator, sampled[low:high] - start))
    found: list[LearnedRows] = engine.call(learn_training, blocks, requests)
    columns = merged_columns([one.columns for one in found], estimator)
    weighted = [one for one in found if one.weights is not None]
    if not weighted:
        return TrainingColumns(columns, None, None)
    sample_weight = np.concatenate([one.sample_weight for one in weighted])
    weights = reduce(operator.or_, (one.weights for one in weighted))
    return TrainingColumns(columns, sample_weight, weights)
