"""`explore`: from a fitted tree, or a path of trees, and its data to the page."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri

from dpdtree._input.prepared import PreparedRows
from dpdtree._numbers import is_int, shown
from dpdtree._params.estimators import resolved
from dpdtree.explorer.counting import Counts, count, count_from_trees
from dpdtree.explorer.curves import curves_of
from dpdtree.explorer.folds import band_by_folds
from dpdtree.explorer.front import band_of, cart_of, cart_point, front_of, loss_of
from dpdtree.explorer.gather import (
    LEVEL,
    about,
    actions_of,
    columns_in_file,
    features_of,
    model_of,
    number,
    numbers,
    rows_of,
    states_of,
    t_quantiles,
    tested_of,
)
from dpdtree.explorer.graph import Graph, from_alternatives
from dpdtree.explorer.inputs import Given, alternatives_of, path_of, plain_tree
from dpdtree.explorer.page import page
from dpdtree.explorer.rows import EncodedRows, Loss
from dpdtree.explorer.stability import bootstrap_splits
from dpdtree.io.files import write_atomically


@dataclass(frozen=True)
class Options:
    """What goes into the page, apart from the tree and its data."""

    path: str | os.PathLike[str]
    k: Sequence[int]
    max_rows: int
    stability: int
    cv: int
    title: str | None
    feature_names: Sequence[str] | None

    def check(self, n_features: int) -> None:
        """Raise an error that names what is wrong."""
        for name in ("max_rows", "stability", "cv"):
            value = getattr(self, name)
            if not is_int(value) or value < 0:
                raise ValueError(f"{name} must be an int >= 0, got {shown(value)}.")
        if self.cv == 1:
            raise ValueError("cv must be 0 or at least 2, got 1.")
        names = self.feature_names
        if names is not None and len(names) != n_features:
            raise ValueError(
                f"feature_names must list {n_features} names, one per feature, got"
                f" {len(names)}."
            )


def explore(estimator: Any, trees: Any, given: Given, options: Options) -> Path:
    """Write the page of a fitted tree.

    Parameters
    ----------
    estimator : estimator
        Fitted, with one output.
    trees : RegularizationPath or None
        The trees of the front; None searches them.
    given : Given
        Training rows (a path can do without them) and other ones.
    options : Options
        Everything else.
    """
    options.check(estimator.n_features_in_)
    plain, loss = plain_tree(estimator), loss_of(estimator)
    rows, test = given.prepared(plain), given.other_rows(estimator)
    data: dict[str, Any] = {"about": about(plain, loss)}
    train = found = None
    if rows is not None:
        train = EncodedRows(rows.X, rows.problem.y, rows.problem.sample_weight)
        found = alternatives_of(plain, rows, options.k)
    graph = Graph() if found is None else from_alternatives(found)
    data["chosen"] = graph.place(estimator.tree_)
    trees = path_of(estimator, rows) if trees is None else trees
    _add_front(data, graph, estimator, trees, rows, loss, test)
    if options.cv and train is not None:
        data["band"] = band_by_folds(estimator, trees, *given.training, options.cv)
    data["curves"] = {}
    if train is not None:
        data["curves"] = curves_of(graph, data["chosen"], train, test, loss)
        if options.stability:
            data["stability"] = bootstrap_splits(
                plain, *given.training, options.stability
            )
    data |= _counted(plain, graph, train, test, loss, found, options)
    data["model"] = model_of(plain)
    title = options.title or f"{type(plain).__name__}: explorer"
    data["about"]["title"] = title
    target = Path(options.path)
    write_atomically(target, page(data, title).encode())
    return target


def _add_front(
    data: dict[str, Any],
    graph: Graph,
    estimator: Any,
    trees: Any,
    rows: PreparedRows | None,
    loss: Loss,
    test: EncodedRows | None,
) -> None:
    data["front"] = front_of(trees, graph, loss, test)
    data["cart"] = None
    if rows is not None:
        cart = cart_of(estimator, rows)
        data["cart"] = cart_point(cart, estimator, loss, test)
        data["cart"]["tree"] = graph.place(cart.tree_)
    data["band"] = band_of(estimator, float(trees.losses[0]))


def _counted(
    plain: Any,
    graph: Graph,
    train: EncodedRows | None,
    test: EncodedRows | None,
    loss: Loss,
    found: Any,
    options: Options,
) -> dict[str, Any]:
    if train is None:
        counts = count_from_trees(graph, loss, plain.criterion)
    else:
        counts = count(graph, train, loss, searched=found)
    _complete(graph, counts)
    _price(graph, counts, plain)
    values = _values(graph, counts, loss, found)
    used = columns_in_file(graph, plain.n_features_in_)
    data: dict[str, Any] = {
        "features": features_of(plain, options.feature_names, train),
        "states": states_of(graph, counts, loss),
        "actions": actions_of(graph),
        "rows": {},
        "z": float(ndtri(0.5 + LEVEL / 2)),
        "level": LEVEL,
    }
    if train is not None:
        data["rows"]["train"] = rows_of(train, used, options.max_rows, loss)
    if values is not None:
        data["states"]["value"] = numbers(values)
        data["states"]["impurity"] = _impurities(plain, graph, train, found)
    if loss.costs is not None:
        data["states"]["decision"] = _decisions(counts, loss)
    sizes = [counts.n]
    if test is not None:
        tested = count(graph, test, loss, predictions=values)
        data["tested"] = tested_of(tested, loss)
        data["rows"]["test"] = rows_of(test, used, options.max_rows, loss)
        sizes.append(tested.n)
    if not loss.n_classes:
        data["student"] = t_quantiles(*sizes)
    return data


def _complete(graph: Graph, counts: Counts) -> None:
    """Fill in loss and leaves of completions that no search has valued."""
    for action in graph.actions:
        if action.loss == action.loss:
            continue
        leaves = [
            state
            for child in (action.left, action.right)
            for state, choice in graph.nodes(graph.completed(child), child)
            if choice < 0
        ]
        action.loss = float(sum(counts.loss[state] for state in leaves))
        action.n_leaves = len(leaves)


def _price(graph: Graph, counts: Counts, plain: Any) -> None:
    """Fill in what splits add to the objective where their definition tells it."""
    described = isinstance(resolved(plain, "alpha"), str)
    free = plain.feature_costs is None
    for action in graph.actions:
        if math.isnan(action.complexity) and not described:
            share = counts.weight[action.state] / counts.weight[0]
            action.complexity = share if plain.complexity == "path_length" else 0.0
        if math.isnan(action.feature_cost) and free:
            action.feature_cost = 0.0


def _values(graph: Graph, counts: Counts, loss: Loss, found: Any) -> list[float] | None:
    """Return what the states of a regression tree predict."""
    if loss.n_classes:
        return None
    searched = [] if found is None else np.ravel(found.value).tolist()
    values = []
    for state, seen in enumerate(graph.seen):
        if state < len(searched):
            values.append(float(searched[state]))
        else:
            values.append(counts.mean[state] if seen is None else float(seen.value[0]))
    return values


def _decisions(counts: Counts, loss: Loss) -> list[int]:
    """Return the class of least expected cost, as a tree decides."""
    weights = np.array(counts.weight)[:, np.newaxis]
    shares = np.array(counts.classes) / np.where(weights > 0, weights, 1.0)
    assert loss.costs is not None
    best: list[int] = (shares @ loss.costs).argmin(axis=1).tolist()
    return best


def _impurities(
    plain: Any, graph: Graph, train: EncodedRows | None, found: Any
) -> list[Any]:
    """Return the impurity of each state, as a tree has it."""
    known = [] if found is None else found.impurity.tolist()
    if train is None:
        return [number(0.0 if s is None else s.impurity) for s in graph.seen]
    criterion = replace(loss_of(plain, plain.criterion), n_classes=0)
    counts = count(graph, train, criterion)
    total = counts.weight[0]
    for state in range(len(known), len(graph.depth)):
        weight = counts.weight[state]
        known.append(counts.loss[state] * total / weight if weight > 0 else 0.0)
    return numbers(known)
