"""strategy="optimal" with a price for every mistake: proven, and true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdtree import DPDTreeClassifier
from tests.property.problems import Array, Case, examples, make_sample, tiny_cases
from tests.property.test_optimal import check_statements
from tests.reference.brute_force import Limits, Problem
from tests.reference.optimum import optimum

MATRICES = ("any", "per class", "no zeros", "few prices", "large", "none")


def make_costs(rng: np.random.Generator, kind: str, k: int) -> Array:
    """A cost matrix of some kind, multiples of 1/4 or of 0.1."""
    if kind == "per class":
        return (1 - np.eye(k)) * rng.integers(1, 9, (k, 1)) / 10
    if kind == "no zeros":
        return rng.integers(1, 9, (k, k)) / 4
    if kind == "few prices":
        return rng.integers(0, 2, (k, k)) * 1.0
    if kind == "large":
        return (1 - np.eye(k)) * 10.0 ** rng.integers(-3, 4, (k, k))
    return rng.integers(0, 9, (k, k)) / 4 if kind == "any" else np.zeros((k, k))


def best_of_costs(case: Case, costs: Array) -> float:
    """The objective of the best tree; rows of weight 0 are no part of the problem."""
    sample, chosen = case.sample, case.parameters
    classes, y = np.unique(sample.y, return_inverse=True)
    seen = sample.weights > 0
    w = sample.weights[seen]
    limits = Limits(
        max_depth=chosen["max_depth"],
        min_samples_split=chosen["min_samples_split"],
        min_samples_leaf=chosen["min_samples_leaf"],
        min_weight_leaf=chosen["min_weight_fraction_leaf"] * float(w.sum()),
        max_leaves=chosen.get("max_leaf_nodes", 1 << 30),
    )
    problem = Problem(sample.X[seen], y[seen], w, "zero_one", limits=limits)

    def cost(labels: Array, weights: Array) -> float:
        counts = np.bincount(labels, weights=weights, minlength=len(classes))
        return float((counts @ costs).min())

    return optimum(problem, chosen["alpha"], chosen["complexity"], cost)


def fit(case: Case, costs: Array, **parameters: object) -> DPDTreeClassifier:
    """A proof for these costs."""
    model = DPDTreeClassifier(
        strategy="optimal",
        loss="cost_matrix",
        cost_matrix=costs,
        leaf_smoothing=None,
        **{**case.parameters, **parameters},
    )
    return model.fit(case.sample.X, case.sample.y, sample_weight=case.sample.w)


@pytest.mark.native
@given(
    case=tiny_cases(losses=("zero_one",), max_rows=11, depths=(1, 2, 2, 3, 4)),
    kind=st.sampled_from(MATRICES),
    leaves=st.sampled_from([None, None, 3, 5]),
    seed=st.integers(0, 2**32 - 1),
)
@examples(1500)
def test_the_best_of_all_trees(
    case: Case, kind: str, leaves: int | None, seed: int
) -> None:
    if leaves is not None:
        case = Case(case.sample, {**case.parameters, "max_leaf_nodes": leaves})
    classes = np.unique(case.sample.y)
    costs = make_costs(np.random.default_rng(seed), kind, len(classes))
    model = fit(case, costs)
    rounding = 1e-12 * max(1.0, float(costs.max()))
    check_statements(model, best_of_costs(case, costs), max(rounding, 1e-9))
    assert model.is_optimal_


#: Where the weights of rows are limited or priced, they stay what they are, and the
#: dearest mistake of all classes tells how fast values can change.
WEIGHED = {
    "price per path": {"alpha": 0.01},
    "least weight": {"min_weight_fraction_leaf": 0.1},
}


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("weighed", WEIGHED)
def test_mistakes_of_one_class_cost_more(weighed: str, seed: int) -> None:
    """Rows enough, and labels noisy enough, for intervals to be closed by that."""
    sample = make_sample(seed, loss="zero_one", n=25, p=2, levels=100, classes=3)
    fixed = {"max_depth": 2, "alpha": 0.0, "complexity": "path_length"}
    limits = {"min_samples_leaf": 1, "min_samples_split": 2}
    weights = {"min_weight_fraction_leaf": 0.0, **WEIGHED[weighed]}
    case = Case(sample, {**fixed, **limits, **weights})
    costs = (1 - np.eye(3)) * np.array([[0.1], [0.4], [0.8]])
    model = fit(case, costs)
    check_statements(model, best_of_costs(case, costs))
    assert model.is_optimal_


@pytest.mark.parametrize("kind", ["any", "per class", "no zeros"])
@pytest.mark.parametrize("classes", [2, 4])
def test_more_rows(kind: str, classes: int) -> None:
    """The bounds of intervals: a proof is the same without them, by doubling rows.

    A row of weight 2 is two rows; what is evaluated differs, the optimum does not.
    """
    sample = make_sample(7, loss="zero_one", n=150, p=3, levels=90, classes=classes)
    k = len(np.unique(sample.y))
    costs = make_costs(np.random.default_rng(3), kind, k)
    one = {"max_depth": 3, "alpha": 0.0}
    model = fit(Case(sample, one), costs)
    X, y = np.repeat(sample.X, 2, axis=0), np.repeat(sample.y, 2)
    said = {"strategy": "optimal", "loss": "cost_matrix", "cost_matrix": costs}
    twice = DPDTreeClassifier(**said, **one).fit(X, y)
    assert model.is_optimal_
    assert twice.is_optimal_
    assert model.objective_ == pytest.approx(twice.objective_)
    balanced = DPDTreeClassifier(**{**said, "strategy": "balanced"}, **one)
    assert model.objective_ <= balanced.fit(sample.X, sample.y).objective_ + 1e-12


def test_a_price_per_class_is_a_class_weight() -> None:
    """Where all mistakes of a class cost the same."""
    sample = make_sample(5, loss="zero_one", n=300, p=4, levels=200, classes=3)
    labels = np.unique(sample.y)
    prices = dict(zip(labels.tolist(), (1.0, 2.5, 7.0), strict=True))
    costs = (1 - np.eye(3)) * np.array(list(prices.values()))[:, None]
    priced = DPDTreeClassifier(
        strategy="optimal", loss="cost_matrix", cost_matrix=costs, max_depth=2, alpha=0
    ).fit(sample.X, sample.y)
    weighted = DPDTreeClassifier(
        strategy="optimal", max_depth=2, alpha=0.0, class_weight=prices
    ).fit(sample.X, sample.y)
    weight = sum(prices[label] for label in sample.y.tolist())
    assert priced.is_optimal_
    assert priced.objective_ * len(sample.y) == pytest.approx(
        weighted.objective_ * weight
    )
