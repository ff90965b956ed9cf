"""A single tree as an ONNX model: the ensemble finds the leaf, tables say the rest."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from dpdtree._smoothing import node_probabilities
from dpdtree._structure import node_decisions, node_predictions
from dpdtree.export import _onnx_graph as parts
from dpdtree.export._boosted import category_codes, check_single_precision, require

_COLUMNS = ("n_features_in_", "categories_", "feature_names_in_")


def tree_to_onnx(model: Any, dtype: Any = np.float64) -> Any:
    """Return a fitted tree of one output as an `onnx.ModelProto`."""
    onnx = require("onnx")
    dtype = np.dtype(dtype)
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {dtype}.")
    if model.n_outputs_ > 1:
        raise ValueError(
            f"to_onnx writes one output, and this tree has {model.n_outputs_}: fit a"
            " tree for each."
        )
    finder = _leaf_finder(model)
    if dtype == np.dtype(np.float32):
        check_single_precision(finder)
    helper = onnx.helper
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    codes = category_codes(finder)
    parts.check_codes(codes, dtype)
    head, inputs = parts.head(finder, codes, dtype, onnx)
    tail, outputs, tables = _tail(model, dtype, kind, onnx)
    axis = parts.constant(np.array([1]), "axis", onnx)
    nodes = [
        *head,
        parts.ensemble(finder, codes, dtype, onnx),
        helper.make_node("Squeeze", ["sums", "axis"], ["found"]),
        helper.make_node("Cast", ["found"], ["leaf"], to=onnx.TensorProto.INT64),
        *tail,
    ]
    graph = helper.make_graph(nodes, "dpdtree", inputs, outputs, [axis, *tables])
    opsets = [helper.make_opsetid(*item) for item in parts.OPSETS.items()]
    result = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.checker.check_model(result)
    return result


def _leaf_finder(model: Any) -> Any:
    """Return the tree as a boosted model whose raw score is the number of the leaf."""
    tree = model.tree_
    sets = tree.categories_left
    numbered = SimpleNamespace(
        node_count=tree.node_count,
        children_left=tree.children_left,
        children_right=tree.children_right,
        feature=tree.feature,
        threshold=tree.threshold,
        missing_go_to_left=tree.missing_go_to_left,
        categories_left=sets,
        is_categorical=np.array([left is not None for left in sets]),
        value=np.arange(tree.node_count),
    )
    booster = SimpleNamespace(n_iterations=1, n_outputs=1, tree=lambda *_: numbered)
    columns = {name: getattr(model, name) for name in _COLUMNS if hasattr(model, name)}
    return SimpleNamespace(booster_=booster, **columns)


def _tail(
    model: Any, dtype: Any, kind: int, onnx: Any
) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the nodes from `leaf` to the outputs, the outputs and their tables."""
    node, info = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    if not hasattr(model, "classes_"):
        values = parts.constant(node_predictions(model).astype(dtype), "values", onnx)
        nodes = [node("Gather", ["values", "leaf"], ["variable"])]
        return nodes, [info("variable", kind, [None, 1])], [values]
    classes = parts.labels(model, onnx)
    said = node_decisions(model)[:, 0]
    shares = node_probabilities(model).astype(dtype)
    tables = [
        *classes,
        parts.constant(said.astype(np.int64), "decisions", onnx),
        parts.constant(shares, "shares", onnx),
    ]
    nodes = [
        node("Gather", ["decisions", "leaf"], ["codes"]),
        node("Gather", ["classes", "codes"], ["label"]),
        node("Gather", ["shares", "leaf"], ["probabilities"]),
    ]
    outputs = [
        info("label", classes[0].data_type, [None]),
        info("probabilities", kind, [None, shares.shape[1]]),
    ]
    return nodes, outputs, tables
