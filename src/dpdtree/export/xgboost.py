"""Boosted trees, or a single one, as a genuine `xgboost.Booster`."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._category_codes import are_numbers
from dpdtree._losses import link_of
from dpdtree._smoothing import node_probabilities
from dpdtree._structure import node_predictions
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

#: What of a single tree the frame of a booster needs.
_KNOWN = ("n_features_in_", "categories_", "feature_names_in_", "classes_")

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


def tree_to_xgboost(model: Any) -> Any:
    """Return a fitted tree of one output as an `xgboost.Booster`.

    It is boosted by one iteration whose leaves hold the predictions themselves, or the
    raw scores of the probabilities: a tree per class if there are three or more.
    """
    if model.n_outputs_ > 1:
        raise ValueError(
            f"to_xgboost writes one output, and this tree has {model.n_outputs_}: fit a"
            " tree for each."
        )
    tree, scores = model.tree_, _raw_scores(model)
    categorical = [left is not None for left in tree.categories_left]
    frame = SimpleNamespace(
        children_left=tree.children_left,
        children_right=tree.children_right,
        feature=tree.feature,
        threshold=tree.threshold,
        missing_go_to_left=np.asarray(tree.missing_go_to_left, np.uint8),
        categories_left=tree.categories_left,
        is_categorical=np.array(categorical, np.uint8),
        gain=_gains(tree),
        sum_hessian=np.asarray(tree.weighted_n_node_samples, float),
    )
    booster = SimpleNamespace(
        n_iterations=1,
        n_outputs=scores.shape[1],
        baseline=np.zeros(scores.shape[1]),
        tree=lambda _, k: SimpleNamespace(**vars(frame), value=scores[:, k]),
    )
    known = {name: getattr(model, name) for name in _KNOWN if hasattr(model, name)}
    return to_xgboost(SimpleNamespace(booster_=booster, loss="squared_error", **known))


def _raw_scores(model: Any) -> NDArray[np.float64]:
    """Return what the nodes add to the scores of each output."""
    if not hasattr(model, "classes_"):
        return node_predictions(model)[:, :1]
    # What is impossible gets the smallest probability that float32 holds.
    shares = np.maximum(node_probabilities(model), np.finfo(np.float32).tiny)
    logs: NDArray[np.float64] = np.log(shares)
    if logs.shape[1] == 1:
        return np.full_like(logs, np.log(np.finfo(np.float32).tiny))
    return logs[:, 1:] - logs[:, :1] if logs.shape[1] == 2 else logs


def _gains(tree: Any) -> NDArray[np.float64]:
    """Return how much each split lowers the sum of impurities."""
    sums = np.asarray(tree.impurity * tree.weighted_n_node_samples, float)
    left, right = tree.children_left, tree.children_right
    gains: NDArray[np.float64] = np.where(
        left < 0, 0.0, sums - sums[left] - sums[right]
    )
    return np.maximum(gains, 0.0)


def _check_codes(codes: list[Codes | None]) -> None:
    for of_feature in codes:
        if of_feature is None:
            continue
        fits = (of_feature >= 0) & (of_feature < _MOST_CODES) & (of_feature % 1 == 0)
        if not fits.all():
            raise ValueError(
                "XGBoost supports categories that are strings or whole numbers from 0"
                f" to {_MOST_CODES - 1}; categories_ contains"
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
