"""The examples of the documentation run and say the truth."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import matplotlib as mpl
import pytest

import dpdtree.adaboost
import dpdtree.boosting
import dpdtree.cv
import dpdtree.export.c
import dpdtree.export.excel
import dpdtree.export.explain
import dpdtree.export.javascript
import dpdtree.export.python
import dpdtree.export.rules
import dpdtree.export.sql
import dpdtree.io.files
import dpdtree.tree
from dpdtree import demo

ROOT = Path(__file__).parents[2]
#: Every page with examples.
PAGES = [
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if ">>> " in path.read_text(encoding="utf-8")
]


def test_the_pages_are_found():
    assert len(PAGES) >= 8


@pytest.mark.parametrize("page", PAGES)
def test_page(page):
    mpl.use("agg")
    failures, examples = doctest.testfile(str(ROOT / page), module_relative=False)
    assert examples > 0
    assert failures == 0


MODULES = [dpdtree.tree, dpdtree.cv, dpdtree.adaboost, dpdtree.boosting]
MODULES += [dpdtree.export.c, dpdtree.export.excel, dpdtree.export.javascript]
MODULES += [dpdtree.export.python, dpdtree.export.sql, dpdtree.io.files]
MODULES += [dpdtree.export.explain, dpdtree.export.rules]


@pytest.mark.parametrize("module", MODULES)
def test_docstrings(module):
    failures, examples = doctest.testmod(module)
    assert examples > 0
    assert failures == 0


def test_the_steps_of_adding_a_loss_exist():
    """Every file is there, and every name in code quotes is in one of them."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    section = text.partition("## Adding a loss")[2].partition("\n## ")[0]
    files = re.findall(r"\]\(([^)]+)\)", section)
    assert len(files) >= 9
    sources = "\n".join((ROOT / name).read_text() for name in files)
    prepared = section.replace("\n   ", " ")
    for name in re.findall(r"(?<!\[)`([^`/]+)`(?!\])", prepared):
        if name != "make docs":
            assert name in sources, name


def test_changelog_knows_the_version():
    assert f"## {dpdtree.__version__}" in (ROOT / "CHANGELOG.md").read_text()


def test_demo(capsys, tmp_path):
    page = tmp_path / "a page.html"
    demo.main(page)
    assert "malignant" in page.read_text()
    printed = capsys.readouterr().out
    assert page.resolve().as_uri() in printed
    for model in ("  CART   ", "  CART, depth 6  ", "  dpdtree  "):
        assert printed.count(model) == 5
    assert "|--- x <= " in printed or "|--- y <= " in printed


def test_demo_tables_line_up():
    rows = [None, demo.Row("model", 0.5, 4, 0.001), demo.Row("m", -1.0, 160, 12.5)]
    assert len({len(demo.format_row(row)) for row in rows}) == 1
