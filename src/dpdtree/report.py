"""What a fit did: the record behind `report_`."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FitReport:
    """How the search went.

    Equal fits take different times, so seconds count neither for equality nor for
    pickles: they are NaN in a report that was pickled, and `joblib.hash` of equal fits
    is the same.

    Attributes
    ----------
    strategy : str
        The strategy that was run.
    states : int
        States (subset of rows, depth) whose value was computed.
    candidates : int
        Candidate splits that were followed.
    splits_searched : int
        Searches for the best split of a set of rows.
    split_memo_hits, state_memo_hits : int
        Searches and states whose result was known already.
    pruned : int
        Candidates given up because their bound could not beat the best one.
    seconds_encode, seconds_solve : float
        Time spent on encoding the columns and on the search.
    stop_reason : {"completed", "time_limit", "callback"}
        Why the search ended.
    trace : tuple of (seconds, objective, lower_bound)
        How far a proof had come when: the anytime curve. Empty for the strategies
        that prove nothing.
    """

    strategy: str
    states: int
    candidates: int
    splits_searched: int
    split_memo_hits: int
    state_memo_hits: int
    pruned: int
    seconds_encode: float = field(compare=False)
    seconds_solve: float = field(compare=False)
    stop_reason: str
    trace: tuple[tuple[float, float, float], ...] = field(default=(), compare=False)

    def __getstate__(self) -> dict[str, Any]:
        untimed = tuple((math.nan, *bounds) for _, *bounds in self.trace)
        timed = {"seconds_encode": math.nan, "seconds_solve": math.nan}
        return {**vars(self), **timed, "trace": untimed}

    def __deepcopy__(self, memo: object) -> FitReport:
        return self  # never changes, and keeps its seconds

    @property
    def memo_hits(self) -> int:
        """Hits of both memos together."""
        return self.split_memo_hits + self.state_memo_hits

    @property
    def seconds(self) -> float:
        """Time spent in the core."""
        return self.seconds_encode + self.seconds_solve

    def __repr__(self) -> str:
        ended = "completed in"
        if self.stop_reason != "completed":
            ended = f"stopped by {self.stop_reason} after"
        if math.isnan(self.seconds):
            ended = ended.rpartition(" ")[0]
        else:
            ended = f"{ended} {self.seconds:.3g} s"
        return (
            f"FitReport({self.strategy}, {ended}:"
            f" {_count(self.states, 'state')},"
            f" {_count(self.candidates, 'candidate')},"
            f" {_count(self.splits_searched, 'split search', 'es')},"
            f" {_count(self.memo_hits, 'memo hit')}, {self.pruned:,} pruned)"
        )


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number:,} {noun}{'' if number == 1 else plural}"
