"""Fits on a Dask cluster of two local workers, beside XGBoost's and LightGBM's.

    python -m benchmarks.cluster                 # 200 000 rows, 28 features
    python -m benchmarks.cluster --rows 1000000

Processor seconds of client and workers together; rounds and bytes from `report_`. The
model is compared with that of one machine.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._timing import print_table, write_json

N_FEATURES, TREES, PARTITIONS, WORKERS = 28, 20, 8, 2


def table(n_rows: int) -> tuple[Any, Any]:
    """Return features and labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, N_FEATURES)).astype(np.float32)
    score = X[:, 0] * X[:, 1] + X[:, 2] + np.abs(X[:, 3]) + rng.normal(size=n_rows)
    return X, (score > 0.8).astype(np.int8)


def processor_seconds(client: Any) -> float:
    """Return what client and workers have used."""
    return float(time.process_time() + sum(client.run(time.process_time).values()))


def ours(lookahead: str | None, search: str = "distributed") -> Callable[..., Any]:
    """Return a boosted fit by `dpdtree.dask`."""

    def fit(client: Any, parts: Any, trees: int = TREES) -> Any:
        from dpdtree.dask import DaskDPDTBoostingClassifier

        model = DaskDPDTBoostingClassifier(
            client=client,
            search=search,
            max_iter=trees,
            learning_rate=0.1,
            max_leaf_nodes=31,
            lookahead=lookahead,
            early_stopping=False,
        )
        return model.fit(*parts)

    return fit


def tree(
    candidates: tuple[int, ...] | None,
    search: str = "distributed",
    strategy: str | None = None,
) -> Callable[[Any, Any], Any]:
    """Return a fit of the published algorithm with these candidates.

    None: the default tree or that of another strategy, of three levels.
    """
    parameters: dict[str, Any] = {"search": search, "max_bins": 255}
    if strategy is not None:
        parameters |= {"strategy": strategy, "max_depth": 3, "alpha": 0.0}
    if candidates is not None:
        parameters |= {"strategy": "paper", "n_candidates": candidates}
        parameters |= {"max_depth": 3, "alpha": 0.0}

    def fit(client: Any, parts: Any) -> Any:
        from dpdtree.dask import DaskDPDTreeClassifier

        return DaskDPDTreeClassifier(client=client, **parameters).fit(*parts)

    return fit


def by_xgboost(client: Any, parts: Any) -> Any:
    """Boosting by `xgboost.dask`."""
    from xgboost import dask as peer

    data = peer.DaskQuantileDMatrix(client, *parts, max_bin=255)
    parameters = {
        "objective": "binary:logistic",
        "grow_policy": "lossguide",
        "max_leaves": 31,
        "max_depth": 0,
        "learning_rate": 0.1,
        "max_bin": 255,
        "tree_method": "hist",
    }
    return peer.train(client, parameters, data, num_boost_round=TREES)


def by_lightgbm(client: Any, parts: Any) -> Any:
    """Boosting by `lightgbm.dask`."""
    from lightgbm import DaskLGBMClassifier

    model = DaskLGBMClassifier(
        client=client, n_estimators=TREES, learning_rate=0.1, num_leaves=31, verbose=-1
    )
    return model.fit(*parts)


FITS: dict[str, Callable[..., Any]] = {
    "dpdtree, tree (4, 1, 1)": tree((4, 1, 1)),
    "dpdtree, tree (4, 1, 1), one worker": tree((4, 1, 1), "one_worker"),
    "dpdtree, tree (15, 5, 1)": tree((15, 5, 1)),
    "dpdtree, tree (15, 5, 1), one worker": tree((15, 5, 1), "one_worker"),
    "dpdtree, balanced tree": tree(None, strategy="balanced"),
    "dpdtree, balanced tree, one worker": tree(None, "one_worker", "balanced"),
    "dpdtree, default tree": tree(None),
    "dpdtree, default tree, one worker": tree(None, "one_worker"),
    "dpdtree, 20 boosted trees": ours(None),
    "dpdtree, 20 boosted trees, one worker": ours(None, "one_worker"),
    "dpdtree, 20 boosted trees, light look-ahead": ours("light"),
    "XGBoost, 20 boosted trees": by_xgboost,
    "LightGBM, 20 boosted trees": by_lightgbm,
}


def run(n_rows: int) -> None:
    """Measure everything and store it."""
    import dask.array as da
    from distributed import Client, LocalCluster

    X, y = table(n_rows)
    rows = -(-n_rows // PARTITIONS)
    results: dict[str, Any] = {}
    with (
        LocalCluster(
            n_workers=WORKERS,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):
        parts = client.persist(
            [
                da.from_array(X, chunks=(rows, N_FEATURES)),
                da.from_array(y, chunks=rows),
            ]
        )
        for module in ("dpdtree.dask", "xgboost.dask", "lightgbm.dask"):
            client.run(importlib.import_module, module)
        for name, fit in FITS.items():
            alone = "dpdtree, 20" in name and "one worker" not in name
            one_tree = fit(client, parts, 1) if alone else None
            start, wall = processor_seconds(client), time.perf_counter()
            model = fit(client, parts)
            results[name] = {
                "seconds": processor_seconds(client) - start,
                "wall": time.perf_counter() - wall,
            }
            report = getattr(model, "report_", None)
            if report is not None:
                results[name] |= {
                    "rounds": report.rounds,
                    "client_bytes": report.bytes,
                    "code_bytes": report.code_bytes,
                }
            if report is not None and report.search_rounds and one_tree is None:
                results[name] |= {
                    "tree_rounds": report.search_rounds,
                    "tree_bytes": report.search_bytes / WORKERS,
                }
            if one_tree is not None:
                first = one_tree.report_
                results[name] |= {
                    "tree_rounds": (report.rounds - first.rounds) / (TREES - 1),
                    "tree_bytes": (report.bytes - first.bytes) / (TREES - 1) / WORKERS,
                }
    store(n_rows, results)


def store(n_rows: int, results: dict[str, Any]) -> None:
    """Keep and show the results."""
    write_json("cluster", {"rows": n_rows, "features": N_FEATURES, "fits": results})
    print_table(
        f"{n_rows} x {N_FEATURES} in {PARTITIONS} partitions, two workers",
        ["fit", "processor s", "wall s", "rounds", "to client", "codes", *_OF_TREES],
        [
            [name, r["seconds"], r["wall"], *(r.get(key) for key in _COUNTED)]
            for name, r in results.items()
        ],
    )


_OF_TREES = ("rounds per tree", "bytes per tree and worker")
_COUNTED = ("rounds", "client_bytes", "code_bytes", "tree_rounds", "tree_bytes")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    run(parser.parse_args().rows)


if __name__ == "__main__":
    main()
