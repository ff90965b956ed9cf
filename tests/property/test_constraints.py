"""Constraints on features hold for every strategy, path, weight and missing value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier
from tests.property.problems import Sample, examples, make_sample
from tests.reference.objective import prediction_loss

Array = npt.NDArray[Any]
STRATEGIES = ("greedy", "paper", "balanced")
strategies = st.sampled_from(STRATEGIES)


@st.composite
def samples(draw: st.DrawFn, max_rows: int = 70, classes: int = 2) -> Sample:
    """Numbers or labels; some of them noise, some falling where they should rise."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    sample = make_sample(
        seed,
        loss=draw(st.sampled_from(["zero_one", "gini", "log_loss", "squared_error"])),
        n=draw(st.integers(2, max_rows)),
        p=int(rng.integers(2, 5)),
        levels=int(rng.choice([2, 6, 1000])),
        classes=classes,
        missing=float(rng.choice([0.0, 0.0, 0.2])),
        weighting=str(rng.choice(["none", "integer", "real", "zeros"])),
    )
    if rng.random() < 0.3:
        return replace(sample, y=rng.permutation(sample.y))
    return sample


@st.composite
def constraints(draw: st.DrawFn, p: int, monotone: bool = True) -> dict[str, Any]:
    """Constraints of some kinds, each as users may write it."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    chosen: dict[str, Any] = {}
    if monotone and rng.random() < 0.7:
        chosen["monotonic_cst"] = rng.integers(-1, 2, p)
    if rng.random() < 0.4:
        ways = ["pairwise", "no_interactions", [{0, 1}, [1, p - 1]], [[0]]]
        chosen["interaction_cst"] = ways[rng.integers(len(ways))]
    if rng.random() < 0.4:
        chosen["feature_costs"] = rng.integers(0, 4, p) / 64
    if rng.random() < 0.4 and chosen.get("interaction_cst") != "no_interactions":
        first = int(rng.integers(p))
        chosen["allowed_features"] = {0: [first], 2: [first, 0]}
        if "interaction_cst" in chosen:
            chosen["allowed_features"] = [[first]]
    return chosen


@st.composite
def constrained(
    draw: st.DrawFn, max_rows: int = 70, monotone: bool = True
) -> tuple[Sample, dict[str, Any]]:
    """A sample, constraints, and other parameters."""
    sample = draw(samples(max_rows))
    parameters = draw(constraints(sample.X.shape[1], monotone))
    parameters["max_depth"] = draw(st.integers(1, 4))
    parameters["alpha"] = draw(st.sampled_from([0.0, 0.0, 0.01, 0.05, "mdl"]))
    parameters["complexity"] = draw(st.sampled_from(["path_length", "n_leaves"]))
    parameters["min_samples_leaf"] = draw(st.sampled_from([1, 1, 3]))
    parameters["max_leaf_nodes"] = draw(st.sampled_from([None, None, 3, 5]))
    if not sample.regression:
        parameters["criterion"] = draw(st.sampled_from(["gini", "entropy"]))
    return sample, parameters


def assert_monotone(model: Any, X: Array, directions: Array) -> None:
    """Along each constrained feature, with all others as in some row of X."""
    for feature in np.flatnonzero(directions):
        known = X[:, feature][~np.isnan(X[:, feature])]
        at = np.unique(np.concatenate([known, known + 1e-3, known - 1e-3, [-1e9, 1e9]]))
        for row in X[:: max(1, len(X) // 12)]:
            grid = np.repeat(row[np.newaxis], len(at), axis=0)
            grid[:, feature] = at
            told = [model.predict(grid)]
            if hasattr(model, "predict_proba"):
                told.append(model.predict_proba(grid)[:, -1])
            for values in told:
                steps = np.diff(values.astype(float)) * directions[feature]
                assert (steps >= 0).all()


@given(sample=samples(), strategy=strategies, data=st.data())
@examples(150)
def test_predictions_are_monotone(sample: Sample, strategy: str, data: Any) -> None:
    p = sample.X.shape[1]
    directions = np.array(
        data.draw(st.lists(st.integers(-1, 1), min_size=p, max_size=p))
    )
    parameters = {"strategy": strategy, "max_depth": data.draw(st.integers(1, 4))}
    model = sample.fit(monotonic_cst=directions, **parameters)
    assert_monotone(model, sample.X, directions)
    loss = prediction_loss(sample.loss, model, sample.X, sample.y, sample.weights)
    assert model.loss_ == pytest.approx(loss, rel=1e-9, abs=sample.rounding)


@given(sample=samples(max_rows=40), strategy=strategies, data=st.data())
@examples(40)
def test_paths_are_monotone(sample: Sample, strategy: str, data: Any) -> None:
    p = sample.X.shape[1]
    directions = np.array(
        data.draw(st.lists(st.integers(-1, 1), min_size=p, max_size=p))
    )
    model = sample.model(strategy=strategy, monotonic_cst=directions)
    for path in (model.regularization_path, model.leaf_path):
        for tree in path(sample.X, sample.y, sample.w):
            assert_monotone(tree, sample.X, directions)


def test_adversarial_data_gives_a_leaf() -> None:
    X = np.arange(40.0)[:, np.newaxis]
    for strategy in STRATEGIES:
        model = DPDTreeClassifier(strategy=strategy, monotonic_cst=[-1])
        assert model.fit(X, X[:, 0] > 20).get_n_leaves() == 1
        model.set_params(monotonic_cst=[1])
        assert model.fit(X, X[:, 0] > 20).loss_ == 0


def test_the_dynamic_program_sees_what_greedy_cannot() -> None:
    # A rise in x0 that only shows once x1 is known: the share of ones falls at first.
    x0 = np.repeat([0.0, 0.0, 1.0, 1.0], 20)
    x1 = np.repeat([0.0, 1.0, 0.0, 1.0], 20)
    ones = {0: 6, 20: 6, 40: 0, 60: 11}
    y = np.zeros(80)
    for start, count in ones.items():
        y[start : start + count] = 1
    X = np.column_stack([x0, x1])
    shared: dict[str, Any] = {
        "max_depth": 2,
        "monotonic_cst": [1, 0],
        "allowed_features": {0: [0]},
    }
    paper = DPDTreeClassifier(strategy="paper", generator="exhaustive", **shared)
    assert paper.fit(X, y).loss_ * 80 == pytest.approx(6 + 6 + 0 + 9)


@given(sample=samples(), strategy=strategies, depth=st.integers(1, 4))
@examples(60)
def test_no_constraint_changes_nothing(
    sample: Sample, strategy: str, depth: int
) -> None:
    p = sample.X.shape[1]
    free = {
        "monotonic_cst": [0] * p,
        "interaction_cst": [list(range(p))],
        "feature_costs": [0.0] * p,
        "allowed_features": [None, list(range(p))],
    }
    plain = sample.fit(strategy=strategy, max_depth=depth)
    same = sample.fit(strategy=strategy, max_depth=depth, **free)
    assert same.tree_._data.to_bytes() == plain.tree_._data.to_bytes()
    assert same.objective_ == plain.objective_
    assert same.feature_cost_ == 0


def paths_of(model: Any) -> list[list[int]]:
    """The features on each way from the root to a leaf, the root's first."""
    tree = model.tree_

    def below(node: int, asked: list[int]) -> list[list[int]]:
        if tree.children_left[node] < 0:
            return [asked]
        path = [*asked, int(tree.feature[node])]
        return below(tree.children_left[node], path) + below(
            tree.children_right[node], path
        )

    return below(0, [])


def groups_of(wanted: Any, p: int) -> list[set[int]]:
    """The groups that an argument stands for."""
    if wanted == "no_interactions":
        return [{i} for i in range(p)]
    if wanted == "pairwise":
        return [{i, j} for i in range(p) for j in range(p) if i != j]
    groups = [set(group) for group in wanted]
    return [*groups, set(range(p)) - set().union(*groups)]


@given(problem=constrained(), strategy=strategies)
@examples(150)
def test_paths_ask_what_they_may(problem: Any, strategy: str) -> None:
    sample, parameters = problem
    model = sample.fit(strategy=strategy, **parameters)
    p = sample.X.shape[1]
    allowed = parameters.get("allowed_features", {})
    if not isinstance(allowed, dict):
        allowed = dict(enumerate(allowed))
    for path in paths_of(model):
        for depth, feature in enumerate(path):
            assert feature in allowed.get(depth, [feature])
        if "interaction_cst" in parameters:
            groups = groups_of(parameters["interaction_cst"], p)
            assert any(set(path) <= group for group in groups)


@given(problem=constrained(), strategy=strategies)
@examples(120)
def test_costs_are_paid_once_per_path(problem: Any, strategy: str) -> None:
    sample, parameters = problem
    p = sample.X.shape[1]
    costs = parameters.setdefault("feature_costs", np.arange(p) / 32)
    model = sample.fit(strategy=strategy, **parameters)
    asked = model.tree_.feature[None, :] * np.ones((len(sample.y), 1))
    asked[~model.decision_path(sample.X).toarray().astype(bool)] = -2
    paid = [costs[np.unique(row[row >= 0]).astype(int)].sum() for row in asked]
    mean = np.average(paid, weights=sample.weights)
    assert model.feature_cost_ == pytest.approx(mean, abs=1e-12)
    alpha = 1.0 if parameters["alpha"] == "mdl" else parameters["alpha"]
    assert model.objective_ == pytest.approx(
        model.loss_ + alpha * model.complexity_ + mean, rel=1e-12, abs=1e-12
    )


@given(problem=constrained(max_rows=50), n=st.integers(1, 5))
@examples(150)
def test_looking_ahead_is_never_worse(problem: Any, n: int) -> None:
    sample, parameters = problem
    greedy = sample.fit(strategy="greedy", **parameters)
    paper = sample.fit(strategy="paper", n_candidates=n, **parameters)
    balanced = sample.fit(strategy="balanced", n_candidates=n, **parameters)
    slack = sample.rounding + 1e-9 * greedy.objective_
    assert paper.objective_ <= greedy.objective_ + slack
    assert balanced.objective_ <= paper.objective_ + slack


@given(
    problem=constrained(max_rows=50),
    strategy=st.sampled_from(["paper", "balanced"]),
    generator=st.sampled_from(["cart", "top_b", "exhaustive"]),
)
@examples(60)
def test_switches_and_threads_change_nothing(
    problem: Any, strategy: str, generator: str
) -> None:
    sample, parameters = problem
    parameters |= {"strategy": strategy, "generator": generator}
    if generator == "exhaustive":
        parameters["max_depth"] = min(parameters["max_depth"], 2)
    plain = sample.fit(**parameters)
    stored = plain.tree_._data.to_bytes()
    assert sample.fit(n_jobs=3, **parameters).tree_._data.to_bytes() == stored
    for switch in ("use_split_memo", "use_state_memo", "use_pruning"):
        model = sample.model(**parameters)
        model._core_switches = {switch: False}
        model.fit(sample.X, sample.y, sample.w)
        assert model.tree_._data.to_bytes() == stored


@given(problem=constrained(max_rows=40), strategy=st.sampled_from(["greedy", "paper"]))
@examples(200)
def test_a_path_has_the_tree_of_each_alpha(problem: Any, strategy: str) -> None:
    sample, parameters = problem
    parameters |= {"alpha": 0.0, "max_leaf_nodes": None, "strategy": strategy}
    path = sample.model(**parameters).regularization_path(sample.X, sample.y, sample.w)
    slack = 1e-9 + sample.rounding
    for tree in path:
        assert tree.objective_ == pytest.approx(
            tree.loss_ + tree.alpha * tree.complexity_ + tree.feature_cost_
        )
    for alpha in (0.0, 0.01, 0.1):
        fit = sample.fit(**{**parameters, "alpha": alpha})
        assert path.select(alpha=alpha).objective_ == pytest.approx(
            fit.objective_, abs=slack
        )
    if strategy == "greedy":  # fewer leaves are then grown, not pruned
        return
    leaves = sample.model(**parameters).leaf_path(sample.X, sample.y, sample.w)
    for k in (2, 3, 5):
        fit = sample.fit(**{**parameters, "max_leaf_nodes": k})
        assert leaves.select(n_leaves=k).objective_ == pytest.approx(
            fit.objective_, abs=slack
        )


@given(seed=st.integers(0, 2**32 - 1), alpha=st.sampled_from([0.0, 0.01]))
def test_greedy_trees_are_pruned_for_what_features_cost(
    seed: int, alpha: float
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] > rng.normal(size=60)).astype(int)
    sample = Sample(X, y, None, "zero_one")
    greedy = {"strategy": "greedy", "max_depth": 4, "feature_costs": [0.05, 0.02, 0.2]}
    path = sample.model(**greedy).regularization_path(X, y)
    best = path.select(alpha=alpha).objective_
    fit = sample.fit(**greedy, alpha=alpha)
    assert fit.objective_ == pytest.approx(best, abs=1e-12)


@given(sample=samples(), strategy=strategies)
@examples(30)
def test_a_dear_feature_is_not_asked(sample: Sample, strategy: str) -> None:
    dear = {0: 10.0 * (1.0 + float(np.square(sample.y).max()))}
    model = sample.fit(strategy=strategy, feature_costs=dear)
    assert 0 not in model.tree_.feature
    without = replace(sample, X=sample.X[:, 1:]).fit(strategy=strategy)
    if strategy == "greedy":
        assert model.objective_ == pytest.approx(without.objective_, rel=1e-9)


@given(sample=samples(max_rows=40), depth=st.integers(1, 2), data=st.data())
@examples(30)
def test_the_same_features_everywhere_are_fewer_columns(
    sample: Sample, depth: int, data: Any
) -> None:
    loss = "squared_error" if sample.regression else "zero_one"
    sample = replace(sample, loss=loss)
    p = sample.X.shape[1]
    some = sorted(data.draw(st.sets(st.integers(0, p - 1), min_size=1)))
    fewer = replace(sample, X=sample.X[:, some])
    for strategy in (*STRATEGIES, "optimal"):
        shared: dict[str, Any] = {"strategy": strategy, "max_depth": depth}
        model = sample.fit(allowed_features=[some] * depth, **shared)
        plain = fewer.fit(**shared)
        assert model.objective_ == pytest.approx(plain.objective_, abs=1e-12)
        assert model.is_optimal_ == plain.is_optimal_
