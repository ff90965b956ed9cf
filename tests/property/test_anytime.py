"""Under a time limit everything that is said stays true."""

from __future__ import annotations

import time
from functools import cache
from typing import Any

import numpy as np
import pytest

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from tests.property.problems import Array, Sample, make_sample

LIMITS = (0.0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
#: Rounding of the numbers in a trace.
CLOSE = 1e-9


@cache
def sample_of(name: str) -> Sample:
    """A problem whose proof takes some tenths of a second."""
    loss, classes, weighting, missing = {
        "two classes": ("zero_one", 2, "none", 0.0),
        "four classes": ("zero_one", 4, "none", 0.0),
        "weights": ("zero_one", 3, "real", 0.0),
        "missing": ("zero_one", 2, "none", 0.1),
        "regression": ("squared_error", 2, "none", 0.0),
    }[name]
    size: dict[str, Any] = {"n": 600, "p": 4, "levels": 150}
    return make_sample(
        7, loss=loss, classes=classes, weighting=weighting, missing=missing, **size
    )


NAMES = ("two classes", "four classes", "weights", "missing", "regression")
OBJECTIVES: dict[str, dict[str, Any]] = {
    "plain": {},
    "path length": {"alpha": 0.005},
    "leaves": {"alpha": 0.005, "complexity": "n_leaves", "min_samples_leaf": 5},
}


@cache
def proof(name: str, objective: str) -> Any:
    """The completed search, to compare with."""
    chosen = {"strategy": "optimal", "max_depth": 2, **OBJECTIVES[objective]}
    model = sample_of(name).fit(**chosen)
    assert model.is_optimal_
    return model


def check_trace(model: Any) -> None:
    """Time and bound rise, the objective falls, and the end is what is reported."""
    trace = np.array(model.report_.trace).reshape(-1, 3)
    seconds, objective, bound = trace.T
    assert (np.diff(seconds) >= 0).all()
    assert (np.diff(objective) <= CLOSE).all()
    assert (np.diff(bound) >= -CLOSE).all()
    assert (bound <= objective + CLOSE).all()
    if len(trace):
        assert model.objective_ <= objective[-1] + CLOSE
        assert model.lower_bound_ >= bound[-1] - CLOSE


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", NAMES)
def test_bounds_are_true_whenever_it_stops(name: str, objective: str) -> None:
    best = proof(name, objective).objective_
    check_trace(proof(name, objective))
    chosen = {"strategy": "optimal", "max_depth": 2, **OBJECTIVES[objective]}
    for limit in LIMITS:
        model = sample_of(name).fit(time_limit=limit, **chosen)
        assert model.objective_ >= best - CLOSE
        assert model.lower_bound_ <= best + CLOSE
        assert model.gap_ == pytest.approx(
            model.objective_ - model.lower_bound_, abs=1e-12
        )
        if model.is_optimal_:
            assert model.objective_ == pytest.approx(best, abs=CLOSE)
        assert model.report_.stop_reason in ("completed", "time_limit")
        check_trace(model)


@pytest.mark.parametrize("classes", [2, 3])
def test_deeper_bounds_are_true(classes: int) -> None:
    sample = make_sample(1, loss="zero_one", n=150, p=3, levels=40, classes=classes)
    full = sample.fit(strategy="optimal", max_depth=3)
    assert full.is_optimal_
    for limit in LIMITS:
        model = sample.fit(strategy="optimal", max_depth=3, time_limit=limit)
        assert model.lower_bound_ <= full.objective_ + CLOSE <= model.objective_ + 1e-8
        assert not model.is_optimal_ or model.loss_ == pytest.approx(full.loss_)


@pytest.mark.parametrize("name", NAMES)
def test_deeper_trees_bound_shallower_ones(name: str) -> None:
    """A bound for depth 3 also holds for the best tree of depth 2."""
    deep = sample_of(name).fit(strategy="optimal", max_depth=3, time_limit=0.3)
    assert deep.lower_bound_ <= proof(name, "plain").objective_ + CLOSE
    balanced = sample_of(name).fit(strategy="balanced", max_depth=3)
    if deep.report_.stop_reason == "time_limit":
        assert deep.objective_ <= balanced.objective_ + CLOSE


def large(n: int) -> tuple[Array, Array]:
    """Rows enough that no search of them ends at once."""
    rng = np.random.default_rng(0)
    X = rng.random((n, 10))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + 0.2 * rng.random(n) > 0.9).astype(int)


@pytest.mark.parametrize("strategy", ["paper", "balanced", "optimal"])
@pytest.mark.parametrize("kind", [DPDTreeClassifier, DPDTreeRegressor])
def test_time_limit_on_a_large_set(kind: Any, strategy: str) -> None:
    """0.25 s on an idle machine; five seconds here say that it stops at all."""
    X, y = large(200_000)
    start = time.perf_counter()
    model = kind(strategy=strategy, max_depth=4, time_limit=0.05).fit(X, y)
    assert time.perf_counter() - start < 5.0
    assert model.report_.stop_reason == "time_limit"
    assert not model.is_optimal_
    if strategy == "optimal":
        assert 0.0 <= model.lower_bound_ <= model.objective_
    else:
        assert np.isnan(model.lower_bound_)
    assert model.tree_.n_node_samples[0] == 200_000
    loss = np.mean((model.predict(X) - y) ** 2)
    assert model.loss_ == pytest.approx(loss)


def test_the_other_strategies_have_no_trace() -> None:
    for strategy in ("greedy", "paper", "balanced"):
        model = sample_of("two classes").fit(strategy=strategy, max_depth=2)
        assert model.report_.trace == ()


def test_progress_is_shown(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpdtree._progress.INTERVAL", 0.0)
    monkeypatch.setattr("dpdtree._progress.STRETCH", 0.0)
    sample = sample_of("two classes")
    model = sample.fit(strategy="optimal", max_depth=2, verbose=1)
    *lines, last = capsys.readouterr().out.splitlines()
    assert lines
    proof = [line for line in lines if "lower bound" in line]
    assert proof
    assert all("gap" in line for line in proof)
    assert all("lower bound" in line or "% done" in line for line in lines)
    assert last.startswith("[DPDTreeClassifier] FitReport(optimal, completed in")
    states = [line for line in proof if "% done" not in line]
    assert len(states) <= len(model.report_.trace)
