"""Attributes of a fit: set together, dropped together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class FittedAttributes:
    """Knows which attributes a fit has set: those with a trailing underscore."""

    def _fitted(self) -> dict[str, Any]:
        """Return the fitted attributes by name."""
        own = vars(self).items()
        return {k: v for k, v in own if k.endswith("_") and not k.startswith("_")}

    def _set(self, **attributes: Any) -> None:
        """Set attributes by name."""
        for name, value in attributes.items():
            setattr(self, name, value)

    def _forget(self) -> None:
        """Drop all fitted attributes."""
        own = vars(self)
        for name in self._fitted():
            del own[name]

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Start unfitted, and be unfitted again if the block does not end well."""
        self._forget()
        try:
            yield
        except BaseException:
            self._forget()
            raise
