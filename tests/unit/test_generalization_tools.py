"""The tools behind the generalisation benchmark: pruning, counts, ranks."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks import _cart
from benchmarks._generalization import mean_ranks, sign_test, summarize, versus
from sklearn.datasets import load_diabetes, load_iris


@pytest.mark.parametrize(
    ("task", "load"), [("classification", load_iris), ("regression", load_diabetes)]
)
def test_prunings_are_those_of_scikit_learn(task, load):
    X, y = load(return_X_y=True)
    model = _cart.plain(task, max_depth=4)
    breaks = model.cost_complexity_pruning_path(X, y).ccp_alphas
    alphas = np.append(np.sqrt(breaks[:-1] * breaks[1:]), 2 * breaks[-1])
    model.fit(X, y)
    for alpha, ends in zip(alphas, _cart.prunings(model, alphas), strict=True):
        pruned = _cart.plain(task, max_depth=4, ccp_alpha=alpha).fit(X, y)
        np.testing.assert_allclose(
            model.tree_.value[ends[model.apply(X)]],
            pruned.tree_.value[pruned.apply(X)],
        )
    best = _cart.pruned(task, X, y, depth=4)
    assert 1 < best.get_n_leaves() < model.get_n_leaves()


def test_sign_test():
    assert sign_test(0, 0) == 1.0
    assert sign_test(5, 5) == 1.0
    assert sign_test(5, 0) == pytest.approx(2 / 32)
    assert sign_test(0, 5) == sign_test(5, 0)


def test_versus_counts_small_differences_as_ties():
    ours, theirs = np.array([0.5, 0.5, 0.5, 0.9]), np.array([0.4, 0.4995, 0.7, 0.9])
    found = versus(ours, theirs)
    assert (found["win"], found["tie"], found["loss"]) == (1, 2, 1)


def test_summary():
    def entry(cart, ours):
        rest = {"leaves": [4.0], "seconds": [1.0]}
        models = {"CART tuned": {"score": [cart], **rest}}
        models["DPDT CV"] = {"score": [ours, ours], **rest}
        return {"task": "regression", "n": 10, "p": 2, "models": models}

    sets = {"a": entry(0.5, 0.7), "b": entry(0.6, 0.6)}
    found = summarize(sets, "regression")
    assert found["DPDT CV"]["vs CART tuned"]["win"] == 1
    assert found["DPDT CV"]["rank"] == pytest.approx(1.25)
    assert found["CART tuned"]["score"] == pytest.approx(0.55)
    assert summarize(sets, "classification") == {}
    results = {name: e["models"] for name, e in sets.items()}
    np.testing.assert_allclose(
        mean_ranks(results, ["CART tuned", "DPDT CV"]), [1.75, 1.25]
    )
