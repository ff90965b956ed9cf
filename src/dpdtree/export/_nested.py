"""Trees as nested conditions of a programming language."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from dpdtree.export._program import Feature, Nodes, Plain, Question

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


class Language(Protocol):
    """What nested conditions look like."""

    def goes_left(self, question: Question) -> str:
        """Return the condition under which a row goes left."""

    def opened(self, condition: str) -> str:
        """Return the line that opens a condition."""

    #: Between the branches, and after them ("" for nothing).
    otherwise: str
    closed: str
    indent: str

    def returned(self, text: str) -> str:
        """Return the line that returns something."""

    def function(self, name: str, lines: Sequence[str]) -> str:
        """Return a function of the features, given its body."""

    def call(self, name: str) -> str:
        """Return a call of such a function from within another one."""


def functions_of(
    nodes: Nodes, said: Callable[[int], str], language: Language, name: str
) -> Iterator[str]:
    """Yield the function of a tree, and before it those of its deep subtrees."""
    parts: list[str] = []
    waiting = [(name, 0)]
    for part, root in waiting:
        lines = list(_body(nodes, said, language, name, root, waiting))
        parts.append(language.function(part, lines))
    yield from reversed(parts)


def _body(
    nodes: Nodes,
    said: Callable[[int], str],
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
            yield indent + language.returned(said(item))
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
