"""A path as text and as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Columns = Mapping[str, NDArray[Any]]

#: Rows a table shows; longer ones leave out the middle.
SHOWN = 20
WIDTH, HEIGHT, MARGIN = 240.0, 90.0, 6.0


def as_text(title: str, columns: Columns) -> str:
    """The title and an aligned table."""
    cells = [[name, *body] for name, body in _cells(columns).items()]
    widths = [max(map(len, column)) for column in cells]
    lines = zip(*cells, strict=True)
    table = [
        "  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True))
        for line in lines
    ]
    return "\n".join([title, *(f"  {line}" for line in table)])


def as_html(title: str, columns: Columns) -> str:
    """The title, a small curve of the losses and the table."""
    cells = _cells(columns)
    head = "".join(f"<th>{name}</th>" for name in cells)
    body = "".join(
        f"<tr>{''.join(f'<td>{text}</td>' for text in line)}</tr>"
        for line in zip(*cells.values(), strict=True)
    )
    return (
        f'<div class="dpdtree-path"><p><strong>{title}</strong></p>'
        f"{_curve(columns['n_leaves'], columns['loss'])}"
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(columns: Columns) -> dict[str, list[str]]:
    return {name: _shortened(values) for name, values in columns.items()}


def _shortened(values: NDArray[Any]) -> list[str]:
    texts = [str(v) if values.dtype.kind == "i" else f"{v:.5g}" for v in values]
    if len(texts) <= SHOWN:
        return texts
    half = SHOWN // 2
    return [*texts[:half], "…", *texts[-half:]]


def _curve(sizes: NDArray[Any], losses: NDArray[Any]) -> str:
    """Loss against the number of leaves as an inline SVG; nothing for one tree."""
    if len(sizes) < 2:
        return ""
    x = MARGIN + (WIDTH - 2 * MARGIN) * _scaled(sizes)
    y = MARGIN + (HEIGHT - 2 * MARGIN) * (1.0 - _scaled(losses))
    order = np.argsort(sizes, kind="stable")
    line = " ".join(f"{x[i]:.1f},{y[i]:.1f}" for i in order)
    dots = "".join(f'<circle cx="{x[i]:.1f}" cy="{y[i]:.1f}" r="2.5"/>' for i in order)
    return (
        f'<svg role="img" aria-label="loss against number of leaves"'
        f' width="{WIDTH:g}" height="{HEIGHT:g}" fill="#1f6f8b">'
        f'<polyline points="{line}" fill="none" stroke="#1f6f8b"/>{dots}</svg>'
    )


def _scaled(values: NDArray[Any]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    return (values - low) / (high - low if high > low else 1.0)
