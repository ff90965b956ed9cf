"""Trees that are fitted to rows drawn with replacement."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from dpdtree._input.problem import encode_problem
from dpdtree._input.rows import Rows
from dpdtree._input.validation import check_sample_weight, check_X
from dpdtree._progress import StatusLine
from dpdtree._structure import TreeStructure
from dpdtree.explorer.front import loss_of
from dpdtree.explorer.graph import splits_of
from dpdtree.explorer.rows import EncodedRows, Split

Floats = NDArray[np.float64]
#: The way to a node: feature and side of each split above it.
Place = tuple[tuple[int, str], ...]


class Refit(NamedTuple):
    """What is kept of a fit on drawn rows."""

    splits: dict[Place, Split]
    predictions: NDArray[Any]
    loss: float
    kept_loss: float
    n_leaves: int
    depth: int


@dataclass(frozen=True)
class Data:
    """The rows as they were given, and as the tree takes them."""

    passed: Rows
    encoded: EncodedRows
    targets: NDArray[Any]
    leaves: NDArray[np.int64]  # of the given tree

    @classmethod
    def of(cls, given: Any, X: Any, y: Any, sample_weight: Any) -> Data:
        """Return the rows of a fitted tree."""
        encoded = check_X(given, X, reset=False)
        size = encoded.shape[0]
        weight = sample_weight
        if weight is not None:
            weight = check_sample_weight(weight, size)
        targets = np.asarray(y).reshape(size)
        if is_classifier(given):
            codes = np.searchsorted(given.classes_, targets)
        else:
            codes = targets = targets.astype(float)
        leaves = given.tree_.apply(encoded)
        rows = EncodedRows(encoded, codes, weight)
        return cls(Rows(X, y, weight), rows, targets, leaves)


def refits(
    given: Any, data: Data, seeds: Any, threads: int, progress: bool
) -> Iterator[Refit]:
    """Yield a tree for each seed."""
    begin = perf_counter()
    jobs = Parallel(n_jobs=threads, prefer="threads", return_as="generator")
    with StatusLine("stability_report", shown=progress) as line:
        found = jobs(delayed(_fit)(given, data, int(seed)) for seed in seeds)
        for done, fit in enumerate(found):
            yield fit
            seconds = perf_counter() - begin
            if line.due(seconds):
                line.show(seconds, f"{done + 1} of {len(seeds)} fits")


def _fit(given: Any, data: Data, seed: int) -> Refit:
    size = len(data.encoded)
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(size, np.full(size, 1.0 / size))
    weight = data.encoded.weights(data.encoded.all()) * drawn
    model = clone(given).set_params(verbose=0, n_jobs=1)
    with warnings.catch_warnings():  # a class may not be drawn at all
        warnings.simplefilter("ignore")
        model.fit(data.passed.X, data.passed.y, weight)
    return Refit(
        splits=dict(_places(model.tree_)),
        predictions=model.predict(data.passed.X),
        loss=float(model.loss_),
        kept_loss=_kept_loss(given, data, weight),
        n_leaves=int(model.get_n_leaves()),
        depth=int(model.get_depth()),
    )


def _kept_loss(given: Any, data: Data, weight: Floats) -> float:
    """Mean loss of the given tree's splits, its leaves predicting for these rows."""
    loss = loss_of(given)
    # Class weights are in it.
    encoded = encode_problem(given, np.asarray(data.passed.y), weight)
    weight = weight if encoded.sample_weight is None else encoded.sample_weight
    total = float(weight.sum())
    if not loss.from_sums:
        parts = [
            loss.of_rows(data.targets[at], weight[at])
            for at in (data.leaves == leaf for leaf in np.unique(data.leaves))
        ]
        return float(sum(parts)) / total
    columns = loss.columns(replace(data.encoded, weight=weight))
    sums = np.zeros((given.tree_.node_count, columns.shape[1]))
    np.add.at(sums, data.leaves, columns)
    costs = loss.of_sums(sums[np.unique(data.leaves)])
    return float(costs[np.isfinite(costs)].sum()) / total


def _places(tree: TreeStructure) -> Iterator[tuple[Place, Split]]:
    splits = splits_of(tree)
    waiting: list[tuple[int, Place]] = [(0, ())]
    while waiting:
        node, place = waiting.pop()
        split = splits[node]
        if split is None:
            continue
        yield place, split
        for side, child in (
            ("left", tree.children_left[node]),
            ("right", tree.children_right[node]),
        ):
            waiting.append((int(child), (*place, (split.feature, side))))
