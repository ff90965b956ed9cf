"""`python -m benchmarks paper`: the paper's tables and figures, ours beside them."""

from __future__ import annotations

import sys

from benchmarks.paper.command import main

if __name__ == "__main__":
    if sys.argv[1:2] != ["paper"]:
        sys.exit(
            "usage: python -m benchmarks paper [--only PIECE …] [--quick] [--list]"
        )
    sys.exit(main(sys.argv[2:]))
