"""Figures of candidate splits: the root candidates of CART and Top-B on `bank`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks._data import load_table1
from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from dpdtree import DPDTreeClassifier

KINDS = ("optimal root", "DPDT (CART)", "Top-B", "Top-B per feature")
SHOWN, ROWS = 5, 400


def cells(quick: bool) -> list[Cell]:
    """One per way to propose splits."""
    return [{"kind": kind} for kind in (KINDS[:2] if quick else KINDS)]


def run(kind: str) -> dict[str, Any]:
    """The splits, and how much of the optimal root's partition each one shares."""
    data = load_table1("bank")
    X, y = data.X, data.y
    best = DPDTreeClassifier(
        strategy="optimal", max_depth=3, alpha=0.0, loss="zero_one", n_jobs=1
    ).fit(X, y)
    root = (int(best.tree_.feature[0]), float(best.tree_.threshold[0]))
    found = {
        "optimal root": lambda: [root],
        "DPDT (CART)": lambda: _cart_nodes(X, y),
        "Top-B": lambda: _best_splits(X, y, per_feature=False),
        "Top-B per feature": lambda: _best_splits(X, y, per_feature=True),
    }[kind]()
    left = X[:, root[0]] <= root[1]
    agreement = [_agreement(left, X[:, f] <= t) for f, t in found]
    return {"splits": found, "agreement": agreement}


def _agreement(a: Any, b: Any) -> float:
    """Share of rows on the same side, whichever side is called left."""
    same = float(np.mean(a == b))
    return max(same, 1 - same)


def _cart_nodes(X: Any, y: Any) -> list[tuple[int, float]]:
    tree = DecisionTreeClassifier(max_leaf_nodes=16, random_state=0).fit(X, y).tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    return [(int(tree.feature[i]), float(tree.threshold[i])) for i in inner]


def _best_splits(X: Any, y: Any, *, per_feature: bool) -> list[tuple[int, float]]:
    """The 15 splits of least weighted Gini impurity, or the best of each feature."""
    scored = []
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        cuts = (values[:-1] + values[1:]) / 2
        gini = [_gini_after(X[:, feature] <= cut, y) for cut in cuts]
        order = np.argsort(gini)[: 1 if per_feature else 15]
        scored += [(gini[i], feature, float(cuts[i])) for i in order]
    return [(feature, cut) for _, feature, cut in sorted(scored)[:15]]


def _gini_after(left: Any, y: Any) -> float:
    total = 0.0
    for side in (left, ~left):
        share = np.mean(y[side] == y[0]) if side.any() else 0.0
        total += side.sum() * 2 * share * (1 - share)
    return float(total)


def draw(results: Results, folder: Path) -> None:
    """The partitions of some candidates over a t-SNE projection of the rows."""
    import matplotlib.pyplot as plt
    from sklearn.manifold import TSNE
    from sklearn.preprocessing import StandardScaler

    data = load_table1("bank")
    rows = np.random.default_rng(0).permutation(len(data.y))[:ROWS]
    X = data.X[rows]
    flat = TSNE(random_state=0, init="pca").fit_transform(
        StandardScaler().fit_transform(X)
    )
    kinds = [k for k in KINDS if results.value(kind=k) is not None]
    figure, axes = plt.subplots(
        len(kinds), SHOWN, figsize=(9, 1.8 * len(kinds)), layout="constrained"
    )
    for line, kind in zip(np.atleast_2d(axes), kinds, strict=True):
        splits = results.value(kind=kind)["splits"][:SHOWN]
        for ax in line:
            ax.axis("off")
        for ax, (feature, cut) in zip(line, splits, strict=False):
            left = X[:, feature] <= cut
            ax.scatter(*flat.T, c=np.where(left, "#2a7f62", "#d98324"), s=3)
            ax.set_title(f"$x_{feature} \\leq {cut:.3g}$", fontsize=8)
        line[0].text(-0.05, 0.5, kind, rotation=90, va="center", ha="right",
                     transform=line[0].transAxes, fontsize=8)  # fmt: skip
    figure.savefig(folder / "candidates.png", dpi=100)
    plt.close(figure)


def render(results: Results) -> str:
    """How close the closest candidate comes to the optimal root."""
    rows = []
    for kind in results.each("kind"):
        value = results.value(kind=kind)
        if value is None:
            continue
        features = {feature for feature, _ in value["splits"]}
        closest = f"{max(value['agreement']):.1%}"
        rows.append([kind, len(value["splits"]), len(features), closest])
    header = ["candidates", "splits", "features", "rows on the optimal root's side"]
    return f"![Candidate splits](images/paper/candidates.png)\n\n{table(header, rows)}"


PIECE = Piece(
    "candidates",
    "Candidate splits of the root on bank",
    cells,
    run,
    render,
    draw,
    differs="Beside the picture, the share of rows on the optimal root's side.",
)
