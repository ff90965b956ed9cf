"""`explore`: from a fitted tree and its data to the page."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.utils.validation import check_is_fitted

from dpdtree._input.validation import check_sample_weight, check_X, check_y_shape
from dpdtree.explorer import curves
from dpdtree.explorer.counting import Counts, count, rows_of_states
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
from dpdtree.explorer.page import page
from dpdtree.explorer.rows import Loss, Rows
from dpdtree.explorer.stability import bootstrap_splits
from dpdtree.io.files import write_atomically

#: Candidates at the root, one level down, and so on; the last one holds further down.
ALTERNATIVES = (6, 4, 3, 2)


@dataclass(frozen=True)
class Options:
    """What goes into the page, apart from the tree and its data."""

    path: str | os.PathLike[str] = "explorer.html"
    k: int | Sequence[int] = ALTERNATIVES
    max_rows: int = 2000
    stability: int = 0
    title: str | None = None
    feature_names: Sequence[str] | None = None
    random_state: int = 0
    verbose: int = 0


def explore_tree(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    X_test: Any,
    y_test: Any,
    options: Options,
) -> Path:
    """Write the page of a fitted estimator."""
    check_is_fitted(estimator)
    _check_options(estimator, options)
    train, loss = _training_rows(estimator, X, y, sample_weight), loss_of(estimator)
    test = _other_rows(estimator, X_test, y_test, loss)
    plain = _plain_tree(estimator)
    found = _alternatives(plain, X, y, sample_weight, options.k)
    graph = Graph() if found is None else from_alternatives(found)
    data: dict[str, Any] = {"about": about(plain, loss)}
    data["chosen"] = graph.place(estimator.tree_)
    trees = _path(estimator, plain, X, y, sample_weight)
    data["front"] = front_of(trees, loss, test)
    for point, model in zip(data["front"], trees, strict=True):
        point["tree"] = graph.place(model.tree_)
    cart = cart_of(estimator, X, y, sample_weight)
    data["cart"] = cart_point(cart, estimator, loss, test)
    data["cart"]["tree"] = graph.place(cart.tree_)
    data["band"] = band_of(estimator, float(trees.losses[0]))
    if options.stability:
        data["stability"] = bootstrap_splits(
            plain, X, y, sample_weight, options.stability, options.random_state
        )
    _add_curves(data, graph, train, test, loss)
    data |= _counted(plain, graph, train, test, loss, found, options)
    return _write(data, plain, options)


def _check_options(estimator: Any, options: Options) -> None:
    if estimator.n_outputs_ > 1:
        raise ValueError(
            f"explore shows trees of one output, and this one has"
            f" {estimator.n_outputs_}."
        )
    for name in ("max_rows", "stability"):
        value = getattr(options, name)
        if not isinstance(value, int | np.integer) or value < 0:
            raise ValueError(f"{name} must be an int >= 0, got {value!r}.")
    names, n = options.feature_names, estimator.n_features_in_
    if names is not None and len(names) != n:
        raise ValueError(
            f"feature_names must list {n} names, one per feature, got {len(names)}."
        )


def _training_rows(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Rows:
    encoded = check_X(estimator, X, reset=False)
    n, fitted = encoded.shape[0], int(estimator.tree_.n_node_samples[0])
    y = check_y_shape(estimator, y, n)
    if sample_weight is not None:
        sample_weight = check_sample_weight(sample_weight, n)
    if n != fitted and sample_weight is None:
        raise ValueError(
            f"X has {n} rows, but the tree was fitted on {fitted}: explore needs the"
            " training data; other rows are X_test and y_test."
        )
    problem = estimator._encode(y, sample_weight)
    labels = problem.fitted.get("classes_")
    if labels is not None and not np.array_equal(labels, estimator.classes_):
        raise ValueError(
            "y has other labels than those of the fit: explore needs the training data."
        )
    return Rows(encoded, problem.y, problem.sample_weight)


def _other_rows(estimator: Any, X: Any, y: Any, loss: Loss) -> Rows | None:
    if X is None and y is None:
        return None
    if X is None or y is None:
        given, absent = ("y_test", "X_test") if X is None else ("X_test", "y_test")
        raise ValueError(f"{given} is given, but {absent} is not.")
    encoded = check_X(estimator, X, reset=False)
    y = check_y_shape(estimator, y, encoded.shape[0])
    if not loss.n_classes:
        return Rows(encoded, y.astype(float), None)
    known = np.asarray(estimator.classes_)
    codes = np.searchsorted(known, y)
    strange = known[np.minimum(codes, len(known) - 1)] != y
    if strange.any():
        raise ValueError(
            f"y_test has the label {y[strange][0]!r}, which the fit has not seen."
        )
    return Rows(encoded, codes, None)


def _plain_tree(estimator: Any) -> Any:
    """Return a plain tree with what the estimator has learnt."""
    if not hasattr(estimator, "cv_results_"):
        return estimator
    plain = estimator._path_estimator()
    chosen = dict(estimator.best_params_)
    known = plain.get_params()
    plain.set_params(**{name: v for name, v in chosen.items() if name in known})
    if estimator.by == "n_leaves":
        plain.set_params(max_leaf_nodes=max(2, int(chosen["n_leaves"])))
    own = {"n_leaves_", "alpha_", "best_params_", "best_score_", "best_index_"}
    own |= {"cv_results_", "path_", "n_splits_"}
    fitted = {k: v for k, v in estimator._fitted().items() if k not in own}
    plain._set(**fitted)
    return plain


def _alternatives(plain: Any, X: Any, y: Any, sample_weight: Any, k: Any) -> Any:
    search = getattr(plain, "alternatives", None)
    if search is None:
        return None
    return search(X, y, sample_weight=sample_weight, k=k)


def _path(estimator: Any, plain: Any, X: Any, y: Any, sample_weight: Any) -> Any:
    if hasattr(estimator, "path_"):
        return estimator.path_
    owner = plain._path_estimator()
    if owner.strategy == "optimal":
        owner.set_params(strategy="balanced", max_depth=plain.max_depth)
    owner.set_params(max_leaf_nodes=None)
    return owner.regularization_path(X, y, sample_weight)


def _counted(
    plain: Any,
    graph: Graph,
    train: Rows,
    test: Rows | None,
    loss: Loss,
    found: Any,
    options: Options,
) -> dict[str, Any]:
    counts = count(graph, train, loss, searched=found)
    _complete(graph, counts)
    values = _values(graph, counts, loss)
    used = columns_in_file(graph, plain.n_features_in_)
    data: dict[str, Any] = {
        "features": features_of(plain, options.feature_names, train),
        "states": states_of(graph, counts, loss),
        "actions": actions_of(graph),
        "rows": {"train": rows_of(train, used, options.max_rows, loss)},
        "z": float(ndtri(0.5 + LEVEL / 2)),
        "level": LEVEL,
    }
    if not loss.n_classes:
        data["states"]["value"] = numbers(values)
        data["states"]["impurity"] = _impurities(plain, graph, train)
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


def _values(graph: Graph, counts: Counts, loss: Loss) -> list[float] | None:
    if loss.n_classes:
        return None
    return [
        counts.mean[state] if value is None else float(np.ravel(value)[0])
        for state, value in enumerate(graph.value)
    ]


def _impurities(plain: Any, graph: Graph, train: Rows) -> list[Any]:
    """Return the impurity of each state, as a tree has it."""
    name = plain.criterion
    criterion = replace(loss_of(plain, name), n_classes=0)
    counts = count(graph, train, criterion)
    total = counts.weight[0]
    return [
        number(cost * total / weight) if weight > 0 else 0
        for cost, weight in zip(counts.loss, counts.weight, strict=True)
    ]


def _add_curves(
    data: dict[str, Any], graph: Graph, train: Rows, test: Rows | None, loss: Loss
) -> None:
    """Add curves of the chosen tree, of its alternatives and their completions."""
    shown = graph.nodes(data["chosen"])
    wanted: dict[int, None] = {action: None for _, action in shown if action >= 0}
    for state, _ in shown:
        wanted |= dict.fromkeys(graph.actions_of[state])
        if graph.depth[state] <= 1:
            for action in graph.actions_of[state]:
                chosen = graph.actions[action]
                for child in (chosen.left, chosen.right):
                    below = graph.completed(child)
                    wanted |= dict.fromkeys(a for a in below if a >= 0)
    states = {graph.actions[action].state for action in wanted}
    rows = dict(_only(rows_of_states(graph, train, states), states))
    others = {} if test is None else dict(_only(rows_of_states(graph, test, states), states))
    everything = train.weights(train.all()).sum()
    sums = loss.columns(train) if loss.from_sums else np.zeros((len(train), 0))
    slack = curves.FLAT * _root_cost(train, loss)
    found: dict[str, Any] = {}
    chosen_actions = set(data["chosen"])
    for action in wanted:
        state = graph.actions[action].state
        curve = curves.curve_of(graph, action, train, rows[state], sums, loss)
        if curve is None:
            continue
        entry: dict[str, Any] = {
            "t": numbers(curve.thresholds),
            "loss": [float(f"{x:.9g}") for x in curve.losses / everything],
        }
        threshold = graph.actions[action].split.threshold
        cost = curve.losses[int(np.searchsorted(curve.thresholds, threshold))]
        sets = [(train, rows[state])]
        if test is not None:
            sets.append((test, others[state]))
        offers = []
        for t, at, moved in curves.flat_offers(curve, threshold, cost, slack):
            may_move = action in chosen_actions and loss.from_sums
            twin = curves.round_action(graph, action, t, sets, may_move=may_move)
            if twin >= 0:
                offers.append(
                    {"t": number(t), "loss": at / everything, "rows": moved, "action": twin}
                )
        entry["rounder"] = offers
        found[str(action)] = entry
    data["curves"] = found


def _only(pairs: Any, states: set[int]) -> Any:
    return ((state, rows) for state, rows in pairs if state in states)


def _root_cost(train: Rows, loss: Loss) -> float:
    if loss.from_sums:
        return float(loss.of_sums(loss.columns(train).sum(axis=0)))
    assert train.y is not None
    return loss.of_rows(train.y.astype(float), train.weights(train.all()))


def _write(data: dict[str, Any], plain: Any, options: Options) -> Path:
    data["model"] = model_of(plain)
    title = options.title or f"{type(plain).__name__}: explorer"
    data["about"]["title"] = title
    target = Path(options.path)
    write_atomically(target, page(data, title).encode())
    return target
