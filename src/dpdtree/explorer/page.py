"""One HTML file: template, style, scripts and data, and a policy that allows no more.

The scripts are plain ones that share a scope; they are joined in this order. Nothing is
fetched: the policy names the hashes of the one style and the one script.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

#: What uses comes after what is used.
SCRIPTS = (
    "basics.js",
    "model.js",
    "store.js",
    "words.js",
    "layout.js",
    "tree_view.js",
    "front.js",
    "node.js",
    "errors.js",
    "rules.js",
    "rows.js",
    "ask.js",
    "compare.js",
    "code.js",
    "leave.js",
    "main.js",
)


def asset(name: str) -> str:
    """Return a file of the page."""
    return (files("dpdtree.explorer") / "assets" / name).read_text(encoding="utf-8")


def source() -> str:
    """Return the whole script as it was written, with its types in comments."""
    body = "\n".join(asset(name) for name in SCRIPTS)
    return f'"use strict";\n(() => {{\n{body}\n}})();\n'


def script() -> str:
    """Return the whole script without comments and indentation.

    No string of it holds the beginning of a comment, and none goes over several lines.
    """
    text = re.sub(r"/\*\*.*?\*/ ?", "", source(), flags=re.DOTALL)
    lines = (line.strip() for line in text.splitlines())
    return (
        "\n".join(line for line in lines if line and not line.startswith("//")) + "\n"
    )


def page(data: Mapping[str, Any], title: str) -> str:
    """Return the page that shows these data."""
    style, code = asset("explorer.css"), script()
    parts = {
        "@TITLE@": html.escape(title),
        "@POLICY@": policy(style, code),
        "@STYLE@": style,
        "@SCRIPT@": code,
        "@DATA@": as_json(data),
    }
    # At once, so that a name of a part within a part stays what it is.
    return re.sub("@[A-Z]+@", lambda name: parts[name[0]], asset("template.html"))


def policy(style: str, code: str) -> str:
    """Return the content security policy."""
    return (
        "default-src 'none'; img-src data: blob:; base-uri 'none'; form-action 'none';"
        f" style-src '{_hash(style)}'; script-src '{_hash(code)}'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def as_json(data: Any) -> str:
    """Return JSON that cannot end the element that holds it."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
