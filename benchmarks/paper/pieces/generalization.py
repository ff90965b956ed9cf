"""Generalisation figure: random search over single trees, test score of the best."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks._data import load
from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.search_spaces import (
    best_by_time,
    best_so_far,
    importances,
)
from benchmarks.paper.search_spaces import (
    draw as draw_settings,
)
from benchmarks.paper.statistics import critical_difference, mean_ranks, normalised
from dpdtree import DPDTreeClassifier, DPDTreeClassifierCV

#: Classification sets of the tabular benchmark, numerical and categorical apart.
NUMERICAL = (
    "bank_marketing", "california", "MagicTelescope", "credit", "electricity",
    "Diabetes130US", "house_16H_clf", "default_credit", "Higgs7k", "pol_clf", "jannis",
    "MiniBooNE", "covertype20k", "Bioresponse",
)  # fmt: skip
CATEGORICAL = ("compas_cat", "electricity_cat", "default_credit_cat")
MODELS = ("CART", "DPDT", "STreeD", "default", "CV")
ITERATIONS, MOST_ROWS = 100, 10_000
STREED_ITERATIONS, STREED_SECONDS = 5, 6.0
POINTS = (1, 2, 5, 10, 20, 50, 100)
SECONDS = tuple(float(f"{10**e:.3g}") for e in np.arange(-2, 2.51, 0.5))
COLORS = {"CART": "#7a7a7a", "DPDT": "#1f6f8b", "STreeD": "#8a5fa0",
          "default": "#c8553d", "CV": "#d98324"}  # fmt: skip


def cells(quick: bool) -> list[Cell]:
    """One per set and model."""
    if quick:
        sets, models, n = ("pol_clf", "compas_cat"), ("CART", "DPDT", "default"), 6
    else:
        sets, models, n = (*NUMERICAL, *CATEGORICAL), MODELS, ITERATIONS
    return [
        {"set": name, "model": model, "iterations": n}
        for name in sets
        for model in models
    ]


def parts_of(set: str) -> list[Any]:
    """70 % training rows, the rest validation (30 %) and test (70 %)."""
    data = load(f"grinsztajn/{set}")
    y = np.unique(data.y, return_inverse=True)[1]
    X, X_rest, y, y_rest = train_test_split(data.X, y, train_size=0.7, random_state=0)
    X_val, X_test, y_val, y_test = train_test_split(
        X_rest, y_rest, train_size=0.3, random_state=0
    )
    return [X[:MOST_ROWS], y[:MOST_ROWS], X_val, y_val, X_test, y_test]


def estimator(model: str, setting: dict[str, Any]) -> Any:
    """A tree with one setting of the random search."""
    if model == "default":
        return DPDTreeClassifier(n_jobs=1)
    if model == "CV":
        return DPDTreeClassifierCV(n_jobs=1)
    if model == "CART":
        return DecisionTreeClassifier(**{"max_depth": 5, "random_state": 0, **setting})
    if model == "STreeD":
        from pystreed import (  # type: ignore[import-not-found,unused-ignore]
            STreeDClassifier,
        )

        return STreeDClassifier(
            "accuracy", max_depth=5, time_limit=STREED_SECONDS, **setting
        )
    own = {"max_depth": 5, "n_candidates": (4, 4), "alpha": 0.0, "loss": "zero_one"}
    return DPDTreeClassifier(
        strategy="paper", n_jobs=1, random_state=0, **{**own, **setting}
    )


def run(set: str, model: str, iterations: int) -> dict[str, Any]:
    """Curves of the best test score over iterations and over seconds."""
    X, y, X_val, y_val, X_test, y_test = parts_of(set)
    if model in ("default", "CV"):
        settings: list[dict[str, Any]] = [{}]
    else:
        n = min(iterations, STREED_ITERATIONS) if model == "STreeD" else iterations
        settings = draw_settings(model, n)
    measured = []
    for setting in settings:
        fitted = estimator(model, setting)
        start = process_time()
        fitted.fit(X, y)
        spent = process_time() - start
        measured.append(
            (fitted.score(X_val, y_val), fitted.score(X_test, y_test), spent)
        )
    return summary(settings, np.array(measured))


def summary(settings: list[dict[str, Any]], measured: Any) -> dict[str, Any]:
    """What the page needs of one random search."""
    validation, test, seconds = measured.T
    curves = best_so_far(validation, test)
    points = [p for p in POINTS if p <= len(test)]
    by_time = best_by_time(validation, test, seconds, np.array(SECONDS))
    found = {
        "mean": [float(curves[:, p - 1].mean()) for p in points],
        "low": [float(curves[:, p - 1].min()) for p in points],
        "high": [float(curves[:, p - 1].max()) for p in points],
        "by_time": np.nanmean(by_time, axis=0).tolist() if len(test) else [],
        "tenth": float(np.quantile(test, 0.1)),
        "seconds": float(seconds.sum()),
    }
    if len(settings) > 10:
        found["importances"] = importances(settings, validation)
    return found


def scale_of(results: Results, name: str) -> tuple[float, float] | None:
    """The scores that count as 0 and as 1 on a set."""
    values = [results.value(set=name, model=m) for m in results.each("model")]
    present = [v for v in values if v is not None]
    if not present:
        return None
    return min(v["tenth"] for v in present), max(max(v["high"]) for v in present)


def curves(results: Results, names: tuple[str, ...], model: str, key: str) -> Any:
    """Normalised curves of a model, averaged over the sets."""
    rows = []
    for name in names:
        value, scale = results.value(set=name, model=model), scale_of(results, name)
        if value is not None and scale is not None:
            filled = np.array([np.nan if v is None else v for v in value[key]], float)
            rows.append(normalised(filled, *scale))
    if not rows:
        return None
    shortest = min(map(len, rows))
    stacked = np.array([row[:shortest] for row in rows])
    seen = ~np.isnan(stacked)
    counts = np.maximum(seen.sum(axis=0), 1)
    total = np.where(seen, stacked, 0.0).sum(axis=0)
    # A mean over fewer sets would jump whenever another set joins in.
    return np.where(seen.all(axis=0), total / counts, np.nan)


def draw(results: Results, folder: Path) -> None:
    """Score against iterations and against seconds, numerical and categorical."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained")
    for row, (label, names) in zip(
        axes, (("numerical", NUMERICAL), ("categorical", CATEGORICAL)), strict=True
    ):
        for model in results.each("model"):
            _draw_model(row, results, names, model)
        row[0].set(xlabel="settings tried", xscale="log", ylabel="normalised accuracy")
        row[1].set(xlabel="processor seconds", xscale="log")
        for ax in row:
            ax.set_title(f"{label} features", fontsize=10)
            ax.grid(alpha=0.25)
            ax.spines[["top", "right"]].set_visible(False)
    axes[0, 0].legend(fontsize=7, loc="lower right", framealpha=0.8)
    figure.savefig(folder / "generalization.png", dpi=100)
    plt.close(figure)


def _draw_model(row: Any, results: Results, names: tuple[str, ...], model: str) -> None:
    mean = curves(results, names, model, "mean")
    if mean is None:
        return
    color = COLORS[model]
    if model in ("default", "CV"):
        row[0].axhline(mean[0], color=color, ls="--", label=f"ours, {model}")
    else:
        x = POINTS[: len(mean)]
        row[0].plot(x, mean, color=color, label=model)
        low, high = (curves(results, names, model, k) for k in ("low", "high"))
        row[0].fill_between(x, low, high, color=color, alpha=0.2, linewidth=0)
    by_time = curves(results, names, model, "by_time")
    style = "--" if model in ("default", "CV") else "-"
    row[1].plot(SECONDS[: len(by_time)], by_time, style, color=color)


def render(results: Results) -> str:
    """Test accuracies after the search, and mean ranks."""
    models = results.each("model")
    rows, complete = [], []
    for name in results.each("set"):
        values = [results.value(set=name, model=m) for m in models]
        shown = ["–" if v is None else f"{v['mean'][-1]:.4f}" for v in values]
        rows.append([name, *shown])
        if all(v is not None for v in values):
            complete.append([v["mean"][-1] for v in values])
    text = "![Random search](images/paper/generalization.png)\n\n"
    text += "Test accuracy of the best on validation, mean of 15 orders:\n\n"
    text += table(["set", *models], rows)
    if complete:
        ranks = mean_ranks(np.array(complete))
        shown = ", ".join(f"{m} {r:.2f}" for m, r in zip(models, ranks, strict=True))
        difference = critical_difference(len(models), len(complete))
        text += f"\n\nMean ranks on {len(complete)} sets: {shown}; ranks that differ by"
        text += f" more than {difference:.2f} differ significantly (Nemenyi, 5 %)."
    return text


PIECE = Piece(
    "generalization",
    "Generalisation figure: random search over single trees",
    cells,
    run,
    render,
    draw,
    limit=900,
    differs=(
        f"At most {MOST_ROWS} training rows; 17 of the benchmark's sets; STreeD tries"
        f" {STREED_ITERATIONS} settings of {STREED_SECONDS:g} s each instead of 100 of"
        " 30 minutes; one split. The appendix does not list its eight candidate"
        " settings: ours are in benchmarks/paper/search_spaces.py."
    ),
    together=True,
)
