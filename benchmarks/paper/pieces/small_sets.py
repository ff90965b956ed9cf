"""Table of small categorical sets: depth 5, three seeds."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks._data import Dataset, load, paper_tables
from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.statistics import with_error
from dpdtree import DPDTreeClassifier

SETS = {
    "balance_scale_enc": "balance-scale",
    "car_evaluation_enc": "car-evaluation",
    "hayes_roth_enc": "hayes-roth",
    "house_votes_84_enc": "house-votes-84",
    "spect_enc": "spect",
    "tic_tac_toe_enc": "tic-tac-toe",
}
MODELS = {"CART": "cart", "DPDT": "dpdt", "optimal": "", "default": ""}
QUOTED = ("oct", "mfoct", "binoct")
SEEDS, LIMIT = 3, 15.0


def cells(quick: bool) -> list[Cell]:
    """One per set and model."""
    names = list(SETS)[2:4] if quick else list(SETS)
    return [{"set": name, "model": model} for name in names for model in MODELS]


def estimator(model: str) -> Any:
    """Depth 5; ours untuned as it comes."""
    if model == "CART":
        return DecisionTreeClassifier(max_depth=5, random_state=0)
    if model == "default":
        return DPDTreeClassifier(n_jobs=1)
    own: dict[str, Any] = {"max_depth": 5, "alpha": 0.0, "loss": "zero_one"}
    if model == "optimal":
        return DPDTreeClassifier(strategy="optimal", time_limit=LIMIT, n_jobs=1, **own)
    return DPDTreeClassifier(strategy="paper", n_candidates=(4,) * 5, n_jobs=1, **own)


def run(set: str, model: str) -> dict[str, Any]:
    """Training and test accuracy of each seed."""
    return on_splits(load(f"categorical/{set}"), model)


def on_splits(data: Dataset, model: str) -> dict[str, list[Any]]:
    """The same of any set."""
    found: dict[str, list[Any]] = {"train": [], "test": [], "proven": []}
    for seed in range(SEEDS):
        X, X_test, y, y_test = train_test_split(
            data.X, data.y, test_size=0.25, random_state=seed
        )
        fitted = estimator(model).fit(X, y)
        found["train"].append(float(fitted.score(X, y)))
        found["test"].append(float(fitted.score(X_test, y_test)))
        found["proven"].append(bool(getattr(fitted, "is_optimal_", False)))
    return found


def render(results: Results) -> str:
    """Training and test accuracy, ours, the paper's and what it quotes."""
    paper = paper_tables()["binary_depth5"]
    return "\n\n".join(
        f"{part.capitalize()} accuracy in per cent (paper's in brackets):\n\n"
        + _table(results, paper, part)
        for part in ("train", "test")
    )


def _table(results: Results, paper: Any, part: str) -> str:
    rows = []
    for name in results.each("set"):
        theirs = paper[SETS[name]][f"{part}_pct"]
        row = [SETS[name]]
        for model, column in MODELS.items():
            value = results.value(set=name, model=model)
            shown = "–" if value is None else with_error(value[part])
            if value is not None and model == "optimal" and part == "train":
                shown += f", {sum(value['proven'])} of {SEEDS} proven"
            row.append(f"{shown} ({theirs[column]:.1f})" if column else shown)
        rows.append([*row, *(f"{theirs[q]:.1f}" for q in QUOTED)])
    header = ["set", "CART", "DPDT (4,4,4,4,4)", f"optimal, {LIMIT:g} s"]
    return table([*header, "`DPDTreeClassifier()`", "OCT", "MFOCT", "BinOCT"], rows)


PIECE = Piece(
    "small_sets",
    "Small categorical sets, depth 5",
    cells,
    run,
    render,
    limit=300,
    differs=(
        "Six of the eight sets are here (not breast-cancer and soybean-small), 0/1"
        " encoded; `DPDTreeClassifier()` chooses its own depth; OCT, MFOCT and"
        " BinOCT are the paper's figures."
    ),
    together=True,
)
