"""A tree as rules, one for each leaf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpdtree.export._leaves import (
    Wording,
    has_missing,
    joined,
    leaves_of,
    one_output,
    support,
)

_FORMATS = ("text", "markdown", "latex", "dict")

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}


def export_rules(
    estimator: Any,
    *,
    format: str = "text",  # noqa: A002
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    decimals: int | None = None,
    level: float = 0.95,
    max_categories: int | None = None,
) -> Any:
    """Write a tree as one rule per leaf, the conditions on a feature taken together.

    Parameters
    ----------
    estimator : DPDTreeClassifier or DPDTreeRegressor
        Fitted, with one output.
    format : {"text", "markdown", "latex", "dict"}, default="text"
        A sentence per leaf, a table, or a list of dicts.
    feature_names, class_names : sequences of str, default=None
        Names of the features and of the classes, in the order of classes_; None takes
        those of the fit.
    decimals : int, default=None
        Digits of thresholds after the decimal point; None writes them exactly.
    level : float, default=0.95
        Confidence of the intervals: Wilson's for the share of the predicted class,
        Student's for a mean. They know nothing of the search that chose the leaves;
        on held-out rows (`leaf_table`) they keep their word.
    max_categories : int, default=None
        Longer lists of categories are cut; None lists them all.

    Returns
    -------
    str, or list of dict
        The dicts have the keys "leaf", "conditions" (texts), "rule", "prediction",
        "share" or "mean", "interval" (None if there is none), "n" and "weight".

    Examples
    --------
    >>> from dpdtree import DPDTreeClassifier, export_rules
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 10, ["low", "low", "high", "high"] * 10
    >>> tree = DPDTreeClassifier(max_depth=1).fit(X, y)
    >>> print(export_rules(tree, feature_names=["size"]))
    if size <= 2 then class: low (100.0 %, 83.9 to 100.0 %) | based on 20 samples
    if size > 2 then class: high (100.0 %, 83.9 to 100.0 %) | based on 20 samples
    """
    if format not in _FORMATS:
        raise ValueError(f"format must be one of {list(_FORMATS)}, got {format!r}.")
    rules = _rules(
        estimator, feature_names, class_names, decimals, level, max_categories
    )
    if format == "dict":
        return rules
    if format == "text":
        return "".join(f"{_sentence(rule)}\n" for rule in rules).rstrip("\n")
    table = _markdown if format == "markdown" else _latex
    return table([_cells(rule) for rule in rules], _head(rules, level))


def _rules(
    estimator: Any,
    feature_names: Sequence[str] | None,
    class_names: Sequence[str] | None,
    decimals: int | None,
    level: float,
    max_categories: int | None,
) -> list[dict[str, Any]]:
    program = one_output(estimator, "export_rules", feature_names)
    wording = Wording(has_missing(estimator), decimals, max_categories)
    found = support(estimator, program, level)
    labels = _labels(program, class_names)
    rules = []
    for leaf in leaves_of(program.nodes, program.features):
        node = leaf.node
        conditions = [wording.condition(condition) for condition in leaf.conditions]
        interval = (float(found.low[node]), float(found.high[node]))
        rule: dict[str, Any] = {
            "leaf": node,
            "conditions": conditions,
            "rule": joined(conditions),
            "prediction": program.labels(node)[0],
        }
        if labels is not None:
            rule["prediction"] = labels[program.decisions[node, 0]]
        rule["mean" if labels is None else "share"] = float(found.rate[node])
        rule["interval"] = interval if interval[0] == interval[0] else None
        rule["n"] = int(found.n[node])
        rule["weight"] = float(found.weight[node])
        rules.append(rule)
    return rules


def _labels(program: Any, given: Sequence[str] | None) -> list[Any] | None:
    if program.classes is None:
        if given is not None:
            raise ValueError("class_names must be None for a regression tree.")
        return None
    labels = list(program.classes[0])
    if given is None:
        return labels
    if isinstance(given, str) or len(given) != len(labels):
        raise ValueError(f"class_names must have {len(labels)} entries, got {given!r}.")
    return [str(name) for name in given]


def _sentence(rule: dict[str, Any]) -> str:
    head = "always" if not rule["conditions"] else f"if {rule['rule']} then"
    rows = "sample" if rule["n"] == 1 else "samples"
    return f"{head} {_said(rule)} | based on {rule['n']} {rows}"


def _said(rule: dict[str, Any]) -> str:
    interval = _interval(rule)
    if "share" in rule:
        sure = ", ".join(filter(None, [_percent(rule["share"]) + " %", interval]))
        return f"class: {rule['prediction']} ({sure})"
    return f"value: {rule['prediction']:.6g}" + (f" ({interval})" if interval else "")


def _interval(rule: dict[str, Any]) -> str:
    if rule["interval"] is None:
        return ""
    low, high = rule["interval"]
    if "share" in rule:
        return f"{_percent(low)} to {_percent(high)} %"
    return f"{low:.6g} to {high:.6g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _head(rules: Sequence[dict[str, Any]], level: float) -> list[str]:
    of_class = "share" in rules[0]
    shown = ["class", "share"] if of_class else ["mean"]
    return ["rule", *shown, f"{100 * level:g} % interval", "rows"]


def _cells(rule: dict[str, Any]) -> list[str]:
    if "share" in rule:
        shown = [str(rule["prediction"]), f"{_percent(rule['share'])} %"]
    else:
        shown = [f"{rule['mean']:.6g}"]
    return [rule["rule"], *shown, _interval(rule), str(rule["n"])]


def markdown_text(text: str) -> str:
    """Escape what would end a cell or start something else."""
    for special in "\\`*_{}[]<>|#":
        text = text.replace(special, f"\\{special}")
    return " ".join(text.split())


def _markdown(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    lines = [f"| {' | '.join(head)} |", "|---" + "|--:" * (len(head) - 1) + "|"]
    lines += [f"| {' | '.join(map(markdown_text, row))} |" for row in rows]
    return "\n".join(lines)


def _latex(rows: Sequence[Sequence[str]], head: Sequence[str]) -> str:
    columns = "p{0.5\\linewidth}" + "r" * (len(head) - 1)
    lines = [f"\\begin{{tabular}}{{{columns}}}", "\\hline"]
    lines.append(" & ".join(latex_text(cell) for cell in head) + r" \\")
    lines.append("\\hline")
    lines += [" & ".join(latex_text(cell) for cell in row) + r" \\" for row in rows]
    return "\n".join([*lines, "\\hline", "\\end{tabular}"])


def latex_text(text: str) -> str:
    """Escape every character that is special in LaTeX."""
    return " ".join("".join(_LATEX.get(c, c) for c in text).split())
