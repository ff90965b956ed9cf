"""`dpdtree path`."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from dpdtree.cli._click import BaseCommand, click
from dpdtree.cli.errors import USAGE, UsageError
from dpdtree.cli.options import (
    FILE,
    dialect_of,
    talk_options,
    text_options,
    training_options,
)
from dpdtree.cli.output import open_writer, table_format, write_text
from dpdtree.cli.parameters import TREES, options, taken
from dpdtree.cli.scores import scores_of
from dpdtree.cli.talk import Talk, aligned, put, put_json
from dpdtree.cli.training import (
    Request,
    TrainingSet,
    hold_out,
    list_columns,
    make_estimator,
    read_training_set,
)

_HELP = """Search the best tree of every size at once.

The table has a line per tree: its leaves, its training loss and its score on rows held
out. Choose one with --leaves; it is then searched with all rows and saved.

\b
Examples:
  dpdtree path data.csv --target y
  dpdtree path data.csv --target y --leaves 6 --save model.json
"""

#: A path is one search of a tree: these limit or choose a single one.
_NOT_HERE = ("alpha",)


@click.command(
    cls=BaseCommand, help=_HELP, short_help="Search the best tree of every size."
)
@click.argument("data", type=FILE)
@training_options
@click.option(
    "--by",
    type=click.Choice(["leaves", "alpha"]),
    default="leaves",
    help="The best tree for each number of leaves, or for each penalty alpha.",
)
@click.option("-o", "--output", type=FILE, help="Write the table to a file.")
@click.option("--leaves", type=click.IntRange(1), help="Choose the best tree so small.")
@click.option("--save", type=FILE, help="Save the tree of --leaves as a model file.")
@text_options
@talk_options
def path(**settings: Any) -> int | None:
    """Search a path: see _HELP."""
    as_json, quiet = settings.pop("as_json"), settings.pop("quiet")
    output, share = settings.pop("output"), settings.pop("test_size")
    by, leaves, save = (settings.pop(name) for name in ("by", "leaves", "save"))
    if (leaves is None) != (save is None):
        raise UsageError("--leaves and --save go together: which tree, and where to.")
    kind = None if output is None else table_format(output)
    talk = Talk(quiet=quiet)
    dialect = dialect_of(settings)
    parameters = taken(settings, path.params)
    request = Request(dialect=dialect, kind="tree", cv=None, **settings)
    if request.target is None:
        list_columns(request, talk, "path", as_json=as_json)
        return USAGE
    training = read_training_set(request, talk)
    estimator = make_estimator(training, parameters, None)
    columns = _searched(estimator, training, share, by, talk)
    if save is not None:
        _save(estimator, training, by, leaves, save, talk)
    if output is not None and kind is not None:
        table = pa.table({name: pa.array(values) for name, values in columns.items()})
        with open_writer(output, table.schema, kind) as writer:
            writer.write(table)
    elif as_json:
        put_json([dict(zip(columns, row, strict=True)) for row in _rows(columns)])
    else:
        table = [list(columns), *_rows(columns)]
        put("\n".join(aligned(table, "r" * len(columns))))
    return None


path.params += [option for option in options(TREES) if option.name not in _NOT_HERE]


def _rows(columns: dict[str, Any]) -> list[list[Any]]:
    return [list(row) for row in zip(*columns.values(), strict=True)]


def _search(estimator: Any, rows: tuple[Any, Any, Any], by: str, talk: Talk) -> Any:
    X, y, weight = rows
    search = estimator.leaf_path if by == "leaves" else estimator.regularization_path
    with talk.progress():
        return search(X, y, weight)


def _searched(
    estimator: Any, training: TrainingSet, share: float, by: str, talk: Talk
) -> dict[str, Any]:
    labels = training.task == "classification"
    parts = hold_out(training.y, share, labels=labels)
    everything = (training.X, training.y, training.weight)
    train = everything if parts is None else training.take(parts[0])
    found = _search(estimator, train, by, talk)
    columns = {
        "leaves": found.n_leaves.tolist(),
        "depth": found.depths.tolist(),
        "loss": found.losses.tolist(),
    }
    if by == "alpha":
        columns["alpha"] = found.alphas.tolist()
    if parts is not None:
        test = training.take(parts[1])
        scores = [scores_of(tree, *test) for tree in found]
        talk.say(
            f"Searched {len(parts[0]):,} rows; scores of {len(parts[1]):,} held out."
        )
        for name in scores[0]:
            columns[f"test {name}"] = [score.get(name) for score in scores]
    return columns


def _save(
    estimator: Any, training: TrainingSet, by: str, leaves: int, save: str, talk: Talk
) -> None:
    from dpdtree.io.files import model_to_json

    everything = (training.X, training.y, training.weight)
    chosen = _search(estimator, everything, by, talk).select(n_leaves=leaves)
    if estimator.n_jobs == -1:
        chosen.set_params(n_jobs=None)
    write_text(save, model_to_json(chosen))
    n = chosen.get_n_leaves()
    talk.say(f"Saved the tree of {'1 leaf' if n == 1 else f'{n} leaves'}: {save}")
