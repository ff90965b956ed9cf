"""scikit-learn's callbacks (1.9 and later): a fit is a task, a proof has subtasks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn has none

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "FitTask", "managed"]

Method = TypeVar("Method", bound=Callable[..., Any])

#: Seconds between two subtasks: scikit-learn keeps a record of each.
INTERVAL = 0.1


def managed(method: Method) -> Method:
    """Make sure that callbacks are torn down when the method ends, however it does."""
    return cast("Method", with_callbacks(method))


class FitTask:
    """One fit as callbacks see it; does nothing if the estimator has none.

    A proof reports its state as subtasks whose metadata are `seconds`, `objective` and
    `lower_bound`. A callback that returns True at the end of one stops the proof.
    """

    def __init__(self, estimator: Any) -> None:
        self._estimator = estimator
        self._context: Any = None
        self._data: dict[str, Any] = {}
        self._next = 0.0

    def begin(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Announce the fit."""
        if not getattr(self._estimator, "_skl_callbacks", None):
            return
        open_end = None if self._estimator.strategy == "optimal" else 0
        self._context = self._estimator._init_callback_context(max_subtasks=open_end)
        metadata = {"sample_weight": sample_weight}
        self._data = {"estimator": self._estimator, "X": X, "y": y}
        self._context.call_on_fit_task_begin(**self._data, metadata=metadata)

    @property
    def watched(self) -> bool:
        """Whether anybody wants to know."""
        return self._context is not None

    def step(self, seconds: float, objective: float, lower_bound: float) -> bool:
        """Report the state of a proof; False asks for its end."""
        if seconds < self._next:
            return True
        self._next = seconds + INTERVAL
        state = {
            "seconds": seconds,
            "objective": objective,
            "lower_bound": lower_bound,
        }
        task = self._context.subcontext(task_name="proof")
        task.call_on_fit_task_begin(**self._data, metadata=state)
        return not task.call_on_fit_task_end(**self._data, metadata=state)

    def end(self, fitted: dict[str, Any]) -> None:
        """Announce the fitted attributes."""
        if self._context is not None:
            self._context.call_on_fit_task_end(
                **self._data, reconstruction_attributes=fitted
            )
