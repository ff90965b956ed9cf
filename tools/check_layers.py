"""Check that includes of the C++ sources point only downwards.

Rooms are listed from the lowest to the highest. A file may include files of its own
room and of lower ones; `cpp/` knows no Python. Prints each include that does not
comply and exits with 1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOMS = (
    "base",
    "simd",
    "data",
    "tree",
    "loss",
    "node",
    "split",
    "hist",
    "plan",
    "prove",
    "search",
    "boost",
    "api",
    "bindings",
)
#: Neighbours that do not know each other.
APART = {"split", "hist"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
PYTHON = ("Python.h", "nanobind/", "pybind11/")


def room_of(path: str) -> str | None:
    """Return the room a path relative to cpp/ or to the project root lies in."""
    parts = Path(path).parts
    first = parts[1] if parts[0] == "cpp" and len(parts) > 1 else parts[0]
    return first if first in ROOMS else None


def check_file(name: str, text: str) -> Iterator[str]:
    """Yield a message for each include of a file that it must not have."""
    room = room_of(name)
    if room is None:
        yield f"{name}: lies in no known room ({', '.join(ROOMS)})"
        return
    for quote, target in INCLUDE.findall(text):
        if room != "bindings" and target.startswith(PYTHON):
            yield f"{name}: includes {target}, but the core knows no Python"
        if quote == "<":
            continue
        other = room_of(target) if "/" in target else None
        if other is None:
            if room != "bindings":
                yield f'{name}: write "{target}" as "<room>/<file>"'
        elif ROOMS.index(other) > ROOMS.index(room):
            yield f"{name}: includes {target}, which lies above {room}"
        elif room != other and {room, other} == APART:
            yield f"{name}: includes {target}, but {room} and {other} are neighbours"


def check_tree(root: Path) -> list[str]:
    """Return the messages of all C++ files of the project."""
    files = sorted(p for d in ("cpp", "bindings") for p in (root / d).rglob("*.?pp"))
    return [
        message
        for path in files
        for message in check_file(str(path.relative_to(root)), path.read_text())
    ]


def main() -> int:
    """Check the project this script belongs to."""
    messages = check_tree(Path(__file__).resolve().parent.parent)
    print("\n".join(messages) or "C++ includes point downwards.")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
