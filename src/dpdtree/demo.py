"""A small demonstration: CART against the default tree, on real data; a page."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_digits,
    load_wine,
)
from sklearn.model_selection import (
    KFold,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from dpdtree.export.text import export_text
from dpdtree.tree import DPDTreeClassifier, DPDTreeRegressor

FITS = 5
FOLDS = 5
DEPTH = 6  # that of the default tree
PAGE = "dpdtree-demo.html"

_INTRODUCTION = f"""\
Trees of scikit-learn (CART) and the default tree of dpdtree on the same rows.
test: mean over {FOLDS} folds of the accuracy, or of R² where the target is a number.
seconds: the fastest of {FITS} fits to all rows, one thread.
"""


class DataSet(NamedTuple):
    """A table with a target: labels, or numbers."""

    title: str
    feature_names: list[str]
    X: NDArray[Any]
    y: NDArray[Any]
    is_regression: bool = False


class Row(NamedTuple):
    """A line of the comparison."""

    model: str
    test: float
    leaves: int
    seconds: float


def make_xor(
    n_samples: int = 10_000, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the paper's XOR set: a 2 x 2 checkerboard, uniform on the unit square."""
    X = np.random.default_rng(seed).uniform(size=(n_samples, 2))
    return X, np.floor(2 * X).sum(axis=1).astype(np.int64) % 2


def load_sets() -> Iterator[DataSet]:
    """Yield real sets that scikit-learn brings along, and the XOR set of the paper."""
    real = {
        "Breast cancer": load_breast_cancer,
        "Digits": load_digits,
        "Wine": load_wine,
        "Diabetes": load_diabetes,
    }
    for title, load in real.items():
        data = load()
        names = [str(name) for name in data.feature_names]
        is_regression = load is load_diabetes
        yield DataSet(title, names, data.data, data.target, is_regression)
    yield DataSet("XOR (made up: no single split helps)", ["x", "y"], *make_xor())


def rivals(data: DataSet) -> dict[str, Any]:
    """Return the models to compare, the default tree last."""
    regression = data.is_regression
    greedy: Any = DecisionTreeRegressor if regression else DecisionTreeClassifier
    ahead: Any = DPDTreeRegressor if regression else DPDTreeClassifier
    return {
        "CART": greedy(random_state=0),
        f"CART, depth {DEPTH}": greedy(max_depth=DEPTH, random_state=0),
        "dpdtree": ahead(),
    }


def measure(name: str, model: Any, data: DataSet) -> Row:
    """Fit a model to all rows, and score it on rows that it has not seen."""
    splitter = KFold if data.is_regression else StratifiedKFold
    folds = splitter(n_splits=FOLDS, shuffle=True, random_state=0)
    test = cross_val_score(model, data.X, data.y, cv=folds).mean()
    seconds = []
    for _ in range(FITS):
        start = time.perf_counter()
        model.fit(data.X, data.y)
        seconds.append(time.perf_counter() - start)
    return Row(name, float(test), int(model.get_n_leaves()), min(seconds))


def format_row(row: Row | None = None) -> str:
    """Return an aligned line of the table, or its heading."""
    if row is None:
        return f"  {'':<16}{'test':>8}{'leaves':>8}{'seconds':>10}"
    return f"  {row.model:<16}{row.test:8.3f}{row.leaves:8d}{row.seconds:10.4f}"


def write_page(path: str | os.PathLike[str]) -> Path:
    """Write the explorer of the default tree of the breast cancer set."""
    data = load_breast_cancer()
    names = [str(name) for name in data.feature_names]
    labels = data.target_names[data.target]
    X, X_test, y, y_test = train_test_split(
        data.data, labels, random_state=0, stratify=labels
    )
    file: Path = (
        DPDTreeClassifier()
        .fit(X, y)
        .explore(
            X,
            y,
            X_test=X_test,
            y_test=y_test,
            path=path,
            cv=FOLDS,
            feature_names=names,
            title="Breast cancer: a tree and its alternatives",
        )
    )
    return file


def main(page: str | os.PathLike[str] = PAGE) -> None:
    """Print each comparison as it is made, then a tree; write an explorer page."""
    start = time.perf_counter()
    print(_INTRODUCTION)
    for data in load_sets():
        n_rows, n_features = data.X.shape
        print(f"{data.title}, {n_rows} rows, {n_features} features", flush=True)
        print(format_row(), flush=True)
        for name, model in rivals(data).items():
            print(format_row(measure(name, model, data)), flush=True)
        print()
    print("The default tree of the last set:\n")
    print(export_text(model, feature_names=data.feature_names))
    file = write_page(page).resolve()
    print("A tree to explore, with every split it could have had. Open in a browser:")
    print(f"  {file.as_uri()}\n")
    print(f"All of this took {time.perf_counter() - start:.1f} s.")


if __name__ == "__main__":
    main()
