"""Places the tables of the benchmarks on the pages of the docs.

A table stands between `<!-- name part: begin -->` and `<!-- name part: end -->`, where
`name` is a file in benchmarks/results; each benchmark renders its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from benchmarks import (
    _boosting_summary,
    _wild_report,
    boosting_quality,
    boosting_speed,
    categorical,
    defaults,
    generalization,
    large,
    latency,
    near_optimal,
    optimal,
    path,
    speed,
)
from benchmarks._data import PROJECT_ROOT
from benchmarks._markdown import footer
from benchmarks._timing import RESULTS

PAGES = [
    PROJECT_ROOT / "docs" / name
    for name in (
        "benchmarks.md",
        "boosting.md",
        "choosing-the-size.md",
        "deployment.md",
    )
]

Content = dict[str, Any]

#: marker → (file, part or "" for the whole file, renderer)
TABLES: dict[str, tuple[str, str, Callable[[Content], str]]] = {
    "speed": ("speed", "", speed.rendered),
    "categorical": ("categorical", "", categorical.rendered),
    "large": ("large", "", large.rendered),
    "near_optimal others": ("near_optimal", "others", near_optimal.rendered_others),
    "near_optimal binary": ("near_optimal", "binary", near_optimal.rendered_binary),
    "near_optimal depth4": ("near_optimal", "depth4", near_optimal.rendered),
    "near_optimal depth5": ("near_optimal", "depth5", near_optimal.rendered),
    "optimal depth2": ("optimal", "depth2", optimal.rendered),
    "optimal depth4": ("optimal", "depth4", optimal.rendered),
    "optimal binary3": ("optimal", "binary3", optimal.rendered),
    "optimal binary4": ("optimal", "binary4", optimal.rendered),
    "optimal binary5": ("optimal", "binary5", optimal.rendered),
    "optimal binary4_priced": ("optimal", "binary4_priced", optimal.rendered),
    "optimal binary5_priced": ("optimal", "binary5_priced", optimal.rendered),
    "optimal two_threads": ("optimal", "two_threads", optimal.rendered),
    "generalization": ("generalization", "", generalization.rendered),
    "wild": ("wild", "", _wild_report.rendered),
    "wild boosters": ("wild", "", _wild_report.rendered_boosters),
    "path": ("path", "", path.rendered),
    "defaults": ("defaults", "", defaults.rendered),
    "defaults depths": ("defaults", "", defaults.rendered_depths),
    "defaults smoothing": ("defaults", "", defaults.rendered_smoothing),
    **{
        f"boosting_quality {part}": ("boosting_quality", part, renderer)
        for part, renderer in boosting_quality.RENDERERS.items()
    },
    "boosting_quality in short": ("boosting_quality", "", _boosting_summary.quality),
    "boosting_speed in short": ("boosting_speed", "", _boosting_summary.speed),
    "boosting_speed": ("boosting_speed", "", boosting_speed.rendered),
    "latency": ("latency", "", latency.rendered),
}


def render(file: str, part: str, renderer: Callable[[Content], str]) -> str | None:
    """The text of one table, or None if its results are not stored."""
    path = RESULTS / f"{file}.json"
    if not path.is_file():
        return None
    content: Content = json.loads(path.read_text(encoding="utf-8"))
    if part and part not in content:
        return None
    text = renderer(content[part] if part else content)
    return f"{text}\n\n{footer(content)}"


def fill(page: str) -> str:
    """The page with every table that has results filled in."""
    for marker, source in TABLES.items():
        text = render(*source)
        if text is None:
            print(f"no results for: {marker}")
            continue
        begin, end = f"<!-- {marker}: begin -->", f"<!-- {marker}: end -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        block = f"{begin}\n{text}\n{end}"
        page = pattern.sub(lambda _, block=block: block, page)  # type: ignore[misc]
    return page


def main() -> None:
    """Rewrite the pages."""
    for page in PAGES:
        page.write_text(fill(page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
