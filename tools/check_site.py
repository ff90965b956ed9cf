"""Check that the built site needs no network and that its links lead somewhere.

    python tools/check_site.py build/site

Every link to a page, an anchor or a file of the site must have its target, and no page
may load a script, a style, a font or a picture from elsewhere. Prints what does not
comply and exits with 1. Links to other sites are not followed: the build is offline.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

#: Where an element names what a page loads; other addresses are for the reader.
LOADS = {
    ("script", "src"),
    ("img", "src"),
    ("iframe", "src"),
    ("source", "src"),
    ("video", "src"),
    ("audio", "src"),
    ("embed", "src"),
    ("object", "data"),
}
LOADING_RELATIONS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect"}
IN_STYLES = re.compile(r"""(?:url\(|@import\s+)\s*["']?(?:https?:)?//[^)"';\s]+""")


class Page(HTMLParser):
    """The anchors of a page, what it links to and what it loads."""

    def __init__(self, text: str) -> None:
        """Read a page."""
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what an element names."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link":
            relations = set(given.get("rel", "").split())
            loads = bool(relations & LOADING_RELATIONS)
            (self.loads if loads else self.links).append(given.get("href", ""))
        self.loads += [v for name, v in given.items() if (tag, name) in LOADS]


def problems(site: Path) -> Iterator[str]:
    """Yield a line for each link that leads nowhere and each use of the network."""
    pages = {
        path: Page(path.read_text("utf-8"))
        for path in site.rglob("*.html")
        if "_static" not in path.parts  # where themes keep their templates
    }
    if not pages:
        yield f"{site}: no pages"
    for path, page in sorted(pages.items()):
        name = path.relative_to(site)
        for address in page.loads:
            if _is_remote(address):
                yield f"{name}: loads {address}"
            else:
                yield from _broken(site, path, pages, address)
        for address in page.links:
            if not urlsplit(address).scheme and not address.startswith("//"):
                yield from _broken(site, path, pages, address)
    for path in sorted(site.rglob("*.css")):
        for found in IN_STYLES.findall(path.read_text("utf-8")):
            yield f"{path.relative_to(site)}: loads {found}"


def _is_remote(address: str) -> bool:
    return address.startswith("//") or urlsplit(address).scheme in ("http", "https")


def _broken(
    site: Path, page: Path, pages: dict[Path, Page], address: str
) -> Iterator[str]:
    parts = urlsplit(address)
    if parts.scheme == "data":
        return
    target = page if not parts.path else page.parent / unquote(parts.path)
    target = Path(target).resolve()
    if target.is_dir():
        target /= "index.html"
    name = page.relative_to(site)
    if not target.exists():
        yield f"{name}: {address} is not there"
    elif parts.fragment and target in pages:
        wanted = unquote(parts.fragment)
        if wanted not in pages[target].anchors:
            yield f"{name}: {address}: no such anchor"


def main(arguments: list[str]) -> int:
    """Print all problems of a site; return 1 if there are any."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    found = list(problems(Path(arguments[0]).resolve()))
    print("\n".join(found) or "All links of the site lead somewhere, none to a CDN.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
