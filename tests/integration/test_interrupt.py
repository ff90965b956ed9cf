"""Ctrl-C stops a fit, and the estimator can be fitted again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")

LONG_FIT = """
import signal
import time
import numpy as np
from dpdtree import DPDTBoostingClassifier, DPDTreeClassifier

# Jobs in the background ignore Ctrl-C, and their children with them.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.normal(size=(50_000, 20)), rng.integers(0, 3, 50_000)
model = {model}
model.set_params(n_jobs={n_jobs})
print("fitting", flush=True)
try:
    model.fit(X, y)
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
else:
    print("completed")
assert not [name for name in vars(model) if name.endswith("_")]
model.set_params({quick}).fit(X[:100], y[:100]).predict(X)
print("fitted again")
"""
#: What takes long, and what makes it quick.
MODELS = {
    "tree": {
        "model": "DPDTreeClassifier(alpha=0.0, max_depth=8, n_candidates=30)",
        "quick": "max_depth=2, n_candidates=2",
    },
    "boosting": {
        "model": "DPDTBoostingClassifier(max_iter=100_000, early_stopping=False)",
        "quick": "max_iter=2",
    },
}


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("delay", [0.02, 1.0], ids=["encoding", "search"])
@pytest.mark.parametrize("model", MODELS)
def test_interrupt(model, n_jobs, delay):
    script = LONG_FIT.format(n_jobs=n_jobs, **MODELS[model])
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "fitting\n"
        time.sleep(delay)
        sent = time.time()
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    word, when = output.splitlines()[0].split()
    assert word == "interrupted"
    assert float(when) - sent < 2.0
    assert output.endswith("fitted again\n")
    assert process.returncode == 0
