"""tree-praxis: the set of good trees on 0/1 columns, of which the best is taken."""

from __future__ import annotations

from typing import Any

from benchmarks.paper.peers.peer import Array, OnBinaryColumns, Peer


class BestOfSet:
    """The tree of least objective in a set that holds little else."""

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def fit(self, X: Array, y: Array) -> BestOfSet:
        """Enumerate the trees no worse than the best one found."""
        from praxis import PRAXIS  # type: ignore[import-not-found,unused-ignore]

        self.model = PRAXIS()
        self.model.fit(X, y, lambda_reg=0.0, depth_budget=self.depth, rashomon_mult=0.0)
        return self

    def predict(self, X: Array) -> Any:
        """Labels of the first tree: the set is sorted by objective."""
        return self.model.get_predictions(0, X)


PEER = Peer(
    lambda depth, _: OnBinaryColumns(lambda: BestOfSet(depth)), "praxis", "tree-praxis"
)
