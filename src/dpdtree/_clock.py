"""The time of a fit that consists of many steps."""

from __future__ import annotations

import time


class Clock:
    """Seconds since the fit began, and what is left of the limit."""

    def __init__(self, limit: float | None) -> None:
        self._start = time.perf_counter()
        self._limit = limit

    def seconds(self) -> float:
        return time.perf_counter() - self._start

    def left(self) -> float:
        """What the core takes as a limit: negative for none."""
        return -1.0 if self._limit is None else max(0.0, self._limit - self.seconds())
