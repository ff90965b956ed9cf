"""imodels' FastSmallTreeClassifier: error + λ·leaves at any depth, proven."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.paper.peers.peer import Peer

PACKAGE, DISTRIBUTION = "imodels", "imodels"


def make(price: float, limit: float) -> Any:
    """An estimator; its first fit in a process compiles."""
    from imodels import (  # type: ignore[import-not-found,unused-ignore]
        FastSmallTreeClassifier,
    )

    return FastSmallTreeClassifier(regularization=price, time_limit=limit)


def warm_up() -> None:
    """Let it compile, so that times are those of the search."""
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 8)
    make(0.05, 60.0).fit(X, X[:, 0] ^ X[:, 1])


#: It has no depth limit, so it takes part where leaves have a price, not at a depth.
PEER = Peer(lambda _, limit: make(0.01, limit), PACKAGE, DISTRIBUTION)
