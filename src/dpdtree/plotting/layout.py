"""Where the boxes of a tree go, so that none of them overlap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: The lowest and the highest coordinate of a subtree at each level below its root.
Contour = list[tuple[float, float]]


def spread(
    children: Mapping[int, tuple[int, int]],
    extents: Mapping[int, float],
    gap: float,
    apart: Mapping[int, float] | None = None,
) -> dict[int, float]:
    """Return the centre of each node along the axis on which siblings are spread.

    Boxes of one level are at least `gap` apart, parents stand midway between their
    children, and subtrees are as close as their outlines allow.

    Parameters
    ----------
    children : mapping
        The two children of each inner node; nodes are numbered in preorder from 0.
    extents : mapping
        The size of each box along the axis.
    gap : float
        Least distance between two boxes of one level.
    apart : mapping, default=None
        Least distance between the centres of the children of a node.

    Returns
    -------
    dict
        The centres; the lowest edge of all boxes lies at 0.
    """
    order = sorted(extents)
    contours: dict[int, Contour] = {}
    offsets: dict[int, float] = {}
    for node in reversed(order):  # children come after their parents
        own = (-extents[node] / 2, extents[node] / 2)
        if node not in children:
            contours[node] = [own]
            continue
        left, right = children[node]
        first, second = contours.pop(left), contours.pop(right)
        distance = _distance(first, second, gap)
        if apart is not None:
            distance = max(distance, apart.get(node, 0.0))
        offsets[left], offsets[right] = -distance / 2, distance / 2
        contours[node] = [own, *_joined(first, second, distance)]
    low = min(low for low, _ in contours[order[0]])
    centres = {order[0]: -low}
    for node in order:
        for child in children.get(node, ()):
            centres[child] = centres[node] + offsets[child]
    return centres


def _distance(first: Contour, second: Contour, gap: float) -> float:
    """How far the roots of two subtrees have to be apart."""
    levels = zip(first, second, strict=False)
    return max(high - low + gap for (_, high), (low, _) in levels)


def _joined(first: Contour, second: Contour, distance: float) -> Contour:
    half = distance / 2
    joined = []
    for level in range(max(len(first), len(second))):
        ends = []
        if level < len(first):
            ends += [end - half for end in first[level]]
        if level < len(second):
            ends += [end + half for end in second[level]]
        joined.append((min(ends), max(ends)))
    return joined


def levels_of(
    depths: Mapping[int, int], extents: Mapping[int, float], gaps: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Return where each level starts, and how thick it is: as its thickest box."""
    thickness = [0.0] * (max(depths.values()) + 1)
    for node, depth in depths.items():
        thickness[depth] = max(thickness[depth], extents[node])
    starts, at = [], 0.0
    for level, thick in enumerate(thickness):
        starts.append(at)
        at += thick + (gaps[level] if level < len(gaps) else 0.0)
    return starts, thickness
