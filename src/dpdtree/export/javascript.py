"""Trees and boosted trees as JavaScript that needs nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from dpdtree.export._nested import Language
from dpdtree.export._program import (
    Boosted,
    Feature,
    Plain,
    Question,
    SingleTree,
    read_model,
)

_NUMBER = """\
// A missing value is NaN.
function readNumber(value) {
  if (value === null || value === undefined) return NaN;
  if (!["number", "boolean", "bigint"].includes(typeof value))
    throw new TypeError(`${String(value)} is not a number`);
  return Number(value);
}
"""

_TEXT = """\
// A missing category is null.
function readText(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (typeof value !== "string")
    throw new TypeError(`${String(value)} is not a string, as the categories are`);
  return value;
}
"""

_TREE = """\
function predict(row) {
  return tree(...read(row));
}
"""

_CLASSIFIER = """\
function predict(row) {
  return tree(...read(row))[0];
}

// Probabilities in the order of classes.
function predictProba(row) {
  return tree(...read(row))[1];
}
"""

_DECISION = """\
// Raw scores.
function decisionFunction(row) {
  const x = read(row);
  const raw = [...baseline];
  for (const [output, tree] of trees) raw[output] += tree(...x);
  return raw;
}
"""

_LINKS = {
    "identity": """\
function predict(row) {
  return decisionFunction(row)[0];
}
""",
    "exp": """\
function predict(row) {
  return Math.exp(decisionFunction(row)[0]);
}
""",
    "sigmoid": """\
// Probabilities in the order of classes.
function predictProba(row) {
  const raw = decisionFunction(row)[0];
  const power = Math.exp(-Math.abs(raw));
  const second = (raw >= 0 ? 1 : power) / (1 + power);
  return [1 - second, second];
}

function predict(row) {
  return classes[decisionFunction(row)[0] > 0 ? 1 : 0];
}
""",
    "softmax": """\
// Probabilities in the order of classes.
function predictProba(row) {
  const raw = decisionFunction(row);
  const most = Math.max(...raw);
  const powers = raw.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}

function predict(row) {
  const raw = decisionFunction(row);
  return classes[raw.indexOf(Math.max(...raw))];
}
""",
}


def export_javascript(
    model: Any, *, name: str = "model", feature_names: Sequence[str] | None = None
) -> str:
    """Write a fitted model as a script without dependencies.

    Parameters
    ----------
    model : tree or boosting estimator
        Fitted. AdaBoost is refused.
    name : str, default="model"
        The constant that holds the functions; also what `require` returns in Node.
    feature_names : sequence of str, default=None
        Names of the features; None takes those seen in fit.

    Returns
    -------
    str
        A script that defines one constant with `predict(row)` and, for a classifier,
        `predictProba(row)` and `classes`; boosted trees have `decisionFunction(row)`,
        too. A row is an object by name; an array, if the fit saw no names. null,
        undefined and NaN are missing. Categories are given by name, and those unknown
        to the fit are treated like missing values, as in the model's own `predict`.
        The text is ASCII without "<" in strings: it can stand in a page.

    Examples
    --------
    >>> from dpdtree import DPDTreeRegressor, export_javascript
    >>> tree = DPDTreeRegressor(strategy="greedy", max_depth=1)
    >>> tree = tree.fit([[1.0], [2.0], [4.0]], [0.5, 0.5, 2.0])
    >>> "if (!(x0 > 3.0)) {" in export_javascript(tree)
    True
    """
    if not re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name):
        raise ValueError(f"name must be an identifier of JavaScript, got {name!r}.")
    program = read_model(model, feature_names)
    language = _JavaScript(program)
    parts = [*language.helpers(), *language.trees(), *language.predictions()]
    constants = "".join(f"{line}\n" for line in language.constants())
    exported = ["predict"] + ["decisionFunction"] * isinstance(program, Boosted)
    if program.classes is not None:
        exported += ["predictProba", "classes"]
    parts.append(f"return {{ {', '.join(exported)} }};\n")
    return (
        "// A fitted model, written by dpdtree.\n"
        f"const {name} = (() => {{\n"
        '"use strict";\n\n'
        + "\n".join([*([constants] if constants else []), *parts])
        + "})();\n"
        f'if (typeof module !== "undefined") module.exports = {name};\n'
    )


class _JavaScript(Language):
    """Conditions, blocks and functions of JavaScript."""

    otherwise = "} else {"
    closed = "}"
    indent = "  "
    tree_name = "tree"

    def __init__(self, program: SingleTree | Boosted) -> None:
        super().__init__(program, "set_")

    def goes_left(self, question: Question) -> str:
        x = self.variables[question.feature]
        if question.members is not None:
            no = "!" if question.missing_left else ""
            return f"{no}{self.sets.name(question)}.has({x})"
        if question.missing_left:
            return f"!({x} > {self.literal(question.threshold)})"
        return f"{x} <= {self.literal(question.threshold)}"

    def opened(self, condition: str) -> str:
        return f"if ({condition}) {{"

    def returned(self, text: str) -> str:
        return f"return {text};"

    def function(self, name: str, lines: Sequence[str]) -> str:
        body = "".join(f"  {line}\n" for line in lines)
        return f"function {self.call(name)} {{\n{body}}}\n"

    def literal(self, value: Plain) -> str:
        """ASCII; "<" is escaped so that "</script>" cannot end a script."""
        return json.dumps(value).replace("<", "\\u003c")

    def pair(self, label: str, probabilities: str) -> str:
        return f"[{label}, {probabilities}]"

    def forest(self, baseline: str, trees: Sequence[tuple[int, str]]) -> str:
        listed = "".join(f"  [{output}, {name}],\n" for output, name in trees)
        return f"const baseline = {baseline};\nconst trees = [\n{listed}];\n"

    def predictions(self) -> list[str]:
        """Return the functions that a user calls."""
        if isinstance(self.program, Boosted):
            return [_DECISION, _LINKS[self.program.link]]
        return [_TREE if self.program.classes is None else _CLASSIFIER]

    def helpers(self) -> Iterator[str]:
        """Yield the functions that read a row."""
        kinds = {feature.kind for feature in self.used}
        if kinds - {"text"}:
            yield _NUMBER
        if "text" in kinds:
            yield _TEXT
        values = "".join(f"    {self._read(feature)},\n" for feature in self.used)
        listed = f"[\n{values}  ]" if values else "[]"
        yield f"function read(row) {{\n  return {listed};\n}}\n"

    def _read(self, feature: Feature) -> str:
        key = feature.place if feature.name is None else self.literal(feature.name)
        reader = "readText" if feature.kind == "text" else "readNumber"
        return f"{reader}(row[{key}])"

    def constants(self) -> Iterator[str]:
        """Yield the labels and the sets of categories."""
        if (classes := self.classes()) is not None:
            yield f"const classes = {classes};"
        for name, values in self.sets.values.items():
            numbers = [v if isinstance(v, str) else float(v) for v in values]
            yield f"const {name} = new Set({self.listed(numbers)});"
