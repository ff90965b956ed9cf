"""A real browser, and pages to look at with it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpdtree import (
    DPDTreeClassifier,
    DPDTreeClassifierCV,
    DPDTreeRegressor,
)

#: Names that would be more than text if they were not written as text.
HOSTILE = "</script><img src=x onerror=alert(1)>"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


def _program():
    wanted = os.environ.get("DPDTREE_BROWSER")
    return wanted or next(filter(None, map(shutil.which, BROWSERS)), None)


@pytest.fixture(scope="session")
def browser():
    program = _program()
    if program is None:
        pytest.skip(
            "no browser: install Debian's chromium, or name one in DPDTREE_BROWSER"
        )
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(
            executable_path=program, args=["--no-sandbox"]
        )
        yield started
        started.close()


class Visit:
    """A page that is open, and everything that must not happen on it."""

    def __init__(self, browser, file, **options):
        self.context = browser.new_context(accept_downloads=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(8000)
        self.complaints = []
        self.requests = []
        self.page.on("console", lambda m: self.complaints.append(m.text))
        self.page.on("pageerror", lambda e: self.complaints.append(str(e)))
        self.page.on("dialog", lambda d: self.complaints.append(d.message))
        self.page.on("request", lambda r: self.requests.append(r.url))
        self.page.goto(f"file://{file}")

    def close(self):
        self.context.close()

    def check(self):
        """No errors, and nothing but the file itself was asked for."""
        assert self.complaints == []
        others = [u for u in self.requests if not u.startswith(("file://", "blob:"))]
        assert others == []
        assert sum(u.startswith("file://") for u in self.requests) == 1

    def text(self, selector):
        return self.page.inner_text(selector)

    def texts(self, selector):
        return self.page.locator(selector).all_inner_texts()

    def tab(self, name):
        self.page.click(f"#tab-{name}")

    def node(self, path):
        """Select a node by the sides on the way to it, "" for the root."""
        self.page.click(f'[data-path="{path or "root"}"]')

    def swap(self, action):
        self.page.click(f'#node .swap[data-action="{action}"]')

    def labels(self):
        """What a screen reader says of each node, in preorder."""
        items = self.page.locator('[role="treeitem"]')
        return [item.get_attribute("aria-label") for item in items.all()]

    def exported(self, kind, folder):
        self.tab("leave")
        with self.page.expect_download() as waiting:
            self.page.click(f'[data-exit="{kind}"]')
        file = folder / waiting.value.suggested_filename
        waiting.value.save_as(file)
        return file


@pytest.fixture
def visit(browser):
    opened = []

    def start(file, **options):
        opened.append(Visit(browser, file, **options))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def make_mixed(n=900, seed=0):
    """Numbers, categories, missing values, and names that are hostile."""
    rng = np.random.default_rng(seed)
    size = np.round(rng.normal(50, 12, n), 1)
    kind = rng.choice(["a", "b", HOSTILE, "d", 'quo"te'], n)
    other = rng.integers(0, 40, n).astype(float)
    score = (size > 55) * 2.0 + (kind == HOSTILE) * (other > 20) * 3.0
    score += (kind == "a") * (size < 45) * 2.0 + rng.normal(0, 0.7, n)
    other[rng.random(n) < 0.1] = np.nan
    X = pd.DataFrame({"size": size, HOSTILE: pd.Categorical(kind), "other": other})
    X["noise"] = rng.normal(size=n)
    return X, score


class Case:
    """A fitted model, its data and its page."""

    def __init__(self, model, X, y, X_test, y_test, file, **options):
        self.model, self.X, self.y = model, X, y
        self.X_test, self.y_test, self.file = X_test, y_test, file
        model.explore(X, y, X_test=X_test, y_test=y_test, path=file, **options)


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    X, score = make_mixed()
    y = np.array(["low", HOSTILE, "high"])[np.digitize(score, [0.8, 2.2])]
    model = DPDTreeClassifier(max_depth=4, strategy="balanced").fit(X[:600], y[:600])
    file = tmp_path_factory.mktemp("classes") / "page.html"
    options = {"title": HOSTILE, "stability": 3}
    return Case(model, X[:600], y[:600], X[600:], y[600:], file, **options)


@pytest.fixture(scope="session")
def numbers(tmp_path_factory):
    X, y = make_mixed(seed=3)
    model = DPDTreeRegressor(
        max_depth=3, strategy="balanced", min_samples_leaf=10, shrinkage=12.0
    )
    model.fit(X[:600], y[:600])
    file = tmp_path_factory.mktemp("numbers") / "page.html"
    return Case(model, X[:600], y[:600], X[600:], y[600:], file)


@pytest.fixture(scope="session")
def shrunk(tmp_path_factory):
    """The default classifier: log-loss, and what nodes say is shrunk."""
    X, score = make_mixed(seed=4)
    y = (score > 1.5).astype(int)
    model = DPDTreeClassifier(shrinkage=25.0).fit(X[:600], y[:600])
    file = tmp_path_factory.mktemp("shrunk") / "page.html"
    return Case(model, X[:600], y[:600], X[600:], y[600:], file)


@pytest.fixture(scope="session")
def folds(tmp_path_factory):
    X, score = make_mixed(seed=2)
    y = (score > 1.0).astype(int)
    model = DPDTreeClassifierCV(by="n_leaves", max_depth=3, cv=3, loss="zero_one").fit(
        X[:600], y[:600]
    )
    file = tmp_path_factory.mktemp("folds") / "page.html"
    return Case(model, X[:600], y[:600], X[600:], y[600:], file)


@pytest.fixture(params=["classes", "numbers", "folds", "shrunk"])
def case(request):
    return request.getfixturevalue(request.param)
