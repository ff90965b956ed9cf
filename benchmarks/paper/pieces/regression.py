"""Regression table: R² on random splits of the tabular benchmark's regression sets."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeRegressor

from benchmarks._data import REGRESSION_SETS, load_regression, paper_tables
from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.statistics import mean_and_error, paired_test, shown, win_tie_loss
from dpdtree import DPDTreeRegressor

SPLITS, STREED_SPLITS, STREED_SECONDS = 50, 10, 3.0
DEPTHS = (3, 5)
PAPER = {"CART": "cart", "DPDT": "dpdt", "STreeD": "optimal_streed"}
QUICK = ("wine_quality", "abalone")


def cells(quick: bool) -> list[Cell]:
    """One per set, depth and model; our default once, at its own depth."""
    names, splits = (QUICK, 2) if quick else (REGRESSION_SETS, SPLITS)
    models = ("CART", "DPDT") if quick else tuple(PAPER)
    wanted = [(depth, model) for depth in DEPTHS for model in models]
    return [
        {"set": name, "depth": depth, "model": model, "splits": splits}
        for name in names
        for depth, model in [*wanted, (0, "default")]
    ]


def estimator(model: str, depth: int) -> Any:
    """CART and DPDT as in the paper; ours with nothing but its defaults."""
    if model == "CART":
        return DecisionTreeRegressor(max_depth=depth, random_state=0)
    if model == "default":
        return DPDTreeRegressor(n_jobs=1)
    if model == "STreeD":
        from pystreed import (  # type: ignore[import-not-found,unused-ignore]
            STreeDRegressor,
        )

        return STreeDRegressor(max_depth=depth, time_limit=STREED_SECONDS)
    return DPDTreeRegressor(
        strategy="paper", n_candidates=(4,) * depth, max_depth=depth, alpha=0.0,
        min_samples_leaf=1, n_jobs=1,
    )  # fmt: skip


def run(set: str, depth: int, model: str, splits: int) -> dict[str, Any]:
    """Training and test R²: mean and standard error over the splits."""
    data = load_regression(set)
    found: dict[str, list[float]] = {"train": [], "test": []}
    n = min(splits, STREED_SPLITS) if model == "STreeD" else splits
    for seed in range(n):
        X, X_test, y, y_test = train_test_split(
            data.X, data.y, train_size=0.8, random_state=seed
        )
        fitted = estimator(model, depth)
        fitted.fit(X, y)
        found["train"].append(r2(fitted, X, y))
        found["test"].append(r2(fitted, X_test, y_test))
    return {part: mean_and_error(values) for part, values in found.items()}


def r2(model: Any, X: Any, y: Any) -> float:
    """R² of its predictions."""
    from sklearn.metrics import r2_score

    return float(r2_score(y, model.predict(X)))


def render(results: Results) -> str:
    """Test R² beside the paper's; who wins over all sets."""
    paper = paper_tables()["regression_r2_pct"]
    parts = [_table(results, paper, depth) for depth in DEPTHS]
    return "\n\n".join([*parts, _verdicts(results)])


def _table(results: Results, paper: Any, depth: int) -> str:
    rows = []
    for name in results.each("set"):
        row = [name]
        for model, column in PAPER.items():
            value = results.value(set=name, depth=depth, model=model)
            theirs = paper[name][f"depth{depth}"][column]["test"]
            own = "–" if value is None else shown(*value["test"])
            row += [own, f"{theirs['mean']:.1f} ± {theirs['se']:.1f}"]
        value = results.value(set=name, model="default")
        rows.append([*row, "–" if value is None else shown(*value["test"])])
    header = ["set"]
    for model in PAPER:
        header += [model, "paper's"]
    return f"Depth {depth}, test R² in per cent:\n\n" + table(
        [*header, "`DPDTreeRegressor()`"], rows
    )


def _verdicts(results: Results) -> str:
    lines = []
    for model, depth in (("DPDT", 3), ("DPDT", 5), ("default", 0)):
        ours, theirs = [], []
        for name in results.each("set"):
            own = results.value(set=name, depth=depth, model=model)
            cart = results.value(set=name, depth=depth or 5, model="CART")
            if own is not None and cart is not None:
                ours.append(own["test"][0])
                theirs.append(cart["test"][0])
        if ours:
            won = "/".join(map(str, win_tie_loss(ours, theirs)))
            p = paired_test(ours, theirs)
            label = f"{model}, depth {depth}" if depth else "`DPDTreeRegressor()`"
            lines.append(
                f"{label} against CART of depth {depth or 5}: {won}, p = {p:.2f}"
            )
    return "Win/tie/loss over the sets, test R²: " + "; ".join(lines) + "."


PIECE = Piece(
    "regression",
    "Regression table",
    cells,
    run,
    render,
    limit=600,
    differs=(
        f"13 of the 18 sets are here. STreeD gets {STREED_SECONDS:g} s a tree instead"
        f" of 4 hours, on {STREED_SPLITS} of the {SPLITS} splits."
    ),
    together=True,
)
