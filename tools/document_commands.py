"""Write what the commands of docs/command-line.md print, from running them.

    python tools/document_commands.py

Each console block has commands behind "$"; what follows is replaced. Seconds, and long
tables, are shortened to "...".
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "command-line.md"
BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=\n```)", re.DOTALL)


def commands(block: str) -> list[str]:
    """Return the commands of a console block."""
    return [line.removeprefix("$ ") for line in block.splitlines() if line[:2] == "$ "]


def printed(command: str, folder: Path) -> str:
    """Run a command; return what a terminal would show."""
    program, *arguments = shlex.split(command)
    module = [] if program == "python" else ["-m", program]
    done = subprocess.run(
        [sys.executable, *module, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    parts = (
        [done.stdout, done.stderr] if done.returncode else [done.stderr, done.stdout]
    )
    text = "".join(parts).strip("\n")
    return re.sub(r"\d+\.\d\d s$", "... s", text, flags=re.MULTILINE)


def shortened(text: str) -> str:
    """Leave the middle of a long list of columns out, and the end of predictions."""
    lines = text.splitlines()
    if text.startswith("column ") and len(lines) > 10:
        lines[3:-4] = ["..."]
    elif "prediction" in text.partition("\n")[0] and len(lines) > 10:
        lines[3:] = ["..."]
    return "\n".join(lines)


def documented(page: str) -> str:
    """Return the page with fresh output."""
    with tempfile.TemporaryDirectory() as folder:

        def fresh(block: re.Match[str]) -> str:
            parts = []
            for command in commands(block[1]):
                parts.append(f"$ {command}")
                parts.append(shortened(printed(command, Path(folder))))
            return "\n".join(part for part in parts if part) + "\n"

        return BLOCK.sub(fresh, page)


if __name__ == "__main__":
    PAGE.write_text(documented(PAGE.read_text()))
