"""The number of threads that `n_jobs` stands for."""

from __future__ import annotations

import multiprocessing
import os
import resource
import subprocess
import sys
import warnings

import joblib
import pytest

from dpdtree._threads import n_threads


def test_as_joblib_counts():
    cores = joblib.cpu_count()
    assert [n_threads(n) for n in (None, 1, 5, -1)] == [1, 1, 5, cores]
    assert n_threads(-cores - 3) == 1


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_a_context_gives_the_default(backend):
    with joblib.parallel_config(backend=backend, n_jobs=3):
        assert (n_threads(None), n_threads(2)) == (3, 2)


def _in_worker(n_jobs: int) -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return n_threads(n_jobs)


def test_threads_within_a_worker_process():
    # Such a process may not start others, but threads it may.
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(_in_worker, [1, 2]) == [1, 2]


def test_a_few_threads_per_core_at_most():
    most = max(16, 4 * joblib.cpu_count())
    assert [n_threads(n) for n in (16, 100_000, 2**31 - 1)] == [16, most, most]
    with joblib.parallel_config(backend="threading", n_jobs=100_000):
        assert n_threads(None) == most


NO_THREADS = """
import numpy as np
from dpdtree import DPDTBoostingClassifier, DPDTreeClassifier
rng = np.random.default_rng(0)
X = rng.normal(size=(20_000, 4))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
for n_jobs in (1, 8):
    tree = DPDTreeClassifier(max_depth=3, n_jobs=n_jobs).fit(X, y)
    model = DPDTBoostingClassifier(max_iter=2, random_state=0, n_jobs=n_jobs).fit(X, y)
    print(tree.objective_, tree.predict(X).sum(), model.predict_proba(X)[:, 0].sum())
"""


@pytest.mark.parametrize(("stack", "memory"), [(64, 48), (10, 32)])
def test_fewer_threads_where_no_more_can_be_had(stack, memory):
    """Each thread wants this many GB for its stack: none starts, or two at most."""

    def limit() -> None:
        hard = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (stack << 30, hard))
        resource.setrlimit(resource.RLIMIT_AS, (memory << 30, memory << 30))

    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", NO_THREADS],
        preexec_fn=limit,
        env={**os.environ, **single},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    one, eight = done.stdout.splitlines()
    assert one == eight
