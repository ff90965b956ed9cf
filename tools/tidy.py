"""Run clang-tidy over the core, some files at a time; .clang-tidy says what it checks.

    python tools/tidy.py clang-tidy [BUILD]

BUILD is a folder with compile_commands.json; by default the newest one below build/.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATABASE = "compile_commands.json"


def newest_build(root: Path) -> Path:
    """Return the folder of the newest database of compile commands."""
    found = sorted(root.glob(f"build/*/{DATABASE}"), key=lambda p: p.stat().st_mtime)
    if not found:
        sys.exit(f"No build/*/{DATABASE}: build the package first (make test).")
    return found[-1].parent


def core_files(build: Path, root: Path) -> list[str]:
    """Return the compiled files of the core, in order."""
    entries = json.loads((build / DATABASE).read_text())
    core = root / "cpp"
    return sorted({e["file"] for e in entries if core in Path(e["file"]).parents})


def tidy(program: str, build: Path, file: str) -> str:
    """Return what clang-tidy has to say about a file; nothing if all is well."""
    command = [program, "-p", str(build), "--quiet", file]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return done.stdout or done.stderr or f"{file}: clang-tidy failed"


def main(arguments: Sequence[str]) -> int:
    """Check all files; the exit code says whether there was anything to say."""
    program = arguments[0]
    build = Path(arguments[1]) if len(arguments) > 1 else newest_build(ROOT)
    files = core_files(build, ROOT)
    if not files:
        sys.exit(f"{build / DATABASE} names no file of cpp/.")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda f: tidy(program, build, f), files))
    faults = [text for text in found if text]
    print("\n".join(faults) or f"clang-tidy: {len(files)} files are clean.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
