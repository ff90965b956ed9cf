"""Every strategy against a brute-force oracle in C++, on thousands of tiny problems.

`tests/fuzz` is built as a program of its own and installed beside the package by the
Makefile. `make fuzz` runs more of the same.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import dpdtree

PROGRAM = Path(dpdtree.__file__).parent / "dpdtree_fuzz"


def run(seed: int, cases: int) -> str:
    """What the program prints; a finding is Python that shows it."""
    if not PROGRAM.exists():
        pytest.skip("dpdtree_fuzz is not installed; `make test` builds it")
    arguments = [str(PROGRAM), "--seed", str(seed), "--cases", str(cases)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.native
def test_some_problems() -> None:
    assert run(seed=0, cases=2_000).startswith("seed 0\n2000 cases")


def test_many_problems() -> None:
    assert ", 0 failures" in run(seed=1, cases=30_000)
