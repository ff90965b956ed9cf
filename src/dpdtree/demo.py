"""A small demonstration: greedy trees against trees that look ahead."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from dpdtree.export.text import export_text
from dpdtree.tree import DPDTreeClassifier

REPEATS = 5


class DataSet(NamedTuple):
    """A classification problem, cut into a training and a test part."""

    title: str
    depth: int
    feature_names: list[str]
    X_train: NDArray[Any]
    X_test: NDArray[Any]
    y_train: NDArray[Any]
    y_test: NDArray[Any]


class Row(NamedTuple):
    """A line of the comparison."""

    model: str
    train: float
    test: float
    leaves: int
    seconds: float


def make_xor(n_samples: int = 10_000, seed: int = 0) -> tuple[NDArray[Any], ...]:
    """Return the paper's XOR set: a 2 x 2 checkerboard, uniform on the unit square."""
    X = np.random.default_rng(seed).uniform(size=(n_samples, 2))
    return X, np.floor(2 * X).sum(axis=1).astype(int) % 2


def _split(title: str, depth: int, names: Any, X: Any, y: Any) -> DataSet:
    parts = train_test_split(X, y, test_size=0.3, random_state=0)
    return DataSet(f"{title}, depth {depth}", depth, list(names), *parts)


def load_sets() -> list[DataSet]:
    """Return two real sets of scikit-learn and the XOR set."""
    cancer, digits = load_breast_cancer(), load_digits()
    return [
        _split("Breast cancer", 3, cancer.feature_names, cancer.data, cancer.target),
        _split("Digits", 4, digits.feature_names, digits.data, digits.target),
        _split("XOR", 2, ["x", "y"], *make_xor()),
    ]


def compare(data: DataSet) -> tuple[list[Row], DPDTreeClassifier]:
    """Fit the rivals; return a row for each and the tree that looked ahead."""
    ahead = DPDTreeClassifier(max_depth=data.depth)
    rivals = {
        "scikit-learn CART": DecisionTreeClassifier(
            max_depth=data.depth, random_state=0
        ),
        "dpdtree, greedy": DPDTreeClassifier(max_depth=data.depth, strategy="greedy"),
        "dpdtree, paper": ahead,
    }
    return [_measure(name, model, data) for name, model in rivals.items()], ahead


def _measure(name: str, model: Any, data: DataSet) -> Row:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        model.fit(data.X_train, data.y_train)
        seconds.append(time.perf_counter() - start)
    return Row(
        name,
        model.score(data.X_train, data.y_train),
        model.score(data.X_test, data.y_test),
        model.get_n_leaves(),
        min(seconds),
    )


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
    """Print the comparison of each set and two of the trees."""
    for data in load_sets():
        rows, ahead = compare(data)
        print(format_table(data.title, rows), end="\n\n")
        if data.title.startswith("Digits"):
            continue
        print(export_text(ahead, feature_names=data.feature_names))


if __name__ == "__main__":
    main()
