"""Parts of ONNX graphs that all exported models have: inputs, labels, the ensemble."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpdtree._category_codes import are_numbers
from dpdtree.export._boosted import (
    Codes,
    largest_float32_below,
    parted_categories,
    trees,
)

OPSETS = {"": 18, "ai.onnx.ml": 5}
_LESS_OR_EQUAL, _MEMBER = 0, 6

#: Values of the graph; "" stands for none.
_OWN_NAMES = (
    *("", "X", "encoded", "sums", "baseline", "raw", "minus", "both", "codes"),
    *("classes", "label", "probabilities", "variable"),
    *("axis", "found", "leaf", "values", "decisions", "shares"),  # of single trees
)


def check_codes(codes: list[Codes | None], dtype: Any) -> None:
    """Categories that are numbers must differ in single precision, too."""
    for of_feature in codes:
        if of_feature is None:
            continue
        if len(np.unique(of_feature.astype(dtype))) < len(of_feature):
            raise ValueError(
                f"Some categories are equal numbers in dtype {dtype}: use float64, or"
                " make them strings before the fit."
            )


def head(
    model: Any, codes: list[Codes | None], dtype: Any, onnx: Any
) -> tuple[list[Any], list[Any]]:
    """Return the nodes from the inputs to `X`, and the inputs.

    Numbers are one matrix, X. No matrix holds strings as well: with these each feature
    is an input of its own, under its name. Categories become their places, numbers
    too: runtimes round the members of a set to whole numbers, and what they compare
    with it (onnxruntime takes 2.25 for a 2).
    """
    info = onnx.helper.make_tensor_value_info
    kind = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    texts = [
        of_feature is not None and not are_numbers(model.categories_[j])
        for j, of_feature in enumerate(codes)
    ]
    if not any(texts):
        inputs = [info("X", kind, [None, len(codes)])]
        return _encoded_matrix(codes, dtype, onnx), inputs
    names, text_kind = _input_names(model), onnx.TensorProto.STRING
    columns, nodes = list(names), []
    for j, of_feature in enumerate(codes):
        if of_feature is not None:
            keys = model.categories_[j] if texts[j] else of_feature.astype(dtype)
            columns[j] = f"X[{j}]"
            nodes.append(_lookup(names[j], columns[j], keys, dtype, onnx))
    nodes.append(onnx.helper.make_node("Concat", columns, ["encoded"], axis=1))
    return nodes, [
        info(name, text_kind if text else kind, [None, 1])
        for name, text in zip(names, texts, strict=True)
    ]


def _encoded_matrix(codes: list[Codes | None], dtype: Any, onnx: Any) -> list[Any]:
    """Return the nodes from the matrix `X` to `encoded`: categories by their places."""
    node = onnx.helper.make_node
    if all(of_feature is None for of_feature in codes):
        return [node("Identity", ["X"], ["encoded"])]
    nodes = []
    for j, of_feature in enumerate(codes):
        index = constant(np.array([j]), "value", onnx)
        nodes.append(node("Constant", [], [f"index[{j}]"], value=index))
        raw = f"X[{j}]" if of_feature is None else f"raw[{j}]"
        nodes.append(node("Gather", ["X", f"index[{j}]"], [raw], axis=1))
        if of_feature is not None:
            keys = of_feature.astype(dtype)
            nodes.append(_lookup(raw, f"X[{j}]", keys, dtype, onnx))
    columns = [f"X[{j}]" for j in range(len(codes))]
    return [*nodes, node("Concat", columns, ["encoded"], axis=1)]


def _input_names(model: Any) -> list[str]:
    """Names of features, with underscores behind those that the graph needs itself."""
    n = model.n_features_in_
    default = [f"feature_{j}" for j in range(n)]
    taken = {*_OWN_NAMES, *(f"X[{j}]" for j in range(n))}
    names = []
    for feature in getattr(model, "feature_names_in_", default):
        name = str(feature)
        while name in taken:
            name += "_"
        taken.add(name)
        names.append(name)
    return names


def _lookup(name: str, output: str, categories: Any, dtype: Any, onnx: Any) -> Any:
    """Categories to their places; any other value is as good as missing."""
    places = np.arange(len(categories), dtype=dtype)
    return onnx.helper.make_node(
        "LabelEncoder",
        [name],
        [output],
        domain="ai.onnx.ml",
        keys_tensor=constant(categories, "keys", onnx),
        values_tensor=constant(places, "values", onnx),
        default_tensor=constant(np.array([np.nan], dtype), "default", onnx),
    )


def constant(values: Any, name: str, onnx: Any) -> Any:
    """Return values as a tensor of the graph."""
    return onnx.numpy_helper.from_array(np.asarray(values), name)


def labels(model: Any, onnx: Any) -> list[Any]:
    """Return the labels as a constant; nothing for a regressor."""
    if not hasattr(model, "classes_"):
        return []
    classes = model.classes_
    if classes.dtype.kind in "iub":
        classes = classes.astype(np.int64)
    elif classes.dtype.kind != "f":
        strange = [c for c in classes.tolist() if not isinstance(c, str)]
        if strange:
            raise ValueError(
                "ONNX supports labels that are numbers or strings; classes_ contains"
                f" {strange[0]!r}."
            )
        classes = classes.astype(object)
    return [constant(classes, "classes", onnx)]


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


def ensemble(model: Any, codes: list[Codes | None], dtype: Any, onnx: Any) -> Any:
    """Return the node from `encoded` to `sums`: all trees of a model."""
    nodes = _Nodes()
    for output, tree in trees(model.booster_):
        _add_tree(nodes, tree, output, codes, dtype)
    attributes: dict[str, Any] = {
        "nodes_featureids": nodes.feature,
        "nodes_modes": constant(np.array(nodes.mode, np.uint8), "modes", onnx),
        "nodes_splits": constant(np.array(nodes.split, dtype), "splits", onnx),
        "nodes_missing_value_tracks_true": nodes.nan_left,
        "nodes_truenodeids": nodes.left,
        "nodes_trueleafs": nodes.left_is_leaf,
        "nodes_falsenodeids": nodes.right,
        "nodes_falseleafs": nodes.right_is_leaf,
        "leaf_weights": constant(np.array(nodes.leaf_value, dtype), "leaves", onnx),
        "leaf_targetids": nodes.leaf_output,
        "tree_roots": nodes.roots,
    }
    if nodes.members:
        members = np.array(nodes.members, dtype)
        attributes["membership_values"] = constant(members, "members", onnx)
    return onnx.helper.make_node(
        "TreeEnsemble",
        ["encoded"],
        ["sums"],
        domain="ai.onnx.ml",
        n_targets=model.booster_.n_outputs,
        aggregate_function=1,  # the sum
        post_transform=0,
        **attributes,
    )


def _add_tree(
    nodes: _Nodes, tree: Any, output: int, codes: list[Codes | None], dtype: Any
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
        missing_left = bool(tree.missing_go_to_left[node])
        of_feature = codes[feature] if tree.is_categorical[node] else None
        nodes.feature.append(feature)
        nodes.mode.append(_LESS_OR_EQUAL if of_feature is None else _MEMBER)
        nodes.split.append(float(threshold[node]) if of_feature is None else 0.0)
        yes, no = tree.children_left, tree.children_right
        if of_feature is not None:
            # Those of the list part from missing values.
            ordinals = np.arange(len(of_feature), dtype=np.float64)
            listed = parted_categories(tree, node, ordinals)
            # A set must not be empty: no number is infinite. NaN ends it.
            nodes.members += [*(listed if listed.size else [np.inf]), np.nan]
            yes, no = (no, yes) if missing_left else (yes, no)
            missing_left = False
        nodes.nan_left.append(int(missing_left))
        for children, places, is_leaf in (
            (yes, nodes.left, nodes.left_is_leaf),
            (no, nodes.right, nodes.right_is_leaf),
        ):
            child = int(children[node])
            is_leaf.append(int(not inner[child]))
            places.append(
                int(place[child])
                if inner[child]
                else nodes.add_leaf(float(tree.value[child]), output)
            )
