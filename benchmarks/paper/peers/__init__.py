"""Packages of the field behind one interface, a file each.

Adding one: a file with a `PEER`, and its line below.
"""

from __future__ import annotations

from benchmarks.paper.peers import (
    cart,
    catboost,
    contree,
    fast_small_tree,
    gosdt,
    licketysplit,
    own,
    perpetual,
    praxis,
    streed,
)
from benchmarks.paper.peers.peer import Peer

#: Trees of a given depth.
PEERS: dict[str, Peer] = {
    "CART": cart.PEER,
    **own.OWN,
    "ConTree": contree.PEER,
    "STreeD": streed.PEER,
    "GOSDT": gosdt.PEER,
    "licketysplit": licketysplit.PEER,
    "tree-praxis": praxis.PEER,
}
#: Trees whose leaves have a price, and boosters.
OTHERS: dict[str, Peer] = {
    "FastSmallTree": fast_small_tree.PEER,
    "perpetual": perpetual.PEER,
    "CatBoost": catboost.PEER,
}
EVERY = PEERS | OTHERS


def installed(name: str) -> bool:
    """Whether the package of a peer can be imported."""
    return EVERY[name].installed()


def peer(name: str) -> Peer:
    """A peer that is installed; a `MissingPeerError` otherwise."""
    return EVERY[name].demand()


def missing() -> list[str]:
    """The peers that are not installed here."""
    return [name for name in EVERY if not installed(name)]


def versions(*names: str) -> dict[str, str]:
    """Versions of those of them that are installed, by name."""
    found = {name: EVERY[name] for name in names if installed(name)}
    return {name: peer.version() for name, peer in found.items() if peer.distribution}
