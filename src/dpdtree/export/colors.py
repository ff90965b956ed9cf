"""Colours of classes and of values that most people can tell apart.

The first eight are those of Okabe and Ito, made for colour-blind readers; then come
muted ones by Tol. Values run from blue to orange, which all common kinds of colour
blindness tell apart.
"""

from __future__ import annotations

CLASS_COLORS = (
    "#56B4E9",
    "#E69F00",
    "#009E73",
    "#F0E442",
    "#CC79A7",
    "#0072B2",
    "#D55E00",
    "#999999",
    "#332288",
    "#88CCEE",
    "#44AA99",
    "#117733",
    "#DDCC77",
    "#AA4499",
    "#882255",
)
LOW_COLOR, HIGH_COLOR = "#0072B2", "#E69F00"


def class_color(code: int) -> str:
    """Return the colour of a class; it comes again if there are very many."""
    return CLASS_COLORS[code % len(CLASS_COLORS)]


def mixed(color: str, share: float, ground: str = "#FFFFFF") -> str:
    """Return so much of a colour on a ground."""
    pairs = zip(_channels(color), _channels(ground), strict=True)
    return _hex([share * a + (1.0 - share) * b for a, b in pairs])


def value_shade(position: float) -> tuple[str, float]:
    """Return the colour of a value between the lowest (0) and the highest (1).

    And how much of it there is on the ground: in the middle, hardly any.
    """
    position = min(1.0, max(0.0, position))
    if position < 0.5:
        return LOW_COLOR, 0.03 + 0.72 * (1.0 - 2.0 * position)
    return HIGH_COLOR, 0.03 + 0.8 * (2.0 * position - 1.0)


def value_color(position: float) -> str:
    """Return that colour on white."""
    return mixed(*value_shade(position))


def _channels(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


def _hex(channels: list[float]) -> str:
    return "#" + "".join(f"{round(channel):02X}" for channel in channels)
