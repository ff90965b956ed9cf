"""Paths of trees as documents."""

from __future__ import annotations

from typing import Any

from dpdtree._fitted import set_attributes
from dpdtree._params.estimators import resolved
from dpdtree._structure import TreeStructure, tree_data
from dpdtree.io.columns import Columns
from dpdtree.io.learnt import (
    check_costs,
    checked_tree,
    decode_fitted,
    decode_report,
    encode_fitted,
    encode_report,
)
from dpdtree.io.parameters import encode_parameters, new_estimator
from dpdtree.io.trees import encode_tree
from dpdtree.io.values import (
    as_float,
    as_list,
    as_object,
    decode,
    encode,
    member,
    wrong,
)
from dpdtree.path import PathTree, RegularizationPath, contents

_ONE_TREE = ("DPDTreeClassifier", "DPDTreeRegressor")
_POINT_FLOATS = ("loss", "complexity", "feature_cost", "alpha_low", "alpha_high")


def encode_path(path: RegularizationPath) -> dict[str, Any]:
    """Return a path as a document."""
    owner, fitted, points = contents(path)
    return {
        "kind": path.kind,
        "estimator": type(owner).__name__,
        "parameters": encode_parameters(owner),
        "fitted": encode_fitted(fitted),
        "report": encode_report(path.report),
        "points": [
            {
                **{name: encode(getattr(p, name)) for name in _POINT_FLOATS},
                "tree": encode_tree(TreeStructure(p.tree)),
            }
            for p in points
        ],
    }


def decode_path(content: Any, at: str, columns: Columns) -> RegularizationPath:
    """Return the path of a document."""
    document = as_object(content, at)
    kind = member(document, "kind", at)
    if kind not in ("alpha", "n_leaves"):
        raise wrong(f"{at}.kind", "'alpha' or 'n_leaves'", kind)
    name = member(document, "estimator", at)
    if name != _ONE_TREE[columns.classes is None]:
        raise wrong(f"{at}.estimator", f"{_ONE_TREE[columns.classes is None]!r}", name)
    owner = new_estimator(name, member(document, "parameters", at), f"{at}.parameters")
    set_attributes(owner, **columns.attributes())
    fitted = decode_fitted(owner, member(document, "fitted", at), f"{at}.fitted")
    fitted |= columns.labels()
    check_costs(resolved(owner, "loss"), fitted, f"{at}.fitted.cost_matrix_")
    report = decode_report(member(document, "report", at), f"{at}.report")
    listed = as_list(member(document, "points", at), f"{at}.points")
    if not listed:
        raise wrong(f"{at}.points", "at least one tree")
    points = [
        _decode_point(point, f"{at}.points[{i}]", columns)
        for i, point in enumerate(listed)
    ]
    return RegularizationPath(owner, kind, points, report, fitted)


def _decode_point(content: Any, at: str, columns: Columns) -> PathTree:
    document = as_object(content, at)
    tree = checked_tree(member(document, "tree", at), f"{at}.tree", columns)
    numbers: dict[str, float] = {}
    for name in _POINT_FLOATS:
        value = decode(member(document, name, at), f"{at}.{name}")
        infinite = type(value) is float  # JSON has none, but a tag stands for it
        numbers[name] = value if infinite else as_float(value, f"{at}.{name}")
    return PathTree(tree=tree_data(tree), n_leaves=tree.n_leaves, **numbers)
