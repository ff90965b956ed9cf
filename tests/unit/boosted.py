"""Hand-made boosted trees under the names of the core, and their plain evaluation."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

N_CATEGORIES = 40


class Tree(SimpleNamespace):
    """Parallel arrays, in preorder."""

    def leaf_value(self, row):
        node = 0
        while self.children_left[node] >= 0:
            goes_left = self.goes_left(node, row[self.feature[node]])
            node = (self.children_left if goes_left else self.children_right)[node]
        return self.value[node]

    def goes_left(self, node, x):
        if np.isnan(x):
            return bool(self.missing_go_to_left[node])
        if self.is_categorical[node]:
            code = int(x)
            return bool(self.left_categories[node][code // 32] >> (code % 32) & 1)
        return x <= self.threshold[node]


class Booster(SimpleNamespace):
    """Iterations of one tree per output."""

    def tree(self, iteration, output):
        return self.trees[iteration][output]

    def predict_raw(self, X):
        raw = np.tile(self.baseline, (len(X), 1))
        for trees in self.trees:
            for output, tree in enumerate(trees):
                raw[:, output] += [tree.leaf_value(row) for row in X]
        return raw


def random_tree(rng, categorical, depth=9):
    nodes = []

    def grow(level):
        number = len(nodes)
        nodes.append({})
        split = level < depth and rng.random() < 0.75
        feature = int(rng.integers(len(categorical))) if split else -2
        words = np.zeros(8, np.uint32)
        if split and categorical[feature]:
            for code in np.flatnonzero(rng.random(N_CATEGORIES) < 0.5):
                words[code // 32] |= np.uint32(1 << (code % 32))
        nodes[number] = {
            "children_left": grow(level + 1) if split else -1,
            "children_right": grow(level + 1) if split else -1,
            "feature": feature,
            "threshold": float(rng.normal()),
            "missing_go_to_left": int(rng.integers(2)),
            "is_categorical": int(split and categorical[feature]),
            "left_categories": words,
            "value": float(rng.normal()) / 10,
            "gain": float(rng.random()) if split else 0.0,
            "n_node_samples": 10,
            "sum_hessian": 1.0,
        }
        return number

    grow(0)
    types = {"missing_go_to_left": np.uint8, "is_categorical": np.uint8}
    types |= dict.fromkeys(("children_left", "children_right", "feature"), np.int32)
    arrays = {
        name: np.array([node[name] for node in nodes], dtype=types.get(name))
        for name in nodes[0]
    }
    return Tree(node_count=len(nodes), **arrays)


def random_model(seed, n_outputs, categorical, n_iterations=8, **attributes):
    """An estimator as the exporters see it."""
    rng = np.random.default_rng(seed)
    trees = [
        [random_tree(rng, categorical) for _ in range(n_outputs)]
        for _ in range(n_iterations)
    ]
    booster = Booster(
        n_iterations=n_iterations,
        n_outputs=n_outputs,
        n_features=len(categorical),
        baseline=rng.normal(size=n_outputs),
        trees=trees,
    )
    codes = np.arange(N_CATEGORIES)
    return SimpleNamespace(
        booster_=booster,
        n_features_in_=len(categorical),
        is_categorical_=np.array(categorical),
        categories_=[codes if c else None for c in categorical],
        **attributes,
    )


def random_rows(seed, categorical, n=150):
    """Numbers in single precision, codes and missing values."""
    rng = np.random.default_rng(seed + 1)
    X = rng.normal(size=(n, len(categorical))).astype(np.float32).astype(np.float64)
    for feature in np.flatnonzero(categorical):
        X[:, feature] = rng.integers(N_CATEGORIES, size=n)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X
