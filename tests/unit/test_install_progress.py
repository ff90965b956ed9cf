"""What `make` shows while the core is compiled."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LINES = [
    "Processing /project\n",
    "  *** Building project with Ninja...\n",
    *(f"  [{i}/20] Building CXX object x{i}.o\n" for i in range(1, 21)),
    "  -- Installing: _core.so\n",
]


@pytest.fixture(scope="module")
def tool():
    path = ROOT / "tools" / "install.py"
    spec = importlib.util.spec_from_file_location("install", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_steps_are_those_that_ninja_counts(tool):
    assert list(tool.steps(LINES)) == [(i, 20) for i in range(1, 21)]


def test_a_terminal_sees_one_line(tool):
    shown = list(tool.progress(tool.steps(LINES), rewrite=True))
    assert shown[0] == "\r  compiling: 1 of 20 files"
    assert shown[-2] == "\r  compiling: 20 of 20 files"
    assert not any("\n" in text for text in shown)


def test_a_log_sees_a_line_per_tenth(tool):
    shown = list(tool.progress(tool.steps(LINES), rewrite=False))
    assert len(shown) == 11
    assert all(text.endswith("\n") for text in shown)
    assert shown[-1] == "  compiling: 20 of 20 files\n"


def test_nothing_to_compile(tool):
    assert list(tool.progress([], rewrite=False)) == []
