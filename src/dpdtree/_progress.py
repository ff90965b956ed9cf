"""What `verbose` shows while a proof goes on: objective, lower bound, gap, time."""

from __future__ import annotations

import math
import sys
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
