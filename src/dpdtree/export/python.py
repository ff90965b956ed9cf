"""Trees and boosted trees as Python that needs nothing else."""

from __future__ import annotations

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

_HEADER = '''\
"""A fitted model, written by dpdtree."""

import math
'''

_NUMBER = '''\
def _number(value):
    """Return a number as a float; NaN if it is missing."""
    return math.nan if value is None else float(value)
'''

_CATEGORY = '''\
def _category(value, kinds):
    """Return a category, None if it is missing; refuse values of other types."""
    if value is None or value != value:
        return None
    if not isinstance(value, kinds):
        raise TypeError(f"{value!r} cannot be a category here: it has another type.")
    return value
'''

_TREE = '''\
def predict(row):
    """Return the prediction for a row."""
    return _tree(*_read(row))
'''

_CLASSIFIER = '''\
def predict(row):
    """Return the label of a row."""
    return _tree(*_read(row))[0]


def predict_proba(row):
    """Return the probabilities of CLASSES, in that order."""
    return _tree(*_read(row))[1]
'''

_DECISION = '''\
def decision_function(row):
    """Return the raw scores of a row."""
    x = _read(row)
    raw = list(_BASELINE)
    for output, tree in _TREES:
        raw[output] += tree(*x)
    return raw
'''

_LINKS = {
    "identity": '''\
def predict(row):
    """Return the prediction for a row."""
    return decision_function(row)[0]
''',
    "exp": '''\
def predict(row):
    """Return the prediction for a row."""
    raw = decision_function(row)[0]
    return math.exp(raw) if raw < 709.78 else math.inf
''',
    "sigmoid": '''\
def predict_proba(row):
    """Return the probabilities of CLASSES, in that order."""
    raw = decision_function(row)[0]
    power = math.exp(-abs(raw))
    second = (1.0 if raw >= 0.0 else power) / (1.0 + power)
    return [1.0 - second, second]


def predict(row):
    """Return the more probable label."""
    return CLASSES[1 if decision_function(row)[0] > 0.0 else 0]
''',
    "softmax": '''\
def predict_proba(row):
    """Return the probabilities of CLASSES, in that order."""
    raw = decision_function(row)
    powers = [math.exp(score - max(raw)) for score in raw]
    return [power / sum(powers) for power in powers]


def predict(row):
    """Return the most probable label."""
    raw = decision_function(row)
    return CLASSES[raw.index(max(raw))]
''',
}


def export_python(model: Any, *, feature_names: Sequence[str] | None = None) -> str:
    """Write a fitted model as a Python module without dependencies.

    Parameters
    ----------
    model : tree or boosting estimator
        Fitted. AdaBoost is refused.
    feature_names : sequence of str, default=None
        Names of the features; None takes those seen in fit.

    Returns
    -------
    str
        A module with `predict(row)` and, for a classifier, `predict_proba(row)` and
        `CLASSES`; boosted trees have `decision_function(row)`, too. A row maps names
        to values; positions, if the fit saw no names. None and NaN are missing.
        Categories are given by name, and those unknown to the fit are treated like
        missing values, as in the model's own `predict`.

    Examples
    --------
    >>> from dpdtree import DPDTreeRegressor, export_python
    >>> tree = DPDTreeRegressor(strategy="greedy", max_depth=1)
    >>> tree = tree.fit([[1.0], [2.0], [4.0]], [0.5, 0.5, 2.0])
    >>> module = {}
    >>> exec(export_python(tree), module)
    >>> module["predict"]([3.5])
    2.0
    """
    language = _Python(read_model(model, feature_names))
    parts = [*language.helpers(), *language.trees(), *language.predictions()]
    constants = "".join(line + "\n" for line in language.constants())
    return "\n\n".join([_HEADER + ("\n" + constants if constants else ""), *parts])


class _Python(Language):
    """Python's conditions, blocks and functions."""

    otherwise = "else:"
    closed = ""
    indent = "    "
    tree_name = "_tree"

    def __init__(self, program: SingleTree | Boosted) -> None:
        super().__init__(program, "_SET_")

    def goes_left(self, question: Question) -> str:
        x = self.variables[question.feature]
        if question.members is not None:
            absent = "not in" if question.missing_left else "in"
            return f"{x} {absent} {self.sets.name(question)}"
        if question.missing_left:
            return f"not {x} > {self.literal(question.threshold)}"
        return f"{x} <= {self.literal(question.threshold)}"

    def opened(self, condition: str) -> str:
        return f"if {condition}:"

    def returned(self, text: str) -> str:
        return f"return {text}"

    def function(self, name: str, lines: Sequence[str]) -> str:
        body = "".join(f"    {line}\n" for line in lines)
        return f"def {self.call(name)}:\n{body}"

    def literal(self, value: Plain) -> str:
        """Strings in plain ASCII: no character is special then."""
        if isinstance(value, str):
            return ascii(value)
        text = repr(value)
        return text.replace("inf", "math.inf") if isinstance(value, float) else text

    def pair(self, label: str, probabilities: str) -> str:
        return f"{label}, {probabilities}"

    def forest(self, baseline: str, trees: Sequence[tuple[int, str]]) -> str:
        listed = "".join(f"    ({output}, {name}),\n" for output, name in trees)
        return f"_BASELINE = {baseline}\n_TREES = [\n{listed}]\n"

    def predictions(self) -> list[str]:
        """Return the functions that a user calls."""
        if isinstance(self.program, Boosted):
            return [_DECISION, _LINKS[self.program.link]]
        return [_TREE if self.program.classes is None else _CLASSIFIER]

    def helpers(self) -> Iterator[str]:
        """Yield the functions that read a row."""
        kinds = {feature.kind for feature in self.used}
        if "number" in kinds:
            yield _NUMBER
        if kinds - {"number"}:
            yield _CATEGORY
        values = "".join(f"        {self._read(f)},\n" for f in self.used)
        listed = f"(\n{values}    )" if values else "()"
        yield f"def _read(row):\n    return {listed}\n"

    def _read(self, feature: Feature) -> str:
        key = feature.place if feature.name is None else ascii(feature.name)
        if feature.kind == "number":
            return f"_number(row[{key}])"
        kinds = "str" if feature.kind == "text" else "(bool, int, float)"
        return f"_category(row[{key}], {kinds})"

    def constants(self) -> Iterator[str]:
        """Yield the labels and the sets of categories."""
        if (classes := self.classes()) is not None:
            yield f"CLASSES = {classes}"
        for name, values in self.sets.values.items():
            yield f"{name} = frozenset({self.listed(values)})"
