"""Fitted estimators as JSON documents, and back.

An estimator is rebuilt from its class, its parameters and its fitted attributes. What
describes the columns and the labels has an entry of its own, so that readers in other
languages find it; what follows from something else (numbers of classes, outputs and
iterations) is not stored but worked out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dpdtree._fitted import fitted_attributes, set_attributes
from dpdtree._params.estimators import resolved
from dpdtree.io.columns import Columns, decode_columns, encode_classes, encode_features
from dpdtree.io.learnt import (
    check_costs,
    check_missing,
    check_shrinkage,
    checked_tree,
    decode_fitted,
    decode_report,
    encode_fitted,
    encode_report,
)
from dpdtree.io.parameters import class_of, encode_parameters, new_estimator
from dpdtree.io.paths import decode_path, encode_path
from dpdtree.io.trees import decode_boosting, encode_boosting, encode_tree
from dpdtree.io.values import as_list, as_object, as_text, member, wrong

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


def encode_estimator(model: Any) -> dict[str, Any]:
    """Return a fitted estimator as a document."""
    name = type(model).__name__
    if name not in ESTIMATORS or type(model) is not class_of(name):
        raise TypeError(
            "save_model takes the fitted estimators of dpdtree themselves, got a"
            f" {type(model).__module__}.{type(model).__qualname__}."
        )
    check_is_fitted(model)
    document: dict[str, Any] = {
        "estimator": name,
        "parameters": encode_parameters(model),
        "features": encode_features(model),
    }
    if hasattr(model, "classes_"):
        document["classes"] = encode_classes(model)
    return document | _encode_learnt(model)


def _encode_learnt(model: Any) -> dict[str, Any]:
    learnt: dict[str, Any] = {"fitted": encode_fitted(fitted_attributes(model))}
    if hasattr(model, "tree_"):
        learnt["tree"] = encode_tree(model.tree_)
        learnt["report"] = encode_report(model.report_)
    if hasattr(model, "booster_"):
        learnt["boosting"] = encode_boosting(model.booster_)
    if hasattr(model, "estimators_"):
        learnt["estimators"] = [
            {"parameters": encode_parameters(tree), **_encode_learnt(tree)}
            for tree in model.estimators_
        ]
    if hasattr(model, "path_"):
        learnt["path"] = encode_path(model.path_)
    return learnt


def decode_estimator(document: dict[str, Any]) -> Any:
    """Return the estimator of a document; ModelFormatError names what is wrong."""
    name = as_text(member(document, "estimator", "$"), "$.estimator")
    if name not in ESTIMATORS:
        raise wrong("$.estimator", f"one of {sorted(ESTIMATORS)}", name)
    is_classifier = "Classifier" in name
    if ("classes" in document) != is_classifier:
        expected = "an entry 'classes'" if is_classifier else "no entry 'classes'"
        raise wrong("$", f"{expected} for a {name}")
    columns = decode_columns(document)
    model = new_estimator(name, member(document, "parameters", "$"), "$.parameters")
    set_attributes(model, **columns.attributes(), **columns.labels())
    _decode_learnt(model, document, "$", columns)
    return model


def _decode_learnt(
    model: Any, document: dict[str, Any], at: str, columns: Columns
) -> None:
    """Set the fitted attributes beyond columns and labels."""
    learnt = ESTIMATORS[type(model).__name__]
    fitted = decode_fitted(model, member(document, "fitted", at), f"{at}.fitted")
    check_missing(fitted, columns, f"{at}.fitted.has_missing_")
    check_shrinkage(fitted, f"{at}.fitted.shrinkage_")
    set_attributes(model, **fitted)
    if "path" in document and at == "$":
        if not type(model).__name__.endswith("CV"):
            raise wrong(at, "no path in this estimator")
        model.path_ = decode_path(document["path"], f"{at}.path", columns)
    if learnt == "tree_":
        tree = checked_tree(member(document, "tree", at), f"{at}.tree", columns)
        check_costs(resolved(model, "loss"), vars(model), f"{at}.fitted.cost_matrix_")
        report = decode_report(member(document, "report", at), f"{at}.report")
        set_attributes(model, report_=report, n_outputs_=tree.n_outputs, tree_=tree)
    elif learnt == "booster_":
        _decode_booster(model, document, at, columns)
    else:
        _decode_trees(model, document, columns)


def _decode_booster(
    model: Any, document: dict[str, Any], at: str, columns: Columns
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
    set_attributes(
        model,
        booster_=booster,
        n_iter_=booster.n_iterations,
        n_trees_per_iteration_=booster.n_outputs,
    )


def _decode_trees(model: Any, document: dict[str, Any], columns: Columns) -> None:
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
        tree = new_estimator("DPDTreeClassifier", parameters, f"{at}.parameters")
        set_attributes(tree, **columns.attributes(named=False), **columns.labels())
        _decode_learnt(tree, part, at, columns)
        trees.append(tree)
    model.estimators_ = trees
