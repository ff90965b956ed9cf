"""The loop around the boosting core: scores, early stopping, own losses, callbacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from dpdtree._boosting.sample import Array, Opened, Sample, Target
from dpdtree._boosting.sessions import Session
from dpdtree._boosting.watch import Watch
from dpdtree._clock import Clock
from dpdtree._core import BoostingModel
from dpdtree._numbers import clipped
from dpdtree._progress import Heartbeat

__all__ = ["Array", "BoostingProgress", "Loop", "Opened", "Rules", "Sample", "Target"]

# Characters of the progress bar.
_BAR_WIDTH = 20


class BoostingProgress(NamedTuple):
    """What a callback of `fit` gets after each iteration; return True to stop.

    Attributes
    ----------
    iteration, max_iter : int
        Iterations made, and at most.
    seconds : float
        Time since the fit began.
    train_score, validation_score : float or None
        The latest scores; None without one (of a custom loss), or without
        validation rows.
    evaluations : dict of dict of float
        The latest values of `eval_set`, by set and metric.
    """

    iteration: int
    max_iter: int
    seconds: float
    train_score: float | None
    validation_score: float | None
    evaluations: Mapping[str, Mapping[str, float]] = MappingProxyType({})


@dataclass
class Scores:
    """Scores of the model without trees, with those of one iteration and so on."""

    train: list[float] = field(default_factory=list)
    validation: list[float] = field(default_factory=list)

    @property
    def deciding(self) -> list[float]:
        """The scores that decide when to stop."""
        return self.validation or self.train

    def stagnate(self, n_iter_no_change: int, tol: float) -> bool:
        """Whether none of the last iterations beats the score before them."""
        if len(self.deciding) <= n_iter_no_change:
            return False
        *recent, before = self.deciding[: -n_iter_no_change - 2 : -1]
        return max(recent) <= before + tol

    def best_iteration(self) -> int:
        """The first with the best score; one tree at least."""
        return max(1, int(np.argmax(self.deciding)))

    def cut(self, n_iter: int) -> None:
        """Forget the iterations after that one."""
        del self.train[n_iter + 1 :], self.validation[n_iter + 1 :]


@dataclass
class Rules:
    """When to stop, and whom to tell."""

    max_iter: int
    n_iter_no_change: int | None  # None: no early stopping
    tol: float
    callbacks: Sequence[Callable[[BoostingProgress], object]]
    line: Heartbeat


class Loop:
    """One fit: runs the session, keeps the scores, knows why it ended."""

    def __init__(
        self,
        session: Session,
        rules: Rules,
        scores: Scores,
        score: Callable[[], tuple[float, float | None]] | None,
        watch: Watch | None,
        clock: Clock,
    ) -> None:
        self._session = session
        self._rules = rules
        self._score = score
        self._watch = watch
        self._clock = clock
        self.scores = scores
        self.stop_reason = "completed"

    def run(self, objective: Callable[..., Any] | None, train: Sample) -> BoostingModel:
        """Make the iterations; return the model, cut back to its best iteration."""
        session = self._session
        if self._score is not None and not self.scores.train:
            self._keep_score()
        if self._watch is not None:
            self._watch.begin(session.model)
        if objective is not None:
            self._run_objective(objective, train)
        elif (missing := self._rules.max_iter - session.n_iterations) > 0:
            session.run(clipped(missing), self._after)
            if session.stop_reason == "time_limit":
                self.stop_reason = "time_limit"
        model: BoostingModel = session.model
        if self._score is not None and self._rules.n_iter_no_change is not None:
            best = min(self.scores.best_iteration(), model.n_iterations)
            self.scores.cut(best)
            model = model.truncated(best)
        return model

    def _run_objective(self, objective: Callable[..., Any], train: Sample) -> None:
        session = self._session
        while session.n_iterations < self._rules.max_iter:
            if self._clock.left() == 0.0:
                self.stop_reason = "time_limit"
                return
            slopes = evaluate(objective, train, session)
            if not session.step(*slopes):
                self.stop_reason = "time_limit"
                return
            if not self._after(session.n_iterations):
                return

    def _keep_score(self) -> None:
        assert self._score is not None
        train, validation = self._score()
        self.scores.train.append(train)
        if validation is not None:
            self.scores.validation.append(validation)

    def _after(self, iteration: int) -> bool:
        """Score the latest iteration and tell others; False ends the fit."""
        rules = self._rules
        if self._score is not None:
            self._keep_score()
        watch = self._watch
        latest = {} if watch is None else watch.after(self._session.latest)
        state = BoostingProgress(
            iteration,
            rules.max_iter,
            self._clock.seconds(),
            self.scores.train[-1] if self.scores.train else None,
            self.scores.validation[-1] if self.scores.validation else None,
            latest,
        )
        rules.line.note(lambda: _in_words(state))
        answers = [callback(state) for callback in rules.callbacks]
        if True in answers:
            self.stop_reason = "callback"
        elif rules.n_iter_no_change is not None and self.scores.stagnate(
            rules.n_iter_no_change, rules.tol
        ):
            self.stop_reason = "early_stopping"
        return self.stop_reason == "completed"


def _in_words(state: BoostingProgress) -> str:
    filled = _BAR_WIDTH * state.iteration // state.max_iter
    bar = "#" * filled + "-" * (_BAR_WIDTH - filled)
    share = 100 * state.iteration // state.max_iter
    text = f"{bar} iteration {state.iteration} of {state.max_iter} ({share} %)"
    if state.train_score is not None:
        text += f", train score {state.train_score:.6g}"
    if state.validation_score is not None:
        text += f", validation score {state.validation_score:.6g}"
    for name, values in state.evaluations.items():
        text += "".join(f", {name} {key} {value:.6g}" for key, value in values.items())
    return text


def evaluate(
    objective: Callable[..., Any], train: Sample, session: Session
) -> tuple[Array, Array]:
    """Return gradient and hessian of an own loss, checked; the core weighs them."""
    raw = session.raw_train
    answer = objective(train.y, raw[:, 0] if raw.shape[1] == 1 else raw)
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise TypeError(
            "A callable loss must return (gradient, hessian), got"
            f" {type(answer).__name__}."
        )
    iteration = session.n_iterations + 1
    gradient, hessian = (
        _checked(values, name, raw.shape, iteration)
        for values, name in zip(answer, ("gradient", "hessian"), strict=True)
    )
    if hessian.min() < 0.0:
        raise ValueError(
            f"The loss returned a negative hessian at iteration {iteration}."
        )
    return gradient, hessian


def _checked(values: Any, name: str, shape: tuple[int, ...], iteration: int) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 1 and shape[1] == 1:
        array = array[:, np.newaxis]
    if array.shape != shape:
        wanted = shape if shape[1] > 1 else shape[:1]
        raise ValueError(
            f"The {name} the loss returned at iteration {iteration} has shape"
            f" {np.shape(values)}, expected {wanted}."
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"The {name} the loss returned at iteration {iteration} contains NaN or"
            " infinity."
        )
    return np.ascontiguousarray(array)
