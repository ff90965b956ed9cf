"""The number of threads that `n_jobs` stands for."""

from __future__ import annotations

import multiprocessing
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
