"""What a fit on a cluster has cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class DaskReport:
    """How a fit on a cluster went.

    Attributes
    ----------
    rounds : int
        How often all blocks were asked something.
    blocks : int
        Partitions of the data, those of validation data included.
    bytes : int
        Bytes that came back to the client.
    code_bytes : int
        Bytes that the workers sent to the one that searched the tree: about one per
        value; 0 if the search came to the rows.
    search_rounds : int
        Rounds of the search alone; 0 if one worker has searched.
    search_bytes : int
        Bytes that came back to the client in them.
    lost_workers : int
        Workers that were there at some time of the fit, but not at its end.
    fit : FitReport or None
        The report of the tree's search; None for boosting.
    """

    rounds: int
    blocks: int
    bytes: int
    code_bytes: int
    search_rounds: int
    search_bytes: int
    lost_workers: int
    fit: Any = None
