"""What a boosted fit is made of: rows, targets, a session that is ready."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpdtree._input.rows import Rows

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample(Rows):
    """Rows: y has a column per output if there are several; so has `init`, always."""

    init: Array | None = None  # scores to start from

    def n_rows(self) -> int:
        """Return how many rows there are; whole weights count as so many rows."""
        if self.weight is None:
            return len(self.y)
        whole = np.array_equal(self.weight, np.floor(self.weight))
        return int(self.weight.sum() if whole else np.count_nonzero(self.weight))

    def take(self, index: NDArray[Any]) -> Sample:
        """Return some of the rows, by a mask or by their numbers."""
        init = None if self.init is None else self.init[index]
        return replace(super().take(index), init=init)

    def output(self, k: int) -> Sample:
        """Return the rows with one of several outputs."""
        init = None if self.init is None else np.ascontiguousarray(self.init[:, [k]])
        return Sample(self.X, np.ascontiguousarray(self.y[:, k]), self.weight, init)


class Target(NamedTuple):
    """Encoded targets, as the core takes them, and what encoding has found."""

    y: Array
    n_classes: int
    weight: Array | None
    fitted: dict[str, Any]

    @property
    def n_scores(self) -> int:
        """Raw scores of a row."""
        if self.y.ndim == 2:
            return int(self.y.shape[1])
        return 1 if self.n_classes == 2 else max(1, self.n_classes)

    @property
    def are_classes(self) -> bool:
        """Whether they are labels."""
        return "classes_" in self.fitted


class Opened(NamedTuple):
    """A session that is ready to run, and what it was made of."""

    session: Any  # see sessions.py
    train: Sample
    held_out: Sample | None
    target: Target
    stops_early: bool
    seed: int
    settings: dict[str, Any]  # what "auto" stands for
    sets: Mapping[str, Sample] = MappingProxyType({})  # to watch
