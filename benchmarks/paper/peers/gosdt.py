"""GOSDT: error + λ·leaves on 0/1 columns; λ is one row, the least it allows."""

from __future__ import annotations

import json
import math
from typing import Any

from benchmarks.paper.peers.peer import Array, OnBinaryColumns, Peer

#: Said when the limit has passed before there was any tree.
NO_TREE = "GOSDT found no tree within its limit."


class Gosdt:
    """An estimator of 0/1 columns; a price below one row counts as one row."""

    def __init__(self, depth: int, limit: float, price: float = 0.0) -> None:
        self.depth, self.limit, self.price = depth, limit, price

    def fit(self, X: Array, y: Array) -> Gosdt:
        """Search until the limit, which needs not have found a tree."""
        from gosdt import (  # type: ignore[import-not-found,unused-ignore]
            GOSDTClassifier,
        )

        self.model = GOSDTClassifier(
            regularization=max(self.price, 1 / len(y)),
            depth_budget=self.depth,
            time_limit=math.ceil(self.limit),
        )
        try:
            self.model.fit(X.astype(bool), y)
        except json.JSONDecodeError as error:  # it reads a model that is not there
            raise RuntimeError(NO_TREE) from error
        return self

    def predict(self, X: Array) -> Any:
        """Labels, from its tree: `predict` itself fails with scikit-learn 1.6 on."""
        return self.model.trees_[0].predict(X)


def make(depth: int, limit: float, price: float = 0.0) -> OnBinaryColumns:
    """The same on any matrix."""
    return OnBinaryColumns(lambda: Gosdt(depth, limit, price))


PEER = Peer(make, "gosdt", "gosdt")
