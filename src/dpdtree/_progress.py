"""What `verbose` shows while a proof goes on: objective, lower bound, gap, time."""

from __future__ import annotations

import math
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

#: Seconds between two updates; a shorter fit shows none.
INTERVAL = 0.5


class Display(Protocol):
    """A place for one line of text that changes from time to time."""

    def show(self, line: str) -> None: ...
    def close(self) -> None: ...


class Lines:
    """One line below the other: for logs, pipes and bare terminals."""

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

    def __enter__(self) -> StatusLine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def due(self, seconds: float) -> bool:
        """Whether the last line is old enough to be replaced."""
        return seconds >= self._next

    def show(self, seconds: float, text: str) -> None:
        """Replace the line."""
        self._next = seconds + INTERVAL
        if self._display is None:
            self._display = self._choose()
        self._display.show(f"[{self._name}] {seconds:.1f} s: {text}")

    def close(self) -> None:
        """Put the display away."""
        if self._display is not None:
            self._display.close()


class Progress(StatusLine):
    """Called with (seconds, objective, lower_bound), up to thousands of times a second.

    The core calls it at each improvement of either number.
    """

    def __call__(self, seconds: float, objective: float, lower_bound: float) -> None:
        """Show where the proof is, unless it has been shown a moment ago."""
        if self.due(seconds):
            self.show(
                seconds,
                f"objective {objective:.6g}, lower bound {lower_bound:.6g},"
                f" gap {objective - lower_bound:.3g}",
            )


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
