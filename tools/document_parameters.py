"""Write what the parameter tables say into docs/parameters.md and the docstrings."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

from dpdtree._params.adaboost import ADABOOST
from dpdtree._params.boosting import BOOSTING_CLASSIFIER, BOOSTING_REGRESSOR
from dpdtree._params.cv import CLASSIFIER_CV, REGRESSOR_CV
from dpdtree._params.kinds import Parameter
from dpdtree._params.tree import CLASSIFIER, REGRESSOR

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "dpdtree"
TARGET = ROOT / "docs" / "parameters.md"
#: Where each estimator is written, and its table.
ESTIMATORS = {
    "tree.py": {"DPDTreeClassifier": CLASSIFIER, "DPDTreeRegressor": REGRESSOR},
    "cv.py": {"DPDTreeClassifierCV": CLASSIFIER_CV, "DPDTreeRegressorCV": REGRESSOR_CV},
    "boosting.py": {
        "DPDTBoostingClassifier": BOOSTING_CLASSIFIER,
        "DPDTBoostingRegressor": BOOSTING_REGRESSOR,
    },
    "adaboost.py": {"DPDTAdaBoostClassifier": ADABOOST},
}
WIDTH = 88
PARAMETERS = "    Parameters\n    ----------\n"
ATTRIBUTES = "    Attributes\n    ----------\n"
HEAD = """# Parameters

Generated from the parameter table (`src/dpdtree/_params/tree.py`) by `make docs`.
All parameters are keyword-only. Names shared with scikit-learn's trees have the same
meaning there.
"""


def render_table(table: tuple[Parameter, ...]) -> str:
    """Return a Markdown table of the parameters."""
    lines = ["| parameter | default | allowed values | meaning |", "|---|---|---|---|"]
    rows = ((p.name, p.default, p.allowed, p.doc) for p in table)
    lines += [
        f"| `{name}` | `{d!r}` | {values} | {doc} |" for name, d, values, doc in rows
    ]
    return "\n".join(lines)


def render_page() -> str:
    """Return the whole page: the classifier, then where the others differ."""
    same = set(CLASSIFIER)
    own = tuple(p for p in REGRESSOR if p not in same)
    boosted = tuple(p for p in ADABOOST if p not in same)
    missing = _missing(REGRESSOR)
    tuned = tuple(p for p in CLASSIFIER_CV if p not in same)
    other = tuple(p for p in REGRESSOR_CV if p not in {*same, *own, *tuned})
    gradient = set(BOOSTING_CLASSIFIER)
    return (
        f"{HEAD}\n## DPDTreeClassifier\n\n{render_table(CLASSIFIER)}\n"
        f"\n## DPDTreeRegressor\n\nThe same, without {missing}, and with\n\n"
        f"{render_table(own)}\n"
        f"\n## DPDTAdaBoostClassifier\n\nThe parameters of DPDTreeClassifier, which"
        f" hold for every tree, without {_missing(ADABOOST)}, and\n\n"
        f"{render_table(boosted)}\n"
        f"\n## DPDTreeClassifierCV\n\nThe parameters of DPDTreeClassifier, without"
        f" {_missing(CLASSIFIER_CV)}, and\n\n{render_table(tuned)}\n"
        f"\n## DPDTreeRegressorCV\n\nThe same for the parameters of DPDTreeRegressor,"
        f" with\n\n{render_table(other)}\n"
        f"\n## DPDTBoostingClassifier\n\n{render_table(BOOSTING_CLASSIFIER)}\n"
        "\n## DPDTBoostingRegressor\n\nThe same, without `class_weight`, and with\n\n"
        f"{render_table(tuple(p for p in BOOSTING_REGRESSOR if p not in gradient))}\n"
    )


def render_section(table: tuple[Parameter, ...]) -> str:
    """Return the Parameters section of a class docstring, indented as in a class."""
    lines = []
    for p in table:
        kind, doc = p.allowed, p.doc
        if len(f"    {p.name} : {kind}, default={p.default!r}") > WIDTH:
            # numpydoc wants the type on one line: a long one goes into the text.
            kind, doc = "see below", f"{kind[0].upper()}{kind[1:]}. {doc}"
        lines.append(f"{p.name} : {kind}, default={p.default!r}")
        lines.append(textwrap.indent(textwrap.fill(doc, WIDTH - 12), "    "))
    body = textwrap.indent("\n".join(lines), "    ").replace("\\", r"\\")
    return f"{PARAMETERS}{body}\n\n"


def with_parameters(source: str, tables: dict[str, tuple[Parameter, ...]]) -> str:
    """Return the source with the Parameters sections of its classes written anew."""
    lines = source.splitlines(keepends=True)
    classes = [n for n in ast.parse(source).body if isinstance(n, ast.ClassDef)]
    for cls in reversed(classes):  # from the end: line numbers above stay valid
        if cls.name in tables:
            text = cls.body[0]
            first, last = text.lineno - 1, text.end_lineno
            docstring = "".join(lines[first:last])
            head, found, tail = docstring.partition(ATTRIBUTES)
            if not found:
                raise ValueError(f"{cls.name} has no section of attributes")
            head = head.partition(PARAMETERS)[0]
            section = render_section(tables[cls.name])
            lines[first:last] = [f"{head}{section}{ATTRIBUTES}{tail}"]
    return "".join(lines)


def _missing(table: tuple[Parameter, ...]) -> str:
    """What a table lacks of the classifier's."""
    names = sorted({p.name for p in CLASSIFIER} - {p.name for p in table})
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Write the page and the docstrings."""
    TARGET.write_text(render_page())
    for name, tables in ESTIMATORS.items():
        path = PACKAGE / name
        path.write_text(with_parameters(path.read_text(), tables))


if __name__ == "__main__":
    main()
