"""The lint of C++ includes, on made-up files."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def lint():
    path = ROOT / "tools" / "check_layers.py"
    spec = importlib.util.spec_from_file_location("check_layers", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("name", "include", "message"),
    [
        ("cpp/split/scan.hpp", '#include "data/rows.hpp"', None),
        ("cpp/split/scan.hpp", '#include "split/split.hpp"', None),
        ("cpp/split/scan.hpp", "#include <vector>", None),
        ("cpp/tree/tree.cpp", '#include "data/matrix_view.hpp"', None),
        ("bindings/module.cpp", '#include "api/fit.hpp"', None),
        ("bindings/module.cpp", '#include "register.hpp"', None),
        ("bindings/module.cpp", "#include <nanobind/nanobind.h>", None),
        ("cpp/data/rows.hpp", '#include "split/scan.hpp"', "lies above data"),
        ("cpp/data/rows.hpp", '  #  include "api/fit.hpp"', "lies above data"),
        ("cpp/data/rows.hpp", '#include "rows.hpp"', 'as "<room>/<file>"'),
        ("cpp/hist/binner.hpp", '#include "split/scan.hpp"', "are neighbours"),
        ("cpp/data/rows.hpp", "#include <Python.h>", "knows no Python"),
        ("cpp/api/fit.cpp", "#include <nanobind/ndarray.h>", "knows no Python"),
        ("cpp/attic/old.hpp", "", "lies in no known room"),
    ],
)
def test_file(lint, name, include, message):
    found = list(lint.check_file(name, f"#pragma once\n{include}\nint x;\n"))
    assert (message in found[0]) if message else not found


def test_tree(lint, tmp_path):
    for name, text in {
        "cpp/base/types.hpp": "",
        "cpp/search/dynamic_program.cpp": '#include "base/types.hpp"\n',
        "cpp/base/bad.hpp": '#include "search/refine.hpp"\n',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert lint.check_tree(tmp_path) == [
        "cpp/base/bad.hpp: includes search/refine.hpp, which lies above base"
    ]


def test_this_project(lint):
    assert lint.check_tree(ROOT) == []
