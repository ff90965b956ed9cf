"""Finished cells on disk: one small JSON file per piece, written after every cell."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks._timing import RESULTS, machine
from benchmarks.paper.peers import EVERY, versions
from benchmarks.paper.piece import (
    DONE,
    FAILED,
    NOT_INSTALLED,
    Cell,
    Outcome,
    Results,
    key_of,
)

FOLDER = RESULTS / "paper"


class PieceStore:
    """The outcomes of one piece, by the key of the cell."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self.path = folder / f"{name}.json"
        self.outcomes: dict[str, Outcome] = {}
        self.machine: dict[str, Any] = {}
        if self.path.is_file():
            content = json.loads(self.path.read_text(encoding="utf-8"))
            self.machine = content["machine"]
            for line in content["cells"]:
                outcome = Outcome.from_line(content["names"], line)
                self.outcomes[key_of(outcome.cell)] = outcome

    def missing(self, cells: Sequence[Cell]) -> list[Cell]:
        """Cells without an outcome; failed ones and absent peers are tried again."""
        return [
            cell
            for cell in cells
            if (found := self.outcomes.get(key_of(cell))) is None
            or found.status in (FAILED, NOT_INSTALLED)
        ]

    def add(self, outcome: Outcome, limit: float) -> None:
        """Keep an outcome and write the file, all of it or nothing."""
        self.outcomes[key_of(outcome.cell)] = outcome
        self.machine = machine() | {"peers": versions(*self._peers())}
        self.machine["limit of a cell in seconds"] = limit
        self.write()

    def _peers(self) -> list[str]:
        """Packages that the cells name."""
        named = {str(v) for o in self.outcomes.values() for v in o.cell.values()}
        return [name for name in EVERY if name in named]

    def forget(self, cells: Sequence[Cell]) -> None:
        """Drop the outcomes of these cells."""
        for cell in cells:
            self.outcomes.pop(key_of(cell), None)

    def keep_only(self, cells: Sequence[Cell]) -> None:
        """Drop the outcomes of cells that the piece no longer has."""
        wanted = {key_of(cell) for cell in cells}
        self.outcomes = {k: o for k, o in self.outcomes.items() if k in wanted}

    def write(self) -> None:
        """Write all outcomes, a line each; a crash leaves the old file."""
        names = [list(o.cell) for o in self.outcomes.values()]
        if any(own != names[0] for own in names):
            raise ValueError(f"cells of {self.path.stem} have different arguments")
        lines = [_line(o) for o in self.outcomes.values()]
        head = {"machine": self.machine, "names": names[0] if names else []}
        text = json.dumps(head).removesuffix("}")
        text += ',\n"cells": [\n' + ",\n".join(lines) + "\n]}\n"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_suffix(".json.new")
        with draft.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self.path)

    def results(self, cells: Sequence[Cell]) -> Results:
        """The outcomes of these cells, as far as there are any."""
        found = [self.outcomes.get(key_of(cell)) for cell in cells]
        return Results([o for o in found if o is not None])

    def seconds(self) -> float:
        """Time that all cells took."""
        return sum(o.seconds for o in self.outcomes.values())

    def expected(self, cells: Sequence[Cell]) -> float:
        """Time that these cells will take, by what the measured ones took."""
        return len(cells) * self.seconds() / max(len(self.outcomes), 1)

    def count(self, cells: Sequence[Cell]) -> tuple[int, int]:
        """How many of these cells are done, and how many there are."""
        done = [o for o in self.results(cells).outcomes if o.status == DONE]
        return len(done), len(cells)


def _line(outcome: Outcome) -> str:
    line = _rounded(outcome.as_line())
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


#: What is measured roughly, or drawn and not told.
ROUGH = ("seconds", "time", "low", "high", "by_time", "importances")


def _rounded(value: Any, digits: int = 4) -> Any:
    """Few digits are enough for a page, and keep the files small."""
    if isinstance(value, float):
        short = float(f"{value:.{digits}g}")
        return int(short) if short.is_integer() else short
    if isinstance(value, dict):
        return {k: _rounded(v, 3 if k in ROUGH else digits) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(v, digits) for v in value]
    return value
