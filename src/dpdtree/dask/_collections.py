"""From Dask collections to futures of blocks, and from blocks to lazy predictions."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from dpdtree._blocks.tables import Block, Columns, divided


def client_of(client: Any) -> Any:
    """Return the client, or the one that is current."""
    from distributed import default_client

    return default_client() if client is None else client


def is_collection(X: Any) -> bool:
    """Whether X is a Dask DataFrame, Series or Array."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(
        X, "to_delayed"
    )


def partitions(client: Any, engine: Any, *collections: Any) -> list[Any]:
    """Return a handle of a block for each partition of (X, y, sample_weight)."""
    columns = [_delayed(c, name) for c, name in zip(collections, _NAMES, strict=False)]
    n = len(columns[0] or ())
    for parts, name in zip(columns, _NAMES, strict=False):
        if parts is not None and len(parts) != n:
            raise ValueError(
                f"{name} has {len(parts)} partitions, X has {n}: they must be"
                " partitioned alike."
            )
    # All in one graph: what X and y come from is read once.
    flat = client.compute([part for parts in columns if parts for part in parts])
    engine.watch(flat)
    blocks = []
    for k in range(n):
        taken = iter(flat[k::n])
        parts = [None if p is None else next(taken) for p in columns]
        blocks.append(engine.put(block_of, k, *parts))
    return blocks


_NAMES = ("X", "y", "sample_weight")


def block_of(number: int, X: Any, y: Any = None, weight: Any = None) -> Block:
    """Make a block of the parts of a partition."""
    return divided((X, y, weight), Columns(), f"partition {number}")


def _delayed(collection: Any, name: str) -> list[Any] | None:
    if collection is None:
        return None
    if not is_collection(collection):
        raise TypeError(
            f"{name} must be a Dask DataFrame, Series or Array, got"
            f" {type(collection).__name__}."
        )
    parts = np.asarray(collection.to_delayed(), dtype=object)
    if parts.ndim == 2 and parts.shape[1] > 1:
        raise ValueError(
            f"{name} must not be cut between columns: use {name}.rechunk({{1: -1}})."
        )
    return list(parts.reshape(-1))


def lazily(model: Any, method: str, X: Any, dtype: Any, n_columns: int | None) -> Any:
    """Return what a method says of each partition, when it is asked for."""
    import dask.array
    from dask.delayed import delayed

    ask = partial(_predicted, model, method, dtype, n_columns)
    if hasattr(X, "chunks"):
        if n_columns is None:
            return X.map_blocks(ask, drop_axis=1, meta=np.empty(0, dtype))
        chunks = (X.chunks[0], (n_columns,))
        return X.map_blocks(ask, chunks=chunks, meta=np.empty((0, 0), dtype))
    shape = (np.nan,) if n_columns is None else (np.nan, n_columns)
    parts = [
        dask.array.from_delayed(delayed(ask)(part), shape, dtype=dtype)
        for part in X.to_delayed()
    ]
    return dask.array.concatenate(parts, allow_unknown_chunksizes=True)


def _predicted(
    model: Any, method: str, dtype: Any, n_columns: int | None, X: Any
) -> Any:
    if len(X) == 0:
        return np.empty((0,) if n_columns is None else (0, n_columns), dtype)
    return getattr(model, method)(X)
