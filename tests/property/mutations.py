"""Random damage to model files and to the bytes of trees."""

from __future__ import annotations

import copy
import json
import os
import random
from collections.abc import Iterator
from typing import Any

import numpy as np

from dpdtree.io.files import checksum

JUNK: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    255,
    2**31,
    2**63,
    -(2**63),
    10**400,
    0.5,
    -0.0,
    1e308,
    "",
    "x",
    "NaN",
    "Infinity",
    "tree_",
    "DPDTreeRegressor",
    "\ud800",
    [],
    {},
    [[]],
    [0],
    {"$float": "NaN"},
    {"$array": {"dtype": "float64", "shape": [2], "data": [1, "NaN"]}},
    {"$array": {"dtype": "str", "shape": [10**12], "data": []}},
    {"$tuple": [1, 2]},
    {"$dict": [[[1], 2]]},
    {"$nothing": 1},
    {"$not_saved": "f"},
]


def how_many(default: int) -> int:
    """So many mutations, or as many as DPDTREE_FUZZ asks for."""
    return int(os.environ.get("DPDTREE_FUZZ", default))


def _places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    entries = node.items() if isinstance(node, dict) else enumerate(node)
    for key, value in entries:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from _places(value, (*path, key))


class Mutator:
    """Changes entries of a document anywhere; long arrays do not drown the rest."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        places = list(_places(document))
        self.objects = [p for p in places if isinstance(p[-1], str)]
        self.entries = [p for p in places if isinstance(p[-1], int)]

    def mutate(self, rng: random.Random) -> dict[str, Any]:
        document = copy.deepcopy(self.document)
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            chosen = self.objects if rng.random() < 0.5 else self.entries
            self._change(document, rng.choice(chosen or self.objects), rng)
        if rng.random() < 0.98:
            document["checksum"] = checksum(document)
        return document

    def _change(self, document: Any, path: tuple[Any, ...], rng: random.Random) -> None:
        parent = document
        try:
            for key in path[:-1]:
                parent = parent[key]
            old = parent[path[-1]]
            parent[path[-1]] = old
        except (KeyError, IndexError, TypeError):
            return  # an earlier change took it away
        kind = rng.randrange(6)
        if kind == 0:
            del parent[path[-1]]
        elif kind == 1 and isinstance(parent, list):
            parent.insert(path[-1], copy.deepcopy(old))
        elif kind == 2 and isinstance(parent, dict):
            parent[rng.choice(["x", "$array", "predict_", "n_outputs_", ""])] = old
        elif kind == 3 and type(old) in (int, float):
            more = rng.choice([-1, 1, 7, 0.25, 1e300])
            parent[path[-1]] = old + (more if abs(old) < 1e300 else 1)
        elif kind == 4 and isinstance(old, list) and old:
            rng.shuffle(old)
        else:
            parent[path[-1]] = copy.deepcopy(rng.choice(JUNK))


def changed_state(state: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """One entry of the state of a pickle changed; its checksum stays as it is."""
    state = dict(state)
    name = rng.choice([name for name in sorted(state) if name != "_state"])
    old = state.pop(name)
    kind = rng.randrange(5)
    if kind == 0:
        return state  # without it
    if kind == 1:
        name = rng.choice(["x", "predict_", "n_outputs_", "_state_"])
    elif kind == 2 and isinstance(old, np.ndarray) and old.size:
        old = old.copy()
        old.flat[rng.randrange(old.size)] = _another(old.flat[0], rng)
    elif kind == 3 and isinstance(old, list) and old:
        old = list(old)
        del old[rng.randrange(len(old))]
    elif kind > 1:
        old = copy.deepcopy(rng.choice(JUNK))
    return {**state, name: old}


def _another(value: Any, rng: random.Random) -> Any:
    """A value that an array of such values can hold."""
    if isinstance(value, str):
        return rng.choice(["", "x", "größe"])
    return rng.choice([0, 1, 7])


def damaged_text(text: str, rng: random.Random) -> bytes:
    """A few bytes of a file changed, dropped or added."""
    contents = bytearray(text.encode())
    for _ in range(rng.choice([1, 1, 3])):
        at = rng.randrange(len(contents))
        kind = rng.randrange(4)
        if kind == 0:
            contents[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del contents[at : at + rng.randrange(1, 30)]
        elif kind == 2:
            contents[at:at] = bytes(rng.randrange(256) for _ in range(3))
        else:
            contents[at:] = b""
        if not contents:
            break
    return bytes(contents)


def seal(contents: bytes) -> bytes:
    """Put the right checksum behind the bytes of a tree."""
    value = 0xCBF29CE484222325
    for byte in contents:
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return contents + value.to_bytes(8, "little")


def dumped(document: Any) -> str:
    return json.dumps(document)
