"""Build and install the package with pip, and show how far the compiler is.

    python tools/install.py ".[test]"

pip says nothing during a build, or everything. This shows one line that counts the
compiled files (in a log, ten lines), and all of pip's output if the build fails.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator

STEP = re.compile(r"^\s*\[(\d+)/(\d+)\]\s")
PIP = ("-m", "pip", "--disable-pip-version-check", "install", "--verbose")


def steps(lines: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Yield (done, all) for each line that Ninja counts."""
    for line in lines:
        if found := STEP.match(line):
            yield int(found[1]), int(found[2])


def progress(counts: Iterable[tuple[int, int]], *, rewrite: bool) -> Iterator[str]:
    """Yield what to print: always the same line anew, or a line for each tenth."""
    shown = -1
    for done, total in counts:
        text = f"  compiling: {done} of {total} files"
        if rewrite:
            yield f"\r{text}"
        elif done * 10 // total > shown:
            shown = done * 10 // total
            yield f"{text}\n"
    if rewrite:
        yield "\r\033[K"


def install(arguments: Iterable[str]) -> int:
    """Run pip with these arguments; return its exit code."""
    command = [sys.executable, *PIP, "--no-build-isolation", *arguments]
    log: list[str] = []

    def kept(lines: Iterable[str]) -> Iterator[str]:
        for line in lines:
            log.append(line)
            yield line

    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None
        counts = steps(kept(pip.stdout))
        for text in progress(counts, rewrite=sys.stdout.isatty()):
            print(text, end="", flush=True)
    if pip.returncode != 0:
        sys.stderr.writelines(log)
    return pip.returncode


if __name__ == "__main__":
    sys.exit(install(sys.argv[1:]))
