"""Where a model is searched: by one worker that gets all codes, or where rows are."""

from __future__ import annotations

from dpdtree.dask._engine import Engine

SEARCHES = ("auto", "one_worker", "distributed")

#: Bytes that one worker's search takes: of each code (as it comes, and as it is kept),
#: and of each row (targets, weights, scores, the rows of nodes).
BYTES_PER_CODE = 3
BYTES_PER_ROW = 96
#: Of the memory of the smallest worker: more than that is left to others.
SHARE = 0.5


def bytes_of_search(n_rows: int, n_features: int) -> int:
    """Return about what one worker needs to search a model by itself."""
    return n_rows * (BYTES_PER_CODE * n_features + BYTES_PER_ROW)


def fits_one_worker(engine: Engine, search: str, shape: tuple[int, int]) -> bool:
    """Whether one worker is to search, whatever else is possible.

    "auto" takes one worker, which is faster, as long as all that it needs fits into
    half the memory of each.
    """
    if search not in SEARCHES:
        known = ", ".join(f'"{name}"' for name in SEARCHES)
        raise ValueError(f"search must be one of {known}, got {search!r}.")
    if search != "auto":
        return search == "one_worker"
    limit = engine.memory_limit()
    return limit is None or bytes_of_search(*shape) <= SHARE * limit


def needs_one_worker(search: str, reason: str) -> bool:
    """Whether one worker has to search; raise if that is not wanted.

    `reason`: why it has to; empty if it has not.
    """
    if reason and search == "distributed":
        raise ValueError(
            'search="distributed" is not possible here:'
            f' {reason}. search="auto" lets one worker search.'
        )
    return bool(reason)
