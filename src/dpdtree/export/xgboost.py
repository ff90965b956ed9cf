"""Boosted trees as a genuine `xgboost.Booster`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._losses import link_of
from dpdtree.export._boosted import (
    categories_left,
    category_counts,
    check_single_precision,
    require,
    smallest_float32_above,
    trees,
)

#: Our loss → XGBoost's objective.
_OBJECTIVES = {
    "squared_error": "reg:squarederror",
    "absolute_error": "reg:absoluteerror",
    "quantile": "reg:quantileerror",
    "poisson": "count:poisson",
    "gamma": "reg:gamma",
}
_NO_PARENT = 2**31 - 1


def to_xgboost(model: Any) -> Any:
    """Return a fitted boosting estimator as an `xgboost.Booster`.

    XGBoost itself writes the frame of the model (version, objective, features) with a
    tiny fit; its trees are replaced by ours.
    """
    check_single_precision(model)
    counts = category_counts(model)
    frame = _frame(model, counts)
    learner = frame["learner"]["gradient_booster"]["model"]
    booster = model.booster_
    learner["trees"], learner["tree_info"] = [], []
    for number, (output, tree) in enumerate(trees(booster)):
        first = number < booster.n_outputs  # carries the baseline
        offset = float(booster.baseline[output]) if first else 0.0
        learner["trees"].append(_tree(tree, number, offset, counts))
        learner["tree_info"].append(output)
    n = len(learner["trees"])
    learner["gbtree_model_param"]["num_trees"] = str(n)
    if "iteration_indptr" in learner:
        learner["iteration_indptr"] = list(range(0, n + 1, booster.n_outputs))
    result = require("xgboost").Booster()
    result.load_model(bytearray(json.dumps(frame), "utf-8"))
    return result


def _frame(model: Any, counts: list[int]) -> dict[str, Any]:
    xgboost = require("xgboost")
    n_outputs = model.booster_.n_outputs
    params: dict[str, Any] = {"max_depth": 1, "nthread": 1}
    if not hasattr(model, "classes_"):
        loss = "squared_error" if callable(model.loss) else model.loss
        params["objective"] = _OBJECTIVES[loss]
        # What adds nothing to the sum of the trees.
        params["base_score"] = 1.0 if link_of(loss) == "log" else 0.0
        if loss == "quantile":
            params["quantile_alpha"] = model.quantile
    elif n_outputs == 1:
        params |= {"objective": "binary:logistic", "base_score": 0.5}
    else:
        params |= {"objective": "multi:softprob", "base_score": 0.0}
        params["num_class"] = n_outputs
    names = getattr(model, "feature_names_in_", None)
    n = max(2, n_outputs)
    data = xgboost.DMatrix(
        np.zeros((n, len(counts)), dtype=np.float32),
        np.arange(n) if hasattr(model, "classes_") else np.ones(n),
        feature_names=None if names is None else _printable(names),
        feature_types=["c" if n else "q" for n in counts],
        enable_categorical=True,
    )
    empty = xgboost.train(params, data, num_boost_round=1)
    frame: dict[str, Any] = json.loads(empty.save_raw("json"))
    return frame


def _printable(names: Any) -> list[str] | None:
    """XGBoost refuses brackets and comparison signs in names, and equal names."""
    table = str.maketrans({"[": "(", "]": ")", "<": "_"})
    printable = [str(name).translate(table) for name in names]
    return printable if len(set(printable)) == len(printable) else None


def _siblings_together(tree: Any) -> NDArray[np.intp]:
    """Return our nodes in XGBoost's order: a right child follows its left sibling."""
    order = [0]
    for node in order:
        if tree.children_left[node] >= 0:
            order += [int(tree.children_left[node]), int(tree.children_right[node])]
    return np.array(order)


def _tree(tree: Any, number: int, offset: float, counts: list[int]) -> dict[str, Any]:
    order = _siblings_together(tree)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    leaf = tree.children_left[order] < 0
    left = np.where(leaf, -1, place[tree.children_left[order]])
    right = np.where(leaf, -1, left + 1)
    parents = np.full(len(order), _NO_PARENT)
    inner = np.flatnonzero(~leaf)
    parents[left[inner]] = parents[right[inner]] = inner
    value = tree.value[order] + offset
    # A row goes left there if x < condition, here if x <= threshold.
    threshold = np.where(tree.is_categorical, 0.0, tree.threshold)[order]
    above = smallest_float32_above(threshold).astype(np.float64)
    return {
        "base_weights": value.tolist(),
        **_categories(tree, order, counts),
        "default_left": np.where(leaf, 0, tree.missing_go_to_left[order]).tolist(),
        "id": number,
        "left_children": left.tolist(),
        "loss_changes": tree.gain[order].tolist(),
        "parents": parents.tolist(),
        "right_children": right.tolist(),
        "split_conditions": np.where(leaf, value, above).tolist(),
        "split_indices": np.where(leaf, 0, tree.feature[order]).tolist(),
        "split_type": tree.is_categorical[order].tolist(),
        "sum_hessian": tree.sum_hessian[order].tolist(),
        "tree_param": {
            "num_deleted": "0",
            "num_feature": str(len(counts)),
            "num_nodes": str(len(order)),
            "size_leaf_vector": "1",
        },
    }


def _categories(
    tree: Any, order: NDArray[np.intp], counts: list[int]
) -> dict[str, list[int]]:
    """XGBoost lists the categories that go right."""
    values: list[int] = []
    segments, sizes = [], []
    places = np.flatnonzero(tree.is_categorical[order])
    for node in order[places]:
        n = counts[tree.feature[node]]
        # A set must not be empty: n is no code.
        right = np.flatnonzero(~categories_left(tree, node, n)).tolist() or [n]
        segments.append(len(values))
        sizes.append(len(right))
        values += right
    return {
        "categories": values,
        "categories_nodes": places.tolist(),
        "categories_segments": segments,
        "categories_sizes": sizes,
    }
