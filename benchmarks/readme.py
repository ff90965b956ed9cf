"""The figures of README.md, written from the stored results.

    python -m benchmarks.readme

They stand between `<!-- measured: begin -->` and `<!-- measured: end -->`; a test fails
when they no longer say what the results say.
"""

from __future__ import annotations

from benchmarks._data import PROJECT_ROOT
from benchmarks._markdown import table
from benchmarks.paper import page
from benchmarks.paper.pieces import PIECES, near_optimal, proofs, wild
from benchmarks.paper.store import FOLDER

PAGE = PROJECT_ROOT / "README.md"
BEGIN, END = "<!-- measured: begin -->\n", "<!-- measured: end -->"
GROUPS = {"bench": "benchmark", "confirm": "everyday, held back"}
#: The rows of the table of errors: package on the page of the paper → here.
NEAR = {
    "CART": "scikit-learn's CART",
    "dpdtree greedy": '`strategy="greedy"`',
    "dpdtree paper (7,1,1)": '`"paper"`, 7 at the root',
    "dpdtree paper (7,7,7)": '`"paper"`, 7 everywhere',
    "dpdtree balanced": '`"balanced"`',
    "dpdtree optimal": '`"optimal"`, proven',
    "STreeD": "STreeD, ten thresholds per feature",
    "licketysplit": "licketysplit, ten thresholds per feature",
}


def carries_over() -> str:
    """Default fits against tuned CART: won, tied, lost, and the price."""
    rows = []
    for task, groups in wild.published()["trees"].items():
        model = "classifier" if task == "classification" else "regressor"
        for group, label in GROUPS.items():
            own = groups.get(group, {}).get(wild.OURS)
            if own is None:
                continue
            time = f"{own['time']:.1f} (at most {own['largest_time']:.0f})"
            for score, _, _ in wild.COMPARED[task]:
                counts = [own[score][key] for key in ("win", "tie", "loss")]
                name = f"{model}, {wild.LABELS[score]}"
                rows.append([name, label, own["sets"], *counts, time])
    header = ["default", "sets", "n", "better", "equal", "worse"]
    return (
        "Held-out rows, default settings, against CART tuned by grid search (AUC and"
        " log-loss: tuned for log-loss). The everyday sets are small, noisy tables;"
        " those held back played no part in choosing the defaults. Time is that of the"
        " default fit ÷ a CART of depth 5.\n\n"
        + table([*header, "time ÷ CART"], rows)
        + "\n\n`python -m benchmarks.wild`"
    )


def errors() -> str:
    """Training errors and time at depth 3, and how fast the proofs are."""
    results = page.results_of(PIECES["near_optimal"], FOLDER, quick=False)
    rows = []
    for model, name in NEAR.items():
        found = near_optimal.summary(results, model)
        if found is not None:
            solved = f"{found['optimal']} of {found['sets']}"
            time = f"{found['time']:.2g}"
            rows.append([name, time, f"{found['gap']:.2%}", solved])
    header = ["depth 3, 16 sets of the paper", "time ÷ CART"]
    return (
        'Smallest training error (`alpha=0.0`, `loss="zero_one"`):\n\n'
        + table([*header, "errors above the optimum", "optimal on"], rows)
        + f"\n\n{proofs.verdict(results)}"
        " `python -m benchmarks paper --only near_optimal`"
    )


def figures() -> str:
    """The whole section."""
    return f"{carries_over()}\n\n{errors()}\n"


def written(text: str) -> str:
    """The page with its figures replaced."""
    head, found, rest = text.partition(BEGIN)
    _, closed, tail = rest.partition(END)
    if not found or not closed:
        raise ValueError("README.md has lost the marks around its figures")
    return f"{head}{BEGIN}{figures()}{END}{tail}"


def main() -> None:
    """Write README.md anew."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print("written: README.md")


if __name__ == "__main__":
    main()
