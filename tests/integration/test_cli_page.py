"""The page on the command line shows what the commands print."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from dpdtree.cli.app import main
from tests.integration.cli import dpdtree

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text()


def sessions() -> list[tuple[str, str]]:
    """All commands in console blocks, each with what is printed below it."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, printed = part.partition("\n")
            found.append((command, printed.strip("\n")))
    return found


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    same = doctest.OutputChecker().check_output
    names = set()
    for command, expected in sessions():
        program, _, arguments = command.partition(" ")
        if program == "python":
            exec(shlex.split(arguments)[1])
            continue
        names.add(arguments.partition(" ")[0])
        result = dpdtree(arguments, folder=tmp_path)
        # In a terminal both would be seen, in this order.
        parts = [result.out, result.err] if result.code else [result.err, result.out]
        printed = "".join(parts).strip("\n")
        assert same(expected, printed, doctest.ELLIPSIS), f"{command}\n{printed}"
    assert names == {"fit", "predict", "evaluate", "path", "export"}


def test_the_page_knows_all_commands() -> None:
    for name in main.commands:
        assert f"`dpdtree {name}" in PAGE
