"""Perpetual: boosting without a learning rate to tune."""

from __future__ import annotations

from typing import Any

from benchmarks.paper.peers.peer import Array, Peer

PACKAGE, DISTRIBUTION = "perpetual", "perpetual"


class Booster:
    """Labels as codes, probabilities as columns."""

    def __init__(self, task: str) -> None:
        self.task = task

    def fit(self, X: Array, y: Array) -> Booster:
        """Fit on one thread."""
        import numpy as np
        from perpetual import (  # type: ignore[import-not-found,unused-ignore]
            PerpetualBooster,
        )

        objective = "LogLoss" if self.task == "classification" else "SquaredLoss"
        self.model = PerpetualBooster(objective=objective, num_threads=1)
        if self.task == "classification":
            self.classes_, y = np.unique(y, return_inverse=True)
        self.model.fit(X, y.astype(float))
        return self

    def predict(self, X: Array) -> Any:
        """Labels or values."""
        found = self.model.predict(X)
        return self.classes_[found.astype(int)] if hasattr(self, "classes_") else found

    def predict_proba(self, X: Array) -> Any:
        """Class probabilities."""
        return self.model.predict_proba(X)


PEER = Peer(lambda *_: Booster("classification"), PACKAGE, DISTRIBUTION)
