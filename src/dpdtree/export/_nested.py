"""Trees as nested conditions of a programming language."""

from __future__ import annotations

import keyword
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from dpdtree.export._program import (
    Boosted,
    Feature,
    Nodes,
    Plain,
    Question,
    SingleTree,
    used_features,
)

#: Deeper subtrees become functions of their own: compilers limit the nesting.
_DEEPEST = 24

#: Words that no variable can be in one of the languages, or that are in use.
_RESERVED = frozenset(keyword.kwlist) | set(
    re.findall(
        r"\w+",
        """abstract arguments async await boolean break byte case catch char class const
        continue debugger default delete do double else enum eval export extends false
        final finally float for frozenset function get goto if implements import in
        instanceof int interface let long math model module native new null of package
        predict private protected public read readNumber readText return row set short
        static super switch synchronized this throw throws transient tree trees true try
        typeof undefined var void volatile while with yield baseline classes x""",
    )
)


class Language(ABC):
    """A program as functions of nested conditions; a subclass knows how to write them.

    Parameters
    ----------
    program : SingleTree or Boosted
        What is written.
    prefix : str
        Of the names of sets of categories.
    """

    #: Between the branches of a condition, and after them ("" for nothing).
    otherwise: ClassVar[str]
    closed: ClassVar[str]
    indent: ClassVar[str]
    #: Of the function of a single tree; those of boosted trees are numbered.
    tree_name: ClassVar[str]

    def __init__(self, program: SingleTree | Boosted, prefix: str) -> None:
        self.program = program
        self.used = used_features(program)
        self.sets = Sets(program.features, prefix)
        self.variables = variables(self.used)

    @abstractmethod
    def goes_left(self, question: Question) -> str:
        """Return the condition under which a row goes left."""

    @abstractmethod
    def opened(self, condition: str) -> str:
        """Return the line that opens a condition."""

    @abstractmethod
    def returned(self, text: str) -> str:
        """Return the line that returns something."""

    @abstractmethod
    def function(self, name: str, lines: Sequence[str]) -> str:
        """Return a function of the features, given its body."""

    @abstractmethod
    def literal(self, value: Plain) -> str:
        """Return a label or a number."""

    @abstractmethod
    def pair(self, label: str, probabilities: str) -> str:
        """Return what the function of a classification tree returns."""

    @abstractmethod
    def forest(self, baseline: str, trees: Sequence[tuple[int, str]]) -> str:
        """Return the constants of boosted trees: (output, function) in their order."""

    def call(self, name: str) -> str:
        """Return a function's name and arguments: its head, and a call of it."""
        return f"{name}({', '.join(self.variables.values())})"

    def listed(self, value: Any) -> str:
        """Return a label, a number or a list of such."""
        if isinstance(value, tuple | list):
            return f"[{', '.join(map(self.listed, value))}]"
        return self.literal(value)

    def classes(self) -> str | None:
        """Return the labels; None for a regressor."""
        program = self.program
        labels: Any = program.classes
        if labels is None:
            return None
        one = isinstance(program, SingleTree) and program.n_outputs == 1
        return self.listed(labels[0] if one else labels)

    def trees(self) -> list[str]:
        """Return the functions of all trees and, of boosted ones, what lists them."""
        if isinstance(self.program, SingleTree):
            return self._single(self.program)
        return self._boosted(self.program)

    def _single(self, program: SingleTree) -> list[str]:
        several = program.n_outputs > 1

        def answer(node: int) -> str:
            labels: Any = program.labels(node)
            label = self.listed(labels if several else labels[0])
            if program.classes is None:
                return label
            shares: Any = [one[node].tolist() for one in program.probabilities]
            return self.pair(label, self.listed(shares if several else shares[0]))

        return list(functions_of(program.nodes, answer, self, self.tree_name))

    def _boosted(self, program: Boosted) -> list[str]:
        parts: list[str] = []
        names = []
        for i, (output, nodes, values) in enumerate(program.trees):
            name = f"{self.tree_name}_{i}"
            answers = [self.literal(value) for value in values]
            parts += functions_of(nodes, answers.__getitem__, self, name)
            names.append((output, name))
        return [*parts, self.forest(self.listed(program.baseline), names)]


def functions_of(
    nodes: Nodes, answer: Callable[[int], str], language: Language, name: str
) -> Iterator[str]:
    """Yield the function of a tree, and before it those of its deep subtrees."""
    parts: list[str] = []
    waiting = [(name, 0)]
    for part, root in waiting:
        lines = list(_body(nodes, answer, language, name, root, waiting))
        parts.append(language.function(part, lines))
    yield from reversed(parts)


def _body(
    nodes: Nodes,
    answer: Callable[[int], str],
    language: Language,
    name: str,
    root: int,
    waiting: list[tuple[str, int]],
) -> Iterator[str]:
    todo: list[tuple[int, int | str]] = [(0, root)]
    while todo:
        level, item = todo.pop()
        indent = language.indent * level
        if isinstance(item, str):
            yield indent + item
            continue
        question = nodes.questions[item]
        if question is None:
            yield indent + language.returned(answer(item))
        elif level == _DEEPEST:
            part = f"{name}_{item}"
            waiting.append((part, item))
            yield indent + language.returned(language.call(part))
        else:
            yield indent + language.opened(language.goes_left(question))
            todo += [(level, language.closed)] if language.closed else []
            todo += [
                (level + 1, nodes.right[item]),
                (level, language.otherwise),
                (level + 1, nodes.left[item]),
            ]


def variables(features: Sequence[Feature]) -> dict[int, str]:
    """Return a variable for each feature, after its name if that can be one."""
    taken: set[str] = set()
    chosen = {}
    for feature in features:
        name = re.sub(r"[^A-Za-z0-9]+", "_", feature.name or "").strip("_")
        if not name or not name[0].isalpha() or len(name) > 40:
            name = f"x{feature.place}"
        while name in taken or name in _RESERVED:
            name += "_"
        taken.add(name)
        chosen[feature.place] = name
    return chosen


class Sets:
    """The sets of categories that questions ask for, each written once."""

    def __init__(self, features: Sequence[Feature], prefix: str) -> None:
        self._features = features
        self._prefix = prefix
        self._names: dict[tuple[tuple[type, Plain], ...], str] = {}
        self.values: dict[str, tuple[Plain, ...]] = {}

    def name(self, question: Question) -> str:
        """Return the name of a question's set."""
        known = self._features[question.feature].categories or ()
        values = tuple(known[place] for place in question.members or ())
        key = tuple((type(value), value) for value in values)
        if key not in self._names:
            self._names[key] = name = f"{self._prefix}{len(self._names)}"
            self.values[name] = values
        return self._names[key]
