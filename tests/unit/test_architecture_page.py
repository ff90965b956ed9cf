"""docs/architecture.md is a true map of the files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.check_layers import ROOMS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text()


def section(title):
    return PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]


def first_column(title):
    rows = re.findall(r"^\| (`[^|]+) \|", section(title), re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def test_rooms_are_listed_in_the_order_that_is_checked():
    assert tuple(first_column("Rooms of the core")) == ROOMS
    chain = re.search(r"^`(base .*)`$", section("Rooms of the core"), re.MULTILINE)
    assert tuple(re.split(r" → | \| ", chain.group(1))) == ROOMS


def test_every_folder_of_the_core_is_a_room():
    folders = {p.name for p in (ROOT / "cpp").iterdir() if p.is_dir()}
    assert folders | {"bindings"} == set(ROOMS)


def test_every_python_module_is_on_the_map():
    package = ROOT / "src/dpdtree"
    modules = {p.stem for p in package.glob("*.py") if p.stem != "__init__"}
    packages = {
        f"{p.name}/" for p in package.iterdir() if (p / "__init__.py").is_file()
    }
    listed = first_column("The Python package, from the bottom up")
    assert sorted(listed) == sorted(modules | packages)


@pytest.mark.parametrize("target", re.findall(r"\]\(\.\./([^)#]+)", PAGE))
def test_linked_files_exist(target):
    assert (ROOT / target).exists()


def test_the_glossary_stays_short():
    assert len(section("Glossary").splitlines()) <= 40
