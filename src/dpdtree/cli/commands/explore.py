"""`dpdtree explore`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from dpdtree.cli._click import BaseCommand, click
from dpdtree.cli.errors import USAGE
from dpdtree.cli.options import (
    FILE,
    dialect_of,
    talk_options,
    text_options,
    training_options,
)
from dpdtree.cli.output import open_output
from dpdtree.cli.parameters import TREES, options, taken
from dpdtree.cli.scores import scores_of
from dpdtree.cli.talk import Talk, put_json
from dpdtree.cli.training import (
    Request,
    TrainingSet,
    fitted,
    hold_out,
    list_columns,
    make_estimator,
    read_training_set,
)

_HELP = """Fit a tree and write a page to explore it and its alternatives.

One HTML file that needs no server and no network: the best trees of all sizes, other
splits of each node, the way of a row, a questionnaire, and what rows held out say.

\b
Examples:
  dpdtree explore data.csv --target y -o explorer.html
  dpdtree explore data.csv --target y --max-rows 0      no rows in the file
"""


_PAGE = ("max_rows", "stability", "cv", "title")


@click.command(
    cls=BaseCommand, help=_HELP, short_help="Write a page to explore a tree."
)
@click.argument("data", type=FILE)
@training_options
@click.option(
    "-o",
    "--output",
    type=FILE,
    default="explorer.html",
    help="[default: explorer.html]",
)
@click.option(
    "--max-rows",
    type=click.IntRange(0),
    default=2000,
    help="So many rows go into the file, to be traced; 0 keeps the data out of it."
    " [default: 2000]",
)
@click.option(
    "--stability",
    type=click.IntRange(0),
    default=0,
    help="Fit so many trees to resampled rows: how often do they use the same split?",
)
@click.option(
    "--cv",
    type=click.IntRange(0),
    default=0,
    help="Show in the chart of sizes how so many folds score (2 or more).",
)
@click.option("--title", help="Heading of the page.")
@text_options
@talk_options
def explore(**settings: Any) -> int | None:
    """Write the page: see _HELP."""
    as_json, quiet = settings.pop("as_json"), settings.pop("quiet")
    output, share = settings.pop("output"), settings.pop("test_size")
    page = {name: settings.pop(name) for name in _PAGE}
    talk = Talk(quiet=quiet or output == "-")
    parameters = taken(settings, explore.params)
    dialect = dialect_of(settings)
    request = Request(dialect=dialect, kind="tree", cv=None, **settings)
    if request.target is None:
        list_columns(request, talk, "explore", as_json=as_json)
        return USAGE
    training = read_training_set(request, talk)
    estimator = make_estimator(training, parameters, None)
    size, scores = _write(estimator, training, share, output, page, talk)
    talk.say(f"Wrote {output}, {size / 1024:.0f} KB: open it in a browser.")
    if as_json and output != "-":
        leaves = estimator.get_n_leaves()
        put_json({"page": output, "leaves": leaves, "scores": scores})
    return None


explore.params += list(options(TREES))


def _write(
    estimator: Any,
    training: TrainingSet,
    share: float,
    output: str,
    page: dict[str, Any],
    talk: Talk,
) -> tuple[int, dict[str, Any]]:
    """Fit the tree, write its page; return the size of the file and the scores."""
    labels = training.task == "classification"
    parts = hold_out(training.y, share, labels=labels)
    train = (training.X, training.y, training.weight)
    scores, others = {}, {}
    if parts is not None:
        train, test = training.take(parts[0]), training.take(parts[1])
        others = {"X_test": test[0], "y_test": test[1]}
    fitted(estimator, train, talk)
    if parts is not None:
        scores = {"held out": scores_of(estimator, *test)}
    with tempfile.TemporaryDirectory() as folder, talk.progress():
        made = estimator.explore(*train, **others, **page, path=Path(folder) / "page")
        contents = Path(made).read_bytes()
    with open_output(output) as file:
        file.write(contents)
    return len(contents), scores
