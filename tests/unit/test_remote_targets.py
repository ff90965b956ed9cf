"""Targets and weights that stay where they are: what a boosted fit asks of them."""

import numpy as np
import pytest

from dpdtree import DPDTBoostingClassifier, DPDTBoostingRegressor
from dpdtree._boosting.aside import rows_aside
from dpdtree.dask import _boosting_targets as targets
from dpdtree.dask._boosting_fit import fit_boosting_blocks
from dpdtree.dask._collections import block_of
from dpdtree.dask._engine import LocalEngine


def table(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, X[:, 0] * X[:, 1] + rng.normal(size=n)


def blocks_of(X, y, weight=None, n_blocks=3):
    cuts = np.array_split(np.arange(len(y)), n_blocks)
    return [
        block_of(k, X[rows], y[rows], None if weight is None else weight[rows])
        for k, rows in enumerate(cuts)
    ]


class Counting(LocalEngine):
    """Notes the bytes of each answer but those with the rows that bins come from."""

    def __init__(self):
        super().__init__()
        self.largest = 0

    def call(self, function, handles, requests):
        before = self.n_bytes
        found = super().call(function, handles, requests)
        if function is not targets.learn_training:
            self.largest = max(self.largest, self.n_bytes - before)
        return found


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["labels", "numbers", "medians"])
def test_no_target_reaches_the_client(kind, weighted):
    X, y = table(40_000)
    weight = np.random.default_rng(1).uniform(0, 2, len(y)) if weighted else None
    make = {"max_iter": 2}
    if kind == "labels":
        y = np.digitize(y, [-1, 0, 1])
        model = DPDTBoostingClassifier(**make, class_weight="balanced")
        whole = DPDTBoostingClassifier(**make, class_weight="balanced")
    else:
        make["loss"] = "squared_error" if kind == "numbers" else "absolute_error"
        model, whole = (DPDTBoostingRegressor(**make) for _ in range(2))
    engine = Counting()
    fitted = fit_boosting_blocks(engine, blocks_of(X, y, weight), None, model)
    assert engine.largest < len(y) / 2  # less than a byte for each row, by far
    whole.fit(X, y, weight)
    assert fitted.estimator.booster_.to_bytes() == whole.booster_.to_bytes()
    np.testing.assert_array_equal(
        fitted.estimator.validation_score_, whole.validation_score_
    )


@pytest.mark.parametrize("width", [1e-3, 0.3, 6.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_hashes_are_found_even_with_bad_luck(monkeypatch, width, seed):
    monkeypatch.setattr(targets, "_WIDE_ENOUGH", width)
    rng = np.random.default_rng(seed)
    X, _ = table(500)
    y = np.sort(rng.choice(3, 500, p=[0.7, 0.29, 0.01]))
    weight = rng.integers(0, 3, 500) * 1.0
    model = DPDTBoostingClassifier(validation_fraction=0.2)
    blocks, engine = blocks_of(X, y, weight, 7), LocalEngine()
    facts = targets.ask_training(engine, blocks, model)
    aside = targets.ask_aside(engine, blocks, model, facts, seed)
    expected = rows_aside(0.2, y, weight, seed)
    masks = [
        aside.rule.mask(np.asarray(block.y, dtype=float), block.weight, facts.starts[k])
        for k, block in enumerate(blocks)
    ]
    np.testing.assert_array_equal(np.concatenate(masks), expected)
    assert aside.n_aside == [mask.sum() for mask in masks]
    learned = targets.ask_training_columns(engine, blocks, model, facts, aside)
    assert learned.weights == targets.weight_sum(weight[~expected])
    usable = weight[~expected][weight[~expected] > 0]
    np.testing.assert_array_equal(learned.sample_weight, usable)


def fit(model, y, weight=None, more=None):
    X, _ = table(len(y))
    fit_boosting_blocks(LocalEngine(), blocks_of(X, y, weight), more, model)


def test_errors_are_those_of_one_machine():
    X, y = table(90)
    zeros = np.zeros(90)
    with pytest.raises(ValueError, match="at least one non-zero weight"):
        fit(DPDTBoostingRegressor(), y, zeros)
    with pytest.raises(ValueError, match="must not contain negative weights"):
        fit(DPDTBoostingRegressor(), y, zeros - 1)
    with pytest.raises(ValueError, match="requires non-negative y"):
        fit(DPDTBoostingRegressor(loss="poisson"), y)
    with pytest.raises(ValueError, match="requires a positive sum of y"):
        fit(DPDTBoostingRegressor(loss="poisson"), zeros)
    with pytest.raises(ValueError, match="needs the 'quantile' parameter"):
        fit(DPDTBoostingRegressor(loss="quantile"), y)
    with pytest.raises(ValueError, match="sum of losses would overflow"):
        fit(DPDTBoostingRegressor(), np.full(90, 0.9e150))
    labels = blocks_of(X[:6], np.array([0, 1, 0, 1, 2, 0]))
    with pytest.raises(ValueError, match=r"contains labels that y does not: \[2\]"):
        fit(DPDTBoostingClassifier(), np.arange(90) % 2, more=labels)
    numbers = blocks_of(X[:6], np.array([1.0, 2, 3, -4, 5, 6]))
    with pytest.raises(ValueError, match="requires non-negative y_val"):
        fit(DPDTBoostingRegressor(loss="poisson"), y**2, more=numbers)
    with pytest.raises(ValueError, match="Unknown label type"):
        fit(DPDTBoostingClassifier(), y)
    blocks = blocks_of(X, y, np.ones(90))
    blocks[1] = blocks[1]._replace(weight=None)
    with pytest.raises(ValueError, match="a weight for each row"):
        fit_boosting_blocks(LocalEngine(), blocks, None, DPDTBoostingRegressor())
