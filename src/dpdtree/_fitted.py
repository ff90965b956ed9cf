"""Attributes of a fit: set together, dropped together.

They are those with a trailing underscore, as scikit-learn has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def fitted_attributes(estimator: Any) -> dict[str, Any]:
    """Return the fitted attributes by name."""
    own = vars(estimator).items()
    return {k: v for k, v in own if k.endswith("_") and not k.startswith("_")}


def set_attributes(estimator: Any, **attributes: Any) -> None:
    """Set attributes by name."""
    for name, value in attributes.items():
        setattr(estimator, name, value)


def forget(estimator: Any) -> None:
    """Drop all fitted attributes."""
    own = vars(estimator)
    for name in fitted_attributes(estimator):
        del own[name]


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """Start unfitted, and be unfitted again if the block does not end well."""
    forget(estimator)
    try:
        yield
    except BaseException:
        forget(estimator)
        raise
