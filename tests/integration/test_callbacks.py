"""scikit-learn's callbacks see a fit and can end a proof."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from dpdtree import DPDTreeClassifier, _callbacks
from tests.integration.data import make_classes

callback = pytest.importorskip("sklearn.callback")


class Recorder:
    """Keeps what it is told; ends a proof after `most` subtasks."""

    def __init__(self, most=10**9):
        self.most = most
        self.events = []
        self.states = []
        self.fitted = None

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context, *, X, metadata):
        if context.task_name == "fit":
            self.events.append(("begin", X.shape, sorted(metadata)))

    def on_fit_task_end(self, estimator, context, *, metadata, fitted_estimator):
        if context.task_name == "fit":
            self.events.append("end")
            self.fitted = fitted_estimator
            return False
        self.states.append((metadata["objective"], metadata["lower_bound"]))
        return len(self.states) >= self.most


@pytest.fixture(autouse=True)
def every_step(monkeypatch):
    monkeypatch.setattr(_callbacks, "INTERVAL", 0.0)


@pytest.mark.parametrize("strategy", ["greedy", "paper", "balanced", "optimal"])
def test_a_fit_is_a_task(strategy):
    X, y = make_classes()
    seen = Recorder()
    model = DPDTreeClassifier(strategy=strategy, max_depth=2).set_callbacks(seen)
    model.fit(X, y)
    begin = ("begin", X.shape, ["sample_weight"])
    assert seen.events == ["setup", begin, "end", "teardown"]
    np.testing.assert_array_equal(seen.fitted.predict(X), model.predict(X))
    plain = DPDTreeClassifier(strategy=strategy, max_depth=2).fit(X, y)
    np.testing.assert_array_equal(plain.apply(X), model.apply(X))
    assert seen.states == [point[1:] for point in model.report_.trace]
    assert bool(seen.states) == (strategy == "optimal")


def test_a_callback_ends_a_proof():
    X, y = make_classes(2000)
    seen = Recorder(most=3)
    model = DPDTreeClassifier(strategy="optimal").set_callbacks(seen).fit(X, y)
    assert model.report_.stop_reason == "callback"
    assert len(seen.states) == 3
    assert not model.is_optimal_
    assert model.lower_bound_ <= model.objective_
    balanced = DPDTreeClassifier().fit(X, y)
    assert model.objective_ <= balanced.objective_
    assert seen.events[-2:] == ["end", "teardown"]


def test_failing_fits_are_torn_down():
    X, y = make_classes()
    seen = Recorder()
    model = DPDTreeClassifier().set_callbacks(seen)
    bad = X.copy()
    bad[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(bad, y)
    assert seen.events[-1] == "teardown"
    assert "end" not in seen.events
    assert not [name for name in vars(model) if "ctx" in name]


def test_errors_of_a_callback_reach_the_caller():
    class Failing(Recorder):
        def on_fit_task_end(self, estimator, context):
            raise RuntimeError("no more")

    X, y = make_classes()
    model = DPDTreeClassifier(strategy="optimal").set_callbacks(Failing())
    with pytest.raises(RuntimeError, match="no more"):
        model.fit(X, y)
    assert not model.__sklearn_is_fitted__()


def test_progress_bar_of_a_grid_search():
    """Without support scikit-learn would warn, and warnings are errors here."""
    pytest.importorskip("rich")
    X, y = make_classes()
    grid = {"alpha": [0.0, 0.01]}
    search = GridSearchCV(DPDTreeClassifier(max_depth=2), grid, cv=2)
    search.set_callbacks(callback.ProgressBar(max_propagation_depth=None))
    assert search.fit(X, y).best_params_["alpha"] in grid["alpha"]


def test_callbacks_are_cloned():
    model = DPDTreeClassifier().set_callbacks(Recorder())
    assert clone(model).fit(*make_classes()).__sklearn_is_fitted__()
