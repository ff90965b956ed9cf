"""Methods that take a table as a whole, or block by block."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from dpdtree._blocks.sources import RowBlocks

Method = TypeVar("Method", bound=Callable[..., Any])


def by_blocks(method: Method) -> Method:
    """Let a method that predicts give an array per block of a `RowBlocks`."""

    @functools.wraps(method)
    def either(self: Any, X: Any, **options: Any) -> Any:
        if not isinstance(X, RowBlocks):
            return method(self, X, **options)
        if options.get("init_score") is not None:
            raise ValueError(
                "init_score needs X in memory: it cannot be combined with RowBlocks."
            )
        return (method(self, block.X, **options) for block in X if block.n_rows > 0)

    return either  # type: ignore[return-value]


def refuse_arrays(y: Any, sample_weight: Any) -> None:
    """Raise if targets or weights are given beside `RowBlocks`."""
    for name, given, column in (
        ("y", y, "target"),
        ("sample_weight", sample_weight, "weight"),
    ):
        if given is not None:
            raise ValueError(
                f"{name} cannot be given beside RowBlocks: it is a column of the blocks"
                f" (their {column})."
            )


def refuse_blocks(X: Any, what: str) -> None:
    """Raise if rows come in blocks for something that reads their values."""
    if type(X).__name__ == "RowBlocks":
        raise TypeError(f"RowBlocks are for fit: {what} needs X in memory.")
