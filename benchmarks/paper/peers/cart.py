"""scikit-learn's CART."""

from __future__ import annotations

from sklearn.tree import DecisionTreeClassifier

from benchmarks.paper.peers.peer import Peer

PEER = Peer(lambda depth, _: DecisionTreeClassifier(max_depth=depth, random_state=0))
