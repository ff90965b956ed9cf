"""Histogram Newton boosting written plainly, to compare the native engine with.

Numeric features without missing values. Sums run over the quantized gradients, which
are multiples of powers of two: they are exact in any order, so equal results are equal
to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from dpdtree._core import stages


@dataclass
class Settings:
    learning_rate: float = 0.1
    max_leaf_nodes: int = 31
    max_depth: int = 0
    min_samples_leaf: int = 20
    min_child_weight: float = 0.0
    l2: float = 0.0
    alpha: float = 0.0
    gamma: float = 0.0


@dataclass
class Node:
    rows: np.ndarray
    depth: int
    value: float
    best: tuple | None = None  # gain, feature, cut
    split: tuple | None = None
    children: list[Node] = field(default_factory=list)


def shrunk(g, alpha):
    return np.sign(g) * np.maximum(np.abs(g) - alpha, 0)


def feature_scores(codes, n_bins, g, h, s: Settings):
    """Score of every cut of one feature; -inf where a limit is broken."""
    count = np.bincount(codes, minlength=n_bins)[:-1].cumsum()
    left_g = np.bincount(codes, g, n_bins)[:-1].cumsum()
    left_h = np.bincount(codes, h, n_bins)[:-1].cumsum()
    right_g, right_h = g.sum() - left_g, h.sum() - left_h
    gl, gr = shrunk(left_g, s.alpha), shrunk(right_g, s.alpha)
    hl, hr = left_h + s.l2, right_h + s.l2
    ok = (count >= s.min_samples_leaf) & (len(codes) - count >= s.min_samples_leaf)
    ok &= (left_h >= s.min_child_weight) & (right_h >= s.min_child_weight)
    ok &= hl * hr > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        score = (gl * gl * hr + gr * gr * hl) / (hl * hr)
    return np.where(ok, score, -np.inf)


class ReferenceTree:
    """One leaf-wise tree."""

    def __init__(self, codes, edges, g, h, s: Settings):
        self.codes, self.edges, self.g, self.h, self.s = codes, edges, g, h, s
        self.root = self.node(np.arange(len(g)), 0)
        leaves = [self.root]
        while s.max_leaf_nodes == 0 or len(leaves) < s.max_leaf_nodes:
            open_leaves = [n for n in leaves if n.best is not None]
            if not open_leaves:
                break
            node = max(open_leaves, key=lambda n: n.best[0])
            leaves = [n for n in leaves if n is not node] + self.split(node)

    def node(self, rows, depth):
        g, h = self.g[rows].sum(), self.h[rows].sum() + self.s.l2
        value = -shrunk(g, self.s.alpha) / h if h > 0 else 0.0
        node = Node(rows, depth, self.s.learning_rate * value)
        node.best = self.best_split(node)
        return node

    def best_split(self, node):
        s, rows = self.s, node.rows
        if len(rows) < 2 * max(1, s.min_samples_leaf) or 0 < s.max_depth <= node.depth:
            return None
        g, h = self.g[rows], self.h[rows]
        total = h.sum() + s.l2
        pull = shrunk(g.sum(), s.alpha)
        parent = pull * pull / total if total > 0 else 0.0
        best, found = parent + 2 * s.gamma + 1e-12 * abs(parent), None
        for f, edges in enumerate(self.edges):
            if len(edges) == 0:
                continue
            score = feature_scores(self.codes[rows, f], len(edges) + 1, g, h, s)
            cut = int(np.argmax(score))
            if score[cut] > best:
                best = score[cut]
                found = ((best - parent) / 2 - s.gamma, f, cut)
        return found

    def split(self, node):
        _, f, cut = node.split = node.best
        left = self.codes[node.rows, f] <= cut
        node.children = [
            self.node(node.rows[side], node.depth + 1) for side in (left, ~left)
        ]
        return node.children

    def preorder(self):
        stack, out = [self.root], []
        while stack:
            node = stack.pop()
            out.append(node)
            stack.extend(reversed(node.children))
        return out

    def add_to(self, raw):
        for node in self.preorder():
            if not node.children:
                raw[node.rows] += node.value


def boost(X, y, edges, derivatives, n_iterations, s: Settings, baseline):
    """Trees and raw scores; derivatives(raw) -> (gradient, hessian, weight)."""
    codes = np.column_stack(
        [np.searchsorted(e, X[:, f], side="left") for f, e in enumerate(edges)]
    )
    raw = np.full(len(y), baseline)
    trees = []
    for _ in range(n_iterations):
        g, h = stages.boosting_quantized(*derivatives(raw))
        trees.append(ReferenceTree(codes, edges, g, h, s))
        trees[-1].add_to(raw)
    return trees, raw
