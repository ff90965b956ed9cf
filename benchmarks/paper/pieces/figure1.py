"""Figure 1: a set on which greedy trees fail, with decision boundaries."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import DecisionTreeClassifier

from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results, number
from dpdtree import DPDTreeClassifier

Array = npt.NDArray[Any]

MODELS = ("CART", "DPDT", "optimal")
N, GRID = 10_000, 60


def pathological(n: int, seed: int = 0) -> tuple[Any, Any]:
    """A checkerboard of two features: no first split helps by itself."""
    X = np.random.default_rng(seed).uniform(0, 1, (n, 2))
    return X, ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.5)).astype(int)


def cells(quick: bool) -> list[Cell]:
    """One per model."""
    return [{"model": model, "n": 1000 if quick else N} for model in MODELS]


def estimator(model: str) -> Any:
    """Depth 2, the least training error."""
    if model == "CART":
        return DecisionTreeClassifier(max_depth=2, random_state=0)
    strategy = "paper" if model == "DPDT" else "optimal"
    return DPDTreeClassifier(
        strategy=strategy, max_depth=2, alpha=0.0, loss="zero_one", n_jobs=1
    )


def run(model: str, n: int) -> dict[str, Any]:
    """Score, complexity (mean splits on a path), seconds, predictions on a grid."""
    X, y = pathological(n)
    fitted = estimator(model)
    start = process_time()
    fitted.fit(X, y)
    seconds = process_time() - start
    passed = np.asarray(fitted.decision_path(X).sum(axis=1)).ravel() - 1
    side = (np.arange(GRID) + 0.5) / GRID
    grid = np.array([[a, b] for b in side for a in side])
    return {
        "accuracy": float(fitted.score(X, y)),
        "complexity": float(passed.mean()),
        "seconds": seconds,
        "classes": packed(fitted.predict(grid).reshape(GRID, GRID)),
    }


def packed(classes: Array) -> list[list[Any]]:
    """Rows of a grid as (how often, classes): boundaries are few and straight."""
    rows = ["".join(map(str, row)) for row in classes]
    return [[len(list(same)), row] for row, same in groupby(rows)]


def unpacked(rows: list[list[Any]]) -> Array:
    """The reverse of `packed`."""
    lines = [list(map(int, row)) for times, row in rows for _ in range(times)]
    return np.array(lines)


def draw(results: Results, folder: Path) -> None:
    """The boundaries of the three trees."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(8, 2.9), layout="constrained")
    X, y = pathological(600)
    for ax, model in zip(axes, MODELS, strict=True):
        value = results.value(model=model)
        if value is None:
            continue
        ax.imshow(unpacked(value["classes"]), origin="lower", extent=(0, 1, 0, 1),
                  cmap="coolwarm", alpha=0.5)  # fmt: skip
        ax.scatter(*X.T, c=y, s=4, cmap="coolwarm", linewidths=0)
        ax.set_title(f"{model}: {value['accuracy']:.1%}", fontsize=10)
        ax.set_xticks([])
        ax.set_yticks([])
    figure.savefig(folder / "figure1.png", dpi=110)
    plt.close(figure)


def render(results: Results) -> str:
    """Score, complexity, seconds."""
    rows = []
    for model in MODELS:
        v = results.value(model=model)
        if v is not None:
            cells_ = [f"{v['accuracy']:.3f}", number(v["complexity"], 2)]
            rows.append([model, *cells_, f"{v['seconds']:.4f}"])
    header = ["tree of depth 2", "accuracy", "splits on a path", "seconds"]
    return f"![Decision boundaries](images/paper/figure1.png)\n\n{table(header, rows)}"


PIECE = Piece(
    "figure1",
    "Figure 1: where greedy trees fail",
    cells,
    run,
    render,
    draw,
    differs="The paper prints no figures for this set, only the picture.",
)
