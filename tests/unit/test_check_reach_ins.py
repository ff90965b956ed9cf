"""The lint of private names, on made-up modules."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = {"_losses", "tree"}


@pytest.fixture(scope="module")
def lint():
    path = ROOT / "tools" / "check_reach_ins.py"
    spec = importlib.util.spec_from_file_location("check_reach_ins", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("model._keep(1)", "_keep"),
        ("x = model.tree_._data", "_data"),
        ("model._labels = 3", "_labels"),
        ("type(self)._table", "_table"),
        ("getattr(model, '_table', None)", "_table"),
        ("setattr(model, '_table', 1)", "_table"),
        ("from dpdtree.tree import _search", "_search"),
        ("from dpdtree.tree import fit, _search as search", "_search"),
        ("import dpdtree.tree as t\nt._search()", "_search"),
        # Another class of the same module is no licence for its attributes elsewhere.
        ("class A:\n    def f(self):\n        return self._x\nb._x", "_x"),
    ],
)
def test_reaching_into_another_module(lint, text, name):
    (message,) = lint.check_module("m.py", text, MODULES)
    assert f"uses {name}," in message
    assert f"m.py:{len(text.splitlines())}:" in message


@pytest.mark.parametrize(
    "text",
    [
        "class A(B):\n    def f(self):\n        return self._x + super()._x",
        "class A(B):\n    @classmethod\n    def f(cls):\n        return cls._x",
        "class A:\n    def _x(self): ...\ndef f(a):\n    return a._x()",
        "class A:\n    _x: int\ndef f(a):\n    return a._x",
        "class A:\n    __slots__ = ('_x',)\ndef f(a):\n    return a._x",
        "class A:\n    def f(self):\n        self._x = 1\ndef g(a):\n    return a._x",
        "from dpdtree import _losses\n_losses.table()",
        "from dpdtree._losses import LOSSES",
        "import dpdtree\ndpdtree._losses.LOSSES",
        "point._replace(x=1)._fields",
        "model.__sklearn_tags__()",
        "getattr(model, name)",
        "getattr(self, '_x', None)",
        "for _ in x: ...",
    ],
)
def test_own_names(lint, text):
    assert list(lint.check_module("m.py", text, MODULES)) == []


def test_allowed_names_have_reasons(lint, monkeypatch):
    assert all(lint.ALLOWED.values())
    monkeypatch.setattr(lint, "ALLOWED", {"_keep": "for this test"})
    assert list(lint.check_module("m.py", "model._keep(1)", MODULES)) == []


def test_package(lint):
    assert lint.check_package(ROOT / "src" / "dpdtree") == []
