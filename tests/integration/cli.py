"""Ways to run the command line, and a table for it."""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from dpdtree.cli.app import run

#: What a terminal would be told is left out: the tests have none.
ENVIRONMENT = {**os.environ, "PYTHONWARNINGS": "error", "NO_COLOR": "1"}


COMMAND = [sys.executable, "-m", "dpdtree"]


class Result(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def dpdtree(command: str, *more: Any, folder: Path, stdin: bytes = b"") -> Result:
    """Run a command in this process, which is fast, and return what it said."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    given = io.TextIOWrapper(_Pipe(io.BytesIO(stdin)), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("DPDTREE_TRACEBACK", "")
        for name, stream in (("stdin", given), ("stdout", out), ("stderr", err)):
            patch.setattr(sys, name, stream)
        code = run([*shlex.split(command), *map(str, more)])
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return Result(code, *texts)


class _Pipe(io.BufferedReader):
    """A stream without a way back, as that of a pipe."""

    def seekable(self) -> bool:
        return False


def process(command: str, *, folder: Path, **settings: Any) -> Result:
    """Run a command in a process of its own, as users do."""
    settings.setdefault("env", ENVIRONMENT)
    done = subprocess.run(
        [*COMMAND, *shlex.split(command)],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
        **settings,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def rows(n: int = 300, seed: int = 0) -> str:
    """A table of numbers, text, missing values, labels and prices."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, n)
    job = rng.choice(["clerk", "nurse", "pilot"], n)
    income = rng.uniform(10, 90, n).round(2)
    label = np.where((age > 45) & (job != "pilot"), "yes", "no")
    lines = ["id,age,job,income,label,price"]
    for i in range(n):
        shown = "" if i % 9 == 0 else f"{age[i]}"
        price = float(age[i]) / 3 + income[i]
        lines.append(f"{i:05d},{shown},{job[i]},{income[i]},{label[i]},{price:.3f}")
    return "\n".join(lines) + "\n"


def data_folder(folder: Path) -> Path:
    """Write the table, and a model of its labels, into a folder."""
    (folder / "data.csv").write_text(rows())
    command = "fit data.csv --target label -o model.json --drop id --drop price"
    result = dpdtree(command, folder=folder)
    assert result.code == 0, result.err
    return folder
