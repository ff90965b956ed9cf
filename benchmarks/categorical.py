"""Categories and missing values as they are, or encoded: test score, leaves, seconds.

Every set below the data directory with string columns or missing cells, several random
splits. The same tree on the raw frame, on ordinal codes and on one-hot columns; beside
it scikit-learn's CART on both encodings and single trees of HistGradientBoosting and
LightGBM. The seconds are the processor's and include the encoding. And one fit of
adult, depth 5, from the raw frame against CART on the one-hot matrix. One thread.
"""

from __future__ import annotations

import argparse
import math
import warnings
from collections.abc import Callable
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import pandas as pd  # type: ignore[import-untyped,unused-ignore]
from sklearn.compose import make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks._data import data_file, data_root
from benchmarks._markdown import table
from benchmarks._quality import Store
from benchmarks._timing import best_of, geometric_mean, print_table
from dpdtree import DPDTreeClassifier, DPDTreeRegressor

DEPTH = 4
MIN_SAMPLES_LEAF = 5
ALPHA = "mdl"
SPLITS = 5
MOST_ROWS = 5_000
QUICK = ("titanic", "house_votes_84", "abalone_cat")
MOST_BINS = 255  # categories that HistGradientBoosting takes
MOST_CLASSES = 20  # more distinct numbers than these are a regression target


class Table(NamedTuple):
    """A set as a frame, its target, and which columns are strings."""

    name: str
    X: Any
    y: Any
    text: list[str]

    @property
    def regression(self) -> bool:
        return self.y.dtype.kind == "f"


def tables(quick: bool) -> list[Table]:
    """All sets that are not plain numbers, at most MOST_ROWS rows of each."""
    found = []
    for path in sorted(data_root().glob("*/*.parquet")):
        if quick and path.stem not in QUICK:
            continue
        table = read(path)
        if table.text or table.X.isna().to_numpy().any():
            found.append(table)
    return found


def read(path: Any) -> Table:
    frame = pd.read_parquet(path)
    if len(frame) > MOST_ROWS:
        frame = frame.sample(MOST_ROWS, random_state=0)
    y = frame.pop("target").to_numpy()
    X = frame.drop(columns="split", errors="ignore").reset_index(drop=True)
    numbers = pd.api.types.is_numeric_dtype
    text = [c for c in X if not numbers(X[c])]
    if y.dtype.kind not in "fiub":
        return Table(path.stem, X, y.astype(str), text)
    numbers_to_predict = len(np.unique(y)) > MOST_CLASSES
    return Table(path.stem, X, y.astype(float if numbers_to_predict else int), text)


def encoded(table: Table, encoder: Any, model: Any) -> Any:
    """A pipeline that encodes the string columns and leaves the others alone."""
    columns = make_column_transformer((encoder, table.text), remainder="passthrough")
    return make_pipeline(columns, model)


def ordinal(table: Table, model: Any) -> Any:
    unknown = {"handle_unknown": "use_encoded_value", "unknown_value": np.nan}
    return encoded(table, OrdinalEncoder(**unknown), model)


def one_hot(table: Table, model: Any) -> Any:
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return encoded(table, encoder, model)


def ours(table: Table, depth: int = DEPTH, **parameters: Any) -> Any:
    kind = DPDTreeRegressor if table.regression else DPDTreeClassifier
    parameters.setdefault("min_samples_leaf", MIN_SAMPLES_LEAF)
    parameters.setdefault("alpha", ALPHA)
    return kind(max_depth=depth, **parameters)


def cart(table: Table, depth: int = DEPTH) -> Any:
    kind = DecisionTreeRegressor if table.regression else DecisionTreeClassifier
    return kind(max_depth=depth, min_samples_leaf=MIN_SAMPLES_LEAF, random_state=0)


def hist(table: Table) -> Any:
    """One tree by HistGradientBoosting; too many categories are numbers to it."""
    boosting = HistGradientBoostingClassifier
    if table.regression:
        boosting = HistGradientBoostingRegressor
    few = [len(table.X[c].unique()) <= MOST_BINS for c in table.text]
    mask = few + [False] * (table.X.shape[1] - len(table.text))
    model = boosting(
        max_iter=1,
        learning_rate=1.0,
        max_depth=DEPTH,
        max_leaf_nodes=None,
        min_samples_leaf=MIN_SAMPLES_LEAF,
        early_stopping=False,
        categorical_features=mask,
    )
    return ordinal(table, model)


class LightGBM:
    """One tree by LightGBM, the string columns as pandas categories."""

    def __init__(self, table: Table) -> None:
        import lightgbm

        kind = lightgbm.LGBMRegressor if table.regression else lightgbm.LGBMClassifier
        self.model = kind(
            n_estimators=1,
            learning_rate=1.0,
            max_depth=DEPTH,
            num_leaves=2**DEPTH,
            min_child_samples=MIN_SAMPLES_LEAF,
            n_jobs=1,
            verbose=-1,
        )
        self.text = table.text

    def _frame(self, X: Any) -> Any:
        X = X.astype({c: pd.CategoricalDtype(self.levels[c]) for c in self.text})
        return X.set_axis([f"x{j}" for j in range(X.shape[1])], axis=1)

    def fit(self, X: Any, y: Any) -> LightGBM:
        self.levels = {c: X[c].dropna().unique() for c in self.text}
        self.model.fit(self._frame(X), y)
        return self

    def score(self, X: Any, y: Any) -> float:
        return float(self.model.score(self._frame(X), y))

    def leaves(self) -> int:
        trees = self.model.booster_.dump_model()["tree_info"]
        return sum(tree["num_leaves"] for tree in trees)


def models(table: Table) -> dict[str, Callable[[], Any]]:
    return {
        "native": lambda: ours(table, categorical_features=table.text),
        "ordinal": lambda: ordinal(table, ours(table)),
        "one-hot": lambda: one_hot(table, ours(table)),
        "CART ordinal": lambda: ordinal(table, cart(table)),
        "CART one-hot": lambda: one_hot(table, cart(table)),
        "HistGradientBoosting": lambda: hist(table),
        "LightGBM": lambda: LightGBM(table),
    }


def leaves_of(model: Any) -> int:
    if isinstance(model, LightGBM):
        return model.leaves()
    tree = model[-1] if hasattr(model, "steps") else model
    if hasattr(tree, "get_n_leaves"):
        return int(tree.get_n_leaves())
    return sum(t.get_n_leaf_nodes() for step in tree._predictors for t in step)


def run(table: Table, splits: int) -> dict[str, dict[str, float]]:
    """Means over the splits: score, leaves, seconds."""
    rows: dict[str, list[tuple[float, int, float]]] = {m: [] for m in models(table)}
    for seed in range(splits):
        stratify = None if table.regression else table.y
        if (
            stratify is not None
            and np.unique(stratify, return_counts=True)[1].min() < 2
        ):
            stratify = None
        X, X_test, y, y_test = train_test_split(
            table.X, table.y, test_size=0.2, random_state=seed, stratify=stratify
        )
        for name, make in models(table).items():
            model = make()
            start = process_time()
            model.fit(X, y)
            seconds = process_time() - start
            rows[name].append((model.score(X_test, y_test), leaves_of(model), seconds))
    keys = ("score", "leaves", "seconds")
    return {
        name: dict(zip(keys, map(float, np.mean(values, axis=0)), strict=True))
        for name, values in rows.items()
    }


def summarize(sets: dict[str, Any]) -> dict[str, dict[str, float]]:
    """Mean score and leaves; the time relative to the native fit."""
    summary = {}
    for name in next(iter(sets.values())):
        own = [s[name] for s in sets.values()]
        times = [s[name]["seconds"] / s["native"]["seconds"] for s in sets.values()]
        summary[name] = {
            "score": float(np.mean([s["score"] for s in own])),
            "leaves": float(np.mean([s["leaves"] for s in own])),
            "time": geometric_mean(times),
        }
    better = [max(s["ordinal"]["score"], s["one-hot"]["score"]) for s in sets.values()]
    summary["better encoding"] = {"score": float(np.mean(better))}
    return summary


def adult() -> dict[str, float]:
    """Fit of depth 5 from the raw frame, and CART on the ready one-hot matrix."""
    frame = pd.read_parquet(data_file("misc/adult.parquet"))
    y = frame.pop("target").to_numpy()
    X = frame.drop(columns="split", errors="ignore")
    text = [c for c in X if not pd.api.types.is_numeric_dtype(X[c])]
    table = Table("adult", X, y, text)
    dense = one_hot(table, None)[:-1].fit_transform(X)
    native = DPDTreeClassifier(max_depth=5, categorical_features=text)
    plain = DecisionTreeClassifier(max_depth=5, random_state=0)
    calls = {
        "native": lambda: native.fit(X, y),
        "CART": lambda: plain.fit(dense, y),
    }
    seconds = best_of(calls, repeat=3)
    return {
        **{f"{name} seconds": s for name, s in seconds.items()},
        "ratio": seconds["native"] / seconds["CART"],
        "native accuracy": native.score(X, y),
        "CART accuracy": plain.score(dense, y),
    }


def rendered(content: dict[str, Any]) -> str:
    """Means over all sets, and adult against CART on one-hot columns."""
    summary = content["summary"]
    rows = [
        [name, f"{s['score']:.4f}", f"{s['leaves']:.1f}", f"{s['time']:.2f}"]
        for name, s in summary.items()
        if "time" in s
    ]
    adult, setting = content["adult"], content["settings"]
    text = (
        f"{content['n_sets']} sets, {setting['splits']} splits, depth"
        f" {setting['depth']}, at most {setting['most_rows']} rows. The better encoding"
        f" of each set has a mean of {summary['better encoding']['score']:.4f}; native"
        f" is at least as good on {content['native_best']}. adult, all rows, depth 5,"
        f" from the raw frame: {adult['ratio']:.2f} times CART on the ready one-hot"
        f" matrix (accuracy {adult['native accuracy']:.4f} against"
        f" {adult['CART accuracy']:.4f})."
    )
    header = ["tree", "test score", "leaves", "time / native"]
    return f"{table(header, rows)}\n\n{text}"


def published(results: dict[str, Any]) -> dict[str, Any]:
    """What the page needs: means, and where native is at least as good as encoded."""
    native_best = sum(
        s["native"]["score"] >= max(s["ordinal"]["score"], s["one-hot"]["score"])
        for s in results.values()
    )
    facts = {"n_sets": len(results), "native_best": native_best}
    return {**facts, "summary": summarize(results), "adult": adult()}


def main(quick: bool, splits: int) -> None:
    warnings.filterwarnings("ignore")  # of unknown categories, of constant columns
    setting = {"depth": DEPTH, "splits": splits, "most_rows": MOST_ROWS}
    store = Store("categorical", setting)
    results = {} if quick else store.part("sets")
    for entry in tables(quick):
        if entry.name in results:
            continue
        results[entry.name] = run(entry, splits)
        cells = [f"{v['score']:.3f}" for v in results[entry.name].values()]
        print(entry.name, *cells, flush=True)
        if not quick:
            store.save()
    content = published(results)
    rows: list[list[object]] = [
        [
            name,
            f"{s['score']:.4f}",
            f"{s.get('leaves', math.nan):.1f}",
            f"{s.get('time', math.nan):.2f}",
        ]
        for name, s in content["summary"].items()
    ]
    header = ["model", "mean score", "leaves", "time / native"]
    print_table(f"Test scores of trees of depth {DEPTH}", header, rows)
    print(f"{len(results)} sets; adult:", content["adult"])
    if not quick:
        store.publish(content)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="three small sets only")
    parser.add_argument("--splits", type=int, default=SPLITS)
    arguments = parser.parse_args()
    main(arguments.quick, arguments.splits)
