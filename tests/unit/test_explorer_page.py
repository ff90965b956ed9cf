"""The explorer's file: complete, small, and closed to the outside."""

from __future__ import annotations

import base64
import hashlib
import json
import re

import numpy as np
import pytest

from dpdtree import DPDTreeClassifier, DPDTreeRegressor
from dpdtree.explorer.page import SCRIPTS, as_json, asset, page, script, source

#: More than that is a bundle.
MOST_BYTES = 100_000


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    model = DPDTreeClassifier(max_depth=3, strategy="balanced").fit(X, y)
    file = tmp_path_factory.mktemp("page") / "page.html"
    assert model.explore(X, y, path=file, feature_names=["<b>", "&", "</script>"])
    return file.read_text()


def test_the_script_is_small():
    assert len(script().encode()) <= MOST_BYTES


def test_every_script_is_part_of_the_page():
    from importlib.resources import files

    folder = files("dpdtree.explorer") / "assets"
    names = {entry.name for entry in folder.iterdir() if entry.name.endswith(".js")}
    assert names == set(SCRIPTS)


def test_the_script_keeps_to_text():
    for word in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
        assert word not in script()
    for word in ("fetch(", "XMLHttpRequest", "WebSocket", "import(", "new Function"):
        assert word not in script()
    assert set(re.findall(r"https?://[^\s\"'`]+", script())) == {
        "http://www.w3.org/2000/svg"
    }


def test_stripping_takes_comments_alone():
    assert "/**" not in script()
    without = re.sub(r"/\*\*.*?\*/ ?", "", source(), flags=re.DOTALL)
    code = [line.strip() for line in without.splitlines()]
    kept = [line for line in code if line and not line.startswith("//")]
    assert script().splitlines() == kept
    assert all(line.count("`") % 2 == 0 for line in kept)  # no text over several lines


def test_the_policy_allows_the_one_style_and_the_one_script(html):
    [policy] = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for tag, pattern in [("style", r"<style>(.*?)</style>"), ("script", None)]:
        found = re.findall(pattern or r"<script>(.*?)</script>", html, re.DOTALL)
        assert len(found) == 1
        digest = base64.b64encode(hashlib.sha256(found[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_data_cannot_end_their_element(html):
    [text] = re.findall(r'id="data">(.*?)</script>', html, re.DOTALL)
    assert "<" not in text
    names = [feature["name"] for feature in json.loads(text)["features"]]
    assert names == ["<b>", "&", "</script>"]


def test_json_is_json():
    data = {"a": ["</script>", "<!--", "&amp;", "é\u2028"], "b": 0.1}
    assert json.loads(as_json(data)) == data
    with pytest.raises(ValueError, match="Out of range"):
        as_json({"a": float("nan")})


def test_placeholders_in_data_stay_data():
    data = {"title": "@SCRIPT@ @STYLE@"}
    text = page(data, "@DATA@ <title>")
    assert "<title>@DATA@ &lt;title&gt;</title>" in text
    assert text.count('{"title":"@SCRIPT@ @STYLE@"}') == 1


def test_the_same_data_make_the_same_file(html, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0)
    model = DPDTreeClassifier(max_depth=3, strategy="balanced", n_jobs=2).fit(X, y)
    file = tmp_path / "again.html"
    model.explore(X, y, path=file, feature_names=["<b>", "&", "</script>"])
    # Threads that meet the same state at the same time both count their work.
    work = "candidates|splits_searched|split_memo_hits|state_memo_hits|pruned|states"
    strip = re.compile(rf'"n_jobs":(null|\d)|"(seconds_\w+|{work})":[\d.e-]+')
    assert strip.sub("", file.read_text()) == strip.sub("", html)


def test_no_rows_if_none_are_wanted(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    model = DPDTreeRegressor(max_depth=2).fit(X, y)
    file = model.explore(X, y, path=tmp_path / "page.html", max_rows=0)
    [text] = re.findall(r'id="data">(.*?)</script>', file.read_text(), re.DOTALL)
    rows = json.loads(text)["rows"]["train"]
    assert rows["number"] == []
    assert rows["total"] == 50


def test_the_template_names_every_part():
    assert set(re.findall(r"@[A-Z]+@", asset("template.html"))) == {
        "@TITLE@",
        "@POLICY@",
        "@STYLE@",
        "@SCRIPT@",
        "@DATA@",
    }
