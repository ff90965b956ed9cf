"""`dpdtree export`."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dpdtree
from dpdtree.cli._click import click
from dpdtree.cli.errors import UsageError
from dpdtree.cli.models import load
from dpdtree.cli.options import FILE
from dpdtree.cli.output import open_output

_HELP = """Write a model as code or in the format of another program.

\b
Examples:
  dpdtree export model.json --format sql --table customers --dialect postgres
  dpdtree export model.json -o model.c
  dpdtree export model.json -o rules.md
"""


def _sql(model: Any, options: dict[str, Any]) -> str:
    names = ("table", "dialect", "method", "keep")
    chosen = {name: options[name] for name in names if options[name]}
    return dpdtree.export_sql(model, **chosen)


def _named(export: Callable[..., str]) -> Callable[[Any, dict[str, Any]], str]:
    def write(model: Any, options: dict[str, Any]) -> str:
        return export(model, **({"name": options["name"]} if options["name"] else {}))

    return write


def _rules(form: str) -> Callable[[Any, dict[str, Any]], str]:
    return lambda model, _: dpdtree.export_rules(model, format=form)


def _excel(model: Any, options: dict[str, Any]) -> str:
    cells = dict(pair.rpartition("=")[::2] for pair in options["cell"])
    return dpdtree.export_excel(model, cells=cells or None)


def _onnx(model: Any, options: dict[str, Any]) -> bytes:
    data: bytes = _method(model, "to_onnx")(options["dtype"]).SerializeToString()
    return data


def _xgboost(model: Any, options: dict[str, Any]) -> bytes:
    return bytes(_method(model, "to_xgboost")().save_raw("json"))


def _sklearn(model: Any, options: dict[str, Any]) -> bytes:
    return pickle.dumps(_method(model, "to_sklearn")())


def _method(model: Any, name: str) -> Any:
    if not hasattr(model, name):
        raise UsageError(f"There is no {name} of a {type(model).__name__}.")
    return getattr(model, name)


#: Format: (what writes it, endings that ask for it, options it takes).
FORMATS: dict[str, tuple[Callable[..., str | bytes], tuple[str, ...], set[str]]] = {
    "text": (lambda model, _: dpdtree.export_text(model), (".txt",), set()),
    "rules": (_rules("text"), (), set()),
    "markdown": (_rules("markdown"), (".md",), set()),
    "latex": (_rules("latex"), (".tex",), set()),
    "card": (lambda model, _: dpdtree.model_card(model), (), set()),
    "graphviz": (
        lambda model, _: dpdtree.export_graphviz(model),
        (".dot", ".gv"),
        set(),
    ),
    "sql": (_sql, (".sql",), {"table", "dialect", "method", "keep"}),
    "c": (_named(dpdtree.export_c), (".c", ".h"), {"name"}),
    "python": (lambda model, _: dpdtree.export_python(model), (".py",), set()),
    "javascript": (_named(dpdtree.export_javascript), (".js", ".mjs"), {"name"}),
    "excel": (_excel, (), {"cell"}),
    "onnx": (_onnx, (".onnx",), {"dtype"}),
    "xgboost": (_xgboost, (), set()),
    "sklearn": (_sklearn, (".pkl", ".pickle"), set()),
}


@click.command(help=_HELP, short_help="Write a model as code or in another format.")
@click.argument("model", type=FILE)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    help="[default: by the ending of -o]",
)
@click.option(
    "-o", "--output", type=FILE, default="-", help="[default: standard output]"
)
@click.option("--table", help="SQL: the table that is read. [default: data]")
@click.option("--dialect", help="SQL: of which database. [default: ansi]")
@click.option("--method", help="SQL: predict, predict_proba or decision_function.")
@click.option("--keep", multiple=True, help="SQL: copy a column; may be repeated.")
@click.option("--name", help="C and JavaScript: of the functions. [default: model]")
@click.option(
    "--cell",
    multiple=True,
    metavar="COLUMN=CELL",
    help="Excel: age=B2; may be repeated.",
)
@click.option(
    "--dtype", type=click.Choice(["float64", "float32"]), help="ONNX: of the input."
)
def export(model: str, form: str | None, output: str, **options: Any) -> None:
    """Export a model: see _HELP."""
    form = form or _by_ending(output)
    write, _, takes = FORMATS[form]
    strange = [name for name, value in options.items() if value and name not in takes]
    if strange:
        raise UsageError(f"--{strange[0]} does not apply to --format {form}.")
    options["dtype"] = options["dtype"] or "float64"
    exported = write(load(model), options)
    if isinstance(exported, str):
        exported = (exported if exported.endswith("\n") else f"{exported}\n").encode()
    elif output == "-" and sys.stdout.isatty():
        raise UsageError(f"--format {form} is binary: give -o, or a pipe.")
    with open_output(output) as file:
        file.write(exported)


def _by_ending(output: str) -> str:
    ending = Path(output).suffix.lower()
    for form, (_, endings, _) in FORMATS.items():
        if ending in endings:
            return form
    raise UsageError(f"Which format? --format {', '.join(FORMATS)}.")
