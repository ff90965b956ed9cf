"""`dpdtree fit`."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from typing import Any

import numpy as np

from dpdtree.cli._click import BaseCommand, click
from dpdtree.cli.blocks import fit_all, in_blocks, open_training_set, validated
from dpdtree.cli.errors import USAGE, UsageError
from dpdtree.cli.options import (
    FILE,
    dialect_of,
    model_option,
    talk_options,
    text_options,
    training_options,
)
from dpdtree.cli.output import write_text
from dpdtree.cli.parameters import MODELS, options, taken
from dpdtree.cli.scores import Scores, baseline_scores, score_rows, scores_of
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

_MOST_DRAWN = 16
_FOLDS = 5
_BINS = 255

_HELP = """Fit a model to a table and save it.

Columns of numbers are numbers, columns of text are categories; the scores are those of
rows held out, and the model that is saved has seen all rows.

\b
Examples:
  dpdtree fit data.csv                              list the columns
  dpdtree fit data.csv --target y -o model.json
  dpdtree fit data.parquet --target y --model boosting --max-iter 500
  zcat data.csv.gz | dpdtree fit - --target y --cv --json
"""


class FitCommand(BaseCommand):
    """`--cv` may come without a number; parameters have a section of their own."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Read the arguments; a lone --cv stands for five folds."""
        args = [
            f"--cv={_FOLDS}"
            if word == "--cv" and not re.fullmatch(r"\d+", following)
            else word
            for word, following in pairwise([*args, ""])
        ]
        return super().parse_args(ctx, args)


@click.command(cls=FitCommand, help=_HELP, short_help="Fit a model to a table.")
@click.argument("data", type=FILE)
@training_options
@click.option("-o", "--output", type=FILE, help="Where to save the model, as JSON.")
@model_option
@click.option(
    "--cv",
    type=click.IntRange(2),
    metavar="[FOLDS]",
    help="Choose the size of a tree by cross-validation; of other models, show the"
    " scores of all folds.",
)
@click.option(
    "--blocks/--no-blocks",
    default=None,
    help="Read the table in blocks, never as a whole; trees then have --max-bins."
    " [default: if it is larger than a gigabyte]",
)
@text_options
@talk_options
def fit(**settings: Any) -> int | None:
    """Fit a model: see _HELP."""
    as_json, quiet = settings.pop("as_json"), settings.pop("quiet")
    output, share = settings.pop("output"), settings.pop("test_size")
    if as_json and output == "-":
        raise UsageError("--json and -o - both write to standard output.")
    talk = Talk(quiet=quiet)
    wanted = in_blocks(settings["data"], settings.pop("blocks"))
    request, parameters = _request(settings)
    if request.target is None:
        list_columns(request, talk, "fit", as_json=as_json)
        return USAGE
    start = time.perf_counter()
    found = (_fit_blocks if wanted else _fit_rows)(request, parameters, share, talk)
    model, training, n_rows, scores = found
    seconds = time.perf_counter() - start
    if parameters["n_jobs"] is None:
        model.set_params(n_jobs=None)  # only meant for this machine
    _show(model, training, scores, seconds, talk)
    if output is not None:
        from dpdtree.io.files import model_to_json

        write_text(output, model_to_json(model))
    _say_next(output, request.data, talk)
    if as_json:
        report = _report(model, training, scores, request)
        put_json({"rows": n_rows, "seconds": seconds, "saved": output, **report})
    return None


fit.params += list(options(MODELS.values()))


def _request(settings: dict[str, Any]) -> tuple[Request, dict[str, Any]]:
    """Divide the arguments into what they say of the data, and of the model."""
    dialect = dialect_of(settings)
    parameters = taken(settings, fit.params)
    return Request(dialect=dialect, **settings), parameters


def _fit_rows(request: Request, parameters: Any, share: float, talk: Talk) -> Any:
    """Fit a table in memory; return model, training set, rows and scores."""
    training = read_training_set(request, talk)
    estimator = make_estimator(training, parameters, request.cv)
    scores = _validated(estimator, training, share, request.cv, talk)
    everything = (training.X, training.y, training.weight)
    model = fitted(estimator, everything, talk)
    scores["all rows"] = scores_of(model, *everything)
    return model, training, training.n_rows, scores


def _fit_blocks(request: Request, parameters: Any, share: float, talk: Talk) -> Any:
    """Fit a table that stays in its file; return the same."""
    training = open_training_set(request, share, talk)
    if request.kind == "tree" and parameters["max_bins"] is None:
        parameters["max_bins"] = str(_BINS)
        talk.say(f"--max-bins {_BINS}: trees in blocks need bins.")
    estimator = make_estimator(training, parameters, None)
    scores = validated(_clone(estimator), training, talk)
    model, n_rows = fit_all(estimator, training, talk)
    return model, training, n_rows, scores


def _validated(
    estimator: Any, training: TrainingSet, share: float, cv: int | None, talk: Talk
) -> dict[str, Scores]:
    """Return the scores of rows that a model has not seen, and those to compare."""
    labels = training.task == "classification"
    if cv is not None and training.model.kind != "tree --cv":
        return _cross_validated(estimator, training, cv, talk)
    parts = hold_out(training.y, share, labels=labels)
    if parts is None:
        return {}
    train, test = training.take(parts[0]), training.take(parts[1])
    model = fitted(_clone(estimator), train, talk)
    held_out = f"{len(parts[1]):,} held out"
    return {
        f"{len(parts[0]):,} fitted": scores_of(model, *train),
        held_out: scores_of(model, *test),
        "baseline": baseline_scores(train[1], test[1], labels=labels, weight=test[2]),
    }


def _clone(estimator: Any) -> Any:
    from sklearn.base import clone

    return clone(estimator)


def _cross_validated(
    estimator: Any, training: TrainingSet, cv: int, talk: Talk
) -> dict[str, Scores]:
    from sklearn.model_selection import KFold, StratifiedKFold

    labels = training.task == "classification"
    splitter = (StratifiedKFold if labels else KFold)(cv, shuffle=True, random_state=0)
    found = []
    for train, test in splitter.split(np.zeros(training.n_rows), training.y):
        model = fitted(_clone(estimator), training.take(train), talk)
        found.append(scores_of(model, *training.take(test)))
    names = found[0]
    values = {name: [scores[name] for scores in found] for name in names}
    return {
        f"mean of {cv} folds": {n: float(np.mean(v)) for n, v in values.items()},
        "deviation": {n: float(np.std(v, ddof=1)) for n, v in values.items()},
    }


def _show(
    model: Any, training: Any, scores: dict[str, Scores], seconds: float, talk: Talk
) -> None:
    talk.say()
    talk.heading(f"{training.model.estimator}: {_size(model)}, {seconds:.2f} s")
    if scores:
        rows = [["", *row] for row in score_rows(scores)]
        talk.table(rows, right="ll" + "r" * len(scores))
    if hasattr(model, "tree_") and model.tree_.n_leaves <= _MOST_DRAWN:
        from dpdtree.export.text import export_text

        talk.say()
        talk.say(export_text(model).rstrip())


def _size(model: Any) -> str:
    if hasattr(model, "tree_"):
        leaves, depth = model.tree_.n_leaves, model.tree_.max_depth
        return f"{'1 leaf' if leaves == 1 else f'{leaves} leaves'}, depth {depth}"
    if hasattr(model, "booster_"):
        return f"{model.n_iter_} iterations"
    return f"{len(model.estimators_)} trees"


def _say_next(output: str | None, data: str, talk: Talk) -> None:
    talk.say()
    if output is None:
        talk.say("Nothing was saved: -o model.json keeps the model.")
    elif output != "-":
        talk.say(f"Saved. Next: dpdtree predict {output} new.csv -o predictions.csv")


def _report(
    model: Any, training: Any, scores: dict[str, Scores], request: Request
) -> dict[str, Any]:
    report = {
        "estimator": training.model.estimator,
        "task": training.task,
        "target": request.target,
        "features": [
            {"name": c.name, "type": c.kind, "missing": c.missing}
            for c in training.features.columns
        ],
        "left_out": training.features.left_out,
        "scores": scores,
    }
    if hasattr(model, "tree_"):
        report["leaves"] = model.tree_.n_leaves
        report["depth"] = model.tree_.max_depth
        report["loss"] = model.loss_
        report["stop_reason"] = model.report_.stop_reason
    return report
