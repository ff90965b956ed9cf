"""How many threads `n_jobs` stands for."""

from __future__ import annotations

from joblib.parallel import ThreadingBackend, get_active_backend


def n_threads(n_jobs: int | None) -> int:
    """Return the number of threads for n_jobs as joblib reads it.

    The core has threads, whatever joblib starts: a backend that starts processes would
    refuse, with a warning, where none can be started.
    """
    backend, default = get_active_backend()
    if not getattr(backend, "supports_sharedmem", False):
        backend = ThreadingBackend(nesting_level=backend.nesting_level)
    return max(1, int(backend.effective_n_jobs(default if n_jobs is None else n_jobs)))
