"""Trees and boosted trees as a query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from dpdtree.export._program import (
    Boosted,
    Feature,
    Nodes,
    Plain,
    Question,
    SingleTree,
    check_text,
    named,
    read_model,
    used_features,
)
from dpdtree.export._sql_dialects import DIALECTS, Dialect

#: Trees whose values are added in one step: databases limit columns and nesting.
_TREES_AT_ONCE = 50
#: Beyond this, EXP overflows or underflows; some databases end the query then.
_LARGEST_EXPONENT = 700
_LARGEST = "1.7976931348623157E308"

#: Stands for a line end inside quotes, which must not be indented; no name has it.
_LINE_END = "\0"

_METHODS = ("predict", "predict_proba", "decision_function")


def export_sql(
    model: Any,
    *,
    table: str = "data",
    dialect: str = "ansi",
    method: str = "predict",
    keep: Sequence[str] = (),
    feature_names: Sequence[str] | None = None,
) -> str:
    """Write a fitted model as a SELECT statement.

    Missing values are NULL; NaN counts as one where the database has it. Categories
    are compared by name, those unknown to the fit are treated like missing ones, as
    in `predict`. Columns are read as doubles, so that the rows take the same paths.

    Parameters
    ----------
    model : tree or boosting estimator
        Fitted. AdaBoost is refused.
    table : str, default="data"
        The table to read; "schema.table" is quoted part by part.
    dialect : str, default="ansi"
        "ansi", "bigquery", "duckdb", "mysql", "postgres", "snowflake", "spark",
        "sqlite", "trino" or "tsql".
    method : {"predict", "predict_proba", "decision_function"}, default="predict"
        What to return: "prediction" (the label or number; "prediction_0" ... if there
        are several outputs), "probability_<label>" for each class (with several
        outputs "probability_<output>_<label>"), or the raw scores "raw_0", ... of
        boosted trees.
    keep : sequence of str, default=()
        Columns of the table to hand through, such as a key: rows come in any order.
    feature_names : sequence of str, default=None
        Names of the columns; None takes those seen in fit, or "feature_0", ...

    Returns
    -------
    str
        The statement, without a semicolon. Boosted trees are columns of its steps,
        fifty at a time, added in the order of `predict`; their links need EXP, which
        SQLite has if compiled with its mathematical functions.

    Examples
    --------
    >>> from dpdtree import DPDTreeRegressor, export_sql
    >>> tree = DPDTreeRegressor(strategy="greedy", max_depth=1)
    >>> tree = tree.fit([[1.0], [2.0], [4.0]], [0.5, 0.5, 2.0])
    >>> print(export_sql(tree, table="houses", keep=["id"]))
    WITH "input" AS (
      SELECT
        "id" AS "kept_0",
        CAST("feature_0" AS DOUBLE PRECISION) AS "feature_0"
      FROM "houses"
    )
    SELECT
      "kept_0" AS "id",
      CASE
        WHEN "feature_0" > 3.0E0 THEN 2.0E0
        ELSE 0.5E0
      END AS "prediction"
    FROM "input"
    """
    if dialect not in DIALECTS:
        raise ValueError(f"dialect must be one of {sorted(DIALECTS)}, got {dialect!r}.")
    if method not in _METHODS:
        raise ValueError(f"method must be one of {list(_METHODS)}, got {method!r}.")
    if isinstance(keep, str):
        raise TypeError(f"keep must be a sequence of names, got the string {keep!r}.")
    program = read_model(model, feature_names)
    if program.classes is None and method == "predict_proba":
        raise ValueError("method='predict_proba' is for classifiers only.")
    writer = _Writer(program.features, DIALECTS[dialect], table, list(keep))
    if isinstance(program, Boosted):
        query = _boosted(writer, program, method)
    elif method == "decision_function":
        raise ValueError("method='decision_function' is for boosted trees only.")
    else:
        query = _single(writer, program, method)
    return writer.finished(query)


class _Column(NamedTuple):
    """An expression and its name; what is handed on keeps its name."""

    expression: str
    name: str


class _Writer:
    """Names and literals of one query."""

    def __init__(
        self,
        features: Sequence[Feature],
        dialect: Dialect,
        table: str,
        keep: list[str],
    ) -> None:
        self.features = features
        self.dialect = dialect
        self.table = ".".join(self.quoted(part) for part in table.split("."))
        self.keep = keep
        self._taken = {part.casefold() for part in table.split(".")}
        self._steps: list[str] = []
        self.aliases = [self.unique(named(feature)) for feature in features]
        self.kept = [self.unique(f"kept_{i}") for i in range(len(keep))]

    def quoted(self, name: str) -> str:
        quoted = self.dialect.identifier(check_text(name, "column name"))
        return quoted.replace("\n", _LINE_END)

    def literal(self, value: Plain) -> str:
        return self.dialect.literal(value).replace("\n", _LINE_END)

    def unique(self, name: str) -> str:
        """Return this name or a like one that is new: databases may ignore case."""
        while name.casefold() in self._taken:
            name = f"_{name}"
        self._taken.add(name.casefold())
        return name

    def input(self, used: Sequence[Feature]) -> str:
        """Return the subquery that reads the table."""
        columns = [
            _Column(self.quoted(name), kept)
            for name, kept in zip(self.keep, self.kept, strict=True)
        ]
        columns += [_Column(self._as_seen(f), self.aliases[f.place]) for f in used]
        if not columns:  # a tree without splits: rows must still be counted
            columns = [_Column("1", self.unique("one"))]
        return self.select(columns, self.table)

    def _as_seen(self, feature: Feature) -> str:
        """Return a column the way predict sees it: doubles, exact texts, NULL."""
        dialect, column = self.dialect, self.quoted(named(feature))
        if feature.kind == "text":
            return _filled(dialect.exact_text, column)
        form = dialect.flag if feature.kind == "flag" else dialect.cast
        number = _filled(form, column)
        if dialect.is_nan is None:
            return number
        is_nan = _filled(dialect.is_nan, number)
        return f"CASE WHEN NOT ({is_nan}) THEN {number} END"

    def select(self, columns: Sequence[_Column], source: str) -> str:
        shown = ",\n".join(
            f"{_indented(expression)} AS {self.quoted(name)}"
            for expression, name in columns
        )
        return f"SELECT\n{shown}\nFROM {source}"

    def over(self, columns: Sequence[_Column], query: str, alias: str) -> str:
        """Return a query that reads another one, which becomes a step before it."""
        name = self.quoted(self.unique(alias))
        self._steps.append(f"{name} AS (\n{_indented(query)}\n)")
        return self.select(columns, name)

    def finished(self, query: str) -> str:
        """Return a query with its steps; parsers limit how deep queries can nest."""
        whole = f"WITH {', '.join(self._steps)}\n{query}"
        return whole.replace(_LINE_END, "\n")

    def handed_on(self, names: Sequence[str]) -> list[_Column]:
        return [_Column(self.quoted(name), name) for name in names]

    def hand_out(self) -> list[_Column]:
        """Return the kept columns under their own names."""
        return [
            _Column(self.quoted(kept), name)
            for name, kept in zip(self.keep, self.kept, strict=True)
        ]

    def case(self, nodes: Nodes, said: Sequence[str | None], node: int = 0) -> str:
        """Return the nested CASE of a subtree."""
        return "\n".join(self._lines(nodes, said, node))

    def _lines(
        self, nodes: Nodes, said: Sequence[str | None], node: int
    ) -> Iterator[str]:
        # A stack instead of recursion: greedy trees can be deeper than Python allows.
        # What follows ELSE needs no CASE of its own: each nesting costs a parser.
        todo: list[tuple[int, int | str, bool]] = [(0, node, False)]
        while todo:
            level, item, inside = todo.pop()
            indent = "  " * level
            if isinstance(item, str):
                yield indent + item
                continue
            question = nodes.questions[item]
            if question is None:
                yield (
                    f"{indent}ELSE {said[item]}" if inside else f"{indent}{said[item]}"
                )
                continue
            if not inside:
                yield f"{indent}CASE"
                level += 1
                todo.append((level - 1, "END", False))
            first, second = _order(nodes, item)
            when = f"{'  ' * level}WHEN {self.condition(question)} THEN"
            todo.append((level, second, True))
            if nodes.questions[first] is None:
                yield f"{when} {said[first]}"
            else:
                yield when
                todo.append((level + 1, first, False))

    def condition(self, question: Question) -> str:
        """Return what sends a row to `_order`'s first child; NULL never does."""
        feature = self.features[question.feature]
        name = self.quoted(self.aliases[feature.place])
        if question.members is not None:
            return self._member(feature, name, question.members)
        if question.missing_left:  # right if larger: NULL and the rest go left
            return _comparison(self.dialect, name, ">", question.threshold)
        return _comparison(self.dialect, name, "<=", question.threshold)

    def _member(self, feature: Feature, name: str, members: Sequence[int]) -> str:
        values = [(feature.categories or ())[place] for place in members]
        if not values:
            return "1 = 0"
        return f"{name} IN ({', '.join(self._category(value) for value in values)})"

    def _category(self, value: Plain) -> str:
        if isinstance(value, str):
            return self.literal(value + self.dialect.text_end)
        return self.dialect.number(float(value))


def _order(nodes: Nodes, node: int) -> tuple[int, int]:
    """Return the children, first the one that missing values do not go to."""
    left, right = nodes.left[node], nodes.right[node]
    question = nodes.questions[node]
    assert question is not None
    return (right, left) if question.missing_left else (left, right)


def _comparison(dialect: Dialect, name: str, sign: str, threshold: float) -> str:
    if threshold == math.inf:  # all numbers are <= it
        return f"{name} IS NOT NULL" if sign == "<=" else "1 = 0"
    if threshold == -math.inf:
        return f"{name} {'<' if sign == '<=' else '>='} -{_LARGEST}"
    return f"{name} {sign} {dialect.number(threshold)}"


def _filled(form: str, column: str) -> str:
    """Put a column into a form; braces in names are not looked at."""
    return form.replace("{x}", column)


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.split("\n"))


def _probability_names(classes: Sequence[Plain], output: int | None) -> list[str]:
    middle = "" if output is None else f"{output}_"
    return [f"probability_{middle}{label}" for label in classes]


def _single(writer: _Writer, program: SingleTree, method: str) -> str:
    nodes, source = program.nodes, writer.input(used_features(program))
    if method == "predict":
        columns = writer.hand_out()
        said = {leaf: program.labels(leaf) for leaf in nodes.leaves()}
        for output in range(program.n_outputs):
            literals = [
                writer.literal(said[node][output]) if node in said else None
                for node in range(len(nodes))
            ]
            name = "prediction" if program.n_outputs == 1 else f"prediction_{output}"
            columns.append(_Column(writer.case(nodes, literals), name))
        return writer.over(columns, source, "input")
    leaf = writer.unique("leaf")
    numbers = [str(node) for node in range(len(nodes))]
    inner = [*writer.handed_on(writer.kept), _Column(writer.case(nodes, numbers), leaf)]
    leaves = writer.over(inner, source, "input")
    return writer.over(
        [*writer.hand_out(), *_shares(writer, program, leaf)], leaves, "leaves"
    )


def _shares(writer: _Writer, program: SingleTree, leaf: str) -> Iterator[_Column]:
    assert program.classes is not None
    for output, classes in enumerate(program.classes):
        several = len(program.classes) > 1
        names = _probability_names(classes, output if several else None)
        for code, name in enumerate(names):
            shares = program.probabilities[output][:, code]
            yield _Column(_looked_up(writer, program.nodes, leaf, shares), name)


def _looked_up(writer: _Writer, nodes: Nodes, leaf: str, values: Any) -> str:
    rows = [
        f"  WHEN {node} THEN {writer.dialect.number(float(values[node]))}"
        for node in nodes.leaves()
    ]
    return "\n".join([f"CASE {writer.quoted(leaf)}", *rows, "END"])


def _boosted(writer: _Writer, program: Boosted, method: str) -> str:
    used = used_features(program)
    names = [writer.aliases[feature.place] for feature in used]
    query, alias = writer.input(used), "input"
    raw = [writer.unique(f"raw_{output}") for output in range(len(program.baseline))]
    sums = [writer.dialect.number(value) for value in program.baseline]
    for first in range(0, len(program.trees), _TREES_AT_ONCE):
        batch = program.trees[first : first + _TREES_AT_ONCE]
        columns = writer.handed_on([*writer.kept, *names])
        columns += [_Column(*pair) for pair in zip(sums, raw, strict=True)]
        sums = [writer.quoted(name) for name in raw]
        for number, (output, nodes, values) in enumerate(batch, first):
            tree = writer.unique(f"tree_{number}")
            leaves = [writer.dialect.number(value) for value in values]
            columns.append(_Column(writer.case(nodes, leaves), tree))
            sums[output] += f" + {writer.quoted(tree)}"
        query, alias = writer.over(columns, query, alias), f"trees_{first}"
    columns = writer.handed_on(writer.kept)
    columns += [_Column(*pair) for pair in zip(sums, raw, strict=True)]
    query = writer.over(columns, query, alias)
    return _linked(writer, program, method, query, raw)


def _linked(
    writer: _Writer, program: Boosted, method: str, query: str, raw: list[str]
) -> str:
    """Return the query from raw scores to what was asked for."""
    scores = [writer.quoted(name) for name in raw]
    kept = writer.hand_out()
    if method == "decision_function":
        plain = [_Column(score, f"raw_{k}") for k, score in enumerate(scores)]
        return writer.over([*kept, *plain], query, "scores")
    if program.classes is not None and len(program.classes) == 1:
        label = _Column(writer.literal(program.classes[0]), "prediction")
        (name,) = _probability_names(program.classes, None)
        only = label if method == "predict" else _Column("1E0", name)
        return writer.over([*kept, only], query, "scores")
    if method == "predict":
        said = _Column(_prediction(writer, program, scores), "prediction")
        return writer.over([*kept, said], query, "scores")
    assert program.classes is not None
    names = _probability_names(program.classes, None)
    if program.link == "sigmoid":
        exponents = [_clipped(f"-{scores[0]}")]
    else:
        most = f"{writer.dialect.greatest}({', '.join(scores)})"
        exponents = [_clipped(f"({score} - {most})") for score in scores]
    powers = [writer.unique(f"power_{k}") for k in range(len(exponents))]
    inner = writer.handed_on(writer.kept)
    inner += [
        _Column(f"EXP({exponent})", power)
        for exponent, power in zip(exponents, powers, strict=True)
    ]
    query = writer.over(inner, query, "scores")
    parts = [writer.quoted(power) for power in powers]
    if program.link == "sigmoid":
        shares = [f"{parts[0]} / (1E0 + {parts[0]})", f"1E0 / (1E0 + {parts[0]})"]
    else:
        shares = [f"{part} / ({' + '.join(parts)})" for part in parts]
    columns = [_Column(*pair) for pair in zip(shares, names, strict=True)]
    return writer.over([*kept, *columns], query, "powers")


def _prediction(writer: _Writer, program: Boosted, scores: list[str]) -> str:
    if program.classes is None:
        exp = program.link == "exp"
        return f"EXP({_clipped(scores[0])})" if exp else scores[0]
    labels = [writer.literal(label) for label in program.classes]
    if program.link == "sigmoid":
        return f"CASE WHEN {scores[0]} > 0 THEN {labels[1]} ELSE {labels[0]} END"
    # The first class that none of the later ones exceeds has the largest score.
    whens = [
        f"  WHEN {' AND '.join(f'{scores[k]} >= {later}' for later in scores[k + 1 :])}"
        f" THEN {labels[k]}"
        for k in range(len(labels) - 1)
    ]
    return "\n".join(["CASE", *whens, f"  ELSE {labels[-1]}", "END"])


def _clipped(x: str) -> str:
    most = f"{_LARGEST_EXPONENT}E0"
    low = f"WHEN {x} < -{most} THEN -{most}"
    return f"CASE WHEN {x} > {most} THEN {most} {low} ELSE {x} END"
