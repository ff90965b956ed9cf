"""Error + λ·leaves: trees without a depth limit, against FastSmallTree and GOSDT."""

from __future__ import annotations

from time import perf_counter, process_time
from typing import Any

import numpy as np

from benchmarks._data import load, load_table1
from benchmarks._markdown import table
from benchmarks._peers import coded
from benchmarks.paper.peers import fast_small_tree, gosdt, peer
from benchmarks.paper.piece import Cell, Piece, Results
from dpdtree import DPDTreeClassifier

SETS = ("bank", "raisin", "rice", "binary/anneal", "binary/german_credit",
        "binary/hypothyroid", "categorical/car_evaluation_enc",
        "categorical/tic_tac_toe_enc", "grinsztajn/compas_cat")  # fmt: skip
OURS, FAST, GOSDT = MODELS = ("dpdtree optimal", "FastSmallTree", "GOSDT")
PRICES, LIMIT, GOSDT_DEPTH = (0.05, 0.02, 0.01), 15.0, 6


def cells(quick: bool) -> list[Cell]:
    """One per price, set and package."""
    names, prices = (SETS[:1], PRICES[:1]) if quick else (SETS, PRICES)
    return [
        {"price": price, "set": name, "model": model}
        for price in prices
        for name in names
        for model in MODELS
    ]


def estimator(model: str, price: float) -> Any:
    """The price of a leaf is the same for all; GOSDT has a greatest depth, too."""
    if model == FAST:
        fast_small_tree.warm_up()
        return fast_small_tree.make(price, LIMIT)
    if model == GOSDT:
        return gosdt.make(GOSDT_DEPTH, LIMIT, price)
    return DPDTreeClassifier(
        strategy="optimal", loss="zero_one", complexity="n_leaves", alpha=price,
        max_depth=None, time_limit=LIMIT, n_jobs=1,
    )  # fmt: skip


def run(price: float, set: str, model: str) -> dict[str, Any]:
    """Objective, leaves, seconds, whether proven."""
    if not model.startswith("dpdtree"):
        peer(model)
    data = coded(load(set) if "/" in set else load_table1(set))
    fitted = estimator(model, price)
    start, began = process_time(), perf_counter()
    fitted.fit(data.X, data.y)
    seconds, waited = process_time() - start, perf_counter() - began
    error = float(np.mean(np.asarray(fitted.predict(data.X)) != data.y))
    leaves, proven = _facts(model, fitted, waited)
    value = error + price * leaves
    return {"objective": value, "leaves": leaves, "seconds": seconds, "proven": proven}


def _facts(model: str, fitted: Any, waited: float) -> tuple[int, bool]:
    if model == FAST:
        return int(fitted.n_leaves_), bool(fitted.optimal_)
    if model == GOSDT:
        tree = fitted.model.model.trees_[0].tree
        # It does not tell whether the clock stopped it.
        return _leaves(tree), waited < 0.9 * LIMIT
    return int(fitted.get_n_leaves()), bool(fitted.is_optimal_)


def _leaves(node: Any) -> int:
    if not hasattr(node, "feature"):
        return 1
    return _leaves(node.left_child) + _leaves(node.right_child)


def render(results: Results) -> str:
    """Objectives, the least in bold, and seconds."""
    rows = []
    for price in results.each("price"):
        for name in results.each("set"):
            values = [results.value(price=price, set=name, model=m) for m in MODELS]
            best = min((v["objective"] for v in values if v), default=0.0)
            rows.append([price, name, *(_cell(value, best) for value in values)])
    return (
        "Training error + price · leaves; in brackets leaves and processor seconds, a"
        " star where the package does not claim a proof. Bold: the least of the row."
        f"\n\n{table(['price', 'set', *MODELS], rows)}\n\n{proven_by(results)}"
    )


def proven_by(results: Results) -> str:
    """How many problems one package proves and the other does not."""
    lines = []
    for theirs in (FAST, GOSDT):
        pairs = [
            (own["proven"], other is not None and other["proven"])
            for price in results.each("price")
            for name in results.each("set")
            if (own := results.value(price=price, set=name, model=OURS)) is not None
            for other in [results.value(price=price, set=name, model=theirs)]
        ]
        only_ours = sum(own and not other for own, other in pairs)
        only_theirs = sum(other and not own for own, other in pairs)
        both = sum(own and other for own, other in pairs)
        lines.append(
            f"Of {len(pairs)} problems both {OURS} and {theirs} prove {both}, only ours"
            f" {only_ours}, only {theirs} {only_theirs}."
        )
    return " ".join(lines)


def _cell(value: dict[str, Any] | None, best: float) -> str:
    if value is None:
        return "no tree"
    shown = f"{value['objective']:.4f}"
    if value["objective"] <= best + 1e-9:
        shown = f"**{shown}**"
    star = "" if value["proven"] else "*"
    return f"{shown} ({value['leaves']}, {value['seconds']:.2g} s{star})"


PIECE = Piece(
    "leaf_price",
    "A price per leaf: FastSmallTree and GOSDT",
    cells,
    run,
    render,
    limit=180,
    differs=(
        f"Not in the paper. Trees of any depth, GOSDT's of {GOSDT_DEPTH} levels at"
        f" most; GOSDT sees ten thresholds per feature. Limit {LIMIT:g} s of the clock;"
        " compiling is not counted. The problems were fixed before they were run"
        " together."
    ),
)
