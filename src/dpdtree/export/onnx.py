"""Boosted trees as an ONNX model: one TreeEnsemble and the link behind it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpdtree._losses import link_of
from dpdtree.export._boosted import (
    categories_left,
    category_counts,
    check_single_precision,
    largest_float32_below,
    require,
    trees,
)

_LESS_OR_EQUAL, _MEMBER = 0, 6
_OPSETS = {"": 18, "ai.onnx.ml": 5}


def to_onnx(model: Any, dtype: Any = np.float64) -> Any:
    """Return a fitted boosting estimator as an `onnx.ModelProto`."""
    onnx = require("onnx")
    dtype = np.dtype(dtype)
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {dtype}.")
    if dtype == np.dtype(np.float32):
        check_single_precision(model)
    helper, booster = onnx.helper, model.booster_
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    tail, outputs = _tail(model, kind, onnx)
    nodes = [
        _ensemble(model, dtype, onnx),
        helper.make_node("Add", ["sums", "baseline"], ["raw"]),
        *tail,
    ]
    constants = [_constant(booster.baseline.astype(dtype), "baseline", onnx)]
    constants += _labels(model, onnx)
    shape = [None, model.n_features_in_]
    graph = helper.make_graph(
        nodes,
        "dpdtree",
        [helper.make_tensor_value_info("X", kind, shape)],
        outputs,
        constants,
    )
    opsets = [helper.make_opsetid(*item) for item in _OPSETS.items()]
    result = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.checker.check_model(result)
    return result


def _constant(values: Any, name: str, onnx: Any) -> Any:
    return onnx.numpy_helper.from_array(np.asarray(values), name)


def _labels(model: Any, onnx: Any) -> list[Any]:
    if not hasattr(model, "classes_"):
        return []
    classes = model.classes_
    if classes.dtype.kind in "iub":
        classes = classes.astype(np.int64)
    elif classes.dtype.kind != "f":
        strange = [c for c in classes.tolist() if not isinstance(c, str)]
        if strange:
            raise ValueError(
                "ONNX knows labels that are numbers or strings; classes_ contains"
                f" {strange[0]!r}."
            )
        classes = classes.astype(object)
    return [_constant(classes, "classes", onnx)]


def _tail(model: Any, kind: int, onnx: Any) -> tuple[list[Any], list[Any]]:
    """Return the nodes from `raw` to the outputs, and the outputs."""
    node, info = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    if not hasattr(model, "classes_"):
        link = "Exp" if link_of(model.loss) == "log" else "Identity"
        return [node(link, ["raw"], ["variable"])], [info("variable", kind, [None, 1])]
    n_classes = len(model.classes_)
    if n_classes == 2:
        nodes = [
            node("Neg", ["raw"], ["minus"]),
            node("Concat", ["minus", "raw"], ["both"], axis=1),
            node("Sigmoid", ["both"], ["probabilities"]),
            node("ArgMax", ["both"], ["codes"], axis=1, keepdims=0),
        ]
    else:
        nodes = [
            node("Softmax", ["raw"], ["probabilities"], axis=1),
            node("ArgMax", ["raw"], ["codes"], axis=1, keepdims=0),
        ]
    nodes.append(node("Gather", ["classes", "codes"], ["label"]))
    labels = _labels(model, onnx)[0].data_type
    return nodes, [
        info("label", labels, [None]),
        info("probabilities", kind, [None, n_classes]),
    ]


@dataclass
class _Nodes:
    """The inner nodes of all trees, one after the other, and their leaves."""

    feature: list[int] = field(default_factory=list)
    mode: list[int] = field(default_factory=list)
    split: list[float] = field(default_factory=list)
    nan_left: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    left_is_leaf: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    right_is_leaf: list[int] = field(default_factory=list)
    members: list[float] = field(default_factory=list)
    leaf_value: list[float] = field(default_factory=list)
    leaf_output: list[int] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)

    def add_leaf(self, value: float, output: int) -> int:
        self.leaf_value.append(value)
        self.leaf_output.append(output)
        return len(self.leaf_value) - 1

    def add_stub(self, value: float, output: int) -> None:
        """A tree without splits: both sides of any comparison lead to its leaf."""
        leaf = self.add_leaf(value, output)
        self.roots.append(len(self.feature))
        self.feature.append(0)
        self.mode.append(_LESS_OR_EQUAL)
        self.split.append(0.0)
        self.nan_left.append(1)
        self.left.append(leaf)
        self.left_is_leaf.append(1)
        self.right.append(leaf)
        self.right_is_leaf.append(1)


def _ensemble(model: Any, dtype: Any, onnx: Any) -> Any:
    nodes, counts = _Nodes(), category_counts(model)
    for output, tree in trees(model.booster_):
        _add_tree(nodes, tree, output, counts, dtype)
    attributes: dict[str, Any] = {
        "nodes_featureids": nodes.feature,
        "nodes_modes": _constant(np.array(nodes.mode, np.uint8), "modes", onnx),
        "nodes_splits": _constant(np.array(nodes.split, dtype), "splits", onnx),
        "nodes_missing_value_tracks_true": nodes.nan_left,
        "nodes_truenodeids": nodes.left,
        "nodes_trueleafs": nodes.left_is_leaf,
        "nodes_falsenodeids": nodes.right,
        "nodes_falseleafs": nodes.right_is_leaf,
        "leaf_weights": _constant(np.array(nodes.leaf_value, dtype), "leaves", onnx),
        "leaf_targetids": nodes.leaf_output,
        "tree_roots": nodes.roots,
    }
    if nodes.members:
        members = np.array(nodes.members, dtype)
        attributes["membership_values"] = _constant(members, "members", onnx)
    return onnx.helper.make_node(
        "TreeEnsemble",
        ["X"],
        ["sums"],
        domain="ai.onnx.ml",
        n_targets=model.booster_.n_outputs,
        aggregate_function=1,  # the sum
        post_transform=0,
        **attributes,
    )


def _add_tree(
    nodes: _Nodes, tree: Any, output: int, counts: list[int], dtype: Any
) -> None:
    if tree.node_count == 1:
        nodes.add_stub(float(tree.value[0]), output)
        return
    inner = tree.children_left >= 0
    place = len(nodes.feature) + np.cumsum(inner) - 1
    nodes.roots.append(len(nodes.feature))
    threshold = tree.threshold
    if dtype == np.float32:
        threshold = largest_float32_below(threshold).astype(np.float64)
    for node in np.flatnonzero(inner).tolist():
        feature = int(tree.feature[node])
        categorical = bool(tree.is_categorical[node])
        nodes.feature.append(feature)
        nodes.mode.append(_MEMBER if categorical else _LESS_OR_EQUAL)
        nodes.split.append(0.0 if categorical else float(threshold[node]))
        nodes.nan_left.append(int(tree.missing_go_to_left[node]))
        if categorical:
            left = np.flatnonzero(categories_left(tree, node, counts[feature]))
            # A set must not be empty: -1 is no code. NaN ends it.
            nodes.members += [*(left.astype(float) if left.size else [-1.0]), np.nan]
        for children, places, is_leaf in (
            (tree.children_left, nodes.left, nodes.left_is_leaf),
            (tree.children_right, nodes.right, nodes.right_is_leaf),
        ):
            child = int(children[node])
            is_leaf.append(int(not inner[child]))
            places.append(
                int(place[child])
                if inner[child]
                else nodes.add_leaf(float(tree.value[child]), output)
            )
