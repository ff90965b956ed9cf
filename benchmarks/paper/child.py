"""The process of one cell: `python -m benchmarks.paper.child PIECE CELL`."""

from __future__ import annotations

import json
import math
import os
import sys
import warnings
from pathlib import Path
from typing import Any

from benchmarks.paper.peers.peer import MissingPeerError
from benchmarks.paper.pieces import PIECES
from benchmarks.paper.runner import ABSENT, ANSWER


def plain(value: Any) -> Any:
    """Plain JSON: NumPy numbers as Python's, what is not a number as null."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def main() -> None:
    """Measure and write the answer."""
    name, cell = sys.argv[1], json.loads(sys.argv[2])
    warnings.simplefilter("ignore")  # of peers and rare classes
    try:
        value = PIECES[name].run(**cell)
    except MissingPeerError as error:
        print(error, file=sys.stderr)
        sys.exit(ABSENT)
    Path(os.environ[ANSWER]).write_text(json.dumps(plain(value)), encoding="utf-8")


if __name__ == "__main__":
    main()
