"""Fitted attributes, reports and trees: what several kinds of documents have."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from dpdtree._structure import TreeStructure
from dpdtree.io.columns import Columns
from dpdtree.io.trees import decode_tree
from dpdtree.io.values import (
    CannotSaveError,
    as_float,
    as_int,
    as_list,
    as_object,
    as_text,
    decode,
    encode,
    encode_floats,
    floats,
    member,
    wrong,
)
from dpdtree.report import FitReport

#: Attributes with an entry of their own, or that follow from others.
_ELSEWHERE = {
    "n_features_in_",
    "feature_names_in_",
    "is_categorical_",
    "categories_",
    "classes_",
    "n_classes_",
    "n_outputs_",
    "tree_",
    "booster_",
    "n_iter_",
    "n_trees_per_iteration_",
    "estimators_",
    "path_",
    "report_",
}


def encode_fitted(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return fitted attributes, except those with an entry of their own."""
    fitted = {}
    for name, value in attributes.items():
        if name not in _ELSEWHERE:
            try:
                fitted[name] = encode(value)
            except CannotSaveError as error:
                raise ValueError(
                    f"This model cannot be saved: {name} of {error}."
                ) from error
    return fitted


def decode_fitted(model: Any, content: Any, at: str) -> dict[str, Any]:
    """Return the attributes of an entry `fitted`."""
    fitted = {}
    for name, value in as_object(content, at).items():
        plain = re.fullmatch(r"[a-z][a-z0-9_]*_", name)
        if not plain or name in _ELSEWHERE or hasattr(type(model), name):
            raise wrong(at, "names of fitted attributes", name)
        fitted[name] = decode(value, f"{at}.{name}")
    return fitted


def check_missing(fitted: Mapping[str, Any], columns: Columns, at: str) -> None:
    """Raise unless `has_missing_` has an entry per feature."""
    if "has_missing_" not in fitted:
        return
    flags, n = fitted["has_missing_"], len(columns.categories)
    if not isinstance(flags, np.ndarray) or flags.dtype != bool or flags.shape != (n,):
        raise wrong(at, f"true or false for each of {n} features")


def check_shrinkage(fitted: Mapping[str, Any], at: str) -> None:
    """The strength of the shrinkage decides what `predict` says."""
    if as_float(fitted.get("shrinkage_", 0.0), at, finite=True) < 0.0:
        raise wrong(at, "a number >= 0", fitted["shrinkage_"])


def check_costs(loss: Any, fitted: Mapping[str, Any], at: str) -> None:
    """The matrix decides what `predict` says."""
    needed, costs = loss == "cost_matrix", fitted.get("cost_matrix_")
    if not needed and costs is None:
        return
    n = fitted.get("n_classes_", 0)
    if (
        not needed
        or not isinstance(costs, np.ndarray)
        or costs.dtype != np.float64
        or costs.shape != (n, n)
        or not np.isfinite(costs).all()
    ):
        raise wrong(at, f"{n} by {n} finite costs with loss='cost_matrix', else none")


def encode_report(report: FitReport) -> dict[str, Any]:
    """Return the record of a search as a document."""
    document = {
        key: encode(value) for key, value in asdict(report).items() if key != "trace"
    }
    document["trace"] = [encode_floats(np.array(point)) for point in report.trace]
    return document


def decode_report(content: Any, at: str) -> FitReport:
    """Return the record of a search."""
    document = as_object(content, at)
    values: dict[str, Any] = {}
    for entry in fields(FitReport):
        place = f"{at}.{entry.name}"
        value = member(document, entry.name, at)
        if entry.type == "int":
            values[entry.name] = as_int(value, place)
        elif entry.type == "float":
            values[entry.name] = as_float(value, place)
        elif entry.type == "str":
            values[entry.name] = as_text(value, place)
        else:
            points = as_list(value, place)
            values[entry.name] = tuple(
                tuple(floats(point, f"{place}[{i}]", 3).tolist())
                for i, point in enumerate(points)
            )
    return FitReport(**values)


def checked_tree(content: Any, at: str, columns: Columns) -> TreeStructure:
    """Return a tree that fits the columns and the labels."""
    tree = decode_tree(content, at, columns.n_categories)
    if columns.classes is None:
        if tree.max_n_classes != 1:
            raise wrong(f"{at}.n_classes", "1 for each output", tree.max_n_classes)
        return tree
    sizes = [len(labels) for labels in columns.classes]
    if tree.n_classes.tolist() != sizes:
        raise wrong(f"{at}.n_classes", f"the numbers of classes, {sizes}")
    beyond = np.arange(tree.max_n_classes) >= tree.n_classes[:, np.newaxis]
    if (tree.value < 0.0).any() or tree.value[:, beyond].any():
        raise wrong(f"{at}.value", "no negative fractions, and 0 beyond the classes")
    return tree
