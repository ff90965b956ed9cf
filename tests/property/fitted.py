"""Fitted models on hostile data, for the tests of exports and model files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from dpdtree import (
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeRegressor,
)

NAMES = [
    "age",
    "select",
    "it's",
    'a "quoted" name',
    "two\nlines",
    "tab\there",
    "größe €",
    "*/ end",
    "</script>",
    "`tick`",
    "back\\slash",
    "x]]y",
    "{x}",
    "class",
    "MODEL",
    "%s; DROP TABLE data; --",
    "日本語",
    "x0",
    "kept_0",
    "raw_0",
    "tree_0",
    " ",
]
TEXTS = [*NAMES, "A", "a", "a ", "?" * 3, "<!--", "${x}", "\r", "é", "e\u0301", "0"]
EXTREMES = np.array(
    [0.0, -0.0, 5e-324, -5e-324, 2.3e-308, 1e-300, 1e300, -1e300, 1.7e308, 2.0**53]
)


@dataclass(frozen=True)
class Case:
    """A fitted model, and rows that try its splits."""

    model: Any
    X: pd.DataFrame


def _column(rng: np.random.Generator, kind: str, n: int) -> pd.Series:
    if kind == "number":
        values = rng.normal(size=n) * 10.0 ** rng.integers(-3, 4)
        return pd.Series(np.where(rng.random(n) < 0.3, np.nan, values))
    if kind == "digits":  # what a spreadsheet keeps
        return pd.Series(np.round(rng.normal(size=n), 3)).mask(rng.random(n) < 0.2)
    if kind == "extreme":
        values = rng.choice(EXTREMES, n)
        return pd.Series(np.where(rng.random(n) < 0.2, np.nan, values))
    if kind == "text":
        some = rng.choice(TEXTS, int(rng.integers(1, 12)), replace=False)
        values = pd.Series(pd.Categorical(rng.choice(some, n), categories=some))
        return values.mask(rng.random(n) < 0.2)
    numbers = rng.choice([-3, 0, 1, 2, 7, 40], n) / (2 if kind == "halves" else 1)
    if kind == "flags":
        numbers = numbers > 1
    return pd.Series(pd.Categorical(numbers)).mask(rng.random(n) < 0.2)


def _thresholds(model: Any, feature: int) -> list[float]:
    if hasattr(model, "tree_"):
        trees = [model.tree_]
    else:
        b = model.booster_
        trees = [
            b.tree(i, k) for i in range(b.n_iterations) for k in range(b.n_outputs)
        ]
    found = [t.threshold[t.feature == feature] for t in trees]
    return [float(t) for t in np.concatenate(found) if np.isfinite(t)]


def _trying(model: Any, X: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Rows of X with thresholds, their neighbours, unseen categories and gaps."""
    tried = X.iloc[rng.integers(0, len(X), 40)].reset_index(drop=True)
    for j, name in enumerate(X.columns):
        column = tried[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            unseen = _unseen(column)
            values = column.astype(object)
            values[rng.random(len(column)) < 0.2] = unseen
            # Other codes than in the fit: names decide, not codes.
            order = [*reversed(column.cat.categories.tolist()), unseen]
            tried[name] = pd.Categorical(values, categories=dict.fromkeys(order))
            continue
        cuts = np.array(_thresholds(model, j))
        if cuts.size:
            close = np.concatenate(
                [cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf)]
            )
            close = close[np.isfinite(close)]
            replaced = rng.random(len(column)) < 0.5
            tried.loc[replaced, name] = rng.choice(close, replaced.sum())
        tried.loc[rng.random(len(column)) < 0.1, name] = np.nan
    return tried


def _unseen(column: pd.Series) -> Any:
    known = column.cat.categories
    if known.dtype.kind == "b":
        return True if True not in known else False  # noqa: SIM210
    return 99.5 if known.dtype.kind in "if" else "never seen 'before'"


def _labels(rng: np.random.Generator, score: Any, kind: str) -> Any:
    codes = np.digitize(score, np.quantile(score, [0.4, 0.75]))
    if kind == "one":
        return np.full(len(codes), "the only one")
    if kind == "flags":
        return codes > 0
    if kind == "text":
        return rng.permutation(np.array(TEXTS, dtype=object))[:3][codes]
    return np.array([-7, 0, 12])[codes] if kind == "integers" else codes / 2 * 2.0


@st.composite
def fitted_cases(
    draw: st.DrawFn,
    *,
    boosted: bool | None = None,
    kinds: tuple[str, ...] = ("number", "extreme", "text", "codes", "halves", "flags"),
) -> Case:
    """A model on columns of these kinds."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = int(rng.integers(30, 120))
    chosen = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=5))
    names = rng.choice(NAMES, len(chosen), replace=False)
    X = pd.DataFrame(
        {name: _column(rng, kind, n) for name, kind in zip(names, chosen, strict=True)}
    )
    score = rng.normal(size=n)
    for name in X.columns:
        codes = pd.factorize(X[name])[0]
        score += np.where(codes < 0, 1.5, np.sin(3.0 * codes))
    if boosted is None:
        boosted = draw(st.booleans())
    kinds_of_label = ["text", "flags", "integers", "floats", "one", "none", "none"]
    shown = draw(st.sampled_from(kinds_of_label))
    if shown == "none":
        loss = draw(st.sampled_from(["squared_error", "poisson"]))
        y = np.exp(score) if loss == "poisson" else score
    else:
        loss, y = None, _labels(rng, score, shown)
    model = _model(draw, boosted=boosted, loss=loss).fit(X, y)
    return Case(model, _trying(model, X, rng))


def _model(draw: st.DrawFn, *, boosted: bool, loss: str | None) -> Any:
    if boosted:
        common = {"max_iter": 4, "max_leaf_nodes": 6, "random_state": 0}
        common |= {"early_stopping": False, "l2_regularization": 0.5}
        if loss is None:
            return DPDTBoostingClassifier(**common)
        return DPDTBoostingRegressor(loss=loss, **common)
    depth = draw(st.sampled_from([1, 3, 5]))
    if loss is None:
        alpha = draw(st.sampled_from([0.0, "auto"]))
        strategy = draw(st.sampled_from(["auto", "balanced"]))
        strength = draw(st.sampled_from(["auto", 12.5]))
        return DPDTreeClassifier(
            max_depth=depth, strategy=strategy, alpha=alpha, shrinkage=strength
        )
    return DPDTreeRegressor(
        max_depth=depth,
        loss=loss,
        min_samples_leaf=1,
        alpha=0.0,
        shrinkage=draw(st.sampled_from([0.0, 12.5])),
    )
