"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from dpdtree.cli._click import click
from dpdtree.cli.errors import CommandError
from dpdtree.cli.parameters import KINDS
from dpdtree.cli.tables import MISSING, Dialect, open_table

Function = TypeVar("Function", bound=Callable[..., Any])

FILE = click.Path(allow_dash=True)


def _all(*decorators: Any) -> Callable[[Function], Function]:
    def decorate(function: Function) -> Function:
        for decorator in reversed(decorators):
            function = decorator(function)
        return function

    return decorate


def complete_columns(ctx: Any, param: Any, incomplete: str) -> list[str]:
    """Return the columns of the table that the command line already names.

    While the option still has no value, the files before it are words without a place.
    """
    for path in (ctx.params.get("data"), *reversed(ctx.args)):
        if path is None or path.endswith(".json") or not Path(path).is_file():
            continue
        with suppress(CommandError), open_table(path) as source:
            return [name for name in source.names if name.startswith(incomplete)]
    return []


def column_option(*names: str, **settings: Any) -> Callable[[Function], Function]:
    """Return an option that names a column."""
    return click.option(
        *names, metavar="COLUMN", shell_complete=complete_columns, **settings
    )


text_options = _all(
    click.option(
        "--delimiter", metavar="CHAR", help="Between columns. [default: as found]"
    ),
    click.option("--decimal", default=".", metavar="CHAR", help="The decimal point."),
    click.option("--encoding", default="utf8", help="Of the text. [default: utf8]"),
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="How a missing value is spelled; may be repeated. [default: nothing, NA,"
        " NaN, null, ?, . and the like]",
    ),
    click.option(
        "--no-header", is_flag=True, help="The first line is a row: f0, f1, ..."
    ),
)

talk_options = _all(
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors."),
)

training_options = _all(
    column_option(
        "-t", "--target", help="What to predict. Without it, columns are listed."
    ),
    click.option(
        "--task",
        type=click.Choice(["classification", "regression"]),
        help="[default: guessed from the target]",
    ),
    column_option("--weights", help="Weights of the rows."),
    column_option("--drop", multiple=True, help="Leave a column out; may be repeated."),
    column_option("--features", multiple=True, help="Use only these; may be repeated."),
    column_option(
        "--categorical",
        "--categorical-features",
        multiple=True,
        help="A column of numbers that are codes; may be repeated. Text always is.",
    ),
    click.option(
        "--test-size",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.2,
        help="Share of the rows held out for the scores; 0 for none. [default: 0.2]",
    ),
)

model_option = click.option(
    "--model", "kind", type=click.Choice(KINDS), default="tree", help="[default: tree]"
)


def dialect_of(settings: dict[str, Any]) -> Dialect:
    """Take the options of `text_options` out of the arguments of a command."""
    delimiter = settings.pop("delimiter")
    missing = settings.pop("missing")
    return Dialect(
        delimiter="\t" if delimiter in ("\\t", "tab") else delimiter,
        decimal=settings.pop("decimal"),
        encoding=settings.pop("encoding"),
        missing=("", *missing) if missing else MISSING,
        header=not settings.pop("no_header"),
    )
