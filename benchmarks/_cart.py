"""scikit-learn's CART as a careful user would tune it, for comparison."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier
from sklearn.model_selection import GridSearchCV, check_cv
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Array = npt.NDArray[Any]
Tree = DecisionTreeClassifier | DecisionTreeRegressor

FOLDS = 5
GRID = {"max_depth": [2, 3, 4, 5], "min_samples_leaf": [1, 5, 20]}


def plain(task: str, **arguments: Any) -> Tree:
    """An unfitted tree for "classification" or "regression"."""
    kinds = {
        "classification": DecisionTreeClassifier,
        "regression": DecisionTreeRegressor,
    }
    return kinds[task](random_state=0, **arguments)


def tuned(task: str, X: Array, y: Array) -> Tree:
    """Depth and least leaf size by grid search."""
    search = GridSearchCV(plain(task), GRID, cv=FOLDS)
    best: Tree = search.fit(X, y).best_estimator_
    return best


def pruned(task: str, X: Array, y: Array, depth: int) -> Tree:
    """Cost-complexity pruning, `ccp_alpha` by cross-validation.

    Candidates are the geometric means of neighbouring breakpoints of the tree of all
    rows. Each fold's tree is fitted once; that its prunings are those scikit-learn
    would fit is tested.
    """
    model = plain(task, max_depth=depth)
    breaks = np.maximum(model.cost_complexity_pruning_path(X, y).ccp_alphas, 0.0)
    alphas = np.append(np.sqrt(breaks[:-1] * breaks[1:]), breaks[-1])
    folds = check_cv(FOLDS, y, classifier=is_classifier(model))
    scores = np.zeros(len(alphas))
    for train, test in folds.split(X, y):
        fold = plain(task, max_depth=depth).fit(X[train], y[train])
        nodes = prunings(fold, alphas)[:, fold.apply(X[test])]
        scores += [_score(fold, reached, y[test]) for reached in nodes]
    # Ties go to the smaller tree.
    best = alphas[len(alphas) - 1 - int(np.argmax(scores[::-1]))]
    return plain(task, max_depth=depth, ccp_alpha=best).fit(X, y)


def prunings(model: Tree, alphas: Array) -> npt.NDArray[np.intp]:
    """Row i: for each node, the leaf its rows end in when pruned with `alphas[i]`."""
    tree = model.tree_
    share = tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]
    as_leaf = share * tree.impurity + np.asarray(alphas)[:, np.newaxis]
    cost = as_leaf.copy()
    cut = np.ones(cost.shape, dtype=bool)
    inner = np.flatnonzero(tree.children_left >= 0)
    for node in inner[::-1]:  # children come after their parents
        below = cost[:, tree.children_left[node]] + cost[:, tree.children_right[node]]
        cut[:, node] = as_leaf[:, node] <= below + 1e-15
        cost[:, node] = np.where(cut[:, node], as_leaf[:, node], below)
    ends = np.tile(np.arange(tree.node_count), (len(alphas), 1))
    for node in inner:
        gone = cut[:, node] | (ends[:, node] != node)
        for child in (tree.children_left[node], tree.children_right[node]):
            ends[gone, child] = ends[gone, node]
    return ends


def _score(model: Tree, reached: Array, y: Array) -> float:
    """Accuracy or R² of the values of the nodes reached."""
    values = model.tree_.value[:, 0, :]
    if is_classifier(model):
        predicted = model.classes_[values.argmax(axis=1)][reached]
        return float(np.mean(predicted == y))
    error = np.square(values[reached, 0] - y).sum()
    return float(1 - error / np.square(y - y.mean()).sum())
