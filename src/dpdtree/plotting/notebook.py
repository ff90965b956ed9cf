"""A fitted model as HTML for notebooks: a diagram, what the fit reached, parameters.

Text and lines take the colour of the page, fills are translucent: the same markup is
readable on light and dark grounds, in whatever notebook.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
from sklearn.utils import estimator_html_repr

from dpdtree._params.estimators import resolved
from dpdtree.export.colors import CLASS_COLORS, class_color
from dpdtree.plotting.boxes import (
    BAR,
    FONT_SIZE,
    LEADING,
    MARGIN,
    PAD,
    SMALL,
    Box,
    Layout,
    laid_out,
    legend_name,
    legend_rows,
    lines_of,
)
from dpdtree.plotting.nodes import NodePicture, Options, TreePicture, read_tree

#: Deeper levels are counted, wider trees lose their last levels, too.
MOST_LEVELS, MOST_BOXES = 4, 31
SCALE = 1.25  # points to pixels, about
LEAST_SCALE = 0.9  # a narrow cell shrinks the tree so far, then it scrolls
#: Seen on light and on dark grounds.
FIRST, SECOND = CLASS_COLORS[:2]
CURVE_WIDTH, CURVE_HEIGHT, CURVE_PAD = 300.0, 110.0, 8.0

STYLE = (
    ".dpdtree{color:inherit;font-family:system-ui,sans-serif;font-size:13px;"
    "line-height:1.45;max-width:100%}"
    ".dpdtree p{margin:.2em 0}"
    ".dpdtree .dpdtree-scroll{overflow-x:auto;max-width:100%;margin:.5em 0}"
    ".dpdtree svg text{fill:currentColor;font-family:system-ui,sans-serif}"
    ".dpdtree summary{cursor:pointer}"
    ".dpdtree .dpdtree-quiet{opacity:.75}"
)


def fitted_html(estimator: Any) -> str:
    """Return a fitted model as HTML; scikit-learn's own diagram holds the parameters.

    Parameters
    ----------
    estimator : tree, boosting or AdaBoost estimator
        Fitted.
    """
    name = escape(type(estimator).__name__)
    lines = [f"<p><strong>{name}</strong>: {escape(_size(estimator))}</p>"]
    lines += [f"<p>{escape(line)}</p>" for line in _results(estimator)]
    curve = _curve(estimator)
    return (
        f'<div class="dpdtree"><style>{STYLE}</style>'
        f"{''.join(lines)}{curve}{_diagram(estimator)}"
        "<details><summary>Parameters</summary>"
        f"{estimator_html_repr(estimator)}</details></div>"
    )


def _size(estimator: Any) -> str:
    if hasattr(estimator, "booster_"):
        booster = estimator.booster_
        return _counted(booster.n_iterations * booster.n_outputs, "tree")
    if hasattr(estimator, "estimators_"):
        return _counted(len(estimator.estimators_), "tree")
    tree = estimator.tree_
    leaves = _counted(tree.n_leaves, "leaf", "leaves")
    return f"{leaves}, depth {tree.max_depth}"


def _results(estimator: Any) -> Iterator[str]:
    """What the fit has reached, a line each."""
    if hasattr(estimator, "booster_"):
        yield from _boosting_results(estimator)
        return
    if hasattr(estimator, "estimators_"):
        errors = estimator.estimator_errors_
        yield (
            f"weighted error of the trees {float(np.min(errors)):.4g} to"
            f" {float(np.max(errors)):.4g}; {_ended(estimator.stop_reason_)}"
        )
        return
    if hasattr(estimator, "cv_results_"):
        chosen = ", ".join(f"{k} = {_number(v)}" for k, v in _chosen(estimator))
        error = estimator.cv_results_["se_test_score"][estimator.best_index_]
        yield (
            f"chosen by {estimator.n_splits_} folds: {chosen}; score"
            f" {estimator.best_score_:.4g} ± {float(error):.2g}"
        )
    yield (
        f"training loss {estimator.loss_:.4g} ({resolved(estimator, 'loss')}),"
        f" complexity {estimator.complexity_:.4g},"
        f" objective {estimator.objective_:.4g}; {_proof(estimator)}"
    )
    yield f"search: {_searched(estimator.report_)}"


def _boosting_results(estimator: Any) -> Iterator[str]:
    stop = _ended(getattr(estimator, "stop_reason_", "completed"))
    parts = [f"{_counted(estimator.n_iter_, 'iteration')}, {stop}"]
    for name, title in (
        ("train_score_", "training"),
        ("validation_score_", "held out"),
    ):
        scores = np.asarray(getattr(estimator, name, ()), float)
        if scores.size and np.isfinite(scores[-1]):
            parts.append(f"{title} score {scores[-1]:.4g}")
    yield "; ".join(parts)


def _chosen(estimator: Any) -> list[tuple[str, Any]]:
    return list(estimator.best_params_.items())


def _proof(estimator: Any) -> str:
    if estimator.is_optimal_:
        return "proven optimal"
    if math.isnan(estimator.gap_):
        return "optimality not proven"
    return f"proven to within {estimator.gap_:.3g}"


def _ended(reason: str) -> str:
    return reason if reason == "completed" else f"stopped by {reason}"


def _searched(report: Any) -> str:
    took = "" if math.isnan(report.seconds) else f" in {report.seconds:.3g} s"
    return f"{report.strategy}, {_ended(report.stop_reason)}{took}"


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _counted(n: int, noun: str, plural: str = "") -> str:
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


# --- curves


def _curve(estimator: Any) -> str:
    """Scores against what they depend on, as a small picture."""
    lines = _series(estimator)
    if not lines:
        return ""
    xs = np.concatenate([x for _, x, _, _ in lines])
    ys = np.concatenate([y for _, _, y, _ in lines])
    shapes = []
    for label, x, y, color in lines:
        at_x = CURVE_PAD + (CURVE_WIDTH - 2 * CURVE_PAD) * _scaled(x, xs)
        at_y = CURVE_PAD + (CURVE_HEIGHT - 2 * CURVE_PAD) * (1.0 - _scaled(y, ys))
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(at_x, at_y, strict=True))
        shapes.append(
            f'<polyline points="{points}" fill="none" stroke="{color}"'
            f' stroke-width="2"><title>{escape(label)}</title></polyline>'
        )
    legend = ", ".join(
        f'<span style="color:{color}">■</span> {escape(label)}'
        for label, _, _, color in lines
    )
    what = _curve_title(estimator)
    ends = f"{float(ys.min()):.4g} to {float(ys.max()):.4g}"
    return (
        f'<div class="dpdtree-scroll"><svg role="img" aria-label="{escape(what)}"'
        f' width="{CURVE_WIDTH:g}" height="{CURVE_HEIGHT:g}">{"".join(shapes)}</svg>'
        f'<p class="dpdtree-quiet">{escape(what)} ({ends}): {legend}</p></div>'
    )


def _curve_title(estimator: Any) -> str:
    if hasattr(estimator, "cv_results_"):
        return "cross-validated score by number of leaves"
    if hasattr(estimator, "booster_"):
        return "score by iteration"
    return "weighted error by round"


Series = tuple[str, Any, Any, str]


def _series(estimator: Any) -> list[Series]:
    found: list[Series] = []
    if hasattr(estimator, "cv_results_"):
        sizes = np.asarray(estimator.cv_results_["mean_n_leaves"], float)
        scores = np.asarray(estimator.cv_results_["mean_test_score"], float)
        order = np.argsort(sizes, kind="stable")
        found = [("mean of the folds", sizes[order], scores[order], FIRST)]
    elif hasattr(estimator, "booster_"):
        for name, label, color in (
            ("train_score_", "training", FIRST),
            ("validation_score_", "held out", SECOND),
        ):
            scores = np.asarray(getattr(estimator, name, ()), float)
            found.append((label, np.arange(scores.size, dtype=float), scores, color))
    elif hasattr(estimator, "estimator_errors_"):
        errors = np.asarray(estimator.estimator_errors_, float)
        found = [("error", np.arange(errors.size, dtype=float), errors, FIRST)]
    return [s for s in (_finite(line) for line in found) if len(s[1]) > 2]


def _finite(line: Series) -> Series:
    label, x, y, color = line
    kept = np.isfinite(x) & np.isfinite(y)
    return label, x[kept], y[kept], color


def _scaled(values: Any, all_values: Any) -> Any:
    low, high = float(all_values.min()), float(all_values.max())
    return (values - low) / (high - low if high > low else 1.0)


# --- the diagram of a tree


def _diagram(estimator: Any) -> str:
    picture = _pictured(estimator)
    drawing = _svg(picture)
    if not picture.title:
        return f'<div class="dpdtree-scroll">{drawing}</div>'
    # One of many trees: for those who want to look.
    return (
        f"<details><summary>{escape(picture.title)}</summary>"
        f'<div class="dpdtree-scroll">{drawing}</div></details>'
    )


def _pictured(estimator: Any) -> TreePicture:
    """The top of the tree that fits into a notebook."""
    for levels in range(MOST_LEVELS, 0, -1):
        picture = read_tree(estimator, Options(max_depth=levels, max_categories=4))
        if len(picture.nodes) <= MOST_BOXES:
            return picture
    return picture


def by_letters(text: str, size: float, bold: bool) -> float:
    """Width of a line in points, without knowing the font of the page."""
    wide = sum(1 for c in text if unicodedata.east_asian_width(c) in "WF")
    broad = sum(1 for c in text if c.isupper() or c in "mwMW%@")
    letters = 0.56 * (len(text) - wide - broad) + 0.72 * broad + 1.05 * wide
    return size * letters * (1.07 if bold else 1.0)


def _svg(picture: TreePicture) -> str:
    leaves = len(picture.nodes) - len(picture.children)
    layout = laid_out(picture, leaves <= 8, by_letters)
    shapes = [*_edges(picture, layout)]
    for number, node in picture.nodes.items():
        shapes += _box(layout.boxes[number], node)
    shapes += _legend(picture, layout)
    width, height = layout.width, layout.height
    label = f"tree with {_counted(leaves, 'leaf', 'leaves')} drawn"
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {width:.0f} {height:.0f}"'
        f' width="{SCALE * width:.0f}" height="{SCALE * height:.0f}"'
        f' style="max-width:100%;min-width:{LEAST_SCALE * width:.0f}px;height:auto">'
        f"{''.join(shapes)}</svg>"
    )


def _edges(picture: TreePicture, layout: Layout) -> Iterator[str]:
    for number, edge in layout.edges.items():
        node = picture.nodes[number]
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in edge)
        width = 0.7 + 8.0 * node.support
        yield (
            f'<polyline points="{points}" fill="none" stroke="currentColor"'
            f' stroke-opacity=".28" stroke-width="{width:.1f}"'
            ' stroke-linejoin="round"/>'
        )
        x, y = layout.labels[number]
        yield _text(x, y, node.branch, SMALL * FONT_SIZE)


def _box(box: Box, node: NodePicture) -> Iterator[str]:
    dashed = ' stroke-dasharray="4 3"' if node.hidden else ""
    # The fill is the colour of the class or value, translucent.
    yield (
        f'<rect x="{box.left:.1f}" y="{box.top:.1f}" width="{box.width:.1f}"'
        f' height="{box.height:.1f}" rx="{4 if node.is_leaf else 2}"'
        f' fill="{node.base_color}" fill-opacity="{min(0.6, node.strength):.2f}"'
        f' stroke="currentColor" stroke-opacity=".55"{dashed}/>'
    )
    lines = lines_of(node)
    bar = BAR + 4.0 if node.shares is not None else 0.0
    head, small = LEADING * FONT_SIZE, LEADING * SMALL * FONT_SIZE
    used = head * len(lines.head) + small * len(lines.facts) + bar
    top, x = box.top + (box.height - used) / 2, box.left + box.width / 2
    for line in lines.head:
        yield _text(x, top + head / 2, line, FONT_SIZE, bold=True)
        top += head
    for line in lines.facts:
        yield _text(x, top + small / 2, line, SMALL * FONT_SIZE)
        top += small
    if node.shares is not None:
        yield from _bar(box, node.shares)


def _bar(box: Box, shares: Any) -> Iterator[str]:
    left, width = box.left + PAD, box.width - 2 * PAD
    top = box.top + box.height - BAR - 4.0
    for code, share in enumerate(shares):
        if share > 0:
            yield (
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width * share:.1f}"'
                f' height="{BAR:g}" fill="{class_color(code)}"/>'
            )
        left += width * share


def _legend(picture: TreePicture, layout: Layout) -> Iterator[str]:
    if len(picture.classes) < 2:
        return
    size = SMALL * FONT_SIZE
    right = max(box.left + box.width for box in layout.boxes.values())
    rows = legend_rows(picture, right, by_letters)
    y = layout.height - MARGIN - (len(rows) - 0.5) * LEADING * FONT_SIZE
    for row in rows:
        for code, at in row:
            x = MARGIN + at
            yield (
                f'<rect x="{x:.1f}" y="{y - size / 2:.1f}" width="{size:.1f}"'
                f' height="{size:.1f}" fill="{class_color(code)}"/>'
            )
            yield _text(
                x + 13.0, y, legend_name(picture.classes[code]), size, start=True
            )
        y += LEADING * FONT_SIZE


def _text(
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    bold: bool = False,
    start: bool = False,
) -> str:
    weight = ' font-weight="600"' if bold else ""
    anchor = "" if start else ' text-anchor="middle"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" dy=".35em" font-size="{size:.1f}"{weight}'
        f"{anchor}>{escape(text)}</text>"
    )
