"""Markdown of result pages: tables, and the machine behind the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def table(header: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """A table, the first column to the left."""
    rule = ["---", *("--:" for _ in header[1:])]
    lines = [list(header), rule, *(list(row) for row in rows)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def footer(content: dict[str, Any]) -> str:
    """The machine and the versions behind the figures."""
    machine = content["machine"]
    packages = {k: machine[k] for k in ("dpdtree", "scikit-learn", "numpy")}
    packages |= content.get("peers", {})
    versions = ", ".join(f"{name} {v}" for name, v in packages.items())
    return f"{machine['cpu']}, Python {machine['python']}; {versions}."
