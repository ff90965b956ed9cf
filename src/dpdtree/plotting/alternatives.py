"""`plot_alternatives`: states and actions as the paper draws its decision process."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dpdtree._numbers import is_int, shown
from dpdtree.plotting._pyplot import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BEST, OTHER, EDGE = "#1f6f8b", "#8a8f98", "#b9bec6"
_MOST_NAME = 26


@dataclass
class _Drawn:
    """A state or an action with those below it."""

    text: str
    best: bool
    is_state: bool
    x: float = 0.0
    y: float = 0.0
    below: list[_Drawn] = field(default_factory=list)


def plot_alternatives(
    alternatives: Any, *, depth: int = 2, most: int = 3, ax: Axes | None = None
) -> Axes:
    """Draw states (circles) and their best actions (boxes) with their values.

    Thick and coloured is what the strategy chooses, and actions are drawn of the states
    that lie on its way. A state that is reached in several ways is drawn once for each.

    Parameters
    ----------
    alternatives : Alternatives
        What to draw.
    depth : int, default=2
        Levels of actions below the root.
    most : int, default=3
        Actions of a state at most.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    matplotlib Axes
    """
    for name, number in (("depth", depth), ("most", most)):
        if not is_int(number) or number < 1:
            raise ValueError(f"{name} must be an int >= 1, got {shown(number)}.")
    plt = pyplot("Alternatives.plot")
    root = _state(alternatives, alternatives.root, depth, most, best=True)
    width = _place(root, 0.0, 0.0)
    if ax is None:
        size = (max(6.0, 1.15 * width), 1.0 + 2.3 * depth)
        ax = plt.subplots(figsize=size, layout="constrained")[1]
    _draw(ax, root)
    ax.set_xlim(-0.7, max(width, 1.0) - 0.3)
    ax.set_ylim(-2 * depth - 0.6, 0.6)
    ax.set_axis_off()
    return ax


def _state(a: Any, state: int, depth: int, most: int, *, best: bool) -> _Drawn:
    text = f"n = {a.n_rows[state]}\nV = {a.state_objective[state]:.4g}"
    out = _Drawn(text, best, is_state=True)
    if depth == 0 or not best:
        return out
    for rank, action in enumerate(a.actions(state)[:most]):
        chosen = best and rank == 0 and not a.stops[state]
        name = a.split_text(action)
        if len(name) > _MOST_NAME:
            name = f"{name[: _MOST_NAME - 11]}…{name[-10:]}"
        drawn = _Drawn(f"{name}\nQ = {a.objective[action]:.4g}", chosen, is_state=False)
        drawn.below = [
            _state(a, int(side[action]), depth - 1, most, best=chosen)
            for side in (a.left, a.right)
        ]
        out.below.append(drawn)
    return out


def _place(node: _Drawn, x: float, y: float) -> float:
    """Put leaves side by side and everything above them in their middle."""
    node.y = y
    if not node.below:
        node.x = x
        return x + 1.0
    for child in node.below:
        x = _place(child, x, y - 1.0)
    node.x = (node.below[0].x + node.below[-1].x) / 2
    return x


def _draw(ax: Axes, node: _Drawn) -> None:
    for child in node.below:
        ax.plot(
            [node.x, child.x],
            [node.y, child.y],
            color=BEST if child.best else EDGE,
            linewidth=2.2 if child.best else 0.8,
            zorder=1,
        )
        _draw(ax, child)
    ax.text(
        node.x,
        node.y,
        node.text,
        ha="center",
        va="center",
        fontsize=8,
        color="white" if node.best else "black",
        bbox={
            "boxstyle": "round4,pad=0.5" if node.is_state else "square,pad=0.35",
            "facecolor": BEST if node.best else "white",
            "edgecolor": BEST if node.best else OTHER,
        },
        zorder=2,
    )
