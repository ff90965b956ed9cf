"""A small demonstration: greedy trees against trees that look ahead."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from dpdtree.export.text import export_text
from dpdtree.tree import DPDTreeClassifier

REPEATS = 5
FOLDS = StratifiedKFold(n_splits=5, shuffle=True, random_state=0)


class DataSet(NamedTuple):
    """A classification problem and the depth of the trees to fit."""

    title: str
    depth: int
    feature_names: list[str]
    X: NDArray[Any]
    y: NDArray[Any]


class Row(NamedTuple):
    """A line of the comparison."""

    model: str
    train: float
    test: float
    leaves: int
    seconds: float


def make_xor(
    n_samples: int = 10_000, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the paper's XOR set: a 2 x 2 checkerboard, uniform on the unit square."""
    X = np.random.default_rng(seed).uniform(size=(n_samples, 2))
    return X, np.floor(2 * X).sum(axis=1).astype(np.int64) % 2


def load_sets() -> list[DataSet]:
    """Return the real sets of scikit-learn and the XOR set of the paper."""
    loaders = {"Breast cancer": load_breast_cancer, "Digits": load_digits}
    loaders["Wine"] = load_wine
    sets = [(title, load()) for title, load in loaders.items()]
    real = [DataSet(t, 3, list(s.feature_names), s.data, s.target) for t, s in sets]
    return [*real, DataSet("XOR", 2, ["x", "y"], *make_xor())]


def compare(data: DataSet) -> tuple[list[Row], DPDTreeClassifier]:
    """Fit the rivals; return a row for each and the tree that looked ahead."""
    depth = data.depth
    ahead = DPDTreeClassifier(max_depth=depth, alpha=0.0)
    paper = DPDTreeClassifier(max_depth=depth, strategy="paper")
    rivals = {
        "scikit-learn CART": DecisionTreeClassifier(max_depth=depth, random_state=0),
        "dpdtree, greedy": DPDTreeClassifier(max_depth=depth, strategy="greedy"),
        "dpdtree, paper": paper,
        "dpdtree, balanced": ahead,
    }
    return [_measure(name, model, data) for name, model in rivals.items()], ahead


def _measure(name: str, model: Any, data: DataSet) -> Row:
    test = cross_val_score(model, data.X, data.y, cv=FOLDS).mean()
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.fit(data.X, data.y)
        seconds.append(time.perf_counter() - start)
    train = model.score(data.X, data.y)
    return Row(name, train, test, model.get_n_leaves(), min(seconds))


def format_table(title: str, rows: list[Row]) -> str:
    """Return the comparison as an aligned table."""
    lines = [f"{title:<28}{'train':>8}{'test':>8}{'leaves':>8}{'seconds':>10}"]
    lines += [
        f"  {row.model:<26}{row.train:8.3f}{row.test:8.3f}{row.leaves:8d}"
        f"{row.seconds:10.4f}"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Print the comparison of each set, then the tree of the last one."""
    print("Accuracy on the training set and in 5-fold cross-validation (test).\n")
    for data in load_sets():
        rows, ahead = compare(data)
        title = f"{data.title}, depth {data.depth}"
        print(format_table(title, rows), end="\n\n")
    print(f"The tree that looked ahead on {data.title}:\n")
    print(export_text(ahead, feature_names=data.feature_names), end="")


if __name__ == "__main__":
    main()
