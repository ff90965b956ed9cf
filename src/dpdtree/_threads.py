"""How many threads `n_jobs` stands for."""

from __future__ import annotations

from joblib import cpu_count
from joblib.parallel import ThreadingBackend, get_active_backend

#: Threads that may be had, however few cores there are; and threads per core. More of
#: them only take memory.
_ALWAYS = 16
_PER_CORE = 4


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for n_jobs as joblib reads it.

    The core has threads, whatever joblib starts: a backend that starts processes would
    refuse, with a warning, where none can be started. No more threads than a few per
    core, whatever is asked for.
    """
    backend, default = get_active_backend()
    if not getattr(backend, "supports_sharedmem", False):
        backend = ThreadingBackend(nesting_level=backend.nesting_level)
    wanted = int(backend.effective_n_jobs(default if n_jobs is None else n_jobs))
    if wanted > _ALWAYS:
        wanted = min(wanted, max(_ALWAYS, _PER_CORE * cpu_count()))
    return max(1, wanted)
