"""How large the boxes of a tree have to be, and where they go: all in points."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from dpdtree.plotting.layout import levels_of, spread
from dpdtree.plotting.nodes import NodePicture, TreePicture

#: All lengths are points at this size of the text.
FONT_SIZE = 9.0
SMALL = 0.86  # of what is not the headline
LEADING = 1.32  # from line to line
PAD = 6.0
BAR = 4.0  # height of the bar of class shares
GAP = 11.0  # between boxes of one level
MARGIN = 8.0
WRAP = 26  # characters
LABEL_AT = 0.55  # where on an edge its label is


class Box(NamedTuple):
    """Where a node is drawn, in points from the upper left corner."""

    left: float
    top: float
    width: float
    height: float

    @property
    def middle(self) -> tuple[float, float]:
        """The centre."""
        return self.left + self.width / 2, self.top + self.height / 2


class Lines(NamedTuple):
    """The text of a box: a headline in bold, and what stands below."""

    head: list[str]
    facts: list[str]


@dataclass(frozen=True)
class Layout:
    """Where everything goes, in points from the upper left corner."""

    boxes: dict[int, Box]
    edges: dict[int, list[tuple[float, float]]]  # by the node below
    labels: dict[int, tuple[float, float]]  # centres, by the node below
    width: float
    height: float


def lines_of(node: NodePicture, *, wrap: int = WRAP) -> Lines:
    """Return what stands in the box of a node, line by line."""
    head = node.prediction if node.is_leaf else node.question
    facts = list(node.facts)
    if not node.is_leaf:
        # What would be said here stands in one line with the rows.
        facts[0] = _merged(node, facts[0])
    wrapped = [line for fact in facts for line in _wrapped(fact, wrap + 4)]
    return Lines(_wrapped(head, wrap), wrapped)


def _merged(node: NodePicture, fact: str) -> str:
    if node.shares is None:
        return f"{node.prediction}, {fact}"
    share, of, rows = fact.partition(" of ")
    if not of:
        return f"{node.prediction}, {fact}"
    return f"{node.prediction}: {share}{of}{rows}"


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


#: Width of a line of text, given its size and whether it is bold.
Measure: TypeAlias = Callable[[str, float, bool], float]


def by_fonts(text: str, size: float, bold: bool) -> float:
    """Width of a line in points, by matplotlib's fonts."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    prop = FontProperties(size=size, weight="bold" if bold else "normal")
    width, _, _ = text_to_path.get_text_width_height_descent(text, prop, False)
    return 1.03 * float(width)  # hinting makes it wider at some resolutions


def _size(node: NodePicture, measure: Measure) -> tuple[float, float]:
    lines = lines_of(node)
    widths = [measure(line, FONT_SIZE, True) for line in lines.head]
    widths += [measure(line, SMALL * FONT_SIZE, False) for line in lines.facts]
    height = LEADING * FONT_SIZE * (len(lines.head) + SMALL * len(lines.facts))
    bar = BAR + 4.0 if node.shares is not None else 0.0
    return max(widths) + 2 * PAD + 2.0, height + bar + 2 * PAD - 2.0


def laid_out(
    picture: TreePicture, downwards: bool, measure: Measure = by_fonts
) -> Layout:
    """Place boxes and labels; sizes of text follow from the fonts alone."""
    nodes, children = picture.nodes, picture.children
    sizes = {number: _size(node, measure) for number, node in nodes.items()}
    label_widths = {
        number: measure(node.branch, SMALL * FONT_SIZE, False) + 6.0
        for number, node in nodes.items()
        if node.branch
    }
    depths = {number: node.depth for number, node in nodes.items()}
    along = 0 if downwards else 1  # siblings are spread along x or y
    extents = {number: size[along] for number, size in sizes.items()}
    apart = None
    if downwards:  # the labels of two edges stand side by side
        apart = {
            number: (label_widths[left] + label_widths[right] + 6.0) / (2 * LABEL_AT)
            for number, (left, right) in children.items()
        }
    centres = spread(children, extents, GAP, apart)
    gaps = _gaps(picture, label_widths, centres, downwards)
    thick = {number: size[1 - along] for number, size in sizes.items()}
    starts, thickness = levels_of(depths, thick, gaps)
    top = MARGIN + (LEADING * FONT_SIZE + 4.0 if picture.title else 0.0)
    edge_of_spread, edge_of_levels = (MARGIN, top) if downwards else (top, MARGIN)
    boxes = {}
    for number in nodes:
        low = edge_of_spread + centres[number] - extents[number] / 2
        start = edge_of_levels + starts[depths[number]]
        deep = thickness[depths[number]]
        if downwards:
            boxes[number] = Box(low, start, extents[number], thick[number])
        else:
            boxes[number] = Box(start, low, deep, extents[number])
    edges, labels = {}, {}
    for number, node in nodes.items():
        if node.parent is None:
            continue
        level = node.depth - 1
        end = edge_of_levels + starts[level] + thickness[level]
        edges[number] = _edge(boxes[node.parent], boxes[number], end, downwards)
        labels[number] = _label_at(edges[number], downwards)
    right = max(box.left + box.width for box in boxes.values())
    bottom = max(box.top + box.height for box in boxes.values())
    legend = _legend_height(picture, right, measure)
    return Layout(boxes, edges, labels, right + MARGIN, bottom + MARGIN + legend)


def _gaps(
    picture: TreePicture,
    label_widths: dict[int, float],
    centres: dict[int, float],
    downwards: bool,
) -> list[float]:
    """Between levels there is room for the labels; steep edges get more of it."""
    gaps = [0.0] * picture.depth
    for number, (left, right) in picture.children.items():
        depth = picture.nodes[number].depth
        least = 30.0
        if not downwards:
            least = 16.0 + 1.25 * max(label_widths[left], label_widths[right])
        reach = 0.10 * abs(centres[right] - centres[left])
        gaps[depth] = max(gaps[depth], least, min(reach, 70.0))
    return gaps


def _edge(
    above: Box, below: Box, level_end: float, downwards: bool
) -> list[tuple[float, float]]:
    """The line between two boxes; it turns only where no box of the level is."""
    if downwards:
        x = above.middle[0]
        start = (x, above.top + above.height), (x, level_end)
        return [*start, (below.middle[0], below.top)]
    y = above.middle[1]
    start = (above.left + above.width, y), (level_end, y)
    return [*start, (below.left, below.middle[1])]


def _label_at(edge: list[tuple[float, float]], downwards: bool) -> tuple[float, float]:
    (x0, y0), (x1, y1) = edge[-2:]
    at = LABEL_AT if downwards else 0.5
    return x0 + at * (x1 - x0), y0 + at * (y1 - y0)


def _legend_height(picture: TreePicture, width: float, measure: Measure) -> float:
    if len(picture.classes) < 2:
        return 0.0
    rows = len(legend_rows(picture, width, measure))
    return 8.0 + rows * LEADING * FONT_SIZE


def legend_rows(
    picture: TreePicture, width: float, measure: Measure = by_fonts
) -> list[list[tuple[int, float]]]:
    """Return the classes of each row of the legend, with the place of each."""
    rows: list[list[tuple[int, float]]] = [[]]
    at = 0.0
    for code, name in enumerate(picture.classes):
        wide = 13.0 + measure(legend_name(name), SMALL * FONT_SIZE, False) + 14.0
        if rows[-1] and at + wide > width:
            rows.append([])
            at = 0.0
        rows[-1].append((code, at))
        at += wide
    return rows


def legend_name(name: str) -> str:
    """Return the name of a class, cut if it is very long."""
    return textwrap.shorten(name, 40, placeholder="…") if len(name) > 40 else name
