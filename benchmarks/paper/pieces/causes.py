"""Where we differ from the paper, each cause checked by an experiment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import KFold

from benchmarks._data import load, load_regression, load_table1, paper_tables
from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from benchmarks.paper.pieces import generalization, regression, small_sets, wild
from benchmarks.paper.search_spaces import SPACES, importances
from benchmarks.paper.search_spaces import draw as draw_settings
from benchmarks.paper.statistics import mean_and_error, shown
from dpdtree import DPDTreeClassifier

#: Candidates of a CART with 8 and with 16 leaves.
CANDIDATES = {"8 leaves": 7, "16 leaves": 15}
FOLDS, FOLD_DEPTH = 50, 5
#: question → sets, variants
QUESTIONS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "leaves": (("bank", "raisin", "eeg", "avila"), tuple(CANDIDATES)),
    "folds": (("abalone", "wine_quality", "elevators", "house_16H"), ("CART",)),
    "encoding": (("balance_scale", "car_evaluation"), ("CART", "DPDT", "optimal")),
    "importance": (("all",), ("CART", "DPDT")),
}


def cells(quick: bool) -> list[Cell]:
    """One per question, set and variant."""
    return [
        {"question": question, "set": name, "variant": variant}
        for question, (names, variants) in QUESTIONS.items()
        if not (quick and question == "importance")
        for name in (names[:1] if quick else names)
        for variant in variants
    ]


def run(question: str, set: str, variant: str) -> dict[str, Any]:
    """The answer of one experiment."""
    return RUNS[question](set, variant)


def leaves(name: str, variant: str) -> dict[str, Any]:
    """Training accuracy of the full configuration, "8" read as leaves or otherwise."""
    data, n = load_table1(name), CANDIDATES[variant]
    model = DPDTreeClassifier(
        strategy="paper", n_candidates=(n, n, n), max_depth=3, alpha=0.0,
        loss="zero_one", n_jobs=1,
    )  # fmt: skip
    return {"accuracy": float(model.fit(data.X, data.y).score(data.X, data.y))}


def folds(name: str, variant: str) -> dict[str, Any]:
    """Training and test R² of CART over 50 folds instead of 50 splits 80 : 20."""
    data, scores = load_regression(name), []
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(data.X):
        model = regression.estimator(variant, FOLD_DEPTH)
        model.fit(data.X[train], data.y[train])
        scores.append(
            [regression.r2(model, data.X[i], data.y[i]) for i in (train, test)]
        )
    train, test = (mean_and_error(column) for column in zip(*scores, strict=True))
    return {"train": train, "test": test}


def encoding(name: str, variant: str) -> dict[str, Any]:
    """The small sets with their values as numbers, not as 0/1 columns."""
    found = small_sets.on_splits(load(f"categorical/{name}"), variant)
    return {part: float(np.mean(found[part])) for part in ("train", "proven")}


def pooled_importance(_: str, model: str) -> dict[str, Any]:
    """One forest over the runs of all sets, which knows nothing of the sets."""
    settings: list[dict[str, Any]] = [{}]
    scores = [0.0]
    names = (*generalization.NUMERICAL, *generalization.CATEGORICAL)
    for seed, name in enumerate(names, start=1):
        X, y, X_val, y_val, *_ = generalization.parts_of(name)
        drawn = draw_settings(model, generalization.ITERATIONS, seed)[1:]
        settings += drawn
        for setting in drawn:
            fitted = generalization.estimator(model, setting).fit(X, y)
            scores.append(fitted.score(X_val, y_val))
    return {"importances": importances(settings, np.array(scores))}


LOOKAHEAD = (
    "**Look-ahead.** The look-ahead table counts one operation per candidate of CARTs"
    " with 8 leaves; read so, DPDT's figures come out again (“Look-ahead table”). Its"
    " one-step look-ahead does not: the paper says that two splits maximise the"
    " information gain, not over which rows and how weighted. Ours minimises the"
    " entropy that is left in all four parts."
)
TIMES = (
    "**Times** differ because the paper's code is Python, which is why it compares"
    " operations."
)
RUNS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "leaves": leaves,
    "folds": folds,
    "encoding": encoding,
    "importance": pooled_importance,
}


def render(results: Results) -> str:
    """A paragraph and a table for each cause, then where we lose."""
    parts = [
        _leaves_text(results),
        _folds_text(results),
        _importance_text(results),
        _encoding_text(results),
        LOOKAHEAD,
        TIMES,
        losses(),
    ]
    return "\n\n".join(part for part in parts if part)


def _leaves_text(results: Results) -> str:
    paper = paper_tables()["table1_depth3_train_accuracy"]
    rows = []
    for name in QUESTIONS["leaves"][0]:
        row = [name, f"{paper[name]['accuracy']['dpdt_full']:.3f}"]
        for variant in CANDIDATES:
            value = results.value(question="leaves", set=name, variant=variant)
            row.append("–" if value is None else f"{value['accuracy']:.3f}")
        rows.append(row)
    header = ["set", "paper's full DPDT", *(f"CART with {k}" for k in CANDIDATES)]
    return (
        "**Table 1's “8”** is a CART with 16 leaves, that is 15 splits:\n\n"
        f"{table(header, rows)}"
    )


def _folds_text(results: Results) -> str:
    paper = paper_tables()["regression_r2_pct"]
    rows = []
    for name in QUESTIONS["folds"][0]:
        value = results.value(question="folds", set=name)
        if value is not None:
            theirs = paper[name][f"depth{FOLD_DEPTH}"]["cart"]
            quoted = [f"{theirs[p]['mean']} ± {theirs[p]['se']}" for p in PARTS]
            rows.append([name, *quoted, *(shown(*value[part]) for part in PARTS)])
    header = ["CART of depth 5", "paper: train", "test"]
    return (
        "**Regression.** The paper's standard errors are smaller than ours on training"
        f" rows, about three times ours on test rows. {FOLDS} folds explain both, and"
        " most of the differences of the means: almost all rows train, few test. What"
        " is left (training scores of elevators and house_16H, test scores of"
        " wine_quality) we have not explained; the versions of the sets may differ."
        f"\n\n{table([*header, '50 folds: train', 'test'], rows)}"
    )


PARTS = ("train", "test")


def _importance_text(results: Results) -> str:
    from benchmarks.paper.pieces.importance import PAPER

    found = {}
    for model in ("CART", "DPDT"):
        value = results.value(question="importance", variant=model)
        if value is None:
            return ""
        found[model] = dict(zip(SPACES[model], value["importances"], strict=True))
    rows = []
    for name, (dpdt, cart) in PAPER.items():
        row = [f"`{name}`"]
        for own, theirs in ((found["DPDT"], dpdt), (found["CART"], cart)):
            row.append(f"{100 * own[name]:.1f}" if name in own else "–")
            row.append("–" if theirs is None else f"{theirs:.1f}")
        rows.append(row)
    header = ["setting", "DPDT, pooled %", "paper's", "CART, pooled %", "paper's"]
    return (
        "**Importance.** A forest for each set says that the least impurity decrease"
        " decides. One forest over the runs of all sets, which is not told the set,"
        " is closer to the paper's figures, without equalling them: the score differs"
        " by set, and a forest explains such noise by the setting with most values, the"
        " least leaf size. Whether the paper did so, it does not say.\n\n"
        f"{table(header, rows)}"
    )


def _encoding_text(results: Results) -> str:
    paper = paper_tables()["binary_depth5"]
    rows = []
    for name in QUESTIONS["encoding"][0]:
        row = [name]
        for variant in QUESTIONS["encoding"][1]:
            value = results.value(question="encoding", set=name, variant=variant)
            theirs = paper[name.replace("_", "-")]["train_pct"].get(variant.lower())
            own = "–" if value is None else f"{100 * value['train']:.1f}"
            row.append(own if theirs is None else f"{own} ({theirs:.1f})")
        rows.append(row)
    return (
        "**Small sets.** The paper counts 4 and 6 features here: numbers, not the 0/1"
        " columns of our table. As numbers (training accuracy, the paper's in"
        " brackets):\n\n"
        f"{table(['set', 'CART', 'DPDT', 'optimal'], rows)}\n\n"
        "CART comes closer. DPDT's figures in the paper are above the proven optimum of"
        " depth 5 in either form, so those trees or those rows are others."
    )


def losses() -> str:
    """Where the measured pieces say that something else is better."""
    lost = [
        f"{label} on {lost} of {won + tied + lost} {kind} sets"
        for label, kind, (won, tied, lost) in wild.bars()
        if lost
    ]
    return (
        "**Where we lose.** Our default against tuned CART: "
        + "; ".join(lost)
        + ". With `alpha=0`, DPDT of depth 5 overfits small noisy sets in the"
        " regression table. On categorical sets a random search of 100 settings finds"
        " better trees than the default. Packages on ten thresholds per feature can be"
        " faster than `balanced`, at more errors."
    )


PIECE = Piece(
    "causes",
    "Where we differ from the paper, and why",
    cells,
    run,
    render,
    limit=600,
    together=True,
)
