"""This package: the tree of least training error that each strategy finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.paper.peers.peer import Peer
from dpdtree import DPDTreeClassifier


def _make(**arguments: Any) -> Callable[[int, float], DPDTreeClassifier]:
    fixed: dict[str, Any] = {"alpha": 0.0, "loss": "zero_one", "n_jobs": 1}
    # Without a limit, as by default: all of these end. With one, shallower trees are
    # searched first, so as to have one early.
    return lambda depth, _: DPDTreeClassifier(max_depth=depth, **fixed, **arguments)


PEERS = {
    "dpdtree greedy": {"strategy": "greedy"},
    "dpdtree paper (7,1,1)": {"strategy": "paper", "n_candidates": (7, 1, 1)},
    "dpdtree paper (7,7,7)": {"strategy": "paper", "n_candidates": (7, 7, 7)},
    "dpdtree balanced": {"strategy": "balanced"},
    "dpdtree optimal": {"strategy": "optimal"},
}
OWN = {name: Peer(_make(**given), ours=True) for name, given in PEERS.items()}
