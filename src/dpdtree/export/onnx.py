"""Boosted trees as an ONNX model: one TreeEnsemble and the link behind it."""

from __future__ import annotations

from typing import Any

import numpy as np

from dpdtree._losses import link_of
from dpdtree.export import _onnx_graph as parts
from dpdtree.export._boosted import (
    category_codes,
    check_one_output,
    check_single_precision,
    require,
)


def to_onnx(model: Any, dtype: Any = np.float64) -> Any:
    """Return a fitted boosting estimator as an `onnx.ModelProto`."""
    onnx = require("onnx")
    dtype = np.dtype(dtype)
    if dtype not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(f"dtype must be float32 or float64, got {dtype}.")
    check_one_output(model)
    if dtype == np.dtype(np.float32):
        check_single_precision(model)
    helper, booster = onnx.helper, model.booster_
    kind = helper.np_dtype_to_tensor_dtype(dtype)
    codes = category_codes(model)
    parts.check_codes(codes, dtype)
    head, inputs = parts.head(model, codes, dtype, onnx)
    tail, outputs = _tail(model, kind, onnx)
    nodes = [
        *head,
        parts.ensemble(model, codes, dtype, onnx),
        helper.make_node("Add", ["sums", "baseline"], ["raw"]),
        *tail,
    ]
    constants = [parts.constant(booster.baseline.astype(dtype), "baseline", onnx)]
    constants += parts.labels(model, onnx)
    graph = helper.make_graph(nodes, "dpdtree", inputs, outputs, constants)
    opsets = [helper.make_opsetid(*item) for item in parts.OPSETS.items()]
    result = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    onnx.checker.check_model(result)
    return result


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
    labels = parts.labels(model, onnx)[0].data_type
    return nodes, [
        info("label", labels, [None]),
        info("probabilities", kind, [None, n_classes]),
    ]
