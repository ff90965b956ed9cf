"""CatBoost as it comes, on one thread."""

from __future__ import annotations

from typing import Any

from benchmarks.paper.peers.peer import Peer

PACKAGE, DISTRIBUTION = "catboost", "catboost"


def make(**settings: Any) -> Any:
    """A classifier that prints and writes nothing."""
    from catboost import CatBoostClassifier

    quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
    return CatBoostClassifier(random_seed=0, **quiet, **settings)


PEER = Peer(lambda *_: make(), PACKAGE, DISTRIBUTION)
