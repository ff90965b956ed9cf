"""Check the C++ sources against the limits of this project.

* Files have at most 400 lines, functions at most 60.
* The GIL is released in one place (bindings/interrupt.hpp).
* The processor is asked for its instructions in one place (cpp/simd/dispatch.cpp), and
  vector instructions are used in cpp/simd only.
* A `switch` over losses, or any other enumeration, has no `default`: the compiler then
  tells which cases a new enumerator lacks.
* Names that say too little are not used; the glossary in docs/architecture.md has the
  field's words.

Prints whatever does not comply and exits with 1.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LONGEST_FILE = 400
LONGEST_FUNCTION = 60


class OnePlace(NamedTuple):
    """Text that only files with a certain name may contain."""

    pattern: re.Pattern[str]
    where: str
    what: str


ONE_PLACE = (
    OnePlace(
        re.compile(r"gil_scoped_release|PyEval_SaveThread"),
        "bindings/interrupt.hpp",
        "releases the GIL",
    ),
    OnePlace(
        re.compile(r"__builtin_cpu_supports|__get_cpuid|getauxval"),
        "cpp/simd/dispatch.cpp",
        "asks for the instruction set",
    ),
    OnePlace(
        re.compile(r"#\s*include\s*<\w*mmintrin\.h>|#\s*include\s*<arm_neon\.h>"),
        "cpp/simd/",
        "uses vector instructions",
    ),
)

#: Comments, strings, characters and macros; raw strings do not occur.
_NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'"""
    r"""|^[ ]*\#[ ]*define(?:\\\n|[^\n])*""",
    re.DOTALL | re.MULTILINE,
)
#: After cases that are enumerators.
_DEFAULT = re.compile(r"\bcase\s+\w+(?:::\w+)+\s*:[^{}]*\bdefault\s*:")
_UNCLEAR = re.compile(r"\b(?:Known|Kind|Questions|Workbench|bench_?|look)\b")
_NO_FUNCTION = re.compile(
    r"\b(?:if|for|while|switch|catch|namespace|struct|class|enum|union|do|else)\b"
)


def blanked(text: str) -> str:
    """Replace comments and strings by spaces; lines stay where they are."""
    return _NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


class Body(NamedTuple):
    """A function's name and its lines, from the name to the last brace."""

    name: str
    first: int
    n_lines: int


def functions(text: str) -> Iterator[Body]:
    """Yield the functions of a file that are no lambdas."""
    code = blanked(text)
    opened: list[tuple[int, str | None]] = []  # of each open brace: start, name
    for at, char in enumerate(code):
        if char == "{":
            opened.append(_head(code, at))
        elif char == "}" and opened:
            start, name = opened.pop()
            if name is not None:
                first = code.count("\n", 0, start) + 1
                yield Body(name, first, code.count("\n", start, at) + 1)


def _head(code: str, brace: int) -> tuple[int, str | None]:
    """Return where the text before a brace begins, and a name if it is a function's."""
    begin = max(code.rfind(c, 0, brace) for c in ";{}") + 1
    head = code[begin:brace]
    begin += len(head) - len(head.lstrip())
    head = re.sub(r"^\s*#[^\n]*$", "", head, flags=re.MULTILINE)  # preprocessor
    head = re.sub(r"^\s*(?:public|private|protected)\s*:", "", head.lstrip())
    head = _without_template(head.lstrip())
    opening = _parameters(head)
    if opening is None or _NO_FUNCTION.search(head[:opening]) or "=" in head[:opening]:
        return begin, None
    name = re.search(r"([~\w:]+|operator\s*\S+)\s*$", head[:opening])
    if name is None or name.group(1) in ("if", "for", "while", "switch", "catch"):
        return begin, None
    return begin, name.group(1)


def _without_template(head: str) -> str:
    """Drop the parameters of a template, in which `class` declares none."""
    while head.startswith("template"):
        depth, at = 0, head.find("<")
        while at < len(head):
            depth += {"<": 1, ">": -1}.get(head[at], 0)
            at += 1
            if depth == 0:
                break
        head = head[at:].lstrip()
    return head


def _parameters(head: str) -> int | None:
    """Return where the first parameter list of a head opens, if it has one."""
    opening = head.find("(")
    if opening > 0 and head[:opening].rstrip().endswith("operator"):
        opening = head.find("(", head.find(")", opening))
    if opening <= 0 or head[:opening].rstrip().endswith("]"):
        return None
    return opening


def check_file(name: str, text: str) -> Iterator[str]:
    """Yield a message for each rule that a file breaks."""
    n_lines = text.count("\n")
    if n_lines > LONGEST_FILE:
        yield f"{name}: {n_lines} lines, at most {LONGEST_FILE} are allowed"
    for body in functions(text):
        if body.n_lines > LONGEST_FUNCTION:
            yield (
                f"{name}:{body.first}: {body.name} has {body.n_lines} lines, at most"
                f" {LONGEST_FUNCTION} are allowed"
            )
    for rule in ONE_PLACE:
        if rule.pattern.search(blanked(text)) and not name.startswith(rule.where):
            yield f"{name}: {rule.what}, which only {rule.where} does"
    for found in _DEFAULT.finditer(blanked(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield f"{name}:{line}: a switch has a default; name the cases instead"
    for found in _UNCLEAR.finditer(blanked(text)):
        line = text.count("\n", 0, found.start()) + 1
        yield f"{name}:{line}: the name {found.group()} says too little"


def check_tree(root: Path) -> list[str]:
    """Return the messages of all C++ files of the project."""
    files = sorted(p for d in ("cpp", "bindings") for p in (root / d).rglob("*.?pp"))
    return [
        message
        for path in files
        for message in check_file(str(path.relative_to(root)), path.read_text())
    ]


def main() -> int:
    """Check the project this script belongs to."""
    messages = check_tree(Path(__file__).resolve().parent.parent)
    print("\n".join(messages) or "C++ files keep their limits.")
    return 1 if messages else 0


if __name__ == "__main__":
    sys.exit(main())
