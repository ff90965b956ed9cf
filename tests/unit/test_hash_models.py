"""The tool that tells whether a rebuilt core finds the same models."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "hash_models.py"


@pytest.fixture(scope="module")
def tool():
    sys.path.insert(0, str(TOOL.parent))
    spec = importlib.util.spec_from_file_location("hash_models", TOOL)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOL.parent))
    return module


def test_there_are_enough_models(tool):
    names = [name for name, _ in tool.models()]
    assert len(set(names)) == len(names) >= 2000
    assert {name.split("/")[0] for name in names} == set(tool.FAMILIES)


@pytest.mark.parametrize("family", ["tree", "proof", "path", "booster", "adaboost"])
def test_a_model_has_the_same_hash_twice(tool, family):
    fit = next(fit for name, fit in tool.models() if name.startswith(family))
    assert tool.hash_of(fit) == tool.hash_of(fit)


def test_models_have_different_hashes(tool):
    some = [fit for name, fit in tool.models() if name.startswith("proof/numbers")]
    assert len({tool.hash_of(fit) for fit in some[:6]}) > 3


def test_an_impossible_model_is_told_by_its_error(tool):
    def fit():
        raise ValueError("no")

    assert tool.hash_of(fit) == "ValueError"


def test_compare(tool, tmp_path, capsys):
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    a.write_text(json.dumps({"x": "1", "y": "2:7", "z": "3"}))
    b.write_text(json.dumps({"x": "1", "y": "0:7"}))
    assert tool.main(["--compare", str(a), str(b)]) == 1
    assert capsys.readouterr().out == "y\nz\n2 of 3 models differ.\n"
    assert tool.main(["--compare", str(a), str(a)]) == 0


def test_another_way_to_the_same_model_is_no_difference(tool, tmp_path, capsys):
    a, b = tmp_path / "a.json", tmp_path / "b.json"
    a.write_text(json.dumps({"x": "1:5"}))
    b.write_text(json.dumps({"x": "1:6"}))
    assert tool.main(["--compare", str(a), str(b)]) == 0
    said = "x: the same model, but other counters of the search\n"
    assert capsys.readouterr().out == f"{said}0 of 1 models differ.\n"
