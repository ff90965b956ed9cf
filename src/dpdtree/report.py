"""What a fit did: the record behind `report_`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FitReport:
    """How the search went.

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
    seconds_encode: float
    seconds_solve: float
    stop_reason: str
    trace: tuple[tuple[float, float, float], ...] = ()

    @property
    def memo_hits(self) -> int:
        """Hits of both memos together."""
        return self.split_memo_hits + self.state_memo_hits

    @property
    def seconds(self) -> float:
        """Time spent in the core."""
        return self.seconds_encode + self.seconds_solve

    def __repr__(self) -> str:
        return (
            f"FitReport({self.strategy}, {self.stop_reason} in {self.seconds:.3g} s:"
            f" {_count(self.states, 'state')},"
            f" {_count(self.candidates, 'candidate')},"
            f" {_count(self.splits_searched, 'split search', 'es')},"
            f" {_count(self.memo_hits, 'memo hit')}, {self.pruned:,} pruned)"
        )


def _count(number: int, noun: str, plural: str = "s") -> str:
    return f"{number:,} {noun}{'' if number == 1 else plural}"
