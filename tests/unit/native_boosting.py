"""Sessions of the boosting core on made-up rows."""

from __future__ import annotations

import numpy as np

from dpdtree import _core


def params(**changes) -> _core.BoostingParams:
    p = _core.BoostingParams()
    for name, value in changes.items():
        setattr(p, name, value)
    return p


def regression(n=400, p=5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, X[:, 0] * X[:, 1] + np.abs(X[:, 2]) + rng.normal(0, 0.1, n)


def session_of(X, y, n=5, n_classes=0, weight=None, **changes):
    session = _core.BoostingSession(X, y, weight, n_classes, params(**changes))
    session.run(n)
    return session
