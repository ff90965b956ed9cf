"""ConTree: optimal trees on continuous features."""

from __future__ import annotations

from benchmarks._peers import contree
from benchmarks.paper.peers.peer import Peer

PEER = Peer(lambda depth, limit: contree(depth, limit)(), "pycontree", "pycontree")
