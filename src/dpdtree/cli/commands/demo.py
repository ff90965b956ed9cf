"""`dpdtree demo`."""

from __future__ import annotations

from dpdtree.cli._click import click


@click.command()
def demo() -> None:
    """Compare CART with trees that look ahead, on real data."""
    from dpdtree.demo import main

    main()
