"""What is installed: the core, its stub, the typing marker, few dependencies."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import files, requires, version

import dpdtree

OPTIONAL = ["matplotlib", "pandas", "polars", "pyarrow", "shap", "skl2onnx", "onnx"]
OPTIONAL += ["rich", "tqdm"]


def test_version():
    assert dpdtree.__version__ == version("dpdtree")


def test_wheel_contents():
    names = [str(path) for path in files("dpdtree")]
    assert any(re.match(r"dpdtree/_core\..*(so|pyd)$", name) for name in names)
    assert any(re.match(r"dpdtree/_core(/__init__)?\.pyi$", name) for name in names)
    assert "dpdtree/py.typed" in names
    assert "dpdtree/export/text.py" in names
    assert "dpdtree/explorer/assets/template.html" in names
    assert "dpdtree/explorer/assets/explorer.css" in names
    assert "dpdtree/explorer/assets/main.js" in names
    assert not any(name.startswith(("tests", "cpp", "bindings")) for name in names)


def test_required_dependencies():
    required = [line for line in requires("dpdtree") if "extra ==" not in line]
    names = {re.match(r"[\w-]+", line)[0] for line in required}
    assert names == {"numpy", "scikit-learn"}


def test_public_names():
    assert all(hasattr(dpdtree, name) for name in dpdtree.__all__)


WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Absent(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import numpy as np
from dpdtree import DPDTreeClassifier, export_text
X, y = np.arange(8.0)[:, None], np.arange(8) // 4
model = DPDTreeClassifier().fit(X, y)
print(export_text(model), model.to_sklearn().score(X, y))
"""


def test_optional_dependencies_are_optional():
    script = WITHOUT.format(names=OPTIONAL)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(" 1.0\n")
