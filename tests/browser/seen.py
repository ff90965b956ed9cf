"""What a page shows, as the tests compare it."""

from __future__ import annotations

import json
import re

import numpy as np


def counts_of(labels):
    """The numbers of rows that screen readers say, by node in preorder."""
    found = [
        re.search(r"([\d\u202f]+) (?:training|test) rows?", text) for text in labels
    ]
    return [int(match[1].replace("\u202f", "")) for match in found]


def data_of(visit):
    return json.loads(visit.page.inner_text("#data"))


def shown_loss(data, value):
    """A loss with as many decimals as the page gives it."""
    root = data["states"]["loss"][0]
    return f"{value:.{min(10, max(1, 4 - int(np.floor(np.log10(root)))))}f}"
