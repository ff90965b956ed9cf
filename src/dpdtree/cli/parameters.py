"""Options of the command line from the tables of parameters, and their values."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from dpdtree._params.adaboost import ADABOOST
from dpdtree._params.boosting import BOOSTING_CLASSIFIER, BOOSTING_REGRESSOR
from dpdtree._params.cv import CLASSIFIER_CV, REGRESSOR_CV
from dpdtree._params.feature_rules import Costs, Directions
from dpdtree._params.kinds import (
    ClassWeights,
    Flag,
    IntRange,
    IntSequence,
    NonzeroInt,
    Nothing,
    OneOf,
    Parameter,
    RealRange,
)
from dpdtree._params.tree import CLASSIFIER, REGRESSOR
from dpdtree.cli._click import PanelOption
from dpdtree.cli.errors import UsageError

#: The parameters that have options of their own, or no use in a single command.
_OWN = ("cv", "categorical_features", "verbose", "warm_start")


class Model(NamedTuple):
    """An estimator: what chooses it, its name and its table."""

    kind: str
    estimator: str
    table: tuple[Parameter, ...]


#: By (model, task), and (model, task, "cv") where the size is cross-validated.
MODELS = {
    ("tree", "classification"): Model("tree", "DPDTreeClassifier", CLASSIFIER),
    ("tree", "regression"): Model("tree", "DPDTreeRegressor", REGRESSOR),
    ("tree", "classification", "cv"): Model(
        "tree --cv", "DPDTreeClassifierCV", CLASSIFIER_CV
    ),
    ("tree", "regression", "cv"): Model(
        "tree --cv", "DPDTreeRegressorCV", REGRESSOR_CV
    ),
    ("boosting", "classification"): Model(
        "boosting", "DPDTBoostingClassifier", BOOSTING_CLASSIFIER
    ),
    ("boosting", "regression"): Model(
        "boosting", "DPDTBoostingRegressor", BOOSTING_REGRESSOR
    ),
    ("adaboost", "classification"): Model(
        "adaboost", "DPDTAdaBoostClassifier", ADABOOST
    ),
}
KINDS = tuple(dict.fromkeys(key[0] for key in MODELS))
TREES = tuple(model for model in MODELS.values() if model.kind == "tree")


class ParameterOption(PanelOption):
    """An option that stands for a parameter of an estimator."""


def options(models: Iterable[Model]) -> Iterator[ParameterOption]:
    """Yield an option for each parameter that one of the models has."""
    tables = list(models)
    names = dict.fromkeys(p.name for model in tables for p in model.table)
    for name in names:
        if name in _OWN:
            continue
        found = [(model, p) for model in tables for p in model.table if p.name == name]
        first = found[0][1]
        yield ParameterOption(
            [f"--{name.replace('_', '-')}", name],
            panel="Parameters of the model",
            metavar=_metavar(p for _, p in found),
            help=f"{_first_sentence(first.doc)} {_scope(found, tables)}".strip(),
            shell_complete=_completions([p for _, p in found]),
        )


def taken(settings: dict[str, Any], params: Iterable[Any]) -> dict[str, Any]:
    """Take what stands for parameters out of the arguments of a command."""
    names = [p.name for p in params if isinstance(p, ParameterOption)]
    return {name: settings.pop(name) for name in names}


def _completions(parameters: list[Parameter]) -> Callable[..., list[str]]:
    words = list(
        dict.fromkeys(
            word
            for parameter in parameters
            for kind in parameter.constraints
            if isinstance(kind, OneOf)
            for word in kind.options
        )
    )

    def complete(ctx: Any, param: Any, incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _metavar(parameters: Iterable[Parameter]) -> str:
    words: dict[str, None] = {}
    for parameter in parameters:
        for kind in parameter.constraints:
            words.update(dict.fromkeys(_words(kind)))
    return "|".join(words) or "VALUE"


def _words(kind: Any) -> tuple[str, ...]:
    if isinstance(kind, OneOf):
        return kind.options
    if isinstance(kind, IntRange | NonzeroInt):
        return ("INT",)
    if isinstance(kind, RealRange):
        return ("NUMBER",)
    if isinstance(kind, IntSequence):
        return ("INT,INT,...",)
    if isinstance(kind, Flag):
        return ("true", "false")
    if isinstance(kind, Nothing):
        return ("none",)
    if isinstance(kind, ClassWeights):
        return ("LABEL=WEIGHT,...",)
    if isinstance(kind, Directions):
        return ("COLUMN=1|-1,...",)
    if isinstance(kind, Costs):
        return ("COLUMN=COST,...",)
    words = {
        "Groups": ("JSON",),
        "FeaturesByDepth": ("JSON",),
        "CostMatrix": ("JSON",),
        "NumberSequence": ("NUMBER,...",),
        "Scorer": ("NAME",),
        "ScorerName": ("NAME",),
    }
    return words.get(type(kind).__name__, ())


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.:]) +(?=[\"A-Z])", text, maxsplit=1)[0].rstrip(":")


def _scope(found: list[tuple[Model, Parameter]], tables: list[Model]) -> str:
    """Return the default, or that of each kind of model that has the parameter."""
    by_kind: dict[str, dict[str, None]] = {}
    for model, parameter in found:
        by_kind.setdefault(model.kind, {})[_shown(parameter.default)] = None
    shown = {kind: " or ".join(defaults) for kind, defaults in by_kind.items()}
    if shown.get("tree --cv") == shown.get("tree"):
        shown.pop("tree --cv", None)
    kinds = {model.kind for model in tables}
    if by_kind.keys() == kinds and len(set(shown.values())) == 1:
        return f"[default: {next(iter(shown.values()))}]"
    return f"[{', '.join(f'{kind}: {value}' for kind, value in shown.items())}]"


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, tuple | list):
        return ",".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


# --- From text to values --------------------------------------------------------------


def parsed(given: Mapping[str, Any], model: Model) -> dict[str, Any]:
    """Return the values of the options that were given, as this model takes them."""
    table = {parameter.name: parameter for parameter in model.table}
    values = {}
    for name, text in given.items():
        if text is None:
            continue
        flag = f"--{name.replace('_', '-')}"
        if name not in table:
            others = [m.estimator for m in MODELS.values() if _has(m, name)]
            raise UsageError(
                f"{flag} is not a parameter of {model.estimator}, which was chosen by"
                f" --model, --task and --cv; {', '.join(others)} has it."
            )
        values[name] = parse_value(text, table[name], flag)
    return values


def _has(model: Model, name: str) -> bool:
    return any(parameter.name == name for parameter in model.table)


def parse_value(text: str, parameter: Parameter, flag: str) -> Any:
    """Return the first reading of a text that the parameter accepts."""
    for value in _readings(text):
        if parameter.accepts(value):
            return value
    raise UsageError(f"{flag} must be {parameter.allowed}; got {text!r}.")


def _readings(text: str) -> Iterator[Any]:
    """Yield what a text can mean: a word, a number, a list, names with values, JSON."""
    if text.casefold() in ("none", "null"):
        yield None
    if text.casefold() in ("true", "false"):
        yield text.casefold() == "true"
    with suppress(ValueError):
        yield int(text)
    with suppress(ValueError):
        if math.isfinite(number := float(text)):
            yield number
    yield text
    if text[:1] in ("[", "{"):
        with suppress(ValueError):
            value = json.loads(text)
            if isinstance(value, dict):
                yield _with_int_keys(value)
            yield value
    parts = [part.strip() for part in text.split(",")]
    with suppress(ValueError):
        yield tuple(map(_number, parts))
    if "=" in text:
        with suppress(ValueError):
            pairs = [part.rpartition("=") for part in parts]
            yield {name.strip(): _number(value) for name, _, value in pairs}
    yield parts


def _with_int_keys(value: dict[str, Any]) -> Any:
    try:
        return {int(key): entry for key, entry in value.items()}
    except ValueError:
        return value


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
