"""What `verbose` shows while a fit goes on: its stage, and what a proof has reached."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from time import perf_counter
from typing import Any, Protocol, TypeAlias, TypeVar

#: Seconds between two updates; a shorter fit shows none.
INTERVAL = 0.5
#: Lines that stay are further apart the longer it takes: by this share of the time.
STRETCH = 0.1

#: Told (seconds, stage, share of the stage that is done) while a tree is searched.
Beat: TypeAlias = Callable[[float, str, float], None]

_outer: ContextVar[Beat | None] = ContextVar("heartbeat", default=None)
_reported: ContextVar[bool] = ContextVar("reported", default=True)


@contextmanager
def watched_by(heartbeat: Beat) -> Iterator[None]:
    """Let the fits of this thread that belong to a larger one report to it."""
    token = _outer.set(heartbeat)
    try:
        yield
    finally:
        _outer.reset(token)


def outer_watcher() -> Beat | None:
    """Return whom a larger fit has told to watch, if there is one."""
    return _outer.get()


@contextmanager
def without_reports() -> Iterator[None]:
    """Let the fits of this thread show how far they are, but not what they counted."""
    token = _reported.set(False)
    try:
        yield
    finally:
        _reported.reset(token)


def print_report(name: str, report: object) -> None:
    """Print what a fit has counted, unless someone else says how it went."""
    if _reported.get():
        print(f"[{name}] {report!r}")


class Display(Protocol):
    """A place for one line of text that changes from time to time."""

    def show(self, line: str) -> None: ...
    def close(self) -> None: ...


class Lines:
    """One line below the other: for logs, pipes and bare terminals."""

    stays = True

    def show(self, line: str) -> None:
        """Print the line."""
        print(line, flush=True)

    def close(self) -> None:
        """Nothing to put away."""


class RichStatus:
    """A line with a spinner that changes in place, by rich."""

    def __init__(self, console: Any) -> None:
        self._status = console.status("", spinner="dots")

    def show(self, line: str) -> None:
        """Start the spinner with the first line, then change its text."""
        from rich.text import Text

        self._status.update(Text(line))
        self._status.start()

    def close(self) -> None:
        """Remove the line."""
        self._status.stop()


class TqdmLine:
    """A line that changes in place, by tqdm."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None

    def show(self, line: str) -> None:
        """Open the line with the first text, then change it."""
        if self._bar is None:
            self._bar = self._tqdm(bar_format="{desc}", leave=False, file=sys.stdout)
        self._bar.set_description_str(line)

    def close(self) -> None:
        """Remove the line."""
        if self._bar is not None:
            self._bar.close()


def choose_display() -> Display:
    """Rich in a terminal or notebook, else tqdm in a terminal, else plain lines."""
    with suppress(ImportError):
        from rich.console import Console

        console = Console()
        if console.is_terminal or console.is_jupyter:
            return RichStatus(console)
    if sys.stdout.isatty():
        with suppress(ImportError):
            from tqdm import tqdm

            return TqdmLine(tqdm)
    return Lines()


Line = TypeVar("Line", bound="StatusLine")


class StatusLine:
    """A line about a fit that is replaced now and then: most calls return at once."""

    def __init__(
        self,
        name: str,
        display: Callable[[], Display] = choose_display,
        *,
        shown: bool = True,
    ) -> None:
        self._name = name
        self._choose = display
        self._display: Display | None = None
        self._next = INTERVAL if shown else math.inf
        self.shown = shown

    def __enter__(self: Line) -> Line:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def due(self, seconds: float) -> bool:
        """Whether the last line is old enough to be replaced."""
        return seconds >= self._next

    def show(self, seconds: float, text: str) -> None:
        """Replace the line."""
        if self._display is None:
            self._display = self._choose()
        stays = getattr(self._display, "stays", False)
        self._next = seconds + max(INTERVAL, STRETCH * seconds * stays)
        self._display.show(f"[{self._name}] {seconds:.1f} s: {text}")

    def close(self) -> None:
        """Put the display away."""
        if self._display is not None:
            self._display.close()


class Progress(StatusLine):
    """The line of one fit.

    The core calls it with (seconds, objective, lower_bound) at each improvement of
    either number, up to thousands of times a second, and `beat` now and then.
    """

    _proof = ""

    def beat(self, seconds: float, stage: str, share: float) -> None:
        """Show what is done, unless something has been shown a moment ago."""
        if self.due(seconds):
            self.show(seconds, _in_words(stage, share) + self._proof)

    def __call__(self, seconds: float, objective: float, lower_bound: float) -> None:
        """Show where the proof is, unless it has been shown a moment ago."""
        known = (
            f"objective {objective:.6g}, lower bound {lower_bound:.6g},"
            f" gap {objective - lower_bound:.3g}"
        )
        self._proof = f"; {known}"
        if self.due(seconds):
            self.show(seconds, known)


class PartsProgress(StatusLine):
    """The line of a fit that consists of several: folds, rounds."""

    def __init__(
        self,
        name: str,
        display: Callable[[], Display] = choose_display,
        *,
        shown: bool = True,
    ) -> None:
        super().__init__(name, display, shown=shown)
        self._start = perf_counter()

    def part(self, name: str) -> Beat:
        """Return what the fit of a part is told to call."""

        def beat(seconds: float, stage: str, share: float) -> None:
            elapsed = perf_counter() - self._start
            if self.due(elapsed):
                self.show(elapsed, f"{name}, {_in_words(stage, share)}")

        return beat


def _in_words(stage: str, share: float) -> str:
    return f"{stage}, {100 * share:.0f} % done"


class Heartbeat(StatusLine):
    """A line that also moves on while the core is at work and says nothing.

    Parameters
    ----------
    name : str
        What is being fitted.
    seconds : callable
        Returns the seconds since the fit began.
    phase : str
        What is said until the first note.
    """

    def __init__(
        self,
        name: str,
        seconds: Callable[[], float],
        phase: str,
        display: Callable[[], Display] = choose_display,
        *,
        shown: bool = True,
    ) -> None:
        super().__init__(name, display, shown=shown)
        self._seconds = seconds
        self._text: Callable[[], str] = lambda: phase
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Heartbeat:
        if self.shown:
            self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self.shown:
            self._thread.join()
        super().__exit__(*error)

    def note(self, text: Callable[[], str]) -> None:
        """Say from now on what this returns, if and when a line is due."""
        if self.shown:
            self._text = text
            self._show_if_due()

    def _beat(self) -> None:
        while not self._ended.wait(INTERVAL):
            self._show_if_due()

    def _show_if_due(self) -> None:
        with self._lock:
            seconds = self._seconds()
            if self.due(seconds):
                self.show(seconds, self._text())
