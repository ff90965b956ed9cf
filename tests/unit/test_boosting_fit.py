"""The loop around the boosting core: scores, own losses, constraints."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from dpdtree._boosting.loop import Scores, evaluate
from dpdtree._boosting.sample import Sample
from dpdtree._input.constraints import interaction_groups, monotonic_directions


@pytest.mark.parametrize(
    ("scores", "patience", "tol", "stops"),
    [
        ([1.0], 1, 0.0, False),
        ([1.0, 0.9], 1, 0.0, True),
        ([1.0, 1.1], 1, 0.0, False),
        ([1.0, 1.1], 1, 0.2, True),
        ([1.0, 0.5, 0.9], 2, 0.0, True),
        ([1.0, 0.5, 1.1], 2, 0.0, False),
        ([0.0, 1.0, 0.5, 0.9], 2, 0.0, True),
        ([0.0, 1.0, 0.5], 2, 0.0, False),
        ([1.0, 1.0, 1.0], 2, 0.0, True),
    ],
)
def test_stagnation(scores, patience, tol, stops):
    assert Scores(train=scores).stagnate(patience, tol) is stops
    assert Scores(train=[0.0], validation=scores).stagnate(patience, tol) is stops


def test_best_iteration():
    assert Scores([3.0, 1.0, 2.0, 2.0]).best_iteration() == 1
    assert Scores([0.0, 1.0, 2.0, 2.0]).best_iteration() == 2
    scores = Scores([0.0, 1.0, 2.0], [5.0, 6.0, 1.0])
    assert scores.best_iteration() == 1
    scores.cut(1)
    assert (scores.train, scores.validation) == ([0.0, 1.0], [5.0, 6.0])


def session(raw, n_iterations=4):
    return SimpleNamespace(raw_train=np.asarray(raw, float), n_iterations=n_iterations)


def test_own_loss_is_left_to_the_core_to_weigh():
    weight = np.array([1.0, 0.5, 2])
    train = Sample(np.zeros((3, 1)), np.array([1.0, 2.0, 3.0]), weight)
    gradient, hessian = evaluate(
        lambda y, raw: (raw - y, np.ones_like(y)), train, session(np.zeros((3, 1)))
    )
    np.testing.assert_array_equal(gradient, [[-1.0], [-2.0], [-3.0]])
    np.testing.assert_array_equal(hessian, [[1.0], [1.0], [1.0]])


def test_own_loss_of_several_outputs():
    train = Sample(np.zeros((2, 1)), np.array([0.0, 1.0]), None)
    seen = []

    def loss(y, raw):
        seen.append(raw.shape)
        return raw + 1, raw + 2

    gradient, _ = evaluate(loss, train, session(np.zeros((2, 3))))
    assert seen == [(2, 3)]
    assert gradient.shape == (2, 3)


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (1.0, TypeError, r"must return \(gradient, hessian\)"),
        ((np.zeros(2), np.ones(3)), ValueError, r"gradient .* iteration 5 has shape"),
        (
            (np.zeros(3), np.ones((3, 2))),
            ValueError,
            "hessian .* iteration 5 has shape",
        ),
        (([0, np.nan, 0], np.ones(3)), ValueError, "gradient .* iteration 5 .*NaN"),
        ((np.zeros(3), [1, np.inf, 1]), ValueError, "hessian .* iteration 5 .*NaN"),
        ((np.zeros(3), [1, -1, 1]), ValueError, "negative hessian at iteration 5"),
    ],
)
def test_bad_answers_of_own_losses(answer, error, text):
    train = Sample(np.zeros((3, 1)), np.zeros(3), None)
    with pytest.raises(error, match=text):
        evaluate(lambda y, raw: answer, train, session(np.zeros((3, 1))))


def test_interaction_groups():
    assert interaction_groups(None, 3) == []
    assert interaction_groups("no_interactions", 3) == [[0], [1], [2]]
    assert interaction_groups("pairwise", 3) == [[0, 1], [0, 2], [1, 2]]
    assert interaction_groups("pairwise", 1) == [[0]]
    assert interaction_groups([{2, 0}], 4) == [[0, 2], [1, 3]]
    assert interaction_groups([[0, 1], [1, 2]], 3) == [[0, 1], [1, 2]]
    with pytest.raises(ValueError, match=r"lists the features \[3\], but X has 3"):
        interaction_groups([[3]], 3)


def test_monotonic_directions():
    def resolve(wanted, names=None):
        estimator = SimpleNamespace(monotonic_cst=wanted)
        if names:
            estimator.feature_names_in_ = np.array(names)
        return monotonic_directions(estimator, 2)

    assert resolve(None) == []
    assert resolve(np.array([1, -1])) == [1, -1]
    assert resolve({"b": -1}, ["a", "b"]) == [0, -1]
    with pytest.raises(ValueError, match="has 3 entries, but X has 2"):
        resolve([0, 0, 1])
    with pytest.raises(ValueError, match="X has no feature names"):
        resolve({"b": 1})
    with pytest.raises(ValueError, match=r"does not have: \['c'\]"):
        resolve({"c": 1}, ["a", "b"])
