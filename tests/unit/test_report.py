"""The record of a search."""

from __future__ import annotations

import math
from dataclasses import FrozenInstanceError, replace

import pytest

from dpdtree import FitReport

REPORT = FitReport(
    strategy="paper",
    states=1234,
    candidates=1,
    splits_searched=17,
    split_memo_hits=3,
    state_memo_hits=2,
    pruned=9,
    seconds_encode=0.001,
    seconds_solve=0.0235,
    stop_reason="completed",
)


def test_repr_and_sums():
    assert repr(REPORT) == (
        "FitReport(paper, completed in 0.0245 s: 1,234 states, 1 candidate,"
        " 17 split searches, 5 memo hits, 9 pruned)"
    )
    assert REPORT.memo_hits == 5
    assert REPORT.seconds == pytest.approx(0.0245)


def test_is_frozen():
    with pytest.raises(FrozenInstanceError):
        REPORT.states = 0


def test_trace_is_empty_unless_something_was_proven():
    assert REPORT.trace == ()


def test_repr_of_a_search_that_was_stopped():
    stopped = replace(REPORT, stop_reason="time_limit")
    assert repr(stopped).startswith(
        "FitReport(paper, stopped by time_limit after 0.0245 s: "
    )
    untimed = replace(REPORT, seconds_solve=math.nan)
    assert repr(untimed).startswith("FitReport(paper, completed: ")
