"""Boosters as they come: ours, LightGBM, XGBoost, CatBoost and perpetual."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from sklearn.metrics import log_loss

from benchmarks._markdown import table
from benchmarks._timing import geometric_mean
from benchmarks._wild_boosters import BOOSTERS
from benchmarks.paper.peers import catboost, peer, perpetual
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.pieces.adaboost import SETS
from benchmarks.paper.pieces.generalization import parts_of
from benchmarks.paper.statistics import critical_difference, mean_ranks

ROWS = 5000
OURS = "DPDT boosting"


def _own(name: str) -> Callable[[Any, Any], Any]:
    return lambda X, y: BOOSTERS[f"{name} own"]("classification", X, y)


FITTERS: dict[str, Callable[[Any, Any], Any]] = {
    OURS: _own(OURS),
    "LightGBM": _own("LightGBM"),
    "XGBoost": _own("XGBoost"),
    "CatBoost": lambda X, y: catboost.make().fit(X, y),
    "perpetual": lambda X, y: perpetual.Booster("classification").fit(X, y),
}


def cells(quick: bool) -> list[Cell]:
    """One per set and booster."""
    names = SETS[-2:] if quick else SETS
    return [{"set": name, "model": model} for name in names for model in FITTERS]


def run(set: str, model: str) -> dict[str, Any]:
    """Log-loss and accuracy on the test rows, processor seconds of the fit."""
    if model in ("CatBoost", "perpetual"):
        peer(model)
    X, y, _, _, X_test, y_test = parts_of(set)
    start = process_time()
    fitted = FITTERS[model](X[:ROWS], y[:ROWS])
    seconds = process_time() - start
    shares = np.asarray(fitted.predict_proba(X_test))
    return {
        "loss": float(log_loss(y_test, shares)),
        "accuracy": float(np.mean(shares.argmax(axis=1) == y_test)),
        "seconds": seconds,
    }


def render(results: Results) -> str:
    """Losses set by set, then mean ranks and time."""
    rows, complete, times = [], [], []
    for name in results.each("set"):
        values = [results.value(set=name, model=m) for m in FITTERS]
        rows.append([name, *("–" if v is None else f"{v['loss']:.4f}" for v in values)])
        if all(values):
            complete.append([-v["loss"] for v in values])
            times.append([v["seconds"] for v in values])
    if complete:
        ranks = mean_ranks(np.array(complete))
        rows.append(["**mean rank**", *(f"{rank:.2f}" for rank in ranks)])
        ratios = [geometric_mean(row[i] / row[0] for row in times) for i in _columns()]
        rows.append([f"**time ÷ {OURS}**", *(f"{ratio:.2f}" for ratio in ratios)])
    difference = critical_difference(len(FITTERS), max(len(complete), 1))
    return (
        f"Test log-loss with each library's own defaults:\n\n"
        f"{table(['set', *FITTERS], rows)}\n\nRanks that differ by more than"
        f" {difference:.2f} differ significantly (Nemenyi, 5 %)."
    )


def _columns() -> range:
    return range(len(FITTERS))


PIECE = Piece(
    "boosters",
    "Boosters as they come",
    cells,
    run,
    render,
    limit=300,
    differs=f"Not in the paper. At most {ROWS} training rows, one thread, one split.",
)
