"""Where functions of blocks run: two verbs, in this process or on a Dask cluster.

A handle stands for a value that somebody keeps; `put` makes one, `call` asks all of
them something and returns the answers in order. Functions are pure, so that either can
be done again, by anybody, when a worker is lost.
"""

from __future__ import annotations

import pickle
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

#: Seconds without any worker until a fit is given up.
NO_WORKERS_TIMEOUT = 60.0
#: Seconds between two looks at the workers.
POLL = 0.5
#: So many answers are merged at a time, where they are; the client gets one.
FAN_IN = 4


class Engine(Protocol):
    """What a fit asks of whoever holds the blocks."""

    rounds: int
    n_bytes: int

    def put(
        self, function: Callable[..., Any], *sources: Any, place: int | None = None
    ) -> Any:
        """Return a handle of function(*sources), of handles or plain values.

        Handles of different places should be kept by different workers.
        """

    def n_places(self, n_blocks: int) -> int:
        """Return how many places so many blocks should be put together in."""

    def memory_limit(self) -> int | None:
        """Return how many bytes the smallest worker may take; None: any number."""

    def gather(self, handles: list[Any]) -> list[Any]:
        """Return the values of handles."""

    def call(
        self, function: Callable[..., Any], handles: Sequence[Any], requests: Any
    ) -> list[Any]:
        """Return function(value, request) for each handle and its request."""

    def ask(self, question: Question, handles: Sequence[Any], request: bytes) -> bytes:
        """Return the merged answers of all handles to one request."""


class Question(NamedTuple):
    """Bytes in, bytes out: what to call, and how answers become one."""

    function: Callable[[Any, bytes], bytes]
    merge: Callable[[list[bytes]], bytes]


def answer(function: Callable[..., Any], value: Any, request: bytes) -> bytes:
    """Bytes in, bytes out: what goes over the wire can be counted."""
    result = function(value, pickle.loads(request))
    return pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)


class LocalEngine:
    """Everything at once, in this process."""

    lost_workers = 0

    def __init__(self) -> None:
        self.rounds = 0
        self.n_bytes = 0

    def put(
        self, function: Callable[..., Any], *sources: Any, place: int | None = None
    ) -> Any:
        """Return the value itself: it is its own handle."""
        return function(*sources)

    def n_places(self, n_blocks: int) -> int:
        """Return the number of blocks."""
        return n_blocks

    def memory_limit(self) -> int | None:
        """Return None: there is but one place."""
        return None

    def gather(self, handles: list[Any]) -> list[Any]:
        """Return the handles, which are the values."""
        return handles

    def call(
        self, function: Callable[..., Any], handles: Sequence[Any], requests: Any
    ) -> list[Any]:
        """Ask one after the other."""
        self.rounds += 1
        answers = [
            answer(function, value, pickle.dumps(request))
            for value, request in zip(handles, requests, strict=True)
        ]
        self.n_bytes += sum(map(len, answers))
        return [pickle.loads(one) for one in answers]

    def ask(self, question: Question, handles: Sequence[Any], request: bytes) -> bytes:
        """Ask one after the other; merge as on a cluster."""
        self.rounds += 1
        answers = [question.function(value, request) for value in handles]
        self.n_bytes += sum(map(len, answers))
        while len(answers) > FAN_IN:
            answers = [question.merge(some) for some in _groups(answers)]
        return question.merge(answers)


def _groups(items: list[Any]) -> list[list[Any]]:
    return [items[k : k + FAN_IN] for k in range(0, len(items), FAN_IN)]


class DaskEngine:
    """Futures of a Dask client; none of them is tied to a worker."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._known: set[str] = set()
        self._futures: weakref.WeakSet[Any] = weakref.WeakSet()
        self._alone_since: float | None = None
        self._looked = 0.0
        self._present: set[str] = set()
        self._homes: dict[str, str] = {}
        self.rounds = 0
        self.n_bytes = 0
        self._look()

    def put(
        self, function: Callable[..., Any], *sources: Any, place: int | None = None
    ) -> Any:
        """Return a future, which Dask can compute again if its worker is lost."""
        worker = None
        if place is not None and (workers := sorted(self._look())):
            worker = workers[place % len(workers)]
        future = self._submit(worker, function, *sources)
        if worker is not None:
            self._homes[future.key] = worker
        return future

    def _submit(self, worker: str | None, function: Any, *sources: Any) -> Any:
        where: dict[str, Any] = {}
        if worker is not None:  # a wish, no more: any other one may take it
            where = {"workers": [worker], "allow_other_workers": True}
        future = self._client.submit(function, *sources, pure=False, **where)
        self.watch([future])
        return future

    def _home(self, handle: Any) -> str | None:
        """Return the worker that keeps a value, unless it has gone."""
        home = self._homes.get(handle.key)
        return home if home in self._present else None

    def n_places(self, n_blocks: int) -> int:
        """Return the number of workers: the fewer partitions, the cheaper a round."""
        return min(n_blocks, max(1, len(self._look())))

    def memory_limit(self) -> int | None:
        """Return the least limit of all workers."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [limit for w in workers if (limit := w.get("memory_limit"))]
        return min(limits, default=None)

    def watch(self, futures: list[Any]) -> None:
        """Note futures that are to be cancelled with the fit."""
        self._futures.update(futures)

    def cancel(self) -> None:
        """Leave no task of this fit behind."""
        self._client.cancel(list(self._futures), force=True)

    def call(
        self, function: Callable[..., Any], handles: Sequence[Any], requests: Any
    ) -> list[Any]:
        """Ask all blocks at once; wait for the answers."""
        self.rounds += 1
        futures = [
            self.put(answer, function, value, pickle.dumps(request))
            for value, request in zip(handles, requests, strict=True)
        ]
        answers = self.gather(futures)
        self.n_bytes += sum(map(len, answers))
        return [pickle.loads(one) for one in answers]

    def ask(self, question: Question, handles: Sequence[Any], request: bytes) -> bytes:
        """Ask all blocks at once; workers merge what they answer."""
        self.rounds += 1
        futures = [
            self._submit(self._home(value), question.function, value, request)
            for value in handles
        ]
        while len(futures) > FAN_IN:
            futures = [self.put(question.merge, some) for some in _groups(futures)]
        answers = self.gather(futures)
        self.n_bytes += sum(map(len, answers))
        return question.merge(answers)

    def gather(self, futures: list[Any]) -> list[Any]:
        """Return the results; raise if there has been no worker for a minute."""
        import distributed

        async def fetched() -> Any:
            return await self._client.gather(futures, asynchronous=True)

        patience = POLL
        try:
            while True:
                self._wait(futures)
                try:
                    return list(self._client.sync(fetched, callback_timeout=patience))
                except distributed.TimeoutError:
                    # Slow, or their workers went after all was done: then they are
                    # made again, once there are workers.
                    self._look()
                    patience *= 2
        except distributed.KilledWorker as error:
            raise RuntimeError(
                "A block of rows ended every worker that took it, for lack of memory"
                f" most likely: use smaller partitions. ({error})"
            ) from error

    def _wait(self, futures: list[Any]) -> None:
        """Wait until all are done; raise if there has been no worker for a minute."""
        import distributed

        pending = futures
        while pending:
            try:
                pending = list(distributed.wait(pending, timeout=POLL).not_done)
            except distributed.TimeoutError:
                pending = [future for future in futures if not future.done()]
            if time.monotonic() - self._looked > POLL:
                self._look()

    @property
    def lost_workers(self) -> int:
        """Workers that have been there, and are no more."""
        return len(self._known - set(self._look()))

    def _look(self) -> list[str]:
        self._looked = time.monotonic()
        workers = list(self._client.scheduler_info(n_workers=-1)["workers"])
        self._known.update(workers)
        self._present = set(workers)
        if workers:
            self._alone_since = None
            return workers
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        if now - self._alone_since > NO_WORKERS_TIMEOUT:
            raise RuntimeError(
                "The Dask cluster has had no worker for"
                f" {NO_WORKERS_TIMEOUT:.0f} seconds: start some and fit again."
            )
        return workers
