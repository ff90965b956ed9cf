"""click, or rich-click where it is installed: the same interface in colour."""

from __future__ import annotations

import os
from typing import Any

import click as plain_click

try:
    import rich_click as click
    from rich_click import rich_click as _settings

    if os.environ.get("NO_COLOR"):
        _settings.COLOR_SYSTEM = None
    BaseGroup: Any = click.RichGroup
    BaseCommand: Any = click.RichCommand
    _BaseOption: Any = getattr(click, "RichOption", plain_click.Option)
except ImportError:
    click = plain_click  # type: ignore[misc]
    BaseGroup, _BaseOption = click.Group, click.Option

    class BaseCommand(click.Command):  # type: ignore[no-redef]
        """A command whose help lists the options of a panel below the others."""

        def format_options(self, ctx: Any, formatter: Any) -> None:
            """Write a section per panel."""
            panels: dict[str, list[Any]] = {"Options": []}
            for param in self.get_params(ctx):
                record = param.get_help_record(ctx)
                if record is not None:
                    name = getattr(param, "panel", None) or "Options"
                    panels.setdefault(name, []).append(record)
            for name, records in panels.items():
                with formatter.section(name):
                    formatter.write_dl(records)


class PanelOption(_BaseOption):
    """An option that the help lists under a heading of its own."""

    def __init__(self, *arguments: Any, panel: str, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.panel = panel


__all__ = ["BaseCommand", "BaseGroup", "PanelOption", "click"]
