"""`plot_stability`: features asked by depth, and how often splits come again."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpdtree._numbers import is_int, shown
from dpdtree.plotting._pyplot import pyplot

BAR, FEATURE = "#1f6f8b", "#b9d4dd"
_MOST_NAME = 30


def plot_stability(report: Any, *, most: int = 12, axes: Any = None) -> Any:
    """Draw a stability report.

    Parameters
    ----------
    report : StabilityReport
        What to draw.
    most : int, default=12
        Features and splits shown at most.
    axes : sequence of two matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ndarray of two matplotlib Axes
    """
    if not is_int(most) or most < 1:
        raise ValueError(f"most must be an int >= 1, got {shown(most)}.")
    plt = pyplot("StabilityReport.plot")
    if axes is None:
        size = (11.0, max(3.0, 1.6 + 0.28 * most))
        axes = plt.subplots(1, 2, figsize=size, layout="constrained")[1]
    by_depth, splits = np.asarray(axes, dtype=object).ravel()
    _draw_features(by_depth, report, most)
    _draw_splits(splits, report, most)
    return np.array([by_depth, splits], dtype=object)


def _draw_features(ax: Any, report: Any, most: int) -> None:
    share = report.feature_share
    order = np.argsort(-share.sum(axis=0), kind="stable")[:most]
    shown_share = share[:, order].T
    ax.imshow(shown_share, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
    ax.set_yticks(range(len(order)), [_short(report.feature_names[f]) for f in order])
    ax.set_xticks(range(share.shape[0]))
    ax.set_xlabel("depth")
    ax.set_title(f"share of {report.n} fits that ask a feature")
    for (row, column), value in np.ndenumerate(shown_share):
        if value > 0:
            color = "white" if value > 0.6 else "black"
            ax.text(column, row, f"{value:.0%}", ha="center", va="center", color=color)


def _draw_splits(ax: Any, report: Any, most: int) -> None:
    nodes = report.nodes[:most]
    places = np.arange(len(nodes))
    ax.barh(places, [n.same_feature for n in nodes], color=FEATURE, label="feature")
    ax.barh(places, [n.same_split for n in nodes], color=BAR, height=0.5, label="split")
    ax.set_yticks(places, [_short("  " * n.depth + n.split) for n in nodes])
    ax.invert_yaxis()
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel("share of fits with it at this node")
    ax.set_title("splits of the tree")
    if nodes:
        ax.legend(loc="lower right")


def _short(text: str) -> str:
    return text if len(text) <= _MOST_NAME else f"{text[: _MOST_NAME - 9]}…{text[-8:]}"
