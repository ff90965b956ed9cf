"""Table 1 of the paper: training accuracy of depth-3 trees on 16 sets.

The paper's "8" is `max_leaf_nodes=16` of its generating CART, that is 15 splits per
state; its Top-B columns are the best split of each of the 16 best features.
"""

from __future__ import annotations

import argparse
from typing import Any

from sklearn.tree import DecisionTreeClassifier

from benchmarks._data import TABLE1_SETS, Dataset, load_table1, paper_tables
from benchmarks._timing import best_of, print_table, write_json
from dpdtree import DPDTreeClassifier

DEPTH = 3
TOLERANCE = 0.001
CART, TOP_B = 15, 16

#: column → (the paper's column, constructor arguments)
COLUMNS: dict[str, tuple[str, dict[str, Any]]] = {
    "greedy": ("cart", {"strategy": "greedy"}),
    "light": ("dpdt_light", {"n_candidates": (CART, 1, 1)}),
    "full": ("dpdt_full", {"n_candidates": (CART, CART, CART)}),
    "top_b light": (
        "topb_light",
        {"generator": "top_b_per_feature", "n_candidates": (TOP_B, 1, 1)},
    ),
    "top_b full": (
        "topb_full",
        {"generator": "top_b_per_feature", "n_candidates": (TOP_B, TOP_B, TOP_B)},
    ),
}


def estimator(arguments: dict[str, Any]) -> DPDTreeClassifier:
    """Depth-3 tree on one thread; the paper's strategy unless told otherwise."""
    defaults: dict[str, Any] = {"strategy": "paper", "max_depth": DEPTH, "n_jobs": 1}
    return DPDTreeClassifier(**{**defaults, **arguments})


def sklearn_cart() -> DecisionTreeClassifier:
    """The peer every column is measured against."""
    return DecisionTreeClassifier(max_depth=DEPTH, random_state=0)


def measure(data: Dataset, repeat: int) -> dict[str, Any]:
    """Training accuracy and seconds of every column on one set."""
    models = {"sklearn": sklearn_cart()}
    models |= {name: estimator(arguments) for name, (_, arguments) in COLUMNS.items()}

    def fitter(model: Any) -> Any:
        return lambda: model.fit(data.X, data.y)

    seconds = best_of({name: fitter(model) for name, model in models.items()}, repeat)
    accuracy = {name: model.score(data.X, data.y) for name, model in models.items()}
    return {"n": data.X.shape[0], "p": data.X.shape[1]} | {
        "accuracy": accuracy,
        "seconds": seconds,
    }


def differences(
    result: dict[str, Any], published: dict[str, float]
) -> dict[str, float]:
    """Columns that differ from the paper by more than the tolerance."""
    found = {
        name: result["accuracy"][name] - published[column]
        for name, (column, _) in COLUMNS.items()
    }
    return {k: d for k, d in found.items() if abs(d) > TOLERANCE}


def row(name: str, result: dict[str, Any], published: dict[str, float]) -> list[object]:
    """One line of the printed table: ours / the paper's, a star where they differ."""
    flagged = differences(result, published)
    cells: list[object] = [name, result["n"], result["accuracy"]["sklearn"]]
    for column, (theirs, _) in COLUMNS.items():
        ours = f"{result['accuracy'][column]:.3f}"
        star = "*" if column in flagged else " "
        cells.append(f"{ours} / {published[theirs]:.3f}{star}")
    return [*cells, published["optimal"]]


def main() -> None:
    """Fit all columns on the chosen sets, print and store the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", default=TABLE1_SETS, choices=TABLE1_SETS)
    parser.add_argument("--repeat", type=int, default=1, help="timed rounds per set")
    parser.add_argument("--quick", action="store_true", help="four small sets")
    options = parser.parse_args()
    names = ["raisin", "wilt", "segment", "bank"] if options.quick else options.sets
    paper = paper_tables()["table1_depth3_train_accuracy"]
    results = {name: measure(load_table1(name), options.repeat) for name in names}
    published = {name: paper[name]["accuracy"] for name in names}
    print_table(
        "Training accuracy, depth 3: ours / the paper's (* differs by more than .001)",
        ["set", "N", "sklearn", *COLUMNS, "optimum"],
        [row(name, results[name], published[name]) for name in names],
    )
    flagged = {n: differences(results[n], published[n]) for n in names}
    flagged = {name: cells for name, cells in flagged.items() if cells}
    print(f"\n{sum(map(len, flagged.values()))} cells differ from the paper: {flagged}")
    if not options.quick and list(names) == TABLE1_SETS:
        payload = {"sets": results, "paper": published, "differences": flagged}
        write_json("table1", payload)


if __name__ == "__main__":
    main()
