"""Runs cells, each in a process of its own with a time limit; shows how far it is."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks._data import PROJECT_ROOT
from benchmarks.paper.piece import (
    DONE,
    FAILED,
    NOT_INSTALLED,
    TIMED_OUT,
    Cell,
    Outcome,
    Piece,
    key_of,
)
from benchmarks.paper.store import PieceStore

#: Where the child writes its answer: stdout belongs to whatever the cell prints.
ANSWER = "DPDTREE_PAPER_ANSWER"
#: How the child ends when a peer is not installed.
ABSENT = 77
#: A limit is one of processor seconds; a cell that waits may take longer by the clock.
PATIENCE = 4.0


def run_cell(piece: str, cell: Cell, limit: float, answer: Path) -> Outcome:
    """Measure one cell in a child process; never raises for what happens there."""
    command = [sys.executable, "-m", "benchmarks.paper.child", piece, json.dumps(cell)]
    environment = os.environ | {ANSWER: str(answer)}
    answer.unlink(missing_ok=True)
    start = time.perf_counter()
    child = subprocess.Popen(
        command,
        cwd=PROJECT_ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # a limit ends its children, too
    )
    try:
        errors = _wait(child, limit)
    except BaseException:  # Ctrl-C: leave nothing running
        _end(child)
        raise
    seconds = time.perf_counter() - start
    if errors is None:
        _end(child)
        return Outcome(cell, TIMED_OUT, seconds, reason=f"no result within {limit:g} s")
    if child.returncode != 0:
        status = NOT_INSTALLED if child.returncode == ABSENT else FAILED
        reason = _last_line(errors, child.returncode)
        return Outcome(cell, status, seconds, reason=reason)
    value = json.loads(answer.read_text(encoding="utf-8"))
    answer.unlink()
    return Outcome(cell, DONE, seconds, value)


def _wait(child: subprocess.Popen[str], limit: float) -> str | None:
    """What it wrote to stderr, or None if it is late.

    The system's own limit of processor time would make the child's clock coarse.
    """
    start = time.perf_counter()
    spent = 0.0
    while spent < limit:
        with suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=min(limit, 1.0))[1]
        waited = (time.perf_counter() - start) / PATIENCE
        spent = max(_processor_seconds(child.pid), waited)
    return None


def _processor_seconds(pid: int) -> float:
    """Of a process and the children it has waited for; 0 where that is unknown."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    ticks = text.rpartition(")")[2].split()[11:15]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def _end(child: subprocess.Popen[str]) -> None:
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()


def _last_line(errors: str, code: int) -> str:
    lines = [line for line in errors.strip().splitlines() if line.strip()]
    return lines[-1][:300] if lines else f"ended with code {code}"


class Progress:
    """One line that says what runs, which cell of how many, and the time left."""

    def __init__(self, total: int, write: Callable[[str], Any] | None = None) -> None:
        self.total, self.done = total, 0
        self.start = time.perf_counter()
        self.write = write or (lambda text: print(text, file=sys.stderr, flush=True))

    def finished(self, piece: str, outcome: Outcome) -> None:
        """Say that a cell has ended, and how."""
        self.done += 1
        spent = time.perf_counter() - self.start
        left = spent / self.done * (self.total - self.done)
        what = f"[{self.done}/{self.total}] {piece}: {key_of(outcome.cell)}"
        how = f"{outcome.status} in {outcome.seconds:.1f} s"
        if outcome.reason:
            how += f" ({outcome.reason})"
        self.write(f"{what} – {how}; about {duration(left)} left")


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def run_piece(
    piece: Piece,
    cells: Sequence[Cell],
    store: PieceStore,
    progress: Progress,
    jobs: int,
) -> None:
    """Measure the missing cells of a piece; every finished one is kept at once."""
    todo = store.missing(cells)
    answers = store.path.parent / ".answers"
    answers.mkdir(parents=True, exist_ok=True)

    def measure(index: int) -> Outcome:
        answer = answers / f"{piece.name}-{os.getpid()}-{index}.json"
        return run_cell(piece.name, todo[index], piece.limit, answer)

    with ThreadPoolExecutor(jobs if piece.together else 1) as pool:
        try:
            for outcome in pool.map(measure, range(len(todo))):
                store.add(outcome, piece.limit)
                progress.finished(piece.name, outcome)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
