"""The command `dpdtree`; it needs the extra `cli`, except for the demonstration."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
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
    code = run_process()
    if code:
        # A reader that was not read to its end has a thread that still calls Python,
        # which aborts the process while the interpreter is taken down.
        with suppress(OSError):  # a pipe that nobody reads any more
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
