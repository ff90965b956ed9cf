"""The site: Sphinx, Markdown pages, a gallery of executed examples. No network."""

from __future__ import annotations

import os
import re
import sys
import warnings
from pathlib import Path

import dpdtree
from dpdtree.demo import write_page

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

project = "dpdtree"
author = "The dpdtree developers"
copyright = "the dpdtree developers"
version = release = dpdtree.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "repository_links",
    "sphinx_click",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "_ext", "gallery/*.ipynb", "gallery/*.py"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]

numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"

html_theme = "pydata_sphinx_theme"
html_title = f"dpdtree {version}"
html_static_path = []
html_extra_path = ["_extra"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "get-started": []}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": os.environ.get("DPDTREE_EXAMPLES", r"/plot_"),
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "write_computation_times": False,  # its page asks a CDN for scripts
    "abort_on_example_error": True,
    "plot_gallery": "True",
    "matplotlib_animations": False,
}
warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")


def _escaped(line: str) -> str:
    """A name such as gap_ is no link: its last underscore is escaped."""
    if line.lstrip().startswith((">>>", "...", "..")):
        return line
    parts = re.sub(r":obj:`(\w+) <[\w.]+>`", r"**\1**", line).split("`")
    for at in range(0, len(parts), 2):  # outside quotes
        parts[at] = re.sub(r"(\w)_(?=\W|$)", r"\1\\_", parts[at])
    return "`".join(parts)


def _escape_docstring(app, what, name, obj, options, lines) -> None:
    lines[:] = [_escaped(line) for line in lines]


def _escape_command(app, ctx, lines) -> None:
    lines[:] = [_escaped(line) for line in lines]


def _write_explorer(app, exception) -> None:
    """Make the explorer that "Get started" embeds."""
    if exception is None and app.builder.format == "html":
        write_page(Path(app.outdir) / "explorer-demo.html")


def setup(app) -> None:
    """Attributes of fitted estimators end in an underscore, which is a link in RST."""
    app.connect("build-finished", _write_explorer)
    app.connect("autodoc-process-docstring", _escape_docstring, priority=900)
    for part in ("description", "options", "arguments", "epilog"):
        app.connect(f"sphinx-click-process-{part}", _escape_command)
