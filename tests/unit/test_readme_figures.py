"""The figures of README.md are those of the stored results."""

from __future__ import annotations

import pytest
from benchmarks import readme


def test_figures_are_those_of_the_results():
    text = readme.PAGE.read_text(encoding="utf-8")
    assert readme.written(text) == text, "run `python -m benchmarks.readme`"
    assert "| classifier, accuracy | everyday, held back |" in text


def test_marks_are_needed():
    with pytest.raises(ValueError, match="marks"):
        readme.written("# a page without figures")
