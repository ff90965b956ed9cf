"""The command `dpdtree`; it needs the extra `cli`, except for the demonstration."""

from __future__ import annotations

import sys
from importlib.util import find_spec


def main() -> None:
    """Run the command line and exit with its code."""
    missing = [name for name in ("click", "pyarrow") if find_spec(name) is None]
    if missing and sys.argv[1:] == ["demo"]:
        from dpdtree.demo import main as demo

        demo()
        return
    if missing:
        sys.exit(
            f"The command line needs {' and '.join(missing)}:"
            " pip install 'dpdtree[cli]'. Only `demo` works without."
        )
    try:
        from dpdtree.cli.app import run_process
    except KeyboardInterrupt:  # while libraries are loaded, which takes a second
        sys.exit(130)
    sys.exit(run_process())
