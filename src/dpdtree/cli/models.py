"""Model files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from dpdtree._core import ModelFormatError
from dpdtree.cli.errors import ModelError, reason
from dpdtree.io.files import model_from_json


def load(path: str) -> Any:
    """Return the model in a file, or in standard input for "-"."""
    where = "standard input" if path == "-" else path
    try:
        text = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return model_from_json(text)
    except OSError as error:
        raise ModelError(f"{where} cannot be read: {reason(error)}.") from None
    except ModelFormatError as error:
        raise ModelError(f"{where} is not a valid model: {error}") from None
