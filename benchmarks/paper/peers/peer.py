"""What a peer is, and the 0/1 columns that most of them need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

#: Thresholds per feature for packages that know only 0/1 columns.
THRESHOLDS = 10


class MissingPeerError(Exception):
    """A cell asks for a package that is not installed."""


@dataclass(frozen=True)
class Peer:
    """A package behind one interface: make(depth, limit) → estimator.

    `package` is what must be importable, `distribution` what pip installs.
    """

    make: Callable[[int, float], Any]
    package: str = ""
    distribution: str = ""
    ours: bool = False

    def installed(self) -> bool:
        """Whether it can be imported."""
        return not self.package or find_spec(self.package) is not None

    def demand(self) -> Peer:
        """Itself, if it is installed."""
        if not self.installed():
            raise MissingPeerError(f"{self.distribution} is not installed")
        return self

    def version(self) -> str:
        """Its version, "" for those without a distribution of their own."""
        return version(self.distribution) if self.distribution else ""


class QuantileColumns:
    """Turns a matrix into columns `feature ≤ quantile`."""

    def fit(self, X: Array) -> QuantileColumns:
        """Choose the thresholds."""
        shares = np.linspace(0, 1, THRESHOLDS + 2)[1:-1]
        self.cuts = [np.unique(np.quantile(column, shares)) for column in X.T]
        return self

    def transform(self, X: Array) -> Array:
        """The columns of these rows."""
        columns = [X[:, [f]] <= cuts for f, cuts in enumerate(self.cuts)]
        return np.hstack(columns).astype(np.uint8)


class OnBinaryColumns:
    """An estimator of 0/1 columns, made and fitted on quantile columns.

    Making the columns is part of the fit, and of its time.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self.make = make

    def fit(self, X: Array, y: Array) -> OnBinaryColumns:
        """Make the columns, then fit."""
        self.columns = QuantileColumns().fit(X)
        self.model = self.make()
        self.model.fit(self.columns.transform(X), y)
        return self

    def predict(self, X: Array) -> Array:
        """Labels."""
        return np.asarray(self.model.predict(self.columns.transform(X)))

    def score(self, X: Array, y: Array) -> float:
        """Accuracy."""
        return float(np.mean(self.predict(X) == y))
