"""A boosted fit in the core: one session, or one for each of several outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdtree._boosting.sample import Array, Sample
from dpdtree._core import BoostingModel, BoostingParams, BoostingSession

Session = Any  # a BoostingSession, or what looks like one


def open_session(
    train: Sample,
    held_out: Sample | None,
    n_classes: int,
    params: BoostingParams,
    before: BoostingModel | None,
) -> Session:
    """Bin the data and get ready for the first, or the next, iteration."""
    if train.y.ndim == 1:
        return _one_output(train, held_out, n_classes, params, before, None)
    sessions: list[BoostingSession] = []
    for k in range(train.y.shape[1]):
        sessions.append(
            _one_output(
                train.output(k),
                None if held_out is None else held_out.output(k),
                n_classes,
                params,
                None if before is None else _output_of(before, k),
                sessions[0] if sessions else None,
            )
        )
    return SeveralOutputs(sessions)


def _one_output(
    train: Sample,
    held_out: Sample | None,
    n_classes: int,
    params: BoostingParams,
    before: BoostingModel | None,
    like: BoostingSession | None,
) -> BoostingSession:
    return BoostingSession(
        train.X,
        train.y,
        train.weight,
        n_classes,
        params,
        None if held_out is None else held_out.X,
        None if held_out is None else held_out.y,
        None if held_out is None else held_out.weight,
        before,
        like,
        train.init,
        None if held_out is None else held_out.init,
    )


class SeveralOutputs:
    """Sessions of the outputs of one fit, an iteration of each at a time.

    To the loop it is one session with so many outputs; losses are means over these.
    """

    def __init__(self, sessions: Sequence[BoostingSession]) -> None:
        self._sessions = sessions
        self.n_outputs = len(sessions)
        self.stop_reason = "completed"

    @property
    def n_iterations(self) -> int:
        """Iterations that all outputs have."""
        return min(s.n_iterations for s in self._sessions)

    def run(self, n: int, callback: Callable[[int], bool] | None) -> int:
        """Make up to n more iterations; return how many."""
        done: int = BoostingSession.run_together(self._sessions, n, callback)
        self.stop_reason = self._sessions[0].stop_reason
        return done

    def step(self, gradient: Array, hessian: Array) -> bool:
        """Make an iteration with derivatives from outside."""
        slopes = np.asfortranarray(gradient), np.asfortranarray(hessian)
        return self._step_all(
            lambda session, k: session.step(*(s[:, k : k + 1] for s in slopes))
        )

    def _step_all(self, step: Callable[[BoostingSession, int], bool]) -> bool:
        for k, session in enumerate(self._sessions):
            if not step(session, k):
                self.stop_reason = "time_limit"
                return False
        return True

    def noise_share(self, n_rows: float) -> float:
        """Return the share of the targets that is noise, the mean of the outputs."""
        return float(np.mean([s.noise_share(n_rows) for s in self._sessions]))

    def set_pace(self, learning_rate: float, max_leaf_nodes: int) -> None:
        """Set the rate and the size of the trees to come."""
        for session in self._sessions:
            session.set_pace(learning_rate, max_leaf_nodes)

    def train_loss(self) -> float:
        """Return the loss of the training rows."""
        return float(np.mean([s.train_loss() for s in self._sessions]))

    def val_loss(self) -> float:
        """Return the loss of the validation rows."""
        return float(np.mean([s.val_loss() for s in self._sessions]))

    def loss_of(self, y: Array, raw: Array, weight: Array | None) -> float:
        """Return the loss of other rows."""
        columns = zip(self._sessions, y.T, raw.T, strict=True)
        losses = [
            session.loss_of(
                np.ascontiguousarray(target),
                np.ascontiguousarray(score)[:, np.newaxis],
                weight,
            )
            for session, target, score in columns
        ]
        return float(np.mean(losses))

    @property
    def raw_train(self) -> Array:
        """Raw scores of the training rows, a column per output."""
        return np.hstack([s.raw_train for s in self._sessions])

    @property
    def raw_val(self) -> Array:
        """Raw scores of the validation rows, a column per output."""
        return np.hstack([np.asarray(s.raw_val) for s in self._sessions])

    @property
    def model(self) -> BoostingModel:
        """The trees of all outputs, up to the last iteration that all have."""
        return _merged([s.model for s in self._sessions], self.n_iterations)

    @property
    def latest(self) -> BoostingModel:
        """The trees of the last iteration alone."""
        return _merged([s.latest for s in self._sessions], 1)


def _merged(models: Sequence[BoostingModel], n_iterations: int) -> BoostingModel:
    baseline = np.concatenate([model.baseline for model in models])
    trees = [model.tree(i, 0) for i in range(n_iterations) for model in models]
    return BoostingModel.from_trees(models[0].n_features, baseline, trees)


def _output_of(model: BoostingModel, k: int) -> BoostingModel:
    baseline: NDArray[np.float64] = model.baseline[k : k + 1]
    trees = [model.tree(i, k) for i in range(model.n_iterations)]
    return BoostingModel.from_trees(model.n_features, baseline, trees)
