"""The figures of README.md and of the docs are those of the stored results."""

from __future__ import annotations

import json
import shutil

import pytest
from benchmarks import _timing, document, projection, readme
from benchmarks.paper.pieces import wild

ROOT = readme.PAGE.parent


def test_figures_are_those_of_the_results():
    text = readme.PAGE.read_text(encoding="utf-8")
    assert readme.written(text) == text, "run `python -m benchmarks.readme`"
    assert "| classifier, accuracy | everyday, held back |" in text


def test_marks_are_needed():
    with pytest.raises(ValueError, match="marks"):
        readme.written("# a page without figures")


@pytest.mark.parametrize("page", document.PAGES, ids=lambda page: page.name)
def test_tables_are_those_of_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert document.fill(text) == text, "run `python -m benchmarks.document`"
    assert ": begin -->" in text


def test_tables_of_large_data_are_those_of_the_results():
    text = projection.PAGE.read_text(encoding="utf-8")
    assert projection.filled(text) == text, "run `python -m benchmarks.projection`"
    assert text.count(": begin -->") == len(projection.TABLES)
    assert projection.filled(text.replace("| XGBoost | ", "| XGBoost | 1")) == text


def test_every_table_has_its_place():
    text = "".join(page.read_text(encoding="utf-8") for page in document.PAGES)
    for marker in document.TABLES:
        assert f"<!-- {marker}: begin -->" in text
    assert text.count(": begin -->") == len(document.TABLES)


def test_another_number_in_the_results_is_noticed(tmp_path, monkeypatch):
    shutil.copytree(_timing.RESULTS, tmp_path, dirs_exist_ok=True)
    content = json.loads((tmp_path / "wild.json").read_text(encoding="utf-8"))
    content["trees"]["regression"]["bench"]["DPDT default"]["r2"]["win"] += 1
    (tmp_path / "wild.json").write_text(json.dumps(content), encoding="utf-8")
    monkeypatch.setattr(document, "RESULTS", tmp_path)
    monkeypatch.setattr(wild, "SOURCE", tmp_path / "wild.json")
    for page, made in (
        (ROOT / "docs" / "benchmarks.md", document.fill),
        (readme.PAGE, readme.written),
    ):
        text = page.read_text(encoding="utf-8")
        assert made(text) != text


def test_what_is_published_is_small():
    sizes = {path: path.stat().st_size for path in _timing.RESULTS.rglob("*.json")}
    largest = sorted(sizes.items(), key=lambda entry: -entry[1])[:5]
    assert sum(sizes.values()) <= 150_000, largest


def test_no_page_excuses_old_figures_or_tells_of_aims():
    for page in (ROOT / "docs").glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for phrase in ("earlier version", "(aim", "Aim:", "| aim |"):
            assert phrase not in text, f"{page.name}: {phrase}"
