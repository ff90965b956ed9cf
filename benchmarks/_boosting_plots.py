"""Figures of benchmarks.boosting_quality: test scores against trees and seconds."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._data import PROJECT_ROOT

IMAGES = PROJECT_ROOT / "docs" / "images"


def draw(content: dict[str, Any]) -> None:
    """Write the figures of the parts that have results."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    stages = content["settings"]["stages"]
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    _normalised(axes[0], content["depth3"]["sets"], stages)
    _relative(axes[1], content["equal"]["sets"], stages, by_time=False)
    _relative(axes[2], content["equal"]["sets"], stages, by_time=True)
    figure.savefig(IMAGES / "boosting.png", dpi=110)
    plt.close(figure)


def _normalised(ax: Any, sets: dict[str, Any], stages: list[int]) -> None:
    """Mean over the sets of the score, divided by that of one CART of depth 3."""
    found = list(sets.values())
    for model in [m for m in found[0] if m not in ("cart", "splits")]:
        scores = [np.array(f[model]["score"]) / f["cart"]["score"] for f in found]
        ax.plot(stages, np.mean(scores, axis=0), marker="o", label=model)
    ax.set(xlabel="trees of depth 3", ylabel="accuracy or R², ÷ one CART of depth 3")
    ax.legend()


def _relative(
    ax: Any, sets: dict[str, Any], stages: list[int], *, by_time: bool
) -> None:
    """Median over the sets of the test loss, relative to LightGBM's last."""
    found = list(sets.values())
    share = np.array(stages) / stages[-1]
    for model in [m for m in found[0] if m != "splits"]:
        losses = [np.array(f[model]["loss"]) / f["LightGBM"]["loss"][-1] for f in found]
        seconds = np.median([f[model]["seconds"] for f in found])
        x = share * seconds if by_time else stages
        ax.plot(x, np.median(losses, axis=0), marker="o", label=model)
    ax.set(xlabel="seconds" if by_time else "trees of 31 leaves")
    ax.set(ylabel="test loss ÷ LightGBM's last", xscale="log" if by_time else "linear")
    ax.set(ylim=(0.96, 1.24))  # the first trees, far above, say little
    ax.grid(visible=True, alpha=0.3)
    ax.legend()
