"""Boosted trees as a genuine `xgboost.Booster`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._category_codes import are_numbers
from dpdtree._losses import link_of
from dpdtree.export._boosted import (
    Codes,
    category_codes,
    check_one_output,
    check_single_precision,
    parted_categories,
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

#: XGBoost keeps a bit per node for each number up to the largest category.
_MOST_CODES = 2**16


def to_xgboost(model: Any) -> Any:
    """Return a fitted boosting estimator as an `xgboost.Booster`.

    XGBoost itself writes the frame of the model (version, objective, features and their
    categories) with a tiny fit; its trees are replaced by ours.
    """
    check_one_output(model)
    check_single_precision(model)
    codes = category_codes(model)
    _check_codes(codes)
    frame = _frame(model, codes)
    learner = _trees_of(frame)
    booster = model.booster_
    learner["trees"], learner["tree_info"] = [], []
    for number, (output, tree) in enumerate(trees(booster)):
        first = number < booster.n_outputs  # carries the baseline
        offset = float(booster.baseline[output]) if first else 0.0
        learner["trees"].append(_tree(tree, number, offset, codes))
        learner["tree_info"].append(output)
    n = len(learner["trees"])
    learner["gbtree_model_param"]["num_trees"] = str(n)
    if "iteration_indptr" in learner:
        learner["iteration_indptr"] = list(range(0, n + 1, booster.n_outputs))
    result = require("xgboost").Booster()
    result.load_model(bytearray(json.dumps(frame), "utf-8"))
    return result


def _check_codes(codes: list[Codes | None]) -> None:
    for of_feature in codes:
        if of_feature is None:
            continue
        fits = (of_feature >= 0) & (of_feature < _MOST_CODES) & (of_feature % 1 == 0)
        if not fits.all():
            raise ValueError(
                "XGBoost knows categories that are strings or whole numbers from 0 to"
                f" {_MOST_CODES - 1}; categories_ contains"
                f" {of_feature[~fits][0]:g}. Make them strings before the fit."
            )


def _frame(model: Any, codes: list[Codes | None]) -> dict[str, Any]:
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
    n = max(2, n_outputs)
    data = xgboost.DMatrix(
        _rows(model, codes, n),
        np.arange(n) if hasattr(model, "classes_") else np.ones(n),
        enable_categorical=True,
    )
    empty = xgboost.train(params, data, num_boost_round=1)
    frame: dict[str, Any] = json.loads(empty.save_raw("json"))
    names = getattr(model, "feature_names_in_", None)
    frame["learner"]["feature_names"] = [] if names is None else _printable(names)
    frame["learner"]["feature_types"] = ["q" if c is None else "c" for c in codes]
    if _has_categories(codes) and "cats" not in _trees_of(frame):
        raise ImportError(
            "XGBoost keeps the names of categories from version 3.1 on, and without"
            f" them a model is wrong: {xgboost.__version__} is installed."
        )
    return frame


def _has_categories(codes: list[Codes | None]) -> bool:
    return any(of_feature is not None for of_feature in codes)


def _trees_of(frame: dict[str, Any]) -> dict[str, Any]:
    trees: dict[str, Any] = frame["learner"]["gradient_booster"]["model"]
    return trees


def _rows(model: Any, codes: list[Codes | None], n: int) -> Any:
    """A few rows to fit; those of a frame tell XGBoost the categories.

    It then looks up the categories of any other frame by their names, and refuses
    unknown ones.
    """
    if not _has_categories(codes):
        return np.zeros((n, len(codes)), dtype=np.float32)
    pandas = require("pandas")
    columns: dict[str, Any] = {}
    for j, of_feature in enumerate(codes):
        columns[str(j)] = np.zeros(n, dtype=np.float32)
        if of_feature is not None:
            known = model.categories_[j]
            if are_numbers(known):  # each is in the place that it names
                known = np.arange(int(of_feature.max()) + 1)
            columns[str(j)] = pandas.Categorical.from_codes([0] * n, known)
    return pandas.DataFrame(columns)


def _printable(names: Any) -> list[str]:
    """XGBoost refuses brackets and comparison signs in names, and equal names."""
    table = str.maketrans({"[": "(", "]": ")", "<": "_"})
    printable = [str(name).translate(table) for name in names]
    return printable if len(set(printable)) == len(printable) else []


def _children(tree: Any) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return XGBoost's left and right children.

    It lists categories that go right; ours are those that part from missing values.
    """
    left, right = tree.children_left, tree.children_right
    turned = (tree.is_categorical != 0) & (tree.missing_go_to_left == 0)
    return np.where(turned, right, left), np.where(turned, left, right)


def _siblings_together(
    left: NDArray[np.intp], right: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return our nodes in XGBoost's order: a right child follows its left sibling."""
    order = [0]
    for node in order:
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    return np.array(order)


def _tree(
    tree: Any, number: int, offset: float, codes: list[Codes | None]
) -> dict[str, Any]:
    lefts, rights = _children(tree)
    order = _siblings_together(lefts, rights)
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    leaf = lefts[order] < 0
    left = np.where(leaf, -1, place[lefts[order]])
    right = np.where(leaf, -1, left + 1)
    parents = np.full(len(order), _NO_PARENT)
    inner = np.flatnonzero(~leaf)
    parents[left[inner]] = parents[right[inner]] = inner
    value = tree.value[order] + offset
    # A row goes left there if x < condition, here if x <= threshold.
    threshold = np.where(tree.is_categorical, 0.0, tree.threshold)[order]
    above = smallest_float32_above(threshold).astype(np.float64)
    missing_left = tree.missing_go_to_left | tree.is_categorical
    return {
        "base_weights": value.tolist(),
        **_categories(tree, order, codes),
        "default_left": np.where(leaf, 0, missing_left[order]).tolist(),
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
            "num_feature": str(len(codes)),
            "num_nodes": str(len(order)),
            "size_leaf_vector": "1",
        },
    }


def _categories(
    tree: Any, order: NDArray[np.intp], codes: list[Codes | None]
) -> dict[str, list[int]]:
    """XGBoost lists the categories that go right."""
    values: list[int] = []
    segments, sizes = [], []
    places = np.flatnonzero(tree.is_categorical[order])
    for node in order[places]:
        of_feature = codes[tree.feature[node]]
        assert of_feature is not None
        right = parted_categories(tree, node, of_feature).astype(int)
        # A set must not be empty: the last one is no code.
        listed = sorted(right.tolist()) or [_MOST_CODES]
        segments.append(len(values))
        sizes.append(len(listed))
        values += listed
    return {
        "categories": values,
        "categories_nodes": places.tolist(),
        "categories_segments": segments,
        "categories_sizes": sizes,
    }
