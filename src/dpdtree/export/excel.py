"""A tree as one formula of a spreadsheet."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Context, Decimal
from typing import Any

from dpdtree.export._nested import variables
from dpdtree.export._program import (
    Feature,
    Nodes,
    Plain,
    Question,
    SingleTree,
    named,
    read_model,
    used_features,
)

#: What Excel takes: characters of a formula, of a text in it, functions in functions.
_MOST_CHARACTERS = 8192
_MOST_IN_TEXT = 255
_MOST_NESTED = 60
#: Digits of a number that a spreadsheet keeps.
_DIGITS = 15


def export_excel(
    model: Any,
    *,
    cells: Mapping[str, str] | Sequence[str] | None = None,
    label: Any = None,
    feature_names: Sequence[str] | None = None,
) -> str:
    """Write a fitted tree as one formula for Excel 2021 or 365 (it uses LET).

    Parameters
    ----------
    model : DPDTreeClassifier or DPDTreeRegressor
        Fitted, with one output. Boosted trees are refused: a cell cannot hold them.
    cells : mapping or sequence of str, default=None
        The cell of each feature, by name or in the order of the columns, such as
        {"age": "B2"}; None takes A2, B2, C2, ... Only features that the tree asks
        must be there.
    label : a label, default=None
        Return the probability of this label instead of the predicted one.
    feature_names : sequence of str, default=None
        Names of the features; None takes those seen in fit, or "feature_0", ...

    Returns
    -------
    str
        The formula, to be filled down. An empty cell is a missing value. Texts are
        compared letter by letter, those unknown to the fit are treated like missing
        ones, as in `predict`. A text where a number belongs, or the reverse, gives
        #N/A. Spreadsheets keep 15 digits of a number: values of up to 15 digits take
        the path they take in `predict`.

    Examples
    --------
    >>> from dpdtree import DPDTreeRegressor, export_excel
    >>> tree = DPDTreeRegressor(strategy="greedy", max_depth=1)
    >>> tree = tree.fit([[1.0], [2.0], [4.0]], [0.5, 0.5, 2.0])
    >>> export_excel(tree, cells=["C5"])
    '=LET(x_0,IF(ISNUMBER(C5),C5,IF(C5="","",NA())),IF(OR(x_0="",x_0<=3),0.5,2))'
    """
    program = read_model(model, feature_names)
    if not isinstance(program, SingleTree):
        raise ValueError(
            "export_excel writes single trees: one formula cannot hold boosted ones."
            " Use export_sql, export_javascript or export_python."
        )
    if program.n_outputs > 1:
        raise ValueError(
            f"export_excel writes one output, and this tree has {program.n_outputs}."
        )
    if program.nodes.depth() > _MOST_NESTED:
        raise ValueError(
            f"The tree has {program.nodes.depth()} levels, and formulas can have"
            f" {_MOST_NESTED}: limit max_depth."
        )
    used = used_features(program)
    places = _cells(used, program.features, cells)
    names = {place: f"x_{place}" for place in variables(used)}
    said = _said(program, label)
    tree = _formula(program.nodes, program.features, names, said)
    bound = [f"{names[f.place]},{_as_seen(f, places[f.place])}," for f in used]
    formula = f"=LET({''.join(bound)}{tree})" if bound else f"={tree}"
    if len(formula) > _MOST_CHARACTERS:
        raise ValueError(
            f"The formula has {len(formula)} characters, and a cell holds"
            f" {_MOST_CHARACTERS}: limit max_leaf_nodes or max_depth."
        )
    return formula


def _cells(
    used: Sequence[Feature], features: Sequence[Feature], given: Any
) -> dict[int, str]:
    if given is None:
        found = {f.place: f"{_column(f.place)}2" for f in used}
    elif isinstance(given, Mapping):
        missing = [named(f) for f in used if named(f) not in given]
        if missing:
            raise ValueError(f"cells must name the cell of each of {missing}.")
        found = {f.place: given[named(f)] for f in used}
    else:
        if isinstance(given, str) or len(given) != len(features):
            raise ValueError(
                f"cells must list {len(features)} cells, one per feature, got"
                f" {given!r}."
            )
        found = {f.place: given[f.place] for f in used}
    for cell in found.values():
        if not re.fullmatch(r"\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}", str(cell)):
            raise ValueError(f"cells must hold references such as 'B2', got {cell!r}.")
    return found


def _column(place: int) -> str:
    """Return A, B, ..., Z, AA, AB, ..."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters


def _as_seen(feature: Feature, cell: str) -> str:
    """Return a cell's value if it is of the right type, "" if there is none."""
    if feature.categories is not None and "" in feature.categories:
        raise ValueError(
            f"Feature {named(feature)!r} has an empty text among its categories, which"
            " a spreadsheet takes for an empty cell."
        )
    if feature.kind == "flag":
        return f'IF(ISLOGICAL({cell}),N({cell}),IF({cell}="","",NA()))'
    test = "ISTEXT" if feature.kind == "text" else "ISNUMBER"
    return f'IF({test}({cell}),{cell},IF({cell}="","",NA()))'


def _said(program: SingleTree, label: Any) -> dict[int, str]:
    leaves = list(program.nodes.leaves())
    if label is None:
        return {leaf: _literal(program.labels(leaf)[0]) for leaf in leaves}
    labels = [] if program.classes is None else list(program.classes[0])
    if label not in labels:
        raise ValueError(f"label must be None or one of {labels}, got {label!r}.")
    shares = program.probabilities[0][:, labels.index(label)]
    return {leaf: _number(float(shares[leaf])) for leaf in leaves}


def _formula(
    nodes: Nodes,
    features: Sequence[Feature],
    names: Mapping[int, str],
    said: Mapping[int, str],
    node: int = 0,
) -> str:
    question = nodes.questions[node]
    if question is None:
        return said[node]
    branches = (
        _formula(nodes, features, names, said, child)
        for child in (nodes.left[node], nodes.right[node])
    )
    x = names[question.feature]
    return f"IF({_goes_left(question, features, x)},{','.join(branches)})"


def _goes_left(question: Question, features: Sequence[Feature], x: str) -> str:
    if question.members is not None:
        is_member = _is_member(question, features[question.feature], x)
        return f"NOT({is_member})" if question.missing_left else is_member
    if math.isinf(question.threshold):
        below = "TRUE" if question.threshold > 0 else "FALSE"
    else:
        below = f"{x}<={threshold_text(question.threshold)}"
    if question.missing_left:
        return f'OR({x}="",{below})'
    return f"AND(ISNUMBER({x}),{below})"


def _is_member(question: Question, feature: Feature, x: str) -> str:
    values = [(feature.categories or ())[place] for place in question.members or ()]
    if not values:
        return "FALSE"
    listed = ",".join(_category(value) for value in values)
    if feature.kind == "text":  # = takes "a" for "A"
        return f"OR(EXACT({x},{{{listed}}}))"
    return f"OR({x}={{{listed}}})"


def _category(value: Plain) -> str:
    return _literal(value) if isinstance(value, str) else _number(float(value))


def _literal(value: Plain) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if not isinstance(value, str):
        return _number(float(value))
    if len(value) > _MOST_IN_TEXT:
        raise ValueError(
            f"A formula holds texts of up to {_MOST_IN_TEXT} characters, got one of"
            f" {len(value)}: {value[:40]!r}..."
        )
    return '"{}"'.format(value.replace('"', '""'))


def _number(value: float) -> str:
    """Return a number of 15 digits."""
    return _shortest(Context(prec=_DIGITS).create_decimal_from_float(value))


def threshold_text(threshold: float) -> str:
    """Return the largest number of 15 digits that `predict` takes as <= a threshold.

    No other of 15 digits lies between them, so that each goes the way it goes there.
    """
    rounded = Context(prec=_DIGITS).create_decimal_from_float(threshold)
    if float(rounded) > threshold:
        rounded = Context(prec=_DIGITS).next_minus(rounded)
    return _shortest(rounded)


def _shortest(number: Decimal) -> str:
    text = f"{number.normalize():E}" if number else "0"
    plain = f"{number.normalize():f}" if number else "0"
    if len(plain) <= 17:
        return plain
    digits, _, exponent = text.partition("E")
    return f"{digits}E{int(exponent):+d}"
