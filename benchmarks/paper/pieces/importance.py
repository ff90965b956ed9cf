"""Importance table: which settings of the random search matter."""

from __future__ import annotations

import numpy as np

from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.search_spaces import SPACES

#: Per cent, as printed in the paper: DPDT, CART.
PAPER = {
    "min_samples_leaf": (35.05, 33.50),
    "min_impurity_decrease": (24.60, 24.52),
    "n_candidates": (15.96, None),
    "max_features": (11.16, 18.06),
    "max_depth": (7.98, 10.19),
    "max_leaf_nodes": (None, 7.84),
    "min_samples_split": (2.67, 2.75),
    "min_weight_fraction_leaf": (2.58, 3.14),
}


def cells(quick: bool) -> list[Cell]:
    """None of its own: the runs are those of the generalisation figure."""
    return []


def run() -> None:
    """Nothing to measure."""


def render(results: Results) -> str:
    """Mean importances over the sets, beside the paper's."""
    found = {m: _mean(results, m) for m in ("DPDT", "CART")}
    if not any(found.values()):
        return "Too few settings were tried to tell."
    rows = []
    for name, (dpdt, cart) in PAPER.items():
        cells_ = [_cell(found["DPDT"], name), _paper(dpdt)]
        rows.append([f"`{name}`", *cells_, _cell(found["CART"], name), _paper(cart)])
    header = ["setting", "DPDT %", "paper's", "CART %", "paper's"]
    return table(header, rows)


def _mean(results: Results, model: str) -> dict[str, float]:
    values = [o.value for o in results.where(model=model) if o.value]
    shares = [v["importances"] for v in values if "importances" in v]
    if not shares:
        return {}
    return dict(zip(SPACES[model], np.mean(shares, axis=0).tolist(), strict=True))


def _cell(found: dict[str, float], name: str) -> str:
    return f"{100 * found[name]:.1f}" if name in found else "–"


def _paper(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


PIECE = Piece(
    "importance",
    "Importance of the hyper-parameters",
    cells,
    run,
    render,
    differs=(
        "Random-forest importances of the validation score, a forest per set, mean over"
        " the sets. The paper's are closer to those of one forest over all sets"
        " (“Where we differ”)."
    ),
    uses="generalization",
)
