"""STreeD: optimal trees on binary features, which it makes itself."""

from __future__ import annotations

from benchmarks._peers import streed
from benchmarks.paper.peers.peer import Peer

PEER = Peer(lambda depth, limit: streed(depth, limit)(), "pystreed", "pystreed")
