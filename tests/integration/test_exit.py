"""A daemon thread that is still at work never disturbs the end of the process."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork")

#: The children are forked: importing scikit-learn anew takes longer than a run.
SCRIPT = """
import os
import sys
import threading
import time
import numpy as np
from dpdtree import DPDTBoostingClassifier, DPDTreeClassifier, DPDTreeRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(3_000, 10))
y = (X[:, 0] * X[:, 1] + X[:, 2] > 0).astype(int)
long = rng.normal(size=(100_000, 10))


def work():
{work}


def repeat():
    while True:
        work()


codes = []
for i in range({runs}):
    child = os.fork()
    if child == 0:
        threading.Thread(target=repeat, daemon=True).start()
        time.sleep(0.03 + 0.01 * i)
        sys.exit(0)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(codes)
"""
RUNS = 6  # for each kind of work
#: What the thread does again and again.
WORK = {
    "proof": """
    proof = DPDTreeClassifier(strategy="optimal", max_depth=4, verbose=2)
    proof.fit(X, y)""",
    "regression proof": """
    proof = DPDTreeRegressor(strategy="optimal", max_depth=3, time_limit=60.0)
    proof.fit(X, y + X[:, 3])""",
    "balanced": """
    DPDTreeClassifier(max_depth=5, n_jobs=2).fit(X, y)""",
    "path": """
    DPDTreeClassifier(max_depth=5).regularization_path(X, y)""",
    "boosting": """
    DPDTBoostingClassifier(max_iter=50, early_stopping=True).fit(X, y)""",
    "boosting, threads": """
    DPDTBoostingClassifier(max_iter=10_000, n_jobs=2, verbose=1).fit(X, y)""",
    "predict": """
    tree.predict(long)
    tree.decision_path(long)
    boosted.predict(long)
    for scores in boosted.staged_predict_proba(long):
        pass""",
}
PREPARED = """
tree = DPDTreeClassifier(max_depth=5, strategy="greedy").fit(X, y)
boosted = DPDTBoostingClassifier(max_iter=5).fit(X, y)
"""


@pytest.mark.parametrize("kind", WORK)
def test_exit_during(kind):
    script = SCRIPT.format(work=WORK[kind], runs=RUNS)
    if kind == "predict":
        script = script.replace("def work", PREPARED + "\n\ndef work")
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    codes = done.stdout.splitlines()[-1:]
    assert codes == [str([0] * RUNS)], done.stderr[-2000:]
    assert done.returncode == 0


def test_the_thread_that_shuts_down_may_fit():
    """What objects do when they die with the interpreter is no daemon's work."""
    script = """
import numpy as np
from dpdtree import _core

class Last:
    def __init__(self, *arguments):
        self.arguments, self.fit = arguments, _core.fit_tree
    def __del__(self):
        print("loss", self.fit(*self.arguments).loss)

X, y = np.arange(20.0)[:, None], np.repeat(np.array([0, 1], dtype=np.int32), 10)
last = Last(X, y, None, 2, _core.TreeParams())
"""
    output = subprocess.check_output(
        [sys.executable, "-c", script], text=True, timeout=60
    )
    assert output == "loss 0.0\n"
