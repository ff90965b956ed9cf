"""(X)GB-DPDT figure: test accuracy against the number of boosted trees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.pieces.generalization import parts_of
from benchmarks.paper.statistics import mean_and_error
from dpdtree import DPDTBoostingClassifier

SETS = (
    "bank_marketing", "california", "MagicTelescope", "credit", "electricity",
    "house_16H_clf", "default_credit", "Higgs7k", "pol_clf", "jannis",
)  # fmt: skip
#: "GB": leaves without a penalty; "XGB": the second-order penalty of XGBoost's default.
MODELS: dict[str, dict[str, Any]] = {
    "GB-CART": {"lookahead": None, "l2_regularization": 0.0},
    "GB-DPDT (4,1,1)": {"n_candidates": (4, 1, 1), "l2_regularization": 0.0},
    "GB-DPDT (4,4,4)": {"n_candidates": (4, 4, 4), "l2_regularization": 0.0},
    "XGB-CART": {"lookahead": None, "l2_regularization": 1.0},
    "XGB-DPDT (4,1,1)": {"n_candidates": (4, 1, 1), "l2_regularization": 1.0},
    "XGB-DPDT (4,4,4)": {"n_candidates": (4, 4, 4), "l2_regularization": 1.0},
}
TREES, SEEDS, ROWS = 150, 10, 10_000
POINTS = (1, 5, 10, 20, 50, 100, 150)
COLORS = ("#9a9a9a", "#1f6f8b", "#c8553d")


def cells(quick: bool) -> list[Cell]:
    """One per set and model."""
    sets, trees, seeds = (("pol_clf",), 20, 1) if quick else (SETS, TREES, SEEDS)
    return [
        {"set": name, "model": model, "trees": trees, "seeds": seeds}
        for name in sets
        for model in MODELS
    ]


def estimator(model: str, trees: int) -> DPDTBoostingClassifier:
    """Trees of depth 3 at a rate of 0.1, as in the paper."""
    own = {"lookahead": "full", **MODELS[model]}
    limits = {"max_depth": 3, "max_leaf_nodes": None, "subsample": 1.0}
    return DPDTBoostingClassifier(
        max_iter=trees, learning_rate=0.1, early_stopping=False, max_features=1.0,
        n_jobs=1, **limits, **own,
    )  # fmt: skip


def run(set: str, model: str, trees: int, seeds: int) -> dict[str, Any]:
    """Test accuracy ÷ that of a CART of depth 3 after so many trees, over the seeds."""
    rows = []
    points = [p for p in POINTS if p <= trees]
    for seed in range(seeds):
        X, y, X_test, y_test = resampled(set, seed)
        base = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
        fitted = estimator(model, trees).fit(X, y)
        staged = [np.mean(p == y_test) for p in fitted.staged_predict(X_test)]
        base_score = base.score(X_test, y_test)
        rows.append([float(staged[p - 1] / base_score) for p in points])
    found = np.array([mean_and_error(column) for column in zip(*rows, strict=True)])
    return {"mean": found[:, 0], "error": found[:, 1].round(4)}


def resampled(set: str, seed: int) -> tuple[Any, Any, Any, Any]:
    """Another division of the same rows into training and test part."""
    X, y, X_val, y_val, X_test, y_test = parts_of(set)
    X_all, y_all = (
        np.concatenate([X, X_val, X_test]),
        np.concatenate([y, y_val, y_test]),
    )
    order = np.random.default_rng(seed).permutation(len(y_all))
    n = min(ROWS, int(0.7 * len(order)))
    train, test = order[:n], order[n:]
    return X_all[train], y_all[train], X_all[test], y_all[test]


def over_sets(results: Results, model: str) -> tuple[Any, Any] | None:
    """Mean over the sets, and its standard error over the seeds, by point."""
    values = [o.value for o in results.where(model=model) if o.value]
    if not values:
        return None
    errors = np.array([[e or 0.0 for e in v["error"]] for v in values])
    mean = np.mean([v["mean"] for v in values], axis=0)
    return mean, np.sqrt(np.square(errors).sum(axis=0)) / len(values)


def draw(results: Results, folder: Path) -> None:
    """Two panels, GB and XGB, with 95 % confidence bands over the seeds."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, 2, figsize=(9, 3.4), sharey=True, layout="constrained"
    )
    for ax, form in zip(axes, ("GB", "XGB"), strict=True):
        names = [m for m in MODELS if m.startswith(f"{form}-")]
        for name, color in zip(names, COLORS, strict=True):
            found = over_sets(results, name)
            if found is None:
                continue
            mean, error = found
            x = POINTS[: len(mean)]
            ax.plot(x, mean, color=color, label=name)
            ax.fill_between(x, mean - 1.96 * error, mean + 1.96 * error, color=color,
                            alpha=0.2, linewidth=0)  # fmt: skip
        ax.set(xlabel="trees", title=form)
        ax.legend(frameon=False, fontsize=8)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylabel("accuracy ÷ CART of depth 3")
    figure.savefig(folder / "gradient_boosting.png", dpi=100)
    plt.close(figure)


def render(results: Results) -> str:
    """The last point of every curve."""
    rows = []
    for model in MODELS:
        found = over_sets(results, model)
        if found is not None:
            mean, error = found
            rows.append([model, f"{mean[-1]:.4f}", f"{error[-1]:.4f}"])
    header = ["model", "accuracy ÷ CART of depth 3", "standard error over seeds"]
    return f"![Boosting](images/paper/gradient_boosting.png)\n\n{table(header, rows)}"


PIECE = Piece(
    "gradient_boosting",
    "(X)GB-DPDT figure",
    cells,
    run,
    render,
    draw,
    limit=600,
    differs=(
        f"At most {ROWS} training rows, 10 sets; both forms run on our second-order"
        " engine: GB without, XGB with the penalty of leaf values."
    ),
    together=True,
)
