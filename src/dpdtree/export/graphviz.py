"""A tree in the DOT language of Graphviz."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from dpdtree._structure import node_values
from dpdtree.export._leaves import Wording, has_missing, one_output
from dpdtree.export._program import Nodes, SingleTree, named
from dpdtree.export.colors import class_color


def export_graphviz(
    estimator: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    max_depth: int | None = None,
    max_categories: int | None = 8,
    filled: bool = True,
) -> str:
    """Write a tree in the DOT language, for `dot -Tsvg` and other tools.

    Parameters
    ----------
    estimator : DPDTreeClassifier or DPDTreeRegressor
        Fitted, with one output.
    feature_names, class_names : sequences of str, default=None
        Names of the features and of the classes, in the order of classes_; None takes
        those of the fit.
    decimals : int, default=None
        Digits of thresholds after the decimal point; None writes them exactly.
    max_depth : int, default=None
        Nodes below this depth are left out.
    max_categories : int, default=8
        Longer lists of categories are cut; None lists them all.
    filled : bool, default=True
        Whether nodes have the colour of their class.

    Returns
    -------
    str
        A digraph. Left branches are the answer yes; an edge says where missing values
        go if the fit saw any.
    """
    program = one_output(estimator, "export_graphviz", feature_names)
    wording = Wording(has_missing(estimator), decimals, max_categories)
    names = None
    if program.classes is not None:
        names = [str(label) for label in class_names or program.classes[0]]
        if len(names) != len(program.classes[0]):
            raise ValueError(
                f"class_names must have {len(program.classes[0])} entries, got"
                f" {len(names)}."
            )
    elif class_names is not None:
        raise ValueError("class_names must be None for a regression tree.")
    lines = [
        "digraph tree {",
        '  node [shape=box, style="rounded,filled", fillcolor=white];',
    ]
    shown = _shown(program.nodes, max_depth)
    for node in shown:
        label = _label(estimator, program, wording, node, names)
        fill = _fill(program, node) if filled and names is not None else ""
        lines.append(f"  {node} [label={quoted(label)}{fill}];")
        if _children(program.nodes, node)[0] in shown:
            lines += _edges(program, wording, node)
    return "\n".join([*lines, "}"]) + "\n"


def quoted(text: str) -> str:
    r"""Return a string of DOT: line ends as \n, nothing else is special but quotes."""
    text = text.replace("\\", "\\\\").replace('"', '\\"')
    text = text.replace("\r", " ").replace("\n", "\\n")
    return f'"{text}"'


def _children(nodes: Nodes, node: int) -> tuple[int, int]:
    return nodes.left[node], nodes.right[node]


def _shown(nodes: Nodes, max_depth: int | None) -> dict[int, int]:
    """Return the depth of each node that is drawn."""
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be an int >= 0, got {max_depth!r}.")
    depths = {0: 0}
    for node in range(len(nodes)):
        inner = node in depths and nodes.questions[node] is not None
        if inner and (max_depth is None or depths[node] < max_depth):
            for child in _children(nodes, node):
                depths[child] = depths[node] + 1
    return dict(sorted(depths.items()))


def _label(
    estimator: Any,
    program: SingleTree,
    wording: Wording,
    node: int,
    names: Sequence[str] | None,
) -> str:
    question = program.nodes.questions[node]
    tree = estimator.tree_
    lines = []
    if question is not None:
        # What is asked; where missing values go stands at the edge.
        lines.append(_asked(program, wording, question))
    rows = int(tree.n_node_samples[node])
    lines.append(f"{rows} row{'s' * (rows != 1)}")
    if names is None:
        lines.append(f"value {program.values[node, 0]:.6g}")
    else:
        shares = node_values(estimator)[node, 0, : len(names)]
        lines.append(f"class {names[program.decisions[node, 0]]}")
        lines.append(" / ".join(f"{share:.3g}" for share in shares))
    return "\n".join(lines)


def _asked(program: SingleTree, wording: Wording, question: Any) -> str:
    feature = program.features[question.feature]
    if question.members is None:
        if math.isinf(question.threshold):  # missing values against the rest
            known = "not " * (question.threshold > 0)
            return f"{named(feature)} is {known}missing?"
        return f"{named(feature)} <= {wording.number(question.threshold)}?"
    known = feature.categories or ()
    listed = wording.listed([str(known[place]) for place in question.members])
    verb = "in" if question.members_go_left else "not in"
    return f"{named(feature)} {verb} {listed}?"


def _edges(program: SingleTree, wording: Wording, node: int) -> Iterator[str]:
    question = program.nodes.questions[node]
    assert question is not None
    seen = wording.has_missing[question.feature]
    for child, left in zip(_children(program.nodes, node), (True, False), strict=True):
        note = ", missing" * bool(seen and question.missing_left == left)
        answer = "yes" if left else "no"
        yield f"  {node} -> {child} [label={quoted(answer + note)}];"


def _fill(program: SingleTree, node: int) -> str:
    """The colour of the class, paler where the leaf is less sure."""
    code = int(program.decisions[node, 0])
    share = float(program.probabilities[0][node, code])
    color = class_color(code)
    alpha = round(255 * min(1.0, max(0.1, share)))
    return f', fillcolor="{color}{alpha:02x}"'
