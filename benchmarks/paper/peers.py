"""Packages of the field behind one interface: make(depth, limit) → estimator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks._peers import STREED_THRESHOLDS, contree, streed
from dpdtree import DPDTreeClassifier


@dataclass(frozen=True)
class Peer:
    """One point of the comparison; `package` must be importable."""

    make: Callable[[int, float], Any]
    package: str = ""
    ours: bool = False


def _own(**arguments: Any) -> Callable[[int, float], Any]:
    fixed: dict[str, Any] = {"alpha": 0.0, "loss": "zero_one", "n_jobs": 1}
    return lambda depth, limit: DPDTreeClassifier(
        max_depth=depth, time_limit=limit, **fixed, **arguments
    )


class Licketysplit:
    """licketysplit on 0/1 columns: quantile thresholds, made here and timed."""

    def __init__(self, depth: int) -> None:
        self.depth = depth

    def fit(self, X: Any, y: Any) -> Licketysplit:
        """Binarise, then fit."""
        from licketysplit import (  # type: ignore[import-not-found,unused-ignore]
            LicketySPLITClassifier,
        )

        shares = np.linspace(0, 1, STREED_THRESHOLDS + 2)[1:-1]
        self.cuts = [np.unique(np.quantile(column, shares)) for column in X.T]
        self.model = LicketySPLITClassifier(lambda_leaf=0.0, depth_budget=self.depth)
        self.model.fit(self._binary(X), y)
        return self

    def predict(self, X: Any) -> Any:
        """Labels."""
        return self.model.predict(self._binary(X))

    def _binary(self, X: Any) -> Any:
        columns = [X[:, [f]] <= cuts for f, cuts in enumerate(self.cuts)]
        return np.hstack(columns).astype(np.uint8)


PEERS: dict[str, Peer] = {
    "CART": Peer(lambda d, _: DecisionTreeClassifier(max_depth=d, random_state=0)),
    "dpdtree greedy": Peer(_own(strategy="greedy"), ours=True),
    "dpdtree paper (7,1,1)": Peer(
        _own(strategy="paper", n_candidates=(7, 1, 1)), ours=True
    ),
    "dpdtree paper (7,7,7)": Peer(
        _own(strategy="paper", n_candidates=(7, 7, 7)), ours=True
    ),
    "dpdtree balanced": Peer(_own(strategy="balanced"), ours=True),
    "dpdtree optimal": Peer(_own(strategy="optimal"), ours=True),
    "ConTree": Peer(lambda d, limit: contree(d, limit)(), "pycontree"),
    "STreeD": Peer(lambda d, limit: streed(d, limit)(), "pystreed"),
    "licketysplit": Peer(lambda d, _: Licketysplit(d), "licketysplit"),
}


def installed(name: str) -> bool:
    """Whether the package of a peer can be imported."""
    package = PEERS[name].package
    return not package or find_spec(package) is not None
