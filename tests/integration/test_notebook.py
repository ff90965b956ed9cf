"""What fitted estimators look like in notebooks."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_html_repr

from dpdtree import (
    DPDTAdaBoostClassifier,
    DPDTBoostingClassifier,
    DPDTBoostingRegressor,
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
    DPDTreeRegressorCV,
    load_model,
)
from dpdtree.plotting.notebook import by_letters

HOSTILE = "</style><script>alert('&')</script>"
VOID = {"input", "br", "hr", "img", "path", "rect", "line", "circle", "use"}


class Balanced(HTMLParser):
    """Notes every tag that is closed by another."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.wrong = [], [], []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def data(n=300):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            HOSTILE: rng.normal(size=n),
            "größe 大きさ": rng.integers(0, 50, n).astype(float),
            "town": pd.Categorical(rng.choice([HOSTILE, "b & c", "<i>d", "e"], n)),
        }
    )
    score = X[HOSTILE] * (X.iloc[:, 1] - 25) + 3 * (X["town"] == "e")
    return X, score.to_numpy()


def fitted(model):
    X, score = data()
    if hasattr(model, "predict_proba"):
        return model.fit(X, np.where(score > 0, HOSTILE, "no"))
    return model.fit(X, score)


MODELS = [
    DPDTreeClassifier(max_depth=6, alpha=0.0),
    DPDTreeClassifier(max_depth=2),
    DPDTreeRegressor(max_depth=4),
    DPDTreeRegressor(max_depth=3, loss="absolute_error"),
    DPDTreeClassifierCV(max_depth=3),
    DPDTreeRegressorCV(max_depth=3),
    DPDTBoostingClassifier(max_iter=5),
    DPDTBoostingRegressor(max_iter=5),
    DPDTAdaBoostClassifier(n_estimators=3),
]


@pytest.mark.filterwarnings("ignore:No tree of the cross-validation")
@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_estimator(model):
    model = fitted(clone(model))
    html = model._repr_html_()
    own = html.replace(estimator_html_repr(model), "")
    own = html[: html.index("<details><summary>Parameters")] + "</div>"
    checked = Balanced()
    checked.feed(own)
    assert not checked.wrong
    assert not checked.open
    assert "script" not in checked.seen
    assert len(own) < 40_000
    assert "<summary>Parameters</summary>" in html
    assert "sk-container-id" in html
    for svg in re.findall(r"<svg.*?</svg>", own, re.DOTALL):
        ElementTree.fromstring(svg)
    assert model._repr_mimebundle_()["text/plain"] == repr(model)
    assert "text/html" in model._repr_mimebundle_()


def shown(model):
    html = model._repr_html_()
    text = re.sub(r"<style>.*?</style>", "", html[: html.index("Parameters</summary>")])
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


@pytest.mark.filterwarnings("ignore:No tree of the cross-validation")
def test_what_is_said():
    text = shown(fitted(DPDTreeClassifier(max_depth=2, strategy="balanced", alpha=0.0)))
    assert text.startswith("DPDTreeClassifier : 4 leaves, depth 2 training loss ")
    assert "optimality not proven search: balanced, completed in " in text
    proven = DPDTreeClassifier(max_depth=1, strategy="optimal")
    assert "proven optimal" in shown(proven.fit([[1.0], [2.0], [3.0]], [0, 1, 1]))
    chosen = fitted(DPDTreeClassifierCV(max_depth=3))
    assert "chosen by 5 folds: " in shown(chosen)
    assert "cross-validated score by number of leaves" in shown(chosen)
    boosted = shown(fitted(DPDTBoostingRegressor(max_iter=5)))
    assert boosted.startswith("DPDTBoostingRegressor : 5 trees 5 iter")
    assert "tree 0 of 5" in boosted
    ada = shown(fitted(DPDTAdaBoostClassifier(n_estimators=3)))
    assert "weighted error of the trees" in ada


def test_deep_trees_are_cut_and_several_outputs_drawn():
    X, score = data()
    noise = np.random.default_rng(1).normal(size=len(X))
    deep = DPDTreeRegressor(max_depth=6, min_samples_leaf=1, alpha=0.0).fit(X, noise)
    assert deep.get_depth() > 4
    assert "leaves below" in shown(deep)
    both = DPDTreeRegressor(max_depth=2).fit(X, np.column_stack([score, -score]))
    assert " / " in shown(both)
    leaf = DPDTreeRegressor(max_depth=1).fit([[1.0], [2.0]], [3.0, 3.0])
    assert "1 leaf, depth 0" in shown(leaf)


def test_unfitted_in_a_pipeline_and_switched_off():
    model = DPDTreeClassifier(max_depth=2)
    assert "dpdtree-scroll" not in model._repr_html_()
    assert "sk-container-id" in model._repr_html_()
    model = fitted(model)
    assert "sk-container-id" in make_pipeline(model)._repr_html_()
    with config_context(display="text"):
        assert not hasattr(model, "_repr_html_")
        assert list(model._repr_mimebundle_()) == ["text/plain"]


def test_a_loaded_model(tmp_path):
    model = fitted(DPDTreeClassifier(max_depth=2))
    model.save_model(tmp_path / "model.json")
    assert "leaves" in load_model(tmp_path / "model.json")._repr_html_()


def test_wide_letters_count_twice():
    assert by_letters("大きさ", 10, False) > by_letters("abc", 10, False)
    assert by_letters("abc", 10, True) > by_letters("abc", 10, False)


def test_matplotlib_is_not_needed():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from dpdtree import DPDTreeClassifier\n"
        "m = DPDTreeClassifier(max_depth=1).fit([[1.], [2.], [3.]], [0, 1, 1])\n"
        "assert '<svg' in m._repr_html_()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
