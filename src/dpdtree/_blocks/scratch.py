"""Memory for codes: a file without a name, mapped, or nothing."""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray


def scratch(cache_dir: Any, n_bytes: int) -> NDArray[np.uint8] | None:
    """Return bytes of a mapped file in that directory; None keeps codes in memory.

    The file loses its name at once, so that nothing is left of it however the process
    ends.
    """
    if cache_dir is None:
        return None
    with tempfile.TemporaryFile(dir=cache_dir) as file:
        try:
            # All of it now: a full disk would kill the process when it is written to.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, n_bytes)
            else:
                file.truncate(n_bytes)
        except OSError as error:
            raise OSError(
                f"cache_dir={os.fspath(cache_dir)!r} has no room for {n_bytes} bytes:"
                f" {error}"
            ) from error
        return np.frombuffer(mmap.mmap(file.fileno(), n_bytes), dtype=np.uint8)
