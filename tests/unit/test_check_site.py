"""The check of the built site finds what it should, and nothing else."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check_site = _module(ROOT / "tools" / "check_site.py")


def _found(folder: Path, **pages: str) -> list[str]:
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    return list(check_site.problems(folder.resolve()))


def test_links_that_lead_somewhere(tmp_path):
    (tmp_path / "a file.txt").write_text("", "utf-8")
    found = _found(
        tmp_path,
        index='<a href="other.html#here"></a><a href="#top"></a><h1 id="top"></h1>'
        '<a href="a%20file.txt"></a><a href="https://example.org/none"></a>'
        '<img src="data:image/png;base64,AA"><a href="mailto:a@b.c"></a>',
        other='<p id="here"><a href="."></a>',
    )
    assert found == []


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('<a href="none.html"></a>', "index.html: none.html is not there"),
        ('<a href="#none"></a>', "index.html: #none: no such anchor"),
        ('<img src="none.png">', "index.html: none.png is not there"),
        ('<script src="https://a.b/c.js"></script>', "loads https://a.b/c.js"),
        ('<link rel="stylesheet" href="//a.b/c.css">', "loads //a.b/c.css"),
        ('<iframe src="none.html"></iframe>', "none.html is not there"),
    ],
)
def test_what_does_not_comply(tmp_path, text, problem):
    found = _found(tmp_path, index=text)
    assert len(found) == 1
    assert problem in found[0]


def test_styles_that_ask_the_network(tmp_path):
    (tmp_path / "a.css").write_text(
        'p {background: url("https://a.b/c.png")} @import "//a.b/d.css";', "utf-8"
    )
    assert len(_found(tmp_path, index="")) == 2


def test_exit_codes(tmp_path, capsys):
    assert check_site.main([]) == 2
    assert check_site.main([str(tmp_path)]) == 1  # nothing there
    (tmp_path / "index.html").write_text("<p>", "utf-8")
    assert check_site.main([str(tmp_path)]) == 0
    assert "All links" in capsys.readouterr().out


def test_links_out_of_the_pages():
    links = _module(ROOT / "docs" / "_ext" / "repository_links.py")
    said = []
    text = (
        "[a](../CONTRIBUTING.md#adding-a-loss) [b](faq.md) [`c`](../cpp/search)"
        " [d](https://example.org/x.md) ![e](images/tree.png)"
    )
    assert links.rewritten(text, "docs", said.append) == (
        "[a](contributing.md#adding-a-loss) [b](faq.md) `c`"
        " [d](https://example.org/x.md) ![e](images/tree.png)"
    )
    assert links.rewritten("[a](docs/faq.md)", "", said.append) == "[a](faq.md)"
    assert said == []
    links.rewritten("[a](../cpp/none.cpp)", "docs", said.append)
    assert said == ["a link to cpp/none.cpp, which is not there"]
