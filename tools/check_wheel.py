"""Try an installed wheel where there is no source and no compiler.

    python tools/check_wheel.py

Needs no package beside those that dpdtree itself requires.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes

import dpdtree

COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "cl")


def check_compilers() -> None:
    """A wheel must not need one; on machines that build, one may be there."""
    found = [name for name in COMPILERS if shutil.which(name)]
    print(f"compilers on the path: {', '.join(found) or 'none'}")


def check_contents() -> None:
    """The program of the tests stays at home; the explorer's page comes along."""
    folder = Path(dpdtree.__file__).parent
    assert not (folder / "dpdtree_fuzz").exists()
    assert (folder / "explorer" / "assets" / "template.html").exists()


def check_module() -> None:
    """The extension comes from an installed package, not from a source tree."""
    from dpdtree import _core

    place = Path(str(_core.__file__))
    print(f"dpdtree {dpdtree.__version__}: {place}")
    assert "site-packages" in place.parts, place
    assert (Path(dpdtree.__file__).parent / "py.typed").is_file()


def check_models() -> None:
    """Every kind of model fits, predicts, and comes back from its file."""
    X, y = load_breast_cancer(return_X_y=True)
    Z, t = load_diabetes(return_X_y=True)
    models = [
        (dpdtree.DPDTreeClassifier(), X, y),
        (dpdtree.DPDTreeRegressor(n_jobs=2), Z, t),
        (dpdtree.DPDTreeClassifier(strategy="optimal", max_depth=2), X, y),
        (dpdtree.DPDTBoostingClassifier(max_iter=20), X, y),
        (dpdtree.DPDTAdaBoostClassifier(n_estimators=5), X, y),
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        for model, rows, target in models:
            model.fit(rows, target)
            model.save_model(path)
            loaded = dpdtree.load_model(path)
            assert np.array_equal(model.predict(rows), loaded.predict(rows))
            print(f"{type(model).__name__}: {model.score(rows, target):.3f}")


def check_command() -> None:
    """The command is installed, and its demonstration needs no extra."""
    command = [sys.executable, "-m", "dpdtree", "demo"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "CART, depth 6" in done.stdout
    scripts = Path(sys.executable).parent
    assert shutil.which("dpdtree", path=str(scripts)), f"no dpdtree in {scripts}"


if __name__ == "__main__":
    check_compilers()
    check_contents()
    check_module()
    check_models()
    check_command()
