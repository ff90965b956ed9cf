"""Fitted estimators as JSON documents, and back.

An estimator is rebuilt from its class, its parameters and its fitted attributes. What
describes the columns and the labels has an entry of its own, so that readers in other
languages find it; what follows from something else (numbers of classes, outputs and
iterations) is not stored but worked out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from dpdtree._numbers import is_list
from dpdtree._params.kinds import resolved
from dpdtree._structure import TreeStructure
from dpdtree.io.trees import (
    decode_boosting,
    decode_tree,
    encode_boosting,
    encode_tree,
)
from dpdtree.io.values import (
    CannotSaveError,
    NotSaved,
    as_float,
    as_int,
    as_list,
    as_object,
    as_text,
    decode,
    decode_array,
    encode,
    encode_array,
    encode_floats,
    floats,
    member,
    wrong,
)
from dpdtree.path import PathTree, RegularizationPath
from dpdtree.report import FitReport

#: Classes by the attribute that holds what they have learnt.
ESTIMATORS = {
    "DPDTreeClassifier": "tree_",
    "DPDTreeRegressor": "tree_",
    "DPDTreeClassifierCV": "tree_",
    "DPDTreeRegressorCV": "tree_",
    "DPDTBoostingClassifier": "booster_",
    "DPDTBoostingRegressor": "booster_",
    "DPDTAdaBoostClassifier": "estimators_",
}
_ONE_TREE = ("DPDTreeClassifier", "DPDTreeRegressor")

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
_POINT_FLOATS = ("loss", "complexity", "feature_cost", "alpha_low", "alpha_high")


def encode_estimator(model: Any) -> dict[str, Any]:
    """Return a fitted estimator as a document."""
    name = type(model).__name__
    if name not in ESTIMATORS or type(model) is not _class_of(name):
        raise TypeError(
            "save_model takes the fitted estimators of dpdtree themselves, got a"
            f" {type(model).__module__}.{type(model).__qualname__}."
        )
    check_is_fitted(model)
    document: dict[str, Any] = {
        "estimator": name,
        "parameters": _encode_parameters(model),
        "features": _encode_features(model),
    }
    if hasattr(model, "classes_"):
        document["classes"] = _encode_classes(model)
    return document | _encode_learnt(model)


def _class_of(name: str) -> Any:
    # The classes stand above this module, which they use.
    return getattr(import_module("dpdtree"), name)


def _encode_parameters(model: Any) -> dict[str, Any]:
    encoded = {}
    for parameter in model._parameters:
        value = getattr(model, parameter.name)
        if not isinstance(value, NotSaved) and not parameter.accepts(value):
            raise ValueError(
                f"The {parameter.name!r} parameter must be {parameter.allowed}, got"
                f" {value!r}: this model cannot be saved."
            )
        encoded[parameter.name] = _encode_parameter(model, parameter.name, value)
    return encoded


def _encode_parameter(model: Any, name: str, value: Any) -> Any:
    try:
        return encode(value)
    except CannotSaveError:
        if _may_be_left_out(type(model).__name__, name):
            return {"$not_saved": repr(value)[:200]}
        if is_list(value):  # an index of pandas, a range
            return encode(list(value))
        raise ValueError(
            f"This model cannot be saved: the {name!r} parameter is a"
            f" {type(value).__name__}."
        ) from None


def _may_be_left_out(estimator: str, parameter: str) -> bool:
    """Whether a model predicts without knowing this parameter."""
    if parameter == "loss":  # one of one's own
        return estimator.startswith("DPDTBoosting")
    return parameter in ("cv", "random_state", "scoring")


def _encode_features(model: Any) -> list[dict[str, Any]]:
    names = getattr(model, "feature_names_in_", [None] * model.n_features_in_)
    features = []
    for j, (name, known) in enumerate(zip(names, model.categories_, strict=True)):
        feature: dict[str, Any] = {"name": name, "type": "number"}
        if known is not None:
            feature["type"] = "category"
            feature["categories"] = _named(f"categories_[{j}]", known)
        features.append(feature)
    return features


def _encode_classes(model: Any) -> list[Any]:
    several = isinstance(model.classes_, list)
    outputs = model.classes_ if several else [model.classes_]
    return [_named("classes_", labels) for labels in outputs]


def _named(name: str, values: NDArray[Any]) -> dict[str, Any]:
    try:
        return encode_array(values)
    except CannotSaveError as error:
        raise ValueError(
            f"This model cannot be saved: {name} holds more than strings, numbers and"
            f" dates ({error})."
        ) from error


def _encode_learnt(model: Any) -> dict[str, Any]:
    learnt: dict[str, Any] = {"fitted": _encode_fitted(model)}
    if hasattr(model, "tree_"):
        learnt["tree"] = encode_tree(model.tree_)
        learnt["report"] = _encode_report(model.report_)
    if hasattr(model, "booster_"):
        learnt["boosting"] = encode_boosting(model.booster_)
    if hasattr(model, "estimators_"):
        learnt["estimators"] = [
            {"parameters": _encode_parameters(tree), **_encode_learnt(tree)}
            for tree in model.estimators_
        ]
    if hasattr(model, "path_"):
        learnt["path"] = _encode_path(model.path_)
    return learnt


def _encode_fitted(model: Any) -> dict[str, Any]:
    fitted = {}
    for name, value in model._fitted().items():
        if name not in _ELSEWHERE:
            try:
                fitted[name] = encode(value)
            except CannotSaveError as error:
                raise ValueError(
                    f"This model cannot be saved: {name} of {error}."
                ) from error
    return fitted


def _encode_report(report: FitReport) -> dict[str, Any]:
    document = {
        key: encode(value) for key, value in asdict(report).items() if key != "trace"
    }
    document["trace"] = [encode_floats(np.array(point)) for point in report.trace]
    return document


def _encode_path(path: RegularizationPath) -> dict[str, Any]:
    owner = path._estimator
    return {
        "kind": path.kind,
        "estimator": type(owner).__name__,
        "parameters": _encode_parameters(owner),
        "fitted": {
            name: encode(value)
            for name, value in path._fitted.items()
            if name not in _ELSEWHERE
        },
        "report": _encode_report(path.report),
        "points": [
            {
                **{name: encode(getattr(p, name)) for name in _POINT_FLOATS},
                "tree": encode_tree(TreeStructure(p.tree)),
            }
            for p in path._points
        ],
    }


@dataclass(frozen=True)
class _Columns:
    """What a document says about the columns of X and about the labels."""

    names: list[str] | None
    categories: list[NDArray[Any] | None]
    classes: list[NDArray[Any]] | None

    @property
    def n_categories(self) -> list[int]:
        # A feature all of whose values were missing has no split.
        return [0 if known is None else len(known) for known in self.categories]

    def attributes(self, *, named: bool = True) -> dict[str, Any]:
        """Return the fitted attributes that describe X."""
        found: dict[str, Any] = {
            "n_features_in_": len(self.categories),
            "is_categorical_": np.array([c is not None for c in self.categories]),
            "categories_": list(self.categories),
        }
        if named and self.names is not None:
            found["feature_names_in_"] = np.array(self.names, dtype=object)
        return found

    def labels(self) -> dict[str, Any]:
        """Return the fitted attributes that describe the labels."""
        if self.classes is None:
            return {}
        if len(self.classes) == 1:
            return {"classes_": self.classes[0], "n_classes_": len(self.classes[0])}
        sizes = [len(labels) for labels in self.classes]
        return {"classes_": list(self.classes), "n_classes_": sizes}


def decode_estimator(document: dict[str, Any]) -> Any:
    """Return the estimator of a document; ModelFormatError names what is wrong."""
    name = as_text(member(document, "estimator", "$"), "$.estimator")
    if name not in ESTIMATORS:
        raise wrong("$.estimator", f"one of {sorted(ESTIMATORS)}", name)
    is_classifier = "Classifier" in name
    if ("classes" in document) != is_classifier:
        expected = "an entry 'classes'" if is_classifier else "no entry 'classes'"
        raise wrong("$", f"{expected} for a {name}")
    columns = _decode_columns(document)
    model = _new(name, member(document, "parameters", "$"), "$.parameters")
    model._set(**columns.attributes(), **columns.labels())
    _decode_learnt(model, document, "$", columns)
    return model


def _new(name: str, content: Any, at: str) -> Any:
    """Return an unfitted estimator with checked parameters."""
    cls = _class_of(name)
    table = {parameter.name: parameter for parameter in cls._parameters}
    given = {}
    for key, value in as_object(content, at).items():
        if key not in table:
            raise wrong(f"{at}.{key}", f"a parameter of {name}", key)
        decoded = decode(value, f"{at}.{key}")
        left_out = isinstance(decoded, NotSaved) and _may_be_left_out(name, key)
        if not left_out and not _accepts(table[key], decoded):
            raise wrong(f"{at}.{key}", str(table[key].allowed), decoded)
        given[key] = decoded
    return cls(**given)


def _accepts(parameter: Any, value: Any) -> bool:
    try:
        return bool(parameter.accepts(value))
    except (TypeError, ValueError, OverflowError):
        return False


def _decode_columns(document: dict[str, Any]) -> _Columns:
    listed = as_list(member(document, "features", "$"), "$.features")
    if not listed:
        raise wrong("$.features", "at least one feature")
    names: list[Any] = []
    categories: list[NDArray[Any] | None] = []
    for j, content in enumerate(listed):
        at = f"$.features[{j}]"
        feature = as_object(content, at)
        names.append(feature.get("name"))
        kind = member(feature, "type", at)
        if kind == "number":
            categories.append(None)
        elif kind == "category":
            known = member(feature, "categories", at)
            categories.append(_distinct(known, f"{at}.categories"))
        else:
            raise wrong(f"{at}.type", "'number' or 'category'", kind)
    return _Columns(_column_names(names), categories, _decode_classes(document))


def _column_names(names: list[Any]) -> list[str] | None:
    if all(name is None for name in names):
        return None
    texts = [as_text(name, f"$.features[{j}].name") for j, name in enumerate(names)]
    if len(set(texts)) < len(texts):
        raise wrong("$.features", "different names")
    return texts


def _decode_classes(document: dict[str, Any]) -> list[NDArray[Any]] | None:
    if "classes" not in document:
        return None
    listed = as_list(document["classes"], "$.classes")
    if not listed:
        raise wrong("$.classes", "an entry for each output")
    outputs = [_distinct(c, f"$.classes[{i}]") for i, c in enumerate(listed)]
    for i, labels in enumerate(outputs):
        if not len(labels):
            raise wrong(f"$.classes[{i}]", "at least one label")
    return outputs


def _distinct(content: Any, at: str) -> NDArray[Any]:
    """Return labels or categories: one dimension, plain and different."""
    values = decode_array(content, at)
    if values.ndim != 1:
        raise wrong(f"{at}.shape", "one dimension", values.ndim)
    plain = values.tolist()
    if values.dtype.kind == "O" and not all(_is_plain(value) for value in plain):
        raise wrong(f"{at}.data", "strings, numbers or true and false")
    if values.dtype.kind == "f" and np.isnan(values).any():
        raise wrong(f"{at}.data", "no NaN")
    if len(set(plain)) < len(plain):
        raise wrong(f"{at}.data", "different values")
    return values


def _is_plain(value: Any) -> bool:
    return isinstance(value, str | bool | int | float) and value == value


def _decode_learnt(
    model: Any, document: dict[str, Any], at: str, columns: _Columns
) -> None:
    """Set the fitted attributes beyond columns and labels."""
    learnt = ESTIMATORS[type(model).__name__]
    fitted = _decode_fitted(model, member(document, "fitted", at), f"{at}.fitted")
    _check_missing(fitted, columns, f"{at}.fitted.has_missing_")
    _check_shrinkage(fitted, f"{at}.fitted.shrinkage_")
    model._set(**fitted)
    if "path" in document and at == "$":
        if not type(model).__name__.endswith("CV"):
            raise wrong(at, "no path in this estimator")
        model.path_ = _decode_path(document["path"], f"{at}.path", columns)
    if learnt == "tree_":
        tree = _checked_tree(member(document, "tree", at), f"{at}.tree", columns)
        _check_costs(resolved(model, "loss"), vars(model), f"{at}.fitted.cost_matrix_")
        report = _decode_report(member(document, "report", at), f"{at}.report")
        model._set(report_=report, n_outputs_=tree.n_outputs, tree_=tree)
    elif learnt == "booster_":
        _decode_booster(model, document, at, columns)
    else:
        _decode_trees(model, document, columns)


def _decode_fitted(model: Any, content: Any, at: str) -> dict[str, Any]:
    fitted = {}
    for name, value in as_object(content, at).items():
        plain = re.fullmatch(r"[a-z][a-z0-9_]*_", name)
        if not plain or name in _ELSEWHERE or hasattr(type(model), name):
            raise wrong(at, "names of fitted attributes", name)
        fitted[name] = decode(value, f"{at}.{name}")
    return fitted


def _checked_tree(content: Any, at: str, columns: _Columns) -> TreeStructure:
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


def _check_missing(fitted: Mapping[str, Any], columns: _Columns, at: str) -> None:
    if "has_missing_" not in fitted:
        return
    flags, n = fitted["has_missing_"], len(columns.categories)
    if not isinstance(flags, np.ndarray) or flags.dtype != bool or flags.shape != (n,):
        raise wrong(at, f"true or false for each of {n} features")


def _check_shrinkage(fitted: Mapping[str, Any], at: str) -> None:
    """The strength of the shrinkage decides what `predict` says."""
    if as_float(fitted.get("shrinkage_", 0.0), at, finite=True) < 0.0:
        raise wrong(at, "a number >= 0", fitted["shrinkage_"])


def _check_costs(loss: Any, fitted: Mapping[str, Any], at: str) -> None:
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


def _decode_report(content: Any, at: str) -> FitReport:
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


def _decode_booster(
    model: Any, document: dict[str, Any], at: str, columns: _Columns
) -> None:
    content = member(document, "boosting", at)
    booster = decode_boosting(content, f"{at}.boosting", columns.n_categories)
    expected = 1
    if columns.classes is not None:
        if len(columns.classes) > 1:
            raise wrong(f"{at}.classes", "the labels of one output")
        expected = len(columns.classes[0]) if len(columns.classes[0]) > 2 else 1
    several = columns.classes is None and booster.n_outputs > 0
    if booster.n_outputs != expected and not several:
        place = f"{at}.boosting.baseline"
        raise wrong(place, f"a list of length {expected}", booster.n_outputs)
    model._set(
        booster_=booster,
        n_iter_=booster.n_iterations,
        n_trees_per_iteration_=booster.n_outputs,
    )


def _decode_trees(model: Any, document: dict[str, Any], columns: _Columns) -> None:
    """The trees of AdaBoost: classifiers on the same columns and labels."""
    listed = as_list(member(document, "estimators", "$"), "$.estimators")
    weights = getattr(model, "estimator_weights_", None)
    if (
        not isinstance(weights, np.ndarray)
        or weights.dtype != np.float64
        or weights.ndim != 1
        or not 1 <= len(listed) == len(weights)
        or not np.isfinite(weights).all()
    ):
        raise wrong("$.fitted.estimator_weights_", "a finite weight for each tree")
    if not isinstance(getattr(model, "stop_reason_", None), str):
        raise wrong("$.fitted", "an entry 'stop_reason_'")
    if columns.classes is None or len(columns.classes) > 1:
        raise wrong("$.classes", "the labels of one output")
    trees = []
    for i, content in enumerate(listed):
        at = f"$.estimators[{i}]"
        part = as_object(content, at)
        parameters = member(part, "parameters", at)
        tree = _new("DPDTreeClassifier", parameters, f"{at}.parameters")
        tree._set(**columns.attributes(named=False), **columns.labels())
        _decode_learnt(tree, part, at, columns)
        trees.append(tree)
    model.estimators_ = trees


def _decode_path(content: Any, at: str, columns: _Columns) -> RegularizationPath:
    document = as_object(content, at)
    kind = member(document, "kind", at)
    if kind not in ("alpha", "n_leaves"):
        raise wrong(f"{at}.kind", "'alpha' or 'n_leaves'", kind)
    name = member(document, "estimator", at)
    if name != _ONE_TREE[columns.classes is None]:
        raise wrong(f"{at}.estimator", f"{_ONE_TREE[columns.classes is None]!r}", name)
    owner = _new(name, member(document, "parameters", at), f"{at}.parameters")
    owner._set(**columns.attributes())
    fitted = _decode_fitted(owner, member(document, "fitted", at), f"{at}.fitted")
    fitted |= columns.labels()
    _check_costs(resolved(owner, "loss"), fitted, f"{at}.fitted.cost_matrix_")
    report = _decode_report(member(document, "report", at), f"{at}.report")
    listed = as_list(member(document, "points", at), f"{at}.points")
    if not listed:
        raise wrong(f"{at}.points", "at least one tree")
    points = [
        _decode_point(point, f"{at}.points[{i}]", columns)
        for i, point in enumerate(listed)
    ]
    return RegularizationPath(owner, kind, points, report, fitted)


def _decode_point(content: Any, at: str, columns: _Columns) -> PathTree:
    document = as_object(content, at)
    tree = _checked_tree(member(document, "tree", at), f"{at}.tree", columns)
    numbers: dict[str, float] = {}
    for name in _POINT_FLOATS:
        value = decode(member(document, name, at), f"{at}.{name}")
        infinite = type(value) is float  # JSON has none, but a tag stands for it
        numbers[name] = value if infinite else as_float(value, f"{at}.{name}")
    return PathTree(tree=tree._data, n_leaves=tree.n_leaves, **numbers)
