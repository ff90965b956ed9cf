"""The two schematics, drawn from a real search: a toy MDP and its candidates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from benchmarks._markdown import table
from benchmarks.paper.piece import Cell, Piece, Results
from dpdtree import DPDTreeClassifier

#: Three samples of two features and two classes, as in the paper's figure.
X_TOY = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
Y_TOY = np.array([0, 1, 0])
ALPHA = 0.01


def cells(quick: bool) -> list[Cell]:
    """The MDP; the candidates of its root."""
    return [{"drawing": "mdp"}, {"drawing": "candidates"}]


def run(drawing: str) -> dict[str, Any]:
    """States, actions and Q-values; or the nodes of the CART that proposes splits."""
    if drawing == "candidates":
        tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0)
        X = np.random.default_rng(0).uniform(0, 1, (40, 2))
        y = ((X[:, 0] > 0.5) ^ (X[:, 1] > 0.4)).astype(int)
        nodes = tree.fit(X, y).tree_
        inner = np.flatnonzero(nodes.children_left >= 0)
        splits = [(int(nodes.feature[i]), float(nodes.threshold[i])) for i in inner]
        return {"X": X.tolist(), "y": y.tolist(), "splits": splits}
    return {"states": mdp(np.arange(3), 2, {})}


def mdp(rows: Any, levels: int, known: dict[str, Any]) -> dict[str, Any]:
    """Every state that splits reach, with the value of every action.

    Values are what a fit reports on the rows of the state (the exhaustive generator
    tries every split), so the drawing shows the search and not a second program.
    """
    key = f"{''.join(map(str, rows))}/{levels}"
    if key in known:
        return known
    X, y = X_TOY[rows], Y_TOY[rows]
    share = len(rows) / len(Y_TOY)
    counts = np.bincount(y, minlength=2)
    state: dict[str, Any] = {"rows": rows.tolist(), "levels": levels, "actions": []}
    state["actions"].append(
        {"stop": True, "q": -float(share * (1 - counts.max() / len(y)))}
    )
    known[key] = state
    if levels == 0 or counts.max() == len(y):
        return known
    for feature in range(2):
        values = np.unique(X[:, feature])
        for cut in (values[:-1] + values[1:]) / 2:
            left = X[:, feature] <= cut
            q = -ALPHA * share
            children = []
            for side in (left, ~left):
                q -= _value(X[side], y[side], levels - 1) * side.sum() / len(Y_TOY)
                children.append(rows[side].tolist())
                mdp(rows[side], levels - 1, known)
            action = {"feature": feature, "cut": float(cut), "q": float(q)}
            state["actions"].append(action | {"children": children})
    return known


def _value(X: Any, y: Any, levels: int) -> float:
    """The least objective of these rows."""
    if levels == 0 or len(np.unique(y)) == 1:
        return float(1 - np.bincount(y).max() / len(y))
    model = DPDTreeClassifier(
        strategy="paper", generator="exhaustive", max_depth=levels, alpha=ALPHA,
        loss="zero_one",
    )  # fmt: skip
    return float(model.fit(X, y).objective_)


def draw(results: Results, folder: Path) -> None:
    """Both drawings."""
    _draw_mdp(results, folder)
    _draw_candidates(results, folder)


def _draw_mdp(results: Results, folder: Path) -> None:
    import matplotlib.pyplot as plt

    value = results.value(drawing="mdp")
    if value is None:
        return
    states = value["states"]
    places = _places(states)
    figure, ax = plt.subplots(figsize=(9, 4.2), layout="constrained")
    for key, state in states.items():
        x, y = places[key]
        best = max(a["q"] for a in state["actions"])
        _draw_state(ax, state, x, y)
        for action in state["actions"]:
            if action.get("stop"):
                continue
            chosen = action["q"] >= best - 1e-12
            for rows in action["children"]:
                child = f"{''.join(map(str, rows))}/{state['levels'] - 1}"
                cx, cy = places[child]
                color = "#c8553d" if chosen else "0.75"
                ax.plot([x, cx], [y - 0.16, cy + 0.16], color=color, zorder=0)
    ax.axis("off")
    ax.set_title(f"States of the toy set with the value of each action (α = {ALPHA})",
                 fontsize=10)  # fmt: skip
    figure.savefig(folder / "mdp.png", dpi=110)
    plt.close(figure)


def _places(states: dict[str, Any]) -> dict[str, tuple[float, float]]:
    places = {}
    for levels in {s["levels"] for s in states.values()}:
        keys = [k for k, s in states.items() if s["levels"] == levels]
        for at, key in enumerate(keys):
            places[key] = ((at + 0.5) / len(keys) * 10, float(levels))
    return places


def _draw_state(ax: Any, state: dict[str, Any], x: float, y: float) -> None:
    for at, row in enumerate(state["rows"]):
        marker = "o" if Y_TOY[row] == 0 else "D"
        color = "#1f6f8b" if Y_TOY[row] == 0 else "#d98324"
        ax.plot(
            x + 0.22 * (at - (len(state["rows"]) - 1) / 2), y, marker, color=color, ms=9
        )
    lines = []
    for action in state["actions"]:
        what = (
            "stop"
            if action.get("stop")
            else f"{'xy'[action['feature']]} ≤ {action['cut']:g}"
        )
        lines.append(f"{what}: {action['q'] + 0.0:.3f}")
    ax.text(x, y - 0.1, "\n".join(lines), ha="center", va="top", fontsize=7,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1})  # fmt: skip


def _draw_candidates(results: Results, folder: Path) -> None:
    import matplotlib.pyplot as plt

    value = results.value(drawing="candidates")
    if value is None:
        return
    X, y = np.array(value["X"]), np.array(value["y"])
    figure, axes = plt.subplots(1, 1 + len(value["splits"]), figsize=(9, 2.6),
                                layout="constrained")  # fmt: skip
    for at, ax in enumerate(axes):
        ax.scatter(*X.T, c=np.where(y == 0, "#1f6f8b", "#d98324"), s=14)
        ax.set(xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
        shown = value["splits"] if at == 0 else value["splits"][at - 1 : at]
        for feature, cut in shown:
            (ax.axvline if feature == 0 else ax.axhline)(cut, color="#c8553d")
        name = "CART with 4 leaves" if at == 0 else f"candidate {at}"
        ax.set_title(name, fontsize=9)
    figure.savefig(folder / "cart_candidates.png", dpi=110)
    plt.close(figure)


def render(results: Results) -> str:
    """The drawings, and the root's Q-values as a table."""
    value = results.value(drawing="mdp")
    if value is None:
        return "Not measured yet."
    root = value["states"]["012/2"]
    rows = [
        [
            "stop" if a.get("stop") else f"{'xy'[a['feature']]} ≤ {a['cut']:g}",
            f"{a['q']:.4f}",
        ]
        for a in sorted(root["actions"], key=lambda a: -a["q"])
    ]
    return (
        "![The MDP of a toy set](images/paper/mdp.png)\n\n"
        f"{table(['action at the root', 'Q'], rows)}\n\n"
        "![Candidates from CART](images/paper/cart_candidates.png)"
    )


PIECE = Piece(
    "schematics",
    "The two schematics, drawn from a search",
    cells,
    run,
    render,
    draw,
    differs="Another toy set of three samples; the paper does not print its own.",
)
