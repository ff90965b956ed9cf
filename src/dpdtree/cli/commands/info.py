"""`dpdtree info`."""

from __future__ import annotations

import inspect
from typing import Any

import dpdtree
from dpdtree.cli._click import click
from dpdtree.cli.columns import ModelColumns
from dpdtree.cli.models import load
from dpdtree.cli.options import FILE
from dpdtree.cli.talk import aligned, put, put_json

_MOST_DRAWN = 32


@click.command(short_help="Say what a model file holds.")
@click.argument("model", type=FILE)
@click.option("--card", is_flag=True, help="A model card in Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def info(model: str, card: bool, as_json: bool) -> None:
    """Say what a model file holds: estimator, parameters, columns, the tree."""
    fitted = load(model)
    if card:
        put(dpdtree.model_card(fitted))
        return
    about = _about(fitted)
    if as_json:
        put_json(about)
        return
    features = about.pop("features")
    parameters = about.pop("parameters")
    facts = [[f"{key}:", _joined(value)] for key, value in about.items()]
    shown = ", ".join(f"{name}={value!r}" for name, value in parameters.items())
    lines = aligned([*facts, ["parameters:", shown or "all have their defaults"]])
    rows = [
        ["", f["name"], f["type"], _joined(f.get("categories", ""))] for f in features
    ]
    lines += ["", f"{len(features)} features", *aligned(rows)]
    if hasattr(fitted, "tree_") and fitted.tree_.n_leaves <= _MOST_DRAWN:
        lines += ["", dpdtree.export_text(fitted).rstrip()]
    put("\n".join(lines))


def _joined(value: Any) -> Any:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _about(model: Any) -> dict[str, Any]:
    defaults = inspect.signature(type(model)).parameters
    about: dict[str, Any] = {"estimator": type(model).__name__}
    about["parameters"] = {
        name: value
        for name, value in model.get_params(deep=False).items()
        if repr(value) != repr(defaults[name].default)
    }
    if hasattr(model, "classes_"):
        about["classes"] = _labels(model)
    if hasattr(model, "tree_"):
        tree = model.tree_
        about |= {"leaves": tree.n_leaves, "depth": tree.max_depth}
        about["training rows"] = int(tree.n_node_samples[0])
        about |= {"loss": model.loss_, "objective": model.objective_}
        about["proven optimal"] = bool(model.is_optimal_)
    elif hasattr(model, "booster_"):
        about |= {"iterations": model.n_iter_, "stopped by": model.stop_reason_}
    else:
        about["trees"] = len(model.estimators_)
    about["features"] = _features(model)
    return about


def _labels(model: Any) -> list[Any]:
    if getattr(model, "n_outputs_", 1) > 1:
        return [labels.tolist() for labels in model.classes_]
    labels: list[Any] = model.classes_.tolist()
    return labels


def _features(model: Any) -> list[dict[str, Any]]:
    columns = ModelColumns(model)
    return [
        {"name": name, "type": "number"}
        if known is None
        else {"name": name, "type": "category", "categories": known}
        for name, known in zip(columns.names, columns.categories, strict=True)
    ]
