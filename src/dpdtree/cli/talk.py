"""What the command line says: on standard error, apart from the data."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dpdtree._progress import without_reports
from dpdtree.cli._click import click


class Talk:
    """Messages for people; `--quiet` leaves only errors."""

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet

    def say(self, text: str = "", **style: Any) -> None:
        """Print a line on standard error."""
        if not self.quiet:
            _echo(text, err=True, **style)

    def heading(self, text: str) -> None:
        """Print a line that stands out."""
        self.say(text, bold=True)

    def table(self, rows: Sequence[Sequence[Any]], *, right: str = "") -> None:
        """Print rows as aligned columns; `right` has an "r" where to align right."""
        for line in aligned(rows, right):
            self.say(line)

    @contextlib.contextmanager
    def progress(self) -> Iterator[bool]:
        """Send what a fit prints to standard error; yields whether it should print.

        There are no bars where nobody sees them.
        """
        shown = not self.quiet and sys.stderr.isatty()
        with contextlib.redirect_stdout(sys.stderr), without_reports():
            yield shown


def warn(text: str) -> None:
    """Print a warning, quiet or not."""
    _echo(f"Warning: {text}", err=True, fg="yellow")


def complain(text: str) -> None:
    """Print an error."""
    _echo(f"Error: {text}", err=True, fg="red")


def _echo(text: str, *, err: bool, **style: Any) -> None:
    color = False if os.environ.get("NO_COLOR") else None
    click.echo(click.style(text, **style) if style else text, err=err, color=color)


def put(text: str) -> None:
    """Print on standard output: this is what was asked for."""
    sys.stdout.write(text if text.endswith("\n") else f"{text}\n")
    sys.stdout.flush()


def put_json(value: Any) -> None:
    """Print a value as JSON; what is not finite becomes null."""
    put(json.dumps(_plain(value), indent=2, ensure_ascii=False, allow_nan=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return str(value)


def aligned(rows: Sequence[Sequence[Any]], right: str = "") -> list[str]:
    """Return the lines of a table."""
    texts = [[_cell(entry) for entry in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    sides = right.ljust(len(widths), "l")[: len(widths)]
    return [
        "  ".join(
            text.rjust(width) if side == "r" else text.ljust(width)
            for text, width, side in zip(row, widths, sides, strict=True)
        ).rstrip()
        for row in texts
    ]


def _cell(entry: Any) -> str:
    if isinstance(entry, float):
        return f"{entry:.4f}" if abs(entry) < 1e4 else f"{entry:.6g}"
    text = "" if entry is None else str(entry)
    text = text.replace("\n", " ").replace("\r", " ").replace("\t", " ")
    return text if len(text) <= 60 else f"{text[:57]}..."
