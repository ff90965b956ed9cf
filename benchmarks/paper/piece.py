"""A piece of the paper: its cells, how to run one, how to show them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Arguments of one measurement: plain JSON values by name.
Cell = Mapping[str, Any]
DONE, FAILED, TIMED_OUT = "done", "failed", "timed out"
NOT_INSTALLED = "not installed"


def key_of(cell: Cell) -> str:
    """The name of a cell in files and on the terminal."""
    return " ".join(f"{k}={_text(v)}" for k, v in cell.items())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@dataclass(frozen=True)
class Outcome:
    """What became of a cell: its value, or why there is none."""

    cell: Cell
    status: str
    seconds: float
    value: Any = None
    reason: str = ""

    def as_line(self) -> list[Any]:
        """For JSON: arguments, seconds, value; a status and reason if it has none."""
        line = [list(self.cell.values()), round(self.seconds, 1), self.value]
        return line if self.status == DONE else [*line, self.status, self.reason]

    @staticmethod
    def from_line(names: Sequence[str], line: Sequence[Any]) -> Outcome:
        """The reverse of `as_line`; a line has no names of the arguments."""
        arguments, seconds, value, *rest = line
        cell = dict(zip(names, arguments, strict=True))
        return Outcome(cell, *(rest[:1] or [DONE]), seconds, value, *rest[1:])


class Results:
    """The outcomes of a piece, in the order of its cells."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self.outcomes = list(outcomes)

    def where(self, **wanted: Any) -> list[Outcome]:
        """Those whose cells have these arguments."""
        return [
            o
            for o in self.outcomes
            if all(o.cell.get(name) == value for name, value in wanted.items())
        ]

    def value(self, **wanted: Any) -> Any:
        """The value of the one finished cell with these arguments, or None."""
        found = [o for o in self.where(**wanted) if o.status == DONE]
        return found[0].value if found else None

    def each(self, name: str) -> list[Any]:
        """The values one argument takes, in order of appearance."""
        return list(
            dict.fromkeys(o.cell[name] for o in self.outcomes if name in o.cell)
        )

    def unfinished(self) -> list[Outcome]:
        """Cells that failed or ran out of time."""
        return [o for o in self.outcomes if o.status != DONE]

    def __bool__(self) -> bool:
        return any(o.status == DONE for o in self.outcomes)


@dataclass(frozen=True)
class Piece:
    """One table or figure.

    `cells(quick)` lists the measurements; `run(**cell)` makes one, in a process of its
    own that is ended after `limit` seconds; `render(results)` is the Markdown of the
    page, `draw(results, folder)` writes the pictures it refers to. `differs` says how
    the measurement differs from the paper's. `together`: several cells may run at a
    time, because no processor time is compared between them.
    """

    name: str
    title: str
    cells: Callable[[bool], list[Cell]]
    run: Callable[..., Any]
    render: Callable[[Results], str]
    draw: Callable[[Results, Path], None] | None = None
    limit: float = 300.0
    differs: str = ""
    together: bool = False
    uses: str = ""  # the piece whose cells it shows, if it has none of its own


def number(value: float | None, digits: int = 3) -> str:
    """A figure of a table; a dash where there is none."""
    return "–" if value is None or value != value else f"{value:.{digits}f}"
