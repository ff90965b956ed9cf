"""Links of the pages that lead out of docs/, as the site can follow them.

Pages are read in the repository, too, where a link may go to a source file or to a page
beside docs/. On the site such a page is one of its own, and a source is only named. A
link to what is not there is a warning, and so an error of `make docs`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(?<!!)\[([^\]\[]+)\]\(([^)#\s:]+)(#[^)\s]*)?\)")
#: Pages beside docs/ and what they are called on the site.
PAGES = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}


def rewritten(text: str, folder: str, warn: Callable[[str], None]) -> str:
    """Return the text of a page in this folder of the repository, for the site."""

    def link(found: re.Match[str]) -> str:
        label, target, anchor = found[1], found[2], found[3] or ""
        path = posixpath.normpath(posixpath.join(folder, target))
        if path in PAGES:
            return f"[{label}]({PAGES[path]}{anchor})"
        if path.startswith("docs/"):  # Sphinx knows whether it is there
            return f"[{label}]({path.removeprefix('docs/')}{anchor})"
        if not (ROOT / path).exists():
            warn(f"a link to {path}, which is not there")
        return label

    return LINK.sub(link, text)


def _warning(page: str) -> Callable[[str], None]:
    from sphinx.util import logging

    return lambda text: logging.getLogger(__name__).warning(text, location=page)


def _page(app, docname: str, source: list[str]) -> None:
    if not docname.startswith("gallery/"):
        source[0] = rewritten(source[0], "docs", _warning(docname))


def _included(app, relative_path: Path, parent: str, source: list[str]) -> None:
    folder = (Path(app.srcdir) / relative_path).resolve().parent
    name = folder.relative_to(ROOT).as_posix()
    source[0] = rewritten(source[0], "" if name == "." else name, _warning(parent))


def setup(app) -> dict[str, bool]:
    """Rewrite pages and what they include before they are parsed."""
    app.connect("source-read", _page)
    app.connect("include-read", _included)
    return {"parallel_read_safe": True}
