"""licketysplit: near-optimal trees on 0/1 columns."""

from __future__ import annotations

from typing import Any

from benchmarks.paper.peers.peer import OnBinaryColumns, Peer


def make(depth: int, price: float = 0.0) -> Any:
    """An estimator of 0/1 columns; the price is that of a leaf, per row."""
    from licketysplit import (  # type: ignore[import-not-found,unused-ignore]
        LicketySPLITClassifier,
    )

    return LicketySPLITClassifier(lambda_leaf=price, depth_budget=depth)


PEER = Peer(
    lambda depth, _: OnBinaryColumns(lambda: make(depth)),
    "licketysplit",
    "licketysplit",
)
