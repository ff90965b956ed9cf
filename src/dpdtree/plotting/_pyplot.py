"""Matplotlib, imported when the first picture is drawn."""

from __future__ import annotations

from typing import Any


def pyplot(what: str) -> Any:
    """Return matplotlib.pyplot, or say who needs it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            f"{what} needs matplotlib, which is not installed:"
            ' pip install "dpdtree[plot]".'
        ) from error
    return plt
