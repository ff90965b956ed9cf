"""The figures of README.md and of the docs are those of the stored results."""

from __future__ import annotations

import pytest
from benchmarks import document, readme


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
