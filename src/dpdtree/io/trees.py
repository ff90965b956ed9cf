"""Trees as JSON, and back: parallel arrays in preorder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._core import BoostingModel, BoostingTree, ModelFormatError, TreeData
from dpdtree._structure import TreeStructure
from dpdtree.io.values import (
    as_list,
    as_object,
    encode_floats,
    floats,
    integers,
    member,
    wrong,
)

_MOST_NODES = 2**31 - 2
_MOST_BOOSTED = 255  # categories of a feature of boosted trees


def encode_tree(tree: TreeStructure) -> dict[str, Any]:
    """Return a single tree."""
    document: dict[str, Any] = {
        "children_left": tree.children_left.tolist(),
        "children_right": tree.children_right.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": encode_floats(tree.threshold),
        "missing_go_to_left": tree.missing_go_to_left.tolist(),
        "value": [encode_floats(row) for row in tree.node_values],
        "impurity": encode_floats(tree.impurity),
        "n_node_samples": tree.n_node_samples.tolist(),
        "weighted_n_node_samples": encode_floats(tree.weighted_n_node_samples),
        "n_classes": tree.n_classes.tolist(),
    }
    sets = tree.categories_left
    if any(left is not None for left in sets):
        document["categories_left"] = [
            None if left is None else left.tolist() for left in sets
        ]
    return document


def decode_tree(content: Any, at: str, n_categories: Sequence[int]) -> TreeStructure:
    """Return a single tree; `n_categories` has 0 for features that are numbers."""
    document = as_object(content, at)
    nodes = _Nodes(document, at, n_categories)
    n = nodes.size
    n_classes = integers(
        member(document, "n_classes", at), f"{at}.n_classes", None, 1, _MOST_NODES
    )
    if not n_classes.size:
        raise wrong(f"{at}.n_classes", "an entry for each output")
    # As wide as the largest output for each of them.
    width = len(n_classes) * int(n_classes.max())
    rows = as_list(member(document, "value", at), f"{at}.value", n)
    value = np.array(
        [
            floats(row, f"{at}.value[{i}]", width, finite=True)
            for i, row in enumerate(rows)
        ]
    )
    data = _built(
        at,
        TreeData.from_arrays,
        len(n_categories),
        nodes.children_left,
        nodes.children_right,
        nodes.feature,
        nodes.threshold,
        nodes.missing_left,
        value,
        nodes.floats("impurity"),
        nodes.counts("n_node_samples"),
        nodes.floats("weighted_n_node_samples"),
        *nodes.categories(),
        n_classes,
    )
    return TreeStructure(data)


def encode_boosting(model: BoostingModel) -> dict[str, Any]:
    """Return boosted trees, those of an iteration side by side."""
    return {
        "baseline": encode_floats(model.baseline),
        "trees": [
            _encode_boosted(model.tree(iteration, output))
            for iteration in range(model.n_iterations)
            for output in range(model.n_outputs)
        ],
    }


def _encode_boosted(tree: BoostingTree) -> dict[str, Any]:
    document: dict[str, Any] = {
        "children_left": tree.children_left.tolist(),
        "children_right": tree.children_right.tolist(),
        "feature": tree.feature.tolist(),
        "threshold": encode_floats(tree.threshold),
        "missing_go_to_left": tree.missing_go_to_left.tolist(),
        "value": encode_floats(tree.value),
        "gain": encode_floats(tree.gain),
        "n_node_samples": tree.n_node_samples.tolist(),
        "sum_hessian": encode_floats(tree.sum_hessian),
    }
    if tree.is_categorical.any():
        sets = np.ascontiguousarray(tree.left_categories, dtype="<u4")
        bits = np.unpackbits(sets.view(np.uint8), axis=1, bitorder="little")
        document["categories_left"] = [
            np.flatnonzero(bits[node]).tolist() if categorical else None
            for node, categorical in enumerate(tree.is_categorical)
        ]
    return document


def decode_boosting(
    content: Any, at: str, n_categories: Sequence[int]
) -> BoostingModel:
    """Return boosted trees."""
    document = as_object(content, at)
    baseline = floats(member(document, "baseline", at), f"{at}.baseline", finite=True)
    listed = as_list(member(document, "trees", at), f"{at}.trees")
    trees = [
        _decode_boosted(tree, f"{at}.trees[{i}]", n_categories)
        for i, tree in enumerate(listed)
    ]
    model: BoostingModel = _built(
        at, BoostingModel.from_trees, len(n_categories), baseline, trees
    )
    return model


def _decode_boosted(content: Any, at: str, n_categories: Sequence[int]) -> BoostingTree:
    document = as_object(content, at)
    nodes = _Nodes(document, at, n_categories, most_categories=_MOST_BOOSTED)
    tree: BoostingTree = _built(
        at,
        BoostingTree.from_arrays,
        len(n_categories),
        nodes.children_left,
        nodes.children_right,
        nodes.feature,
        nodes.threshold,
        nodes.missing_left,
        nodes.floats("value"),
        nodes.floats("gain"),
        nodes.counts("n_node_samples"),
        nodes.floats("sum_hessian"),
        *nodes.categories(),
    )
    return tree


def _built(at: str, build: Any, *arrays: Any) -> Any:
    """Let the core check the whole; its complaint gets a place."""
    try:
        return build(*arrays)
    except ModelFormatError as error:
        raise ModelFormatError(f"{at}: {error}") from None


class _Nodes:
    """What all trees have, checked: preorder, known features, sorted sets."""

    def __init__(
        self,
        document: dict[str, Any],
        at: str,
        n_categories: Sequence[int],
        most_categories: int = 2**28,
    ) -> None:
        self._document, self._at = document, at
        lefts = as_list(self._member("children_left"), f"{at}.children_left")
        n = self.size = len(lefts)
        if not 1 <= n <= _MOST_NODES:
            raise wrong(f"{at}.children_left", "at least one node")
        last = len(n_categories) - 1
        self.children_left = self._integers("children_left", -1, n - 1)
        self.children_right = self._integers("children_right", -1, n - 1)
        self._check_preorder()
        self.feature = self._integers("feature", -2, last)
        self.missing_left = self._integers("missing_go_to_left", 0, 1, np.uint8)
        self.threshold = floats(self._member("threshold"), f"{at}.threshold", self.size)
        self.sets = self._sets(n_categories, most_categories)
        self._check_splits(n_categories)

    def _member(self, key: str) -> Any:
        return member(self._document, key, self._at)

    def _integers(
        self, key: str, low: int, high: int, dtype: Any = np.int64
    ) -> NDArray[Any]:
        at = f"{self._at}.{key}"
        return integers(self._member(key), at, self.size, low, high, dtype)

    def floats(self, key: str) -> NDArray[np.float64]:
        """Return finite numbers, one per node."""
        at = f"{self._at}.{key}"
        return floats(self._member(key), at, self.size, finite=True)

    def counts(self, key: str) -> NDArray[np.int64]:
        """Return numbers of rows, one per node."""
        counts: NDArray[np.int64] = self._integers(key, 0, 2**63 - 1)
        return counts

    def categories(self) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
        """Return where the sets end and what is in them, None without any."""
        if all(left is None for left in self.sets):
            return None, None
        ends = np.cumsum([len(left or ()) for left in self.sets])
        places = [place for left in self.sets for place in left or ()]
        return ends.astype(np.int64), np.array(places, np.int64)

    def _check_preorder(self) -> None:
        """Left children follow their parents; a subtree ends where the right begins.

        This leaves no room for cycles, for shared nodes or for ones out of reach.
        """
        open_right: list[int] = []
        children = zip(
            self.children_left.tolist(), self.children_right.tolist(), strict=True
        )
        for node, (left, right) in enumerate(children):
            if left != -1:
                if left != node + 1:
                    at = f"{self._at}.children_left[{node}]"
                    raise wrong(at, f"{node + 1}, for nodes are in preorder", left)
                if not node + 1 < right < self.size:
                    at = f"{self._at}.children_right[{node}]"
                    raise wrong(at, "a later node", right)
                open_right.append(right)
                continue
            if right != -1:
                at = f"{self._at}.children_right[{node}]"
                raise wrong(at, "-1, for there is no left child", right)
            expected = open_right.pop() if open_right else self.size
            if expected != node + 1:
                raise wrong(
                    f"{self._at}.children_right",
                    f"node {node + 1} to be the next right child",
                    expected,
                )

    def _sets(
        self, n_categories: Sequence[int], most: int
    ) -> Sequence[list[int] | None]:
        if "categories_left" not in self._document:
            return [None] * self.size
        at = f"{self._at}.categories_left"
        sets: list[list[int] | None] = []
        for node, left in enumerate(as_list(self._member("categories_left"), at)):
            if left is None:
                sets.append(None)
                continue
            here = f"{at}[{node}]"
            if node >= self.size or self.children_left[node] == -1:
                raise wrong(here, "null, for this is no split", left)
            known = n_categories[self.feature[node]] if self.feature[node] >= 0 else 0
            high = min(known, most) - 1
            numbers = integers(left, here, None, 0, high).tolist()
            if sorted(set(numbers)) != numbers:
                raise wrong(here, "different places in ascending order")
            sets.append(numbers)
        if len(sets) != self.size:
            raise wrong(at, f"a list of length {self.size}", len(sets))
        return sets

    def _check_splits(self, n_categories: Sequence[int]) -> None:
        for node in np.flatnonzero(self.children_left != -1).tolist():
            feature = int(self.feature[node])
            if feature < 0:
                raise wrong(f"{self._at}.feature[{node}]", "a feature", feature)
            categorical = self.sets[node] is not None
            if categorical != bool(n_categories[feature]):
                raise wrong(
                    f"{self._at}.categories_left[{node}]",
                    "a list where the feature is a category, null elsewhere",
                )
            if categorical != np.isnan(self.threshold[node]):
                expected = "'NaN' for a category, a number elsewhere"
                raise wrong(f"{self._at}.threshold[{node}]", expected)
